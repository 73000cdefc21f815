import LegacyMigration
import Reprise
import TestSupport

/// Records of a schema by chance: to-ones that may have to lead somewhere, one-to-ones, lists, what must be unique, and
/// every delete rule, of which an export gives the one side, the other, or both.
struct InventedWorld {
    /// How models are related.
    struct Relation {
        enum Kind { case toOne, pair, list }

        let kind: Kind
        let source: String
        let name: String
        let target: String
        /// What the other side is called, where it has a name.
        var inverse: String?
        var isRequired = false
        var isInverseRequired = false
        /// Which sides the export gives.
        var givesSource = true
        var givesInverse = false
    }

    struct Row {
        let model: String
        let key: String
        var first: Int64?
        var second: Int64?
        var text: String?
        var toOnes: [String: String] = [:]
        var lists: [String: [String]] = [:]

        var name: String { "\(model) \(key)" }

        /// What it has besides its to-ones and lists.
        var values: [String: Value] {
            [
                "s0": Value(optional: first), "s1": Value(optional: second),
                "u": text.map { .string($0) } ?? .null,
            ]
        }
    }

    let schema: SchemaDescription
    let relations: [Relation]
    let models: [String]
    /// The order in which an export has the models.
    let order: [String]
    var rows: [Row] = []
    /// How many rows there have been.
    private(set) var count = 0

    init(
        schema: SchemaDescription,
        relations: [Relation],
        models: [String],
        order: [String]
    ) {
        self.schema = schema
        self.relations = relations
        self.models = models
        self.order = order
    }

    private func keys(of model: String) -> [String] {
        rows.filter { $0.model == model }.map(\.key)
    }

    // MARK: Chance

    /// Changes something by chance.
    mutating func change(_ seed: inout TestSupport.SeededGenerator) {
        switch seed.below(10) {
        case 0...2:
            count += 1
            let model = seed.pick(models)
            let row = row(model, key: "\(model)\(count)", &seed)
            rows.insert(row, at: seed.below(rows.count + 1))
        case 3, 4: if rows.count > 2 { rows.remove(at: seed.below(rows.count)) }
        case 5:
            if rows.count > 1 { rows.swapAt(seed.below(rows.count), seed.below(rows.count)) }
        case 6, 7:
            guard !rows.isEmpty else { return }
            let place = seed.below(rows.count)
            switch seed.below(3) {
            case 0: rows[place].first = Int64(seed.below(5))
            case 1: rows[place].second = seed.once(in: 3) ? nil : Int64(seed.below(3))
            default: rows[place].text = seed.once(in: 3) ? nil : "u\(seed.below(8))"
            }
        default:
            guard !rows.isEmpty else { return }
            let place = seed.below(rows.count)
            let own = relations.filter { $0.source == rows[place].model }
            guard let relation = seed.pickIfAny(own) else { return }
            var row = rows[place]
            relate(&row, by: relation, &seed)
            rows[place] = row
        }
    }

    private func row(
        _ model: String,
        key: String,
        _ seed: inout TestSupport.SeededGenerator
    ) -> Row {
        var row = Row(model: model, key: key)
        row.first = seed.once(in: 4) ? nil : Int64(seed.below(5))
        row.second = seed.once(in: 4) ? nil : Int64(seed.below(3))
        row.text = seed.once(in: 2) ? nil : "u\(seed.below(8))"
        for relation in relations { relate(&row, by: relation, &seed) }
        return row
    }

    /// Lets a row lead elsewhere, where it is the source of a relation.
    private func relate(
        _ row: inout Row,
        by relation: Relation,
        _ seed: inout TestSupport.SeededGenerator
    ) {
        guard relation.source == row.model else { return }
        let name = relation.name
        guard relation.kind == .list else {
            row.toOnes[name] = target(of: relation, &seed)
            return
        }
        switch seed.below(4) {
        case 0: row.lists[name] = []
        case 1: row.lists[name]?.shuffle(using: &seed)
        case 2:
            let length = row.lists[name]?.count ?? 0
            if length > 0 { row.lists[name]?.remove(at: seed.below(length)) }
        default:
            for _ in 0..<1 + seed.below(4) {
                guard let key = seed.pickIfAny(keys(of: relation.target)) else { continue }
                let length = row.lists[name]?.count ?? 0
                row.lists[name, default: []].insert(key, at: seed.below(length + 1))
            }
        }
    }

    /// Somebody, nobody, or one who is nowhere.
    private func target(
        of relation: Relation,
        _ seed: inout TestSupport.SeededGenerator
    ) -> String? {
        if !relation.isRequired, seed.once(in: 3) { return nil }
        if seed.once(in: 30) { return "nobody" }
        return seed.pickIfAny(keys(of: relation.target))
    }

    // MARK: An export

    var source: InventedSource {
        var source = InventedSource(schema: schema)
        source.order = order
        for relation in relations where relation.kind != .list {
            if !relation.givesSource {
                source.absentFields[relation.source, default: []].insert(relation.name)
            }
            if !relation.givesInverse, let inverse = relation.inverse {
                source.absentFields[relation.target, default: []].insert(inverse)
            }
        }
        source.records = rows.map {
            LegacyRecord(className: $0.model, key: $0.key, fields: fields(of: $0))
        }
        source.lists = rows.flatMap { row in relations.compactMap { list(of: row, by: $0) } }
        return source
    }

    private func fields(of row: Row) -> [LegacyField] {
        var fields: [LegacyField] = []
        if let value = row.first { fields.append(LegacyField("s0", .integer(value))) }
        if let value = row.second { fields.append(LegacyField("s1", .integer(value))) }
        if let value = row.text { fields.append(LegacyField("u", .string(value))) }
        for relation in relations where relation.kind != .list {
            if relation.source == row.model, relation.givesSource,
                let target = row.toOnes[relation.name]
            {
                fields.append(LegacyField(relation.name, .reference(target)))
            }
            if relation.kind == .pair, relation.target == row.model, relation.givesInverse,
                let inverse = relation.inverse, let partner = sources(of: row, by: relation).first
            {
                fields.append(LegacyField(inverse, .reference(partner)))
            }
        }
        return fields
    }

    private func list(of row: Row, by relation: Relation) -> LegacyList? {
        var name = relation.name
        var members: [String] = []
        if relation.kind == .list, relation.source == row.model {
            members = row.lists[name] ?? []
        } else if relation.kind == .toOne, relation.target == row.model, relation.givesInverse,
            !relation.givesSource, let inverse = relation.inverse
        {
            name = inverse
            members = sources(of: row, by: relation)
        }
        if members.isEmpty { return nil }
        return LegacyList(
            className: row.model,
            key: row.key,
            name: name,
            members: LegacyReferences(members)
        )
    }

    /// Those that lead to a row.
    private func sources(of row: Row, by relation: Relation) -> [String] {
        rows.filter { $0.model == relation.source && $0.toOnes[relation.name] == row.key }
            .map(\.key)
    }
}

extension Value {
    /// A number, or nothing.
    init(optional number: Int64?) {
        self = number.map { .int(Int($0)) } ?? .null
    }
}

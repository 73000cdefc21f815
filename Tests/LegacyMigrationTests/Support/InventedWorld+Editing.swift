import LegacyMigration
import Reprise
import TestSupport

/// What somebody does to a store with such records, besides the migrations.
extension InventedWorld {
    /// What the rules of the schema may forbid.
    private static let refusals: Set<StoreError.Code> = [
        .deleteDenied, .invalidValue, .targetMissing, .uniqueViolation,
    ]

    /// Does something by chance, where it is allowed.
    ///
    /// - Parameter follows: whether it is what the next export will say.
    func edit(
        _ library: TemporaryLibrary,
        _ seed: inout TestSupport.SeededGenerator,
        follows: Bool
    ) throws {
        do {
            try library.write { transaction in
                if follows, let row = seed.pickIfAny(rows) {
                    try follow(row, in: &transaction, &seed)
                } else {
                    try edit(in: &transaction, &seed)
                }
            }
        } catch let error as StoreError where Self.refusals.contains(error.code) {
            return
        }
    }

    /// Does what the world says of a row, or some of it.
    private func follow(
        _ row: Row,
        in transaction: inout WriteTransaction,
        _ seed: inout TestSupport.SeededGenerator
    ) throws {
        let reference = EntityReference(model: row.model, id: row.key)
        func exists(_ model: String, _ key: String) throws -> Bool {
            try transaction.revision(of: EntityReference(model: model, id: key)) != nil
        }
        let isThere = try exists(row.model, row.key)
        if isThere || seed.once(in: 3) {
            var values = row.values
            for relation in relations where relation.kind != .list && relation.source == row.model {
                if let key = row.toOnes[relation.name], try exists(relation.target, key) {
                    values[relation.name] = .reference(key)
                } else if !relation.isRequired {
                    values[relation.name] = .null
                }
            }
            if isThere, seed.once(in: 2) {
                let name = seed.pick(values.keys.sorted())
                values = values.filter { $0.key == name }
            }
            try transaction.put(reference, values: values)
        }
        guard try exists(row.model, row.key), seed.once(in: 2) else { return }
        for relation in relations where relation.kind == .list && relation.source == row.model {
            let name = relation.name
            for entry in try transaction.entries(of: name, model: row.model, id: row.key) {
                try transaction.unlink(name, entry: entry, of: reference)
            }
            for key in row.lists[name] ?? [] where try exists(relation.target, key) {
                _ = try transaction.link(name, of: reference, to: key)
            }
        }
    }

    private func edit(
        in transaction: inout WriteTransaction,
        _ seed: inout TestSupport.SeededGenerator
    ) throws {
        let model = seed.pick(models)
        switch seed.below(9) {
        case 0, 1:
            guard let row = try any(model, in: transaction, &seed) else { return }
            let name = seed.pick(["s0", "s1", "u"])
            let value: Value =
                if name == "u" {
                    .string("u\(seed.below(8))")
                } else {
                    seed.once(in: 4) ? .null : .int(seed.below(5))
                }
            try transaction.put(row, values: [name: value])
        case 2, 3:
            guard let row = try any(model, in: transaction, &seed) else { return }
            _ = try transaction.delete(row)
        case 4, 5:
            let relation = seed.pick(relations)
            guard relation.kind != .list, let row = try any(relation.source, in: transaction, &seed)
            else { return }
            let isEmpty = seed.once(in: 4)
            let target = isEmpty ? nil : try any(relation.target, in: transaction, &seed)
            if target == nil, relation.isRequired { return }
            let value = target.map { Value.reference($0.id) } ?? .null
            try transaction.put(row, values: [relation.name: value])
        case 6, 7: try rearrange(seed.pick(relations), in: &transaction, &seed)
        default: try make(model, in: &transaction, &seed)
        }
    }

    private func any(
        _ model: String,
        in transaction: borrowing WriteTransaction,
        _ seed: inout TestSupport.SeededGenerator
    ) throws -> EntityReference? {
        let records = try transaction.records(RecordQuery(model: model))
        return seed.pickIfAny(records).map { EntityReference(model: model, id: $0.id) }
    }

    /// Puts something into a list, takes it out or moves it; in one on the other side of a to-one it only moves it.
    private func rearrange(
        _ relation: Relation,
        in transaction: inout WriteTransaction,
        _ seed: inout TestSupport.SeededGenerator
    ) throws {
        let isList = relation.kind == .list
        guard relation.kind != .pair, let name = isList ? relation.name : relation.inverse,
            let owner = try any(isList ? relation.source : relation.target, in: transaction, &seed)
        else { return }
        let entries = try transaction.entries(of: name, model: owner.model, id: owner.id)
        switch seed.below(3) {
        case 0:
            guard isList, let member = try any(relation.target, in: transaction, &seed)
            else { return }
            _ = try transaction.link(name, of: owner, to: member.id)
        case 1:
            guard isList, let entry = seed.pickIfAny(entries) else { return }
            try transaction.unlink(name, entry: entry, of: owner)
        default:
            guard let entry = seed.pickIfAny(entries) else { return }
            let place: Placement = seed.once(in: 2) ? .first : .last
            try transaction.move(name, entry: entry, of: owner, to: place)
        }
    }

    /// Makes a row, sometimes one that the source has, had or will have as well.
    private func make(
        _ model: String,
        in transaction: inout WriteTransaction,
        _ seed: inout TestSupport.SeededGenerator
    ) throws {
        var values: [String: Value] = ["s0": .int(seed.below(5))]
        for relation in relations where relation.kind != .list {
            if relation.source == model, relation.isRequired,
                let target = try any(relation.target, in: transaction, &seed)
            {
                values[relation.name] = .reference(target.id)
            }
            if relation.target == model, relation.isInverseRequired, let inverse = relation.inverse,
                let partner = try any(relation.source, in: transaction, &seed)
            {
                values[inverse] = .reference(partner.id)
            }
        }
        let isKnown = seed.once(in: 3)
        let id = isKnown ? "\(model)\(1 + seed.below(count + 4))" : "x\(seed.below(20))"
        try transaction.put(EntityReference(model: model, id: id), values: values)
    }
}

import Foundation
import LegacyMigration
import Reprise
import TestSupport

/// A schema made up from a seed, with every type and every relationship, and rows of it.
struct InventedState {
    let schema: SchemaDescription

    private static let scalars: [ValueType] = [
        .bool, .int, .double, .float, .string, .data, .date, .uuid, .decimal,
    ]

    /// Makes up one to four models, with attributes of all types and relationships of all kinds.
    init(using random: inout SeededGenerator) {
        let count = Int.random(in: 1...4, using: &random)
        var models: [ModelDescription] = []
        for number in 1...count {
            var attributes: [AttributeDescription] = []
            func add(_ type: ValueType, isOptional: Bool) {
                let slot = attributes.count
                attributes.append(
                    AttributeDescription(
                        slot: slot,
                        name: "a\(slot)",
                        type: type,
                        isOptional: isOptional
                    )
                )
            }
            for type in Self.scalars.shuffled(using: &random) {
                add(type, isOptional: Bool.random(using: &random))
            }
            for _ in 0..<3 {
                let scalar = Self.scalars.randomElement(using: &random)!
                let mayBeNil = Bool.random(using: &random)
                add(.list(scalar, nilElements: mayBeNil), isOptional: Bool.random(using: &random))
                add(
                    .set(
                        [ValueType.int, .string].randomElement(using: &random)!,
                        nilElements: mayBeNil
                    ),
                    isOptional: false
                )
                add(.map(scalar, nilValues: mayBeNil), isOptional: false)
            }
            models.append(
                ModelDescription(
                    number: UInt16(number),
                    name: ["Track", "order", "_x9", "LIST"][number - 1],
                    version: 1,
                    slotCount: attributes.count,
                    attributes: attributes,
                    indexes: []
                )
            )
        }
        var relations: [RelationDescription] = []
        for number in 1...Int.random(in: 1...6, using: &random) {
            let source = Int.random(in: 0..<count, using: &random)
            let target = Int.random(in: 0..<count, using: &random)
            func addSlot(_ model: Int, _ name: String) -> Int {
                let slot = models[model].slotCount
                models[model].attributes.append(
                    AttributeDescription(slot: slot, name: name, type: .reference, isOptional: true)
                )
                models[model].slotCount += 1
                return slot
            }
            let rules: [DeleteRule] = [.nullify, .cascade, .deny]
            let kind: RelationDescription.Kind
            var inverse: String? = "i\(number)"
            switch Int.random(in: 0...4, using: &random) {
            case 0, 1:
                kind = .reference(slot: addSlot(source, "r\(number)"))
                if Int.random(in: 0...3, using: &random) == 0 { inverse = nil }
            case 2:
                kind = .pair(
                    sourceSlot: addSlot(source, "r\(number)"),
                    targetSlot: addSlot(target, "i\(number)")
                )
            default: kind = .list
            }
            relations.append(
                RelationDescription(
                    number: UInt16(number),
                    kind: kind,
                    source: .init(
                        model: UInt16(source + 1),
                        name: "r\(number)",
                        onDelete: .nullify
                    ),
                    target: .init(
                        model: UInt16(target + 1),
                        name: inverse,
                        onDelete: rules.randomElement(using: &random)!
                    )
                )
            )
        }
        schema = SchemaDescription(models: models, relations: relations)
    }

    // MARK: Rows

    private static let texts = [
        "", "a", "plain", "\u{0}", "a\u{0}b", "\u{1}\u{1F}\u{7F}", "\"\\/\u{8}\u{C}\n\r\t", "雨",
        "\u{1F600}",
        "null", "{\"$numberLong\":\"5\"}", "2001-02-03 04:05:06", "e\u{301}", "\u{2028}", "nan",
    ]
    private static let ids = [
        "1", "a", "A", "ab", "x y", "\"", "\u{0}b", "\u{1F600}", "雨", "0123456789ABCDEF", "é",
        "C0FFEE00-0000-4000-8000-00000000000A", "\u{1}",
    ]
    private static let doubles: [Double] = [
        0, -0.0, 1, 1.5, 0.1, -1e300, .leastNonzeroMagnitude, .infinity, -.infinity, .nan, 1e16,
        123_456_789.123, .greatestFiniteMagnitude, 9_007_199_254_740_992,
    ]
    private static let decimals = [
        "0", "1", "-12.50", "0.000000000000000000000000000001",
        "9999999999999999999999999999999999",
        "1e40", "-3e-20", "NaN",
    ]

    static func value(of type: ValueType, using random: inout SeededGenerator) -> Value {
        switch type {
        case .bool: .bool(Bool.random(using: &random))
        case .int: .int([0, 1, -1, .max, .min, 1 << 53 + 1].randomElement(using: &random)!)
        case .double: .double(doubles.randomElement(using: &random)!)
        case .float:
            .float(
                [
                    0, -0.0, 0.1, .leastNonzeroMagnitude, .nan, .infinity, 16_777_216,
                    .greatestFiniteMagnitude, 3.4e-5,
                ]
                .randomElement(using: &random)!
            )
        case .string: .string(texts.randomElement(using: &random)!)
        case .data:
            .data(
                Data(
                    (0..<Int.random(in: 0...5, using: &random)).map { _ in
                        .random(in: 0...255, using: &random)
                    }
                )
            )
        case .date: .date(date(using: &random))
        case .uuid:
            .uuid(
                UUID(
                    uuidString:
                        "C0FFEE00-0000-4000-8000-0000000000\(Int.random(in: 10...99, using: &random))"
                )!
            )
        case .decimal: .decimal(Decimal(string: decimals.randomElement(using: &random)!) ?? .nan)
        case .list(let element, let mayBeNil):
            .list(elements(of: element, mayBeNil, using: &random))
        case .set(let element, let mayBeNil):
            .set(Array(Set(elements(of: element, mayBeNil, using: &random))))
        case .map(let element, let mayBeNil):
            .map(
                zip(
                    ["", "k", "$numberLong", "a.b", "\u{0}"].shuffled(using: &random),
                    elements(of: element, mayBeNil, using: &random)
                )
                .map { Value.Entry($0, $1) }
            )
        case .embedded, .reference: .null
        }
    }

    /// To the nanosecond, the day and the second, before and after the year 0 and 2001.
    private static func date(using random: inout SeededGenerator) -> Date {
        let seconds = [
            0, -1, 86_399, -978_307_200, 700_000_000, -70_000_000_000, 250_000_000_000,
            Int.random(in: -3_000_000_000...3_000_000_000, using: &random),
        ].randomElement(using: &random)!
        let nanoseconds = [0, 250_000_000, 123_456_789, 1, 999_999_999].randomElement(
            using: &random
        )!
        return Date(timeIntervalSinceReferenceDate: Double(seconds) + Double(nanoseconds) / 1e9)
    }

    private static func elements(
        of type: ValueType,
        _ mayBeNil: Bool,
        using random: inout SeededGenerator
    ) -> [Value] {
        (0..<Int.random(in: 0...4, using: &random)).map { _ in
            mayBeNil && Int.random(in: 0...2, using: &random) == 0
                ? .null : value(of: type, using: &random)
        }
    }

    /// Puts rows into a store, links to what was before, to what comes later and to themselves, and lists with repeats.
    func fill(_ store: Store, using random: inout SeededGenerator) throws {
        var ids: [UInt16: [String]] = [:]
        for model in schema.models {
            let count = Int.random(in: 0...Self.ids.count, using: &random)
            ids[model.number] = Array(Self.ids.shuffled(using: &random).prefix(count))
        }
        try store.write { transaction in
            for model in schema.models {
                for id in ids[model.number] ?? [] {
                    var values: [String: Value] = [:]
                    for attribute in model.attributes where attribute.type != .reference {
                        if attribute.isOptional, Int.random(in: 0...2, using: &random) == 0 {
                            continue
                        }
                        values[attribute.name] = Self.value(of: attribute.type, using: &random)
                    }
                    try transaction.put(EntityReference(model: model.name, id: id), values: values)
                }
            }
            for relation in schema.relations {
                let source = schema.model(relation.source.model)!
                for id in ids[source.number] ?? [] {
                    let owner = EntityReference(model: source.name, id: id)
                    for _
                        in 0..<(relation.kind == .list ? Int.random(in: 0...5, using: &random) : 1)
                    {
                        guard
                            let target = ids[relation.target.model]?.randomElement(using: &random),
                            Int.random(in: 0...4, using: &random) > 0
                        else { continue }
                        switch relation.kind {
                        case .list:
                            try transaction.link("r\(relation.number)", of: owner, to: target)
                        case .reference, .pair:
                            try transaction.put(
                                owner,
                                values: ["r\(relation.number)": .reference(target)]
                            )
                        }
                    }
                }
                // Another order than that of the identifiers.
                guard case .reference = relation.kind, let name = relation.target.name,
                    let target = schema.model(relation.target.model)
                else { continue }
                for id in ids[target.number] ?? [] {
                    let entries = try transaction.entries(of: name, model: target.name, id: id)
                    guard entries.count > 1 else { continue }
                    try transaction.move(
                        name,
                        entry: entries.randomElement(using: &random)!,
                        of: EntityReference(model: target.name, id: id),
                        to: .first
                    )
                }
            }
        }
    }
}

/// A state in memory: what a store has, by names.
struct StateContent {
    var records: [String: [Record]] = [:]

    init(_ store: Store) throws {
        try store.read { state in
            for model in state.schema.models {
                records[model.name] = try state.records(RecordQuery(model: model.name))
            }
        }
    }
}

import Reprise

/// What a store has made of narrower attributes by itself (STO-106): nobody has changed a value by that.
struct Widenings {
    /// The stretches of the log in which it did, and nothing else.
    private(set) var positions = PositionRanges()
    /// The types of the widened attributes, by model and name.
    private(set) var types: [String: [String: ValueType]] = [:]

    /// - Complexity: O(1) where nothing was widened; otherwise O(events of the changes of the schema).
    init(in store: Store) throws {
        for model in try store.schema.models {
            for attribute in model.attributes where attribute.isWidened {
                types[model.name, default: [:]][attribute.name] = attribute.type
            }
        }
        if types.isEmpty { return }
        var ends: Set<Position> = []
        var found = PositionRanges()
        try store.read { state in
            var slots: Set<[Int]> = []
            for declaration in try state.schemaDeclarations() {
                let widened = Self.slots(of: declaration.schema)
                if !widened.isSubset(of: slots) { ends.insert(declaration.position) }
                slots.formUnion(widened)
            }
            for again in try state.annotations(named: Store.conversionName) { ends.insert(again.position) }
            for position in ends {
                try state.forEachCommit(from: position, to: position, where: { $0.position == position }) { commit in
                    found.insert(commit.position.rawValue...commit.lastPosition.rawValue)
                    return false
                }
            }
        }
        positions = found
    }

    /// Says that an attribute was widened from another one.
    static func told(
        _ attribute: AttributeDescription,
        of model: ModelDescription,
        _ origin: AttributeDescription
    ) -> String {
        "\(model.name).\(attribute.name) held \(words(origin.type)), and not all values are such now: it holds"
            + " \(words(attribute.type)) from now on, and the values of the store were converted."
    }

    private static func words(_ type: ValueType) -> String {
        switch type {
        case .bool: "true and false"
        case .int: "whole numbers"
        case .double: "numbers"
        case .date: "dates"
        default: "text"
        }
    }

    private static func slots(of schema: SchemaDescription) -> Set<[Int]> {
        var slots: Set<[Int]> = []
        for model in schema.models {
            for attribute in model.attributes + model.retiredAttributes where attribute.isWidened {
                slots.insert([Int(model.number), attribute.slot])
            }
        }
        return slots
    }
}

import Reprise

/// What is said where a store makes a narrower attribute wider by itself (STO-106).
enum Widenings {
    /// The stretches of the log in which the store did so, and nothing else.
    ///
    /// - Complexity: O(1) where nothing was widened; otherwise O(events of the changes of the schema).
    static func positions(in store: Store) throws -> PositionRanges {
        var found = PositionRanges()
        guard try store.schema.models.contains(where: { $0.attributes.contains(where: \.isWidened) }) else {
            return found
        }
        try store.read { state in
            var ends = Set(try state.schemaDeclarations().map(\.position))
            for again in try state.annotations(named: Store.conversionName) { ends.insert(again.position) }
            for position in ends {
                try state.forEachCommit(from: position, to: position, where: { $0.position == position }) { commit in
                    found.insert(commit.position.rawValue...commit.lastPosition.rawValue)
                    return false
                }
            }
        }
        return found
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
}

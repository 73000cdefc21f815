/// The store and the auditor disagree.
package struct WorkloadFailure: Error, CustomStringConvertible {
    package let seed: UInt64
    /// How many operations had been done.
    package let operation: Int
    /// What differs.
    package let difference: String
    /// What was done last.
    package let trail: [String]

    package var description: String {
        // A NUL would end the line in many a terminal and log.
        text.replacing("\0", with: "\\0")
    }

    private var text: String {
        """
        seed \(seed), operation \(operation): \(difference)
        The last operations:
        \(trail.map { "  " + $0 }.joined(separator: "\n"))
        Again with REPRISE_WORKLOAD_SEED=\(seed) REPRISE_WORKLOAD_OPERATIONS=\(operation + 1)
        """
    }
}

/// A difference, before it is known where it was found.
struct Difference: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Throws unless two values are equal.
func expectEqual<T: Equatable>(
    _ store: T,
    _ auditor: T,
    _ what: @autoclosure () -> String
) throws(Difference) {
    guard store == auditor else {
        throw Difference("\(what()): the store says \(store), the auditor \(auditor)")
    }
}

/// What was done last, put into words only when somebody asks.
struct Trail {
    enum Item {
        case operation(Operation, Set<Refusal>)
        case note(String)
    }

    private static let countMax = 40
    private var items: [Item] = []

    mutating func append(_ item: Item) {
        if items.count == Self.countMax { items.removeFirst() }
        items.append(item)
    }

    var lines: [String] {
        items.map { item in
            switch item {
            case .note(let text): text
            case .operation(let operation, let refusals):
                refusals.isEmpty ? "\(operation)" : "\(operation) — refused: \(refusals)"
            }
        }
    }
}

/// A filter with its names resolved and its values in the form of the rows, evaluated on rows where they lie.
///
/// Objects and not an enum: a condition is asked a million times, and an enum's parts would be retained each time.
class FilterNode {
    /// Whether the row passes. O(size of the filter), plus one lookup for each reference followed.
    func matches(_ subject: borrowing FilterSubject, in workspace: Workspace) throws -> Bool {
        preconditionFailure("Every condition says what it matches.")
    }
}

final class ConjunctionNode: FilterNode {
    private let parts: [FilterNode]

    init(_ parts: [FilterNode]) {
        self.parts = parts
    }

    override func matches(
        _ subject: borrowing FilterSubject,
        in workspace: Workspace
    ) throws -> Bool {
        for part in parts where try !part.matches(subject, in: workspace) { return false }
        return true
    }
}

final class DisjunctionNode: FilterNode {
    private let parts: [FilterNode]

    init(_ parts: [FilterNode]) {
        self.parts = parts
    }

    override func matches(
        _ subject: borrowing FilterSubject,
        in workspace: Workspace
    ) throws -> Bool {
        for part in parts where try part.matches(subject, in: workspace) { return true }
        return false
    }
}

final class NegationNode: FilterNode {
    private let part: FilterNode

    init(_ part: FilterNode) {
        self.part = part
    }

    override func matches(
        _ subject: borrowing FilterSubject,
        in workspace: Workspace
    ) throws -> Bool {
        try !part.matches(subject, in: workspace)
    }
}

/// A condition on the bytes of one field.
class FieldNode: FilterNode {
    let field: CompiledField

    init(_ field: CompiledField) {
        self.field = field
    }

    final override func matches(
        _ subject: borrowing FilterSubject,
        in workspace: Workspace
    ) throws -> Bool {
        guard let bytes = try unsafe field.bytes(of: subject, in: workspace) else {
            return holdsForNil
        }
        return unsafe holds(bytes)
    }

    /// The answer where there is no value.
    var holdsForNil: Bool { false }

    /// The answer for a value.
    func holds(_ bytes: UnsafeRawBufferPointer) -> Bool {
        preconditionFailure("Every condition on a field says what it holds for.")
    }
}

final class NilNode: FieldNode {
    override var holdsForNil: Bool { true }
    override func holds(_ bytes: UnsafeRawBufferPointer) -> Bool { false }
}

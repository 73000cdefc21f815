/// Whether the words of a search occur in a row.
final class SearchNode: FilterNode {
    let condition: SearchCondition

    init(_ condition: SearchCondition) {
        self.condition = condition
    }

    override func matches(_ subject: borrowing FilterSubject, in workspace: Workspace) -> Bool {
        condition.matches(subject.payload)
    }
}

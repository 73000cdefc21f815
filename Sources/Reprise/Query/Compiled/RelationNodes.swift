/// Whether one of the entities that a to-many relationship leads to, or each, fulfils a condition.
final class RelationNode: FilterNode {
    private let relation: CompiledRelation
    private let condition: FilterNode
    private let wantsAll: Bool

    init(_ relation: CompiledRelation, _ condition: FilterNode, all wantsAll: Bool) {
        self.relation = relation
        self.condition = condition
        self.wantsAll = wantsAll
    }

    override func matches(
        _ subject: borrowing FilterSubject,
        in workspace: Workspace
    ) throws -> Bool {
        var answer = wantsAll
        // Of its own: conditions may be nested, and each level looks rows up.
        var key = KeyBuffer()
        try unsafe relation.forEachTarget(of: subject, in: workspace) { id in
            unsafe key.setRow(model: relation.target.number, id: id)
            guard let row = try unsafe workspace.row(key.bytes) else {
                throw StoreError.damage(
                    "A list names \(relation.target.name) \"\(unsafe String(decoding: id, as: UTF8.self))\", "
                        + "which does not exist."
                )
            }
            let target = unsafe FilterSubject(
                id: id,
                payload: try RowPayload(trusting: row.payload)
            )
            if try condition.matches(target, in: workspace) != wantsAll {
                answer = !wantsAll
                return false
            }
            return true
        }
        return answer
    }
}

/// How many entries a to-many relationship has.
final class EntryCountNode: FilterNode {
    private let relation: CompiledRelation
    private let comparison: ComparisonOperator
    private let count: Int

    init(_ relation: CompiledRelation, _ comparison: ComparisonOperator, _ count: Int) {
        self.relation = relation
        self.comparison = comparison
        self.count = count
    }

    override func matches(
        _ subject: borrowing FilterSubject,
        in workspace: Workspace
    ) throws -> Bool {
        var found = 0
        try unsafe relation.forEachTarget(of: subject, in: workspace) { _ in
            found += 1
            // One more than asked for answers every comparison.
            return found <= count
        }
        return comparison.holds(found, against: count)
    }
}

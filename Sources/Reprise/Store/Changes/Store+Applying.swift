extension Store {
    /// Makes changes that were found elsewhere, or earlier, happen to the present state.
    ///
    /// - Parameters:
    ///   - changes: what shall happen, as from ``difference(from:to:)`` of this store. Its state before is the base of
    ///     the merge.
    ///   - head: the head of the log as the caller knows it; nil where it makes no difference what has been written
    ///     since.
    ///   - resolution: how conflicts are settled.
    ///   - isPlan: whether it is only looked at what would be done, and nothing is written.
    ///   - context: what the commit says of itself.
    /// - Returns: what was done, with all conflicts.
    /// - Throws: `revisionConflict` where the head is another one; and as a write.
    /// - Complexity: O(changes · log n). All changes are held in memory.
    public func apply(
        _ changes: ChangeSet,
        expecting head: Position? = nil,
        resolving resolution: ChangeSet.Resolution = .none,
        isPlan: Bool = false,
        context: CommitContext = CommitContext(intent: "apply")
    ) throws -> ChangeSet.Report {
        let report = try merge(context, resolving: resolution, isPlan: isPlan) { ground in
            if let head, head != Position(ground.head) {
                throw WriteSession.headMoved(from: head, to: Position(ground.head))
            }
            return MergeWish(takenBack: []) { body in
                try changes.forEachDelta {
                    try body($0)
                    return true
                }
            }
        }
        return try Self.made(report)
    }
}

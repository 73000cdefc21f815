extension Store {
    /// Makes changes that were found elsewhere, or earlier, happen to the present state.
    ///
    /// They may be of this store, of a store of its family of branches, or of a copy of it, if this store has had the
    /// state with which they begin; and they may come from a file. What is there already makes no difference, so that
    /// the same changes can be applied again.
    ///
    /// - Parameters:
    ///   - changes: what shall happen, as from ``difference(from:to:)`` or ``ChangeSet/init(contentsOf:)``. Its state
    ///     before is the base of the merge.
    ///   - head: the head of the log as the caller knows it; nil where it makes no difference what has been written
    ///     since.
    ///   - resolution: how conflicts are settled.
    ///   - isPlan: whether it is only looked at what would be done, and nothing is written.
    ///   - context: what the commit says of itself.
    /// - Returns: what was done, with all conflicts.
    /// - Throws: `revisionConflict` where the head is another one; `notABranch` where the changes are of a store that
    ///   does not share its past with this one as said above; `schemaMismatch` where a change of another store is about
    ///   a model, an attribute or a list that this one does not have; `corrupted` where a file is damaged; and as a
    ///   write.
    /// - Complexity: O(changes · log n). Memory is bounded, but for what HIS-114 names.
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
            let side = try BranchSide(ground.travel)
            let arrival = try ChangeArrival(of: changes.home, in: side)
            return MergeWish(takenBack: [], isOfAnotherLog: !arrival.isSameLog) { body in
                let upcaster = { self.upcast(from: $0, to: ground.workspace) }
                try changes.forEachDelta(
                    in: side,
                    arrival,
                    ground.workspace,
                    upcaster: upcaster,
                    ground.makeFile,
                    body
                )
            }
        }
        return try Self.made(report)
    }
}

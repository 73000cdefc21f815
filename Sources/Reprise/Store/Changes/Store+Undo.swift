internal import RepriseLMDB
internal import RepriseLog

/// Undo and redo, of what one actor has done.
extension Store {
    /// Takes back what an actor has done last: one commit, or all commits of a group.
    ///
    /// The stack of an actor is read from the log, so that it survives the process. On it is what changed entities;
    /// migrations, bulk loads, merges and rollbacks are on no stack. What is newer and stands in the way is a
    /// ``ChangeSet/Conflict``: then nothing is written, and the stack stays as it was.
    ///
    /// ```swift
    /// if let report = try store.undo(), !report.isDone {
    ///     for conflict in report.conflicts { print(conflict) }
    ///     _ = try store.undo(resolving: .ours)    // takes back the rest
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - actor: whose; nil takes the store's ``Store/Configuration/actor``.
    ///   - resolution: how conflicts are settled.
    ///   - isPlan: whether it is only looked at what would be done, and nothing is written.
    /// - Returns: what was done; nil where there is nothing to take back.
    /// - Throws: as a write.
    /// - Complexity: O(events that are taken back · log n), and O(commits since) that others have made.
    @discardableResult
    public func undo(
        by actor: String? = nil,
        resolving resolution: ChangeSet.Resolution = .none,
        isPlan: Bool = false
    ) throws -> ChangeSet.Report? {
        let context = CommitContext(intent: UndoStack.undoIntent, actor: actor)
        return try merge(context, resolving: resolution, isPlan: isPlan, isNoted: true) { ground in
            let commits = try self.undoStack(of: actor, ground).nextUndo()
            return commits.isEmpty ? nil : Self.takingBack(commits, ground)
        }
    }

    /// Brings back what the last ``undo(by:resolving:isPlan:)`` of an actor has taken back, unless he has done
    /// something else since.
    ///
    /// - Parameters:
    ///   - actor: whose; nil takes the store's ``Store/Configuration/actor``.
    ///   - resolution: how conflicts are settled.
    ///   - isPlan: whether it is only looked at what would be done, and nothing is written.
    /// - Returns: what was done; nil where there is nothing to bring back.
    /// - Throws: as a write.
    @discardableResult
    public func redo(
        by actor: String? = nil,
        resolving resolution: ChangeSet.Resolution = .none,
        isPlan: Bool = false
    ) throws -> ChangeSet.Report? {
        let context = CommitContext(intent: UndoStack.redoIntent, actor: actor)
        return try merge(context, resolving: resolution, isPlan: isPlan, isNoted: true) { ground in
            try self.undoStack(of: actor, ground).nextRedo().map { Self.takingBack([$0], ground) }
        }
    }

    /// Whether there is something that ``undo(by:resolving:isPlan:)`` would take back.
    ///
    /// - Parameter actor: whose; nil takes the store's ``Store/Configuration/actor``.
    /// - Throws: as a read.
    /// - Complexity: O(commits since) that others have made.
    public func canUndo(by actor: String? = nil) throws -> Bool {
        try withStack(of: actor) { try !$0.nextUndo().isEmpty }
    }

    /// Whether there is something that ``redo(by:resolving:isPlan:)`` would bring back.
    ///
    /// - Parameter actor: whose; nil takes the store's ``Store/Configuration/actor``.
    /// - Throws: as a read.
    public func canRedo(by actor: String? = nil) throws -> Bool {
        try withStack(of: actor) { try $0.nextRedo() != nil }
    }

    private func undoStack(of actor: String?, _ ground: MergeGround) throws -> UndoStack {
        UndoStack(log: ground.log, live: try ground.liveRanges(), actor: actor ?? configuration.actor)
    }

    private func withStack<R>(of actor: String?, _ body: (UndoStack) throws -> R) throws -> R {
        try wrapped {
            let transaction = try environment.beginRead()
            let state = try StoreState.read(transaction.reader, tables)
            let live = try Timeline(transaction.reader, tables[state.viewSet])
                .liveRanges(upTo: servedPosition(state))
            let log = LogReader(transaction.reader, table: tables.log, head: state.log.head)
            let result = try body(UndoStack(log: log, live: live, actor: actor ?? configuration.actor))
            try transaction.checkUndisturbed()
            return result
        }
    }
}

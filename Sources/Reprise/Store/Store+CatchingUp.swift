internal import Logging
internal import RepriseLMDB
internal import RepriseLog

extension Store {
    /// How many events one transaction adds to the views that catch up in place: its pages are in memory.
    static let stepEventCount = 1 << 16

    /// Whether views are so far behind the log that they cannot catch up in the transaction of a write: a bulk load of
    /// another process was cut off, or goes on.
    func areViewsFarBehind(_ state: StoreState) -> Bool {
        state.log.head - state.viewsPosition > UInt64(configuration.catchUpEventCountMax)
    }

    /// Lets views that are behind the log catch up, in transactions of its own (STO-07, STO-24, STO-26). In a write's
    /// turn.
    func catchUp(memoryByteCount: Int = ViewRebuild.memoryByteCount) throws {
        let state = try readState()
        guard state.areViewsBehind else { return }
        let rebuild = ViewRebuild(
            environment,
            tables,
            memoryByteCount: memoryByteCount,
            schema: compiledSchema
        )
        var hasTriedRebuild = false
        if try Self.prefersRebuild(state) || isFirstMissingCommitLarge(state) {
            do {
                if try rebuild.hasRoomOnDisk() {
                    hasTriedRebuild = true
                    _ = try rebuild.run()
                    return
                }
            } catch  where [.diskFull, .corrupted].contains(Self.code(of: error)) {
                // What follows needs less room, and of the log only what the views lack.
            }
            // What an attempt has left, this one or one before.
            try? rebuild.clearSpareViews()
        }
        do {
            try catchUpInPlace()
        } catch  where !hasTriedRebuild && Self.code(of: error) == .corrupted {
            // The log alone may be whole.
            configuration.logger?.warning(
                "The views are damaged and are built anew from the log.",
                metadata: ["path": "\(path)", "damage": "\(StoreError.wrapping(error))"]
            )
            _ = try rebuild.run()
        }
    }

    private static func code(of error: any Error) -> StoreError.Code? {
        (StoreError.wrapping(error) as? StoreError)?.code
    }

    /// Adds some commits at a time. After each step the views are those of an earlier state, and say so.
    private func catchUpInPlace() throws {
        while true {
            let transaction = try environment.beginWrite()
            var state = try StoreState.read(transaction.reader, tables)
            guard state.areViewsBehind else { return }
            let log = LogReader(transaction.reader, table: tables.log, head: state.log.head)
            let wanted = Swift.min(state.log.head, state.viewsPosition + UInt64(configuration.catchUpEventCountMax))
            let end = try log.commit(holding: wanted)?.lastPosition ?? state.log.head
            try foldMissing(&state, upTo: end, in: transaction)
            try transaction.commit()
        }
    }

    /// Whether building all views anew is cheaper than changing them in the places that the missing events name: a
    /// rebuild writes every row once, in order; a change in place reads and writes a page for every row and index
    /// entry.
    private static func prefersRebuild(_ state: StoreState) -> Bool {
        let missing = state.log.head - state.viewsPosition
        return missing >= 10_000 && missing >= state.viewsPosition / 16
    }

    /// Whether the commit behind the views is much larger than what is folded in one transaction, as one that was
    /// written in steps may be: views stand at the end of a commit, so that it could only be folded as a whole.
    private func isFirstMissingCommitLarge(_ state: StoreState) throws -> Bool {
        let transaction = try environment.beginRead()
        let log = LogReader(transaction.reader, table: tables.log, head: state.log.head)
        guard let commit = try log.commit(holding: state.viewsPosition + 1) else { return false }
        let limit = 2 * UInt64(configuration.catchUpEventCountMax)
        var count = commit.lastPosition - commit.firstPosition
        if count >= limit { return true }
        // One event tells of all entries that went with their owner.
        try log.forEachEvent(in: commit.firstPosition...commit.lastPosition) { event, _ in
            if case .deleted = event.type, case .deleted(let image) = try Change(event) {
                count += UInt64(image.entries.count)
            }
            return count < limit
        }
        return count >= limit
    }

    /// Folds into the views what the log has and they have not, and notes it in the state.
    func foldMissing(
        _ state: inout StoreState,
        in transaction: borrowing TableWriter
    ) throws {
        try foldMissing(&state, upTo: state.log.head, in: transaction)
    }

    /// Folds into the views what the log has and they have not, up to the end of a commit, and notes it in the state.
    private func foldMissing(
        _ state: inout StoreState,
        upTo end: UInt64,
        in transaction: borrowing TableWriter
    ) throws {
        let folded = try foldMissing(state, upTo: end, transaction.reader)
        state.viewsPosition = end
        state.viewsDigest = folded.digest
        state.counts = folded.counts
        try state.write(in: transaction, tables)
    }

    /// Folds into the views what the log of a state has and they have not. Views only fall behind in a bulk load, or by
    /// a commit that is written in steps, in which no rollback can happen: one that another process makes meanwhile
    /// lets them catch up first. So the events are folded in order.
    ///
    /// - Parameter base: reads and writes in a write transaction.
    func foldMissing(
        _ state: StoreState,
        _ base: TableReader
    ) throws -> (digest: Digest256, counts: [Int]) {
        try foldMissing(state, upTo: state.log.head, base)
    }

    private func foldMissing(
        _ state: StoreState,
        upTo end: UInt64,
        _ base: TableReader
    ) throws -> (digest: Digest256, counts: [Int]) {
        guard state.viewsPosition < end else { return (state.viewsDigest, state.counts) }
        let workspace = try workspace(on: base, state)
        try fold(into: workspace, state, upTo: end, base) {
            if workspace.byteCount > Workspace.flushByteCount { try workspace.flush() }
        }
        try workspace.flush()
        return (workspace.digest, workspace.counts)
    }

    /// Adds to a workspace, and nowhere else, what the log has and the views have not: for a store that is only read
    /// (STO-69). Returns the state with views that are up to date.
    func catchUpInMemory(
        _ workspace: Workspace,
        _ state: StoreState,
        upTo end: UInt64,
        _ base: TableReader
    ) throws -> StoreState {
        try fold(into: workspace, state, upTo: end, base) {}
        var state = state
        state.viewsPosition = end
        state.viewsDigest = workspace.digest
        state.counts = workspace.counts
        return state
    }

    private func fold(
        into workspace: Workspace,
        _ state: StoreState,
        upTo end: UInt64,
        _ base: TableReader,
        afterBlock: () throws -> Void
    ) throws {
        let log = LogReader(base, table: tables.log, head: state.log.head)
        let folder = LogFolder(workspace: workspace, log: log)
        try folder.fold((state.viewsPosition + 1)...end, afterBlock: afterBlock)
        let expected = end == state.log.head ? state.headDigest : try folder.log.commit(holding: end)?.digest
        guard workspace.digest == expected else {
            throw StoreError.damage("The views do not arrive at the digest that the log recorded.")
        }
    }
}

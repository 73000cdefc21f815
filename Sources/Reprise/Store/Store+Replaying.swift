internal import RepriseLMDB
internal import RepriseLog

extension Store {
    /// Rebuilds every view from the log, beside the old views, and swaps them in one transaction.
    ///
    /// Reads go on and see the old views; writes of this process wait. When it is cancelled or fails, the old views go
    /// on serving.
    ///
    /// - Parameters:
    ///   - memoryByteCount: about how much memory the sorting may take, at least 1 MiB; what does not fit goes through
    ///     temporary files in the store's directory. Writing the views takes some tens of MiB more.
    ///   - progress: called now and then; returning false cancels.
    /// - Throws: `cancelled`, `diskFull`, and `corrupted` when the log cannot be folded to the digest that it recorded.
    ///   After `diskFull` the store may have to be opened again, as after any commit that failed (STO-30).
    /// - Complexity: O(events · log events).
    @discardableResult
    public func replay(
        memoryByteCount: Int = 96 << 20,
        progress: (ReplayProgress) -> Bool = { _ in true }
    ) throws -> ReplayReport {
        try wrapped {
            try writer.perform {
                let clock = ContinuousClock()
                let start = clock.now
                let rebuild = ViewRebuild(
                    environment,
                    tables,
                    memoryByteCount: memoryByteCount,
                    schema: compiledSchema
                )
                let digest = try rebuild.run(progress: progress)
                return ReplayReport(
                    eventCount: rebuild.foldedCount,
                    duration: clock.now - start,
                    digest: StateDigest(digest)
                )
            }
        }
    }

    /// Makes a new store at `path` with the log up to a point and the views folded from it.
    ///
    /// The new store's log has the same positions and hashes, so its digest is the one that this store had there.
    ///
    /// - Throws: `storeExists`, `cancelled`, `unknownPosition`, `corrupted`; `storeNotFound` where the directory that
    ///   shall hold the store does not exist. Nothing is left at `path` then.
    @discardableResult
    public func replay(
        upTo point: Point = .head,
        into path: String,
        progress: (ReplayProgress) -> Bool = { _ in true }
    ) throws -> ReplayReport {
        try wrapped {
            // The copy is written to, whether this store is or not.
            var options = configuration.environmentOptions
            options.isReadOnly = false
            return try copyLog(upTo: point, into: path, options, progress: progress)
        }
    }

    /// Makes a new store with the log up to a point and the views folded from it.
    ///
    /// - Parameter complete: adds what the new store has besides, before it appears at its path.
    func copyLog(
        upTo point: Point,
        into path: String,
        _ options: Environment.Options,
        progress: (ReplayProgress) -> Bool,
        complete: (Environment, StoreTables) throws -> Void = { _, _ in }
    ) throws -> ReplayReport {
        let clock = ContinuousClock()
        let start = clock.now
        let transaction = try environment.beginRead()
        let state = try StoreState.read(transaction.reader, tables)
        let end = try travel(transaction.reader, state).position(of: point)
        let log = LogReader(transaction.reader, table: tables.log, head: state.log.head)
        let logCopy = LogCopy(source: log, end: end)
        // Where no lock keeps others from writing over the log, it is read once.
        let source = environment.hasLocks ? log : nil
        var copyTables: StoreTables?
        var count = 0
        var digest = Digest256.zero
        let copy: Environment
        do {
            copy = try Self.making(at: path) {
                try Environment.create(
                    at: path,
                    tables: StoreTables.names,
                    options: options
                ) { target, names in
                    let made = StoreTables(names)
                    try LogCopy.emptyState.write(in: target, made)
                    copyTables = made
                } complete: { target in
                    guard let made = copyTables else { return }
                    try logCopy.copyLog(to: target, made) { position in
                        try report(position / 3, of: end, to: progress)
                    }
                    let rebuild = ViewRebuild(target, made, source: source) { reader, state in
                        try CompiledSchema.inForce(in: state, reader, made)
                    }
                    digest = try rebuild.run(progress: { step in
                        let done = Int(clamping: end / 3) + step.eventCount / 3 * 2
                        return progress(
                            ReplayProgress(eventCount: done, totalCount: step.totalCount)
                        )
                    })
                    count = rebuild.foldedCount
                    try complete(target, made)
                }
            }
        } catch {
            // What was read over a commit of another process, an error included, says nothing (STO-68).
            try transaction.checkUndisturbed()
            throw error
        }
        // Up to here it keeps the events, of which the views of the copy are built, from being written over.
        _ = consume transaction
        copy.close()
        return ReplayReport(
            eventCount: count,
            duration: clock.now - start,
            digest: StateDigest(digest)
        )
    }
}

extension Store {
    private func report(
        _ done: UInt64,
        of total: UInt64,
        to progress: (ReplayProgress) -> Bool
    ) throws(StoreError) {
        let step = ReplayProgress(
            eventCount: Int(clamping: done),
            totalCount: Int(clamping: total)
        )
        if !progress(step) { throw .cancelled }
    }
}

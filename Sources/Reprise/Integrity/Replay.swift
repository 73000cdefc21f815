internal import RepriseLMDB
internal import RepriseLog

/// How far a replay is.
public struct ReplayProgress: Sendable, Hashable {
    /// Events read so far.
    public let eventCount: Int
    /// Events in all.
    public let totalCount: Int
}

/// What a replay did.
public struct ReplayReport: Sendable, Hashable {
    /// How many events were folded. Those that a rollback made dead are not among them.
    public let eventCount: Int
    public let duration: Duration
    /// The digest of the state, which is the one that the log recorded.
    public let digest: StateDigest

    /// Events folded in a second.
    public var eventsPerSecond: Double {
        let seconds =
            Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
        return seconds > 0 ? Double(eventCount) / seconds : 0
    }
}

extension Store {
    /// Rebuilds every view from the log, beside the old views, and swaps them in one transaction.
    ///
    /// Reads go on and see the old views; writes of this process wait. When it is cancelled or fails, the old views go
    /// on serving.
    ///
    /// - Parameter progress: called now and then; returning false cancels.
    /// - Throws: `cancelled`, and `corrupted` when the log cannot be folded to the digests that it recorded.
    /// - Complexity: O(events · log events).
    @discardableResult
    public func replay(progress: (ReplayProgress) -> Bool = { _ in true }) throws -> ReplayReport {
        try wrapped {
            try writer.perform {
                let clock = ContinuousClock()
                let start = clock.now
                let rebuild = ViewRebuild(store: self)
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
    /// - Throws: `storeExists`, `cancelled`, `unknownPosition`, `corrupted`. Nothing is left at `path` then.
    @discardableResult
    public func replay(
        upTo point: Point = .head,
        into path: String,
        progress: (ReplayProgress) -> Bool = { _ in true }
    ) throws -> ReplayReport {
        try wrapped {
            let clock = ContinuousClock()
            let start = clock.now
            let transaction = try environment.beginRead()
            let state = try StoreState.read(transaction.reader, tables)
            let end = try position(of: point, transaction.reader, state)
            var count = 0
            var digest = Digest256.zero
            let copy = try Environment.create(
                at: path,
                tables: StoreTables.names,
                options: configuration.environmentOptions
            ) { target, names in
                let made = try StoreCopy(
                    from: LogReader(transaction.reader, table: tables.log),
                    upTo: end,
                    to: target,
                    StoreTables(names)
                ).run(progress: progress)
                count = made.foldedCount
                digest = made.digest
            }
            copy.close()
            return ReplayReport(
                eventCount: count,
                duration: clock.now - start,
                digest: StateDigest(digest)
            )
        }
    }
}

/// A rebuild of the views in the set of tables that does not serve.
final class ViewRebuild {
    private let store: Store
    private(set) var foldedCount = 0

    init(store: Store) {
        self.store = store
    }

    /// Rebuilds and swaps. When another process writes or rebuilds meanwhile it starts again, a few times.
    func run(progress: (ReplayProgress) -> Bool) throws -> Digest256 {
        for _ in 0..<5 {
            if let digest = try attempt(progress) { return digest }
        }
        throw StoreError(
            .inputOutput,
            "Other processes wrote to or replayed the store during every attempt to replay it.",
            advice: "Replay again when they are quiet."
        )
    }

    private func attempt(_ isWanted: (ReplayProgress) -> Bool) throws -> Digest256? {
        var replay: LogReplay?
        var workspace: Workspace?
        var lastTransactionID: UInt64?
        while true {
            let transaction = try store.environment.beginWrite()
            // Any commit of another process may be a rebuild, which uses the same spare tables and moves no head.
            if let lastTransactionID, transaction.transactionID > lastTransactionID + 1 { return nil }
            lastTransactionID = transaction.transactionID
            var state = try StoreState.read(transaction.reader, store.tables)
            let head = state.log.head
            // What a rebuild that was interrupted has left.
            if replay == nil { try emptySpareViews(state, in: transaction) }
            let log = LogReader(transaction.reader, table: store.tables.log)
            let running =
                try replay ?? LogReplay(timeline: log.survey(upTo: head).timeline, upTo: head)
            let space =
                try workspace
                ?? Workspace(
                    schema: store.compiledSchema(transaction.reader, state),
                    tables: store.tables[state.viewSet.other],
                    base: transaction.reader,
                    digest: .zero,
                    counts: []
                )
            replay = running
            workspace = space
            space.base = transaction.reader
            try running.fold(into: space, from: log) { block in
                let progress = ReplayProgress(
                    eventCount: Int(clamping: block.lastPosition),
                    totalCount: Int(clamping: head)
                )
                guard isWanted(progress) else { throw StoreError.cancelled }
                return space.byteCount < Store.flushByteCount
            }
            try space.flush()
            if !running.isFinished {
                try transaction.commit()
                continue
            }
            guard space.digest == state.headDigest else {
                throw StoreError.damage(
                    "The log does not fold to the digest that the store recorded."
                )
            }
            state.viewSet = state.viewSet.other
            state.viewsPosition = head
            state.viewsDigest = space.digest
            state.counts = space.counts
            try state.write(in: transaction, store.tables)
            try transaction.commit()
            foldedCount = running.foldedCount
            // The old views go in a transaction of their own; should it not come to that, the next rebuild does it.
            try clearSpareViews()
            return space.digest
        }
    }

    private func clearSpareViews() throws {
        let transaction = try store.environment.beginWrite()
        try emptySpareViews(StoreState.read(transaction.reader, store.tables), in: transaction)
        try transaction.commit()
    }

    /// Empties the set of tables that does not serve.
    private func emptySpareViews(
        _ state: StoreState, in transaction: borrowing RepriseLMDB.WriteTransaction
    ) throws {
        for table in store.tables[state.viewSet.other].all { try transaction.empty(table) }
    }
}

/// Fills a new store with a copy of a log and the views folded from it, in one transaction.
struct StoreCopy {
    let from: LogReader
    let upTo: UInt64
    let tables: StoreTables
    private let target: TableReader
    var beforeEvent: ((EventView, Workspace) throws -> Void)?

    init(
        from: LogReader,
        upTo: UInt64,
        to target: borrowing RepriseLMDB.WriteTransaction,
        _ tables: StoreTables
    ) {
        self.from = from
        self.upTo = upTo
        self.tables = tables
        self.target = target.reader
    }

    func run(
        progress: (ReplayProgress) -> Bool
    ) throws -> (foldedCount: Int, digest: Digest256, state: StoreState) {
        var state = StoreState.new()
        let survey = try from.survey(upTo: upTo)
        var schema = SchemaDescription(models: [], relations: [])
        if survey.schemaPosition > 0, let event = try from.event(at: survey.schemaPosition) {
            schema = try Store.schemaDescription(unsafe [UInt8](event.body))
        }
        state.schemaPosition = survey.schemaPosition
        state.schemaNumber = survey.schemaNumber
        let workspace = Workspace(
            schema: CompiledSchema(
                schema,
                position: survey.schemaPosition,
                number: survey.schemaNumber
            ),
            tables: tables[.a],
            base: target,
            digest: .zero,
            counts: []
        )
        let replay = LogReplay(timeline: survey.timeline, upTo: upTo)
        replay.beforeEvent = beforeEvent
        var cursor = try target.cursor(tables.log)
        try replay.fold(into: workspace, from: from) { block in
            var key = KeyBuffer()
            key.append(bigEndian: block.firstPosition)
            try unsafe cursor.put(key: key.bytes, value: block.bytes, append: true)
            state.log.head = block.lastPosition
            state.log.lastHash = block.hash
            state.lastCommitTime = block.timeMicroseconds
            if block.isLastOfCommit {
                state.log.commitCount += 1
                state.headDigest = block.digest
            }
            if workspace.byteCount > Store.flushByteCount { try workspace.flush() }
            let done = ReplayProgress(
                eventCount: Int(clamping: block.lastPosition),
                totalCount: Int(clamping: upTo)
            )
            guard progress(done) else {
                throw StoreError.cancelled
            }
            return true
        }
        try workspace.flush()
        guard workspace.digest == state.headDigest else {
            throw StoreError.damage("The log does not fold to the digest that it recorded.")
        }
        state.viewsPosition = state.log.head
        state.viewsDigest = workspace.digest
        state.counts = workspace.counts
        var stateCursor = try target.cursor(tables.state)
        try unsafe StoreState.key.withUnsafeBytes { key in
            try unsafe state.encode().withUnsafeBytes {
                try unsafe stateCursor.put(key: key, value: $0)
            }
        }
        return (replay.foldedCount, workspace.digest, state)
    }
}

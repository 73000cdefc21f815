internal import RepriseLMDB
internal import RepriseLog

/// A rebuild of the views in the set of tables that does not serve, which is then swapped in.
///
/// The views that serve stay as they are until the last transaction, so that a rebuild can be given up at any moment.
/// A rollback over a long way is a rebuild, too, with another goal.
final class ViewRebuild {
    /// How much the sorts may take in memory unless told otherwise, in bytes.
    static let memoryByteCount = 96 << 20
    /// How often a rebuild is tried before the writers of other processes are kept out.
    private static let openAttemptCount = 2

    private let environment: Environment
    private let tables: StoreTables
    private let memoryByteCount: Int
    private let threads: BuildingThreads
    private let schema: (TableReader, StoreState) throws -> CompiledSchema
    /// Where the log is read, when that is another store of which this one has a copy.
    private let source: LogReader?
    /// How many events were folded; those that a rollback made dead are not among them.
    private(set) var foldedCount = 0

    /// - Parameters:
    ///   - source: the log of the store that this one's was copied from, where others cannot write over it. While it
    ///     is read, every page that the steps free can be used again.
    ///   - schema: finds the schema that is in force in a state.
    init(
        _ environment: Environment,
        _ tables: StoreTables,
        memoryByteCount: Int = ViewRebuild.memoryByteCount,
        threads: BuildingThreads = .ordinary,
        source: LogReader? = nil,
        schema: @escaping (TableReader, StoreState) throws -> CompiledSchema
    ) {
        self.environment = environment
        self.tables = tables
        self.memoryByteCount = max(memoryByteCount, 1 << 20)
        self.threads = threads
        self.source = source
        self.schema = schema
    }

    /// Rebuilds and swaps, in a write's turn.
    ///
    /// When another process writes or rebuilds meanwhile it starts again, and at the third time has all others wait.
    ///
    /// - Parameter goal: says what is built, from what each attempt finds in the store.
    /// - Returns: the digest of the state, which is the one that the log recorded.
    func run(
        toward goal: (TableReader, StoreState) throws -> RebuildGoal = { RebuildGoal.head(of: $1) },
        progress: (ReplayProgress) -> Bool = { _ in true }
    ) throws -> Digest256 {
        var mayReadInPlace = true
        for _ in 0..<Self.openAttemptCount {
            do {
                return try attempt(goal, inPlace: mayReadInPlace, progress)
            } catch is StagedWriter.Interrupted {
                continue
            } catch let error as LMDBError
                where mayReadInPlace && [.mapFull, .mapFullWhileReading].contains(error.code)
            {
                // The map cannot grow under a reader that reads in place; it can when the events are copied.
                mayReadInPlace = false
            }
        }
        do {
            return try environment.keepingWritersOut { try attempt(goal, inPlace: mayReadInPlace, progress) }
        } catch is StagedWriter.Interrupted {
            // This process has closed another descriptor of the lock file, and with it given up its locks.
            throw LMDBError(code: .writerBusy(processID: nil), operation: "rebuild the views", path: environment.path)
        }
    }

    private func attempt(
        _ goal: (TableReader, StoreState) throws -> RebuildGoal,
        inPlace mayReadInPlace: Bool,
        _ isWanted: (ReplayProgress) -> Bool
    ) throws -> Digest256 {
        try clearSpareViews(always: true)
        // Begun first: nobody writes until its first step is done.
        let writer = try ViewsWriter(environment)
        defer { writer.close() }
        var reading = Optional(try environment.beginRead())
        guard let reader = reading?.reader else { preconditionFailure("Reading has begun.") }
        let state = try StoreState.read(reader, tables)
        let schema = try schema(reader, state)
        let goal = try goal(reader, state)
        let logByteCount = try reader.byteCount(tables.log)
        let inPlace = mayReadInPlace && isReadInPlace(logByteCount, state.log.head)
        func report(_ done: UInt64) throws {
            let progress = ReplayProgress(
                eventCount: Int(clamping: done),
                totalCount: Int(clamping: state.log.head)
            )
            guard isWanted(progress) else { throw StoreError.cancelled }
        }
        let gathering = LogGathering(
            log: source ?? LogReader(reader, table: tables.log, head: state.log.head),
            inPlace: inPlace,
            memoryByteCount: memoryByteCount,
            makeFile: environment.makeSpillFile
        )
        let gathered = try gathering.gather(upTo: state.log.head, goal) { try report($0 / 2) }
        // Events that stay in the log must not be overwritten; after a copy the pages may be used again.
        if !inPlace || source != nil { reading = nil }
        return try build(gathered, goal, schema, state, writer) { done in
            try report(state.log.head / 2 + UInt64(done) / 2)
        }
    }

    private func build(
        _ gathered: consuming EventGathering,
        _ goal: RebuildGoal,
        _ schema: CompiledSchema,
        _ state: StoreState,
        _ writer: ViewsWriter,
        _ report: (Int) throws -> Void
    ) throws -> Digest256 {
        // What somebody has left there meanwhile.
        let spare = tables[state.viewSet.other]
        try writer.inTransaction { writer in
            for table in spare.all { try writer.empty(table) }
        }
        let builder = ViewsBuilder(
            schema: schema,
            tables: spare,
            writer: writer,
            memoryByteCount: memoryByteCount,
            threads: threads,
            makeFile: environment.makeSpillFile
        )
        let outcome = try builder.build(gathered, report: report)
        guard outcome.digest == goal.digest else { throw StoreError.damage(goal.digestFailure) }
        var next = state
        next.viewSet = state.viewSet.other
        next.viewsDigest = outcome.digest
        next.counts = outcome.counts
        let (built, tables) = (next, tables)
        try writer.inTransaction { writer in
            try writer.finish { transaction in
                var final = built
                try goal.seal(&final, transaction)
                final.viewsPosition = final.log.head
                try final.write(in: transaction, tables)
            }
        }
        writer.close()
        foldedCount = outcome.foldedCount
        // The old views go in a transaction of their own; should it not come to that, the next rebuild does it. A
        // rollback has happened by now, whatever becomes of them.
        do {
            try clearSpareViews()
        } catch {
            if goal.rollback == nil { throw error }
        }
        return outcome.digest
    }

    private func isReadInPlace(_ logByteCount: Int, _ head: UInt64) -> Bool {
        // The map cannot grow while this reads.
        LogGathering.mayReadInPlace(logByteCount, upTo: head, memoryByteCount: memoryByteCount)
            && (source != nil || environment.hasRoom(for: 4 * logByteCount + StagedWriter.roomByteCount))
    }

    /// Whether the disk seems to have room for a second set of views, and for what is sorted in files.
    ///
    /// Asked before: a commit that the disk refuses in the middle of the work poisons the store (STO-30). That the file
    /// may have room in itself, left by views before these, is not taken into account.
    func hasRoomOnDisk() throws -> Bool {
        let transaction = try environment.beginRead()
        let reader = transaction.reader
        let state = try StoreState.read(reader, tables)
        let logByteCount = try reader.byteCount(tables.log)
        var viewsByteCount = 0
        for table in tables[state.viewSet].all { viewsByteCount += try reader.byteCount(table) }
        let filesByteCount = isReadInPlace(logByteCount, state.log.head) ? 0 : logByteCount
        return environment.hasRoomOnDisk(
            for: max(viewsByteCount, logByteCount) + filesByteCount
        )
    }

    /// Empties the set of tables that does not serve.
    ///
    /// - Parameter always: whether there is a commit even where they are empty. The pages that a commit has freed are
    ///   used again once every reader began after a later one, and the last commit may have emptied the views before
    ///   these (HIS-41).
    func clearSpareViews(always: Bool = false) throws {
        var isEmpty: Bool
        repeat {
            let transaction = try environment.beginWrite()
            let state = try StoreState.read(transaction.reader, tables)
            let spare = tables[state.viewSet.other].all
            isEmpty = try spare.allSatisfy { try transaction.reader.entryCount($0) == 0 }
            if isEmpty, !always { return }
            for table in spare { try transaction.empty(table) }
            try transaction.commit()
        } while always && !isEmpty
    }
}

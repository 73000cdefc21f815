internal import Foundation
public import LegacyRecords
public import Reprise

/// Replays the export of another program into a store.
///
/// The records become events in batches, each durable by itself, all with the intent `migrate` and
/// the migration's identifier as correlation. A snapshot of the state before makes the whole of it
/// undoable. The same source again is a newer export of the same library: only the difference is
/// written, deletions included. What was changed in the store in between stays as long as the source
/// does not change it, field by field; where both have changed the same, the export counts, with a
/// warning. Nothing is deleted that was changed or added here. Rows of other sources are never
/// touched. An export that does not differ from the one before writes nothing at all.
///
/// A run that was interrupted, whatever the reason, is taken up by running again: under the same
/// identifier, with the same snapshot, and with the same digest in the end as an unbroken run.
public struct Migrator: Sendable {
    /// How a migration is done.
    public struct Options: Sendable {
        /// How many records and list entries are made durable together. A record of more than 16 KiB counts as many.
        public var batchRecordCount: Int
        /// About how much memory the store may take in the first migration of a source, in bytes. With half as much
        /// again a million rows are built from the log where it lies, which is a little faster where the machine has
        /// room for all of it, and takes three times as long where it has 300 MB.
        public var memoryByteCount: Int
        /// Who is named as the actor of the commits; nil takes that of the store.
        public var actor: String?
        /// Whether a newer export of a source may delete more than half of its rows, or change more than half of those
        /// that both have. Otherwise it is refused (``MigrationError/Code/replacesMost``).
        public var replacesEverything: Bool
        /// Whether a run that had to leave out, round or default anything takes back what it has written:
        /// ``MigrationReport/retraction`` says what became of that.
        public var takesBackLosses: Bool

        public init(
            batchRecordCount: Int = 5000,
            memoryByteCount: Int = 64 << 20,
            actor: String? = nil,
            replacesEverything: Bool = false,
            takesBackLosses: Bool = false
        ) {
            self.batchRecordCount = batchRecordCount
            self.memoryByteCount = memoryByteCount
            self.actor = actor
            self.replacesEverything = replacesEverything
            self.takesBackLosses = takesBackLosses
        }
    }

    /// The intent of every commit of a migration.
    public static let intent = "migrate"
    /// What the names of the snapshots begin with; a number follows.
    public static let snapshotPrefix = "before-migration-"

    let source: any LegacySource
    let store: Store
    let options: Options
    /// Whether the store is a copy, and what is done to it is only what would be done.
    var isTrial = false

    /// - Parameters:
    ///   - source: the export.
    ///   - store: a store with the source's schema, or one that has some of its models.
    public init(source: any LegacySource, store: Store, options: Options = Options()) {
        self.source = source
        self.store = store
        self.options = options
    }

    /// Migrates.
    ///
    /// - Parameter progress: called after every batch and about every four megabytes, on the caller's
    ///   thread. Returning false cancels: the batches that are complete stay. It must not write to the store: other
    ///   writers of the process wait until the migration is over, which waits for the callback. A write on that thread
    ///   therefore throws a `StoreError` with the code `writeInCallback`; one that the callback waits for on another
    ///   thread is not noticed and waits for ever.
    /// - Returns: what was done.
    /// - Throws: ``LegacyError`` when the export cannot be read, ``MigrationError`` when it was cancelled, when another
    ///   migration into the store is being made (`inProgress`) or somebody has gone back to an earlier state meanwhile
    ///   (`changedMeanwhile`), and `StoreError`. The store is valid in every case; running again goes on. Of an export
    ///   of which not even the first batch can be read nothing is written, nor that a migration began. A run that
    ///   takes up an interrupted one takes back first what that had settled among rows that wait for each other, before
    ///   it reads the export: where it ends early these are as they were when all records had come.
    /// - Complexity: O(bytes of the export · log rows); memory does not grow with the number of records nor with their
    ///   size, but for identifiers: those of records, and of both ends where one names what comes later. These take up
    ///   to 128 MiB where the export is read and as much where it is written, and go to temporary files beyond that.
    public func run(
        progress: (MigrationProgress) -> Bool = { _ in true }
    ) throws -> MigrationReport {
        let start = ContinuousClock.now
        let lock = try MigrationLock(store)
        defer { withExtendedLifetime(lock) {} }
        let history = try SourceHistory(of: source.identity, in: store)
        if let source = try history.understood(source, in: store, cancelled: .cancelled(nil), progress) {
            return try Migrator(source: source, store: store, options: options)
                .run(history, since: start, progress)
        }
        return try run(history, since: start, progress)
    }

    private func run(
        _ history: SourceHistory,
        since start: ContinuousClock.Instant,
        _ progress: (MigrationProgress) -> Bool
    ) throws -> MigrationReport {
        // What the store has no place for is said before anything is written.
        var shape = try SourceShape(of: source, history, in: try store.schema)
        let growth = try SchemaGrowth.schema(for: source, history, in: store)
        let interrupted = try history.interrupted(in: store)
        if let interrupted {
            try checkReplacement(takingUp: interrupted, shape, history, progress)
        } else if let last = history.last,
            let outcome = try outcomeWithoutChange(shape, history, progress), growth == nil,
            !history.recorded.lacksAsked(of: source.interpretation)
        {
            return try report(
                outcome,
                migration: last.id,
                snapshot: nil,
                isResumed: false,
                eventCount: 0,
                seconds: (ContinuousClock.now - start).inSeconds
            )
        }
        let head = try store.read { $0.head }
        if let growth {
            try grow(to: growth, history)
            shape = try SourceShape(of: source, history, in: try store.schema)
        }
        let returned = try interrupted.flatMap { try goBack($0, history, progress) }
        let (outcome, migration) = try write(shape, history, interrupted, returned, progress)
        let retraction = try retract(migration, outcome, isResumed: interrupted != nil)
        let events = try store.read { $0.head.rawValue } - head.rawValue
        return try report(
            outcome,
            migration: migration.id,
            snapshot: migration.snapshotBefore,
            isResumed: interrupted != nil,
            retraction: retraction,
            eventCount: Int(clamping: events),
            seconds: (ContinuousClock.now - start).inSeconds
        )
    }

    /// Changes the schema of the store.
    func grow(to growth: SchemaDescription, _ history: SourceHistory) throws {
        do {
            try store.change(to: try Schema(growth))
        } catch let error as StoreError where error.code == .invalidValue && !source.widenedFields.isEmpty {
            // Of a whole number that no double is the digits are kept as text.
            let schema = try SchemaGrowth.schema(for: source, history, in: store, asText: true)
            try store.change(to: try Schema(schema ?? growth))
        }
    }

    // MARK: Writing

    /// How much goes from the reading thread to the writing one together.
    private static let weightPerHandover = 256
    /// How much of an export is read before a migration begins, where a batch is more.
    private static let weightBeforeBeginning = 5000

    /// Reads on the caller's thread and writes on another one, side by side.
    ///
    /// - Parameters:
    ///   - migration: the one to take up, or to rehearse; nil begins one when the first batch was read, or the whole
    ///     export: one that cannot be read so far leaves no trace in the store.
    ///   - isRehearsal: whether nothing is written, and the first change is an error: ``MigrationRun/Change``.
    /// - Returns: what was done, and in which migration.
    func write(
        _ shape: SourceShape,
        _ history: SourceHistory,
        _ migration: MigrationRecord?,
        _ returned: Settling? = nil,
        isRehearsal: Bool = false,
        _ progress: (MigrationProgress) -> Bool
    ) throws -> (outcome: MigrationRun.Outcome, migration: MigrationRecord) {
        // The writing thread waits for the callback, so the callback must not wait for it.
        try store.refusingWrites {
            try readAndWrite(
                shape,
                history,
                migration,
                returned,
                isRehearsal: isRehearsal,
                progress
            )
        }
    }

    private func readAndWrite(
        _ shape: SourceShape,
        _ history: SourceHistory,
        _ migration: MigrationRecord?,
        _ returned: Settling?,
        isRehearsal: Bool,
        _ progress: (MigrationProgress) -> Bool
    ) throws -> (outcome: MigrationRun.Outcome, migration: MigrationRecord) {
        var state = MigrationProgress(
            phase: isRehearsal ? .comparing : .writing,
            recordsRead: 0,
            recordsWritten: 0,
            bytesRead: 0,
            byteCount: source.byteCount
        )
        let exchange = MigrationRun.Exchange()
        func start(_ migration: MigrationRecord) -> MigrationRun {
            let run = MigrationRun(
                source: source,
                store: store,
                history: history,
                shape: shape,
                migration: migration,
                returned: returned,
                isRehearsal: isRehearsal,
                isTrial: isTrial,
                options: options
            )
            Self.onOwnThread { exchange.complete(Result { try run.run(exchange) }) }
            return run
        }
        if let migration, !isRehearsal { try noteExport(in: migration) }
        var run = migration.map(start)

        func answer(_ step: MigrationRun.Step) -> Bool {
            if !isRehearsal { state.phase = step.phase }
            state.recordsWritten = step.writtenCount
            return progress(state)
        }
        let beginning = min(max(1, options.batchRecordCount), Self.weightBeforeBeginning)
        var shaper = shape.shaper()
        var pieces: [MigrationPiece] = []
        var weight = 0
        func send(_ input: MigrationRun.Exchange.Input) throws {
            if run == nil { run = start(try beginElsewhere(history)) }
            let sent = max(1, weight)
            pieces.removeAll(keepingCapacity: true)
            weight = 0
            guard exchange.send(input, weight: sent, answering: answer) else {
                throw MigrationRun.Abandoned()
            }
        }
        do {
            let reading = try source.read { event in
                switch event {
                case .record(let record):
                    state.recordsRead += 1
                    guard let record = shaper.shaped(record) else { break }
                    pieces.append(.record(record))
                    weight += record.weightWithLists
                case .list(let list):
                    pieces.append(.list(list))
                    weight += 1 + list.members.weight
                case .warning(let warning):
                    pieces.append(.warning(warning))
                    weight += 1
                case .progress(let step):
                    state.bytesRead = step.bytesRead
                    state.byteCount = step.byteCount
                    guard progress(state) else { throw run?.cancelled ?? .cancelled(nil) }
                }
                exchange.replyIfAsked(answer)
                let enough = run == nil ? beginning : Self.weightPerHandover
                if weight >= enough {
                    try source.checkUnchanged()
                    try send(.pieces(pieces))
                }
            }
            try send(.pieces(pieces))
            try send(.end(reading))
            state.bytesRead = state.byteCount
            let outcome = try exchange.finish(answering: answer).get()
            guard let run else { throw MigrationRun.Abandoned() }
            return (outcome, run.migration)
        } catch {
            guard run != nil else { throw error }
            _ = exchange.send(.abandoned) { _ in false }
            // What stopped the writing side is the reason, unless the reading side stopped it.
            switch exchange.finish(answering: { _ in false }) {
            case .failure(let cause)
            where error is MigrationRun.Abandoned && !(cause is MigrationRun.Abandoned):
                throw cause
            default: throw error
            }
        }
    }

    // MARK: The end

    private func report(
        _ outcome: MigrationRun.Outcome,
        migration: String,
        snapshot: String?,
        isResumed: Bool,
        retraction: MigrationRetraction? = nil,
        eventCount: Int,
        seconds: Double
    ) throws -> MigrationReport {
        MigrationReport(
            migration: migration,
            source: source.identity,
            snapshotBefore: snapshot,
            isResumed: isResumed,
            retraction: retraction,
            counts: outcome.counts,
            warningCounts: outcome.warningCounts,
            warnings: outcome.warnings,
            reading: outcome.reading,
            agreedCount: outcome.agreedCount,
            eventCount: eventCount,
            seconds: seconds,
            digest: try store.read { $0.digest }
        )
    }
}

extension Duration {
    fileprivate var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}

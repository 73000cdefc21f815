import LegacyRecords
import Reprise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The writing side of a run: takes what the reading side hands over, on a thread of its own.
struct MigrationRun: Sendable {
    /// What a complete run did.
    struct Outcome: Sendable {
        let counts: [String: MigrationCounts]
        let warnings: [LegacyWarning]
        let warningCounts: [LegacyWarning.Kind: Int]
        let reading: LegacyReading
        /// In how many rows and lists the export has come to agree with the store.
        let agreedCount: Int

        init(_ pass: MigrationPass, _ reading: LegacyReading) {
            counts = pass.counts
            warnings = pass.warnings
            warningCounts = pass.warningCounts(reading)
            self.reading = reading
            agreedCount = pass.agreements.count
        }
    }

    /// What a step of progress says of the writing side.
    struct Step: Sendable {
        let phase: MigrationProgress.Phase
        let writtenCount: Int
    }

    /// The reading side gave up.
    struct Abandoned: Error {}

    /// A rehearsal has found something to do.
    struct Change: Error {}

    typealias Exchange = Handover<Step, Outcome>

    let source: any LegacySource
    let store: Store
    let history: SourceHistory
    let shape: SourceShape
    let migration: MigrationRecord
    /// Where the store has gone back to, where it has.
    let returned: Settling?
    /// Whether nothing is written: ``Change`` is thrown instead.
    let isRehearsal: Bool
    /// Whether the store is a copy, and what is said of rows is what would become of them.
    let isTrial: Bool
    let options: Migrator.Options
    /// Asked on the thread that makes the run: the writing one knows nothing of it.
    private let rememberedByteCountMax = RecordMemory.byteCountMax
    private let postponedBounds = PostponedRecords.bounds
    private let longBounds = LongList.bounds
    private let deletionBounds = DeletionBounds.current

    /// Writes what comes through `exchange` to its end, or to that of the reading side.
    func run(_ exchange: Exchange) throws -> Outcome {
        let memory = RecordMemory(byteCountMax: rememberedByteCountMax)
        // What others write from here on is noticed.
        let head = try store.read { $0.head.rawValue }
        let pass = try MigrationPass(
            source,
            history,
            shape,
            in: store,
            memory: memory,
            deletionBounds: deletionBounds
        )
        pass.firstPosition = migration.firstPosition.rawValue
        pass.agreements.isWritten = true
        pass.isPlan = isTrial
        let waitingRows = try WaitingRows(
            of: migration,
            history.owned,
            returned,
            in: store,
            memory: memory
        )
        let postponed = PostponedRecords(postponedBounds, in: memory)
        let writer = MigrationWriter(
            pass,
            store,
            migration,
            waitingRows,
            postponed,
            longBounds,
            options: options
        ) { phase in
            let step = Step(phase: phase, writtenCount: pass.writtenCount)
            guard exchange.ask(step) else { throw cancelled }
        }
        writer.isRehearsal = isRehearsal
        writer.head = head
        // Where rows leave lists, the place of the next one at the end depends on whether the views
        // have caught up; let them, so that a run that is taken up arrives at the same.
        let memoryByteCount = history.hasFinished ? 0 : options.memoryByteCount
        return try store.bulkLoad(writer.context, memoryByteCount: memoryByteCount) { loader in
            if returned == nil { try writer.takeUpLongList(in: store, &loader) }
            let reading = try consume(exchange, writer, &loader)
            try writer.finishRecords(&loader)
            try writer.orderLists(from: store, &loader)
            let isWaiting = writer.isWaiting
            try writer.deleteMissing(from: store, isLast: !isWaiting, &loader)
            // A row that goes frees a value, and what has waited for that may free a row.
            writer.settled.begin(in: memory)
            while writer.isWaiting {
                let rest = writer.rest
                try writer.writePostponed(isLast: false, &loader)
                try writer.writeLateReferences(isLast: false, &loader)
                try writer.deleteMissing(from: store, isLast: false, &loader)
                if writer.rest == rest { break }
            }
            try writer.writePostponed(isLast: true, &loader)
            if isWaiting { try writer.deleteMissing(from: store, isLast: true, &loader) }
            try writer.settleDisturbedLists(from: store, &loader)
            if !isRehearsal { try writer.noteGone(from: store, &loader) }
            // What was agreed upon last is written, too, and nobody has gone back while there was nothing to write.
            try writer.batch(.ordering, &loader) { _ in }
            if !isRehearsal { try finish(pass, reading, writer.context, &loader) }
            return Outcome(pass, reading)
        }
    }

    /// What is thrown when the progress callback says so.
    var cancelled: MigrationError { .cancelled(isRehearsal ? nil : migration) }

    /// Writes into the log that the migration has come to its end.
    private func finish(
        _ pass: MigrationPass,
        _ reading: LegacyReading,
        _ context: CommitContext,
        _ loader: inout BulkLoader
    ) throws {
        try loader.batch(context) { transaction in
            let payload = MigrationLog.finished(
                migration,
                pass,
                reading,
                of: source,
                finishedAt: MigrationLog.timestamp()
            )
            try transaction.annotate(
                name: MigrationLog.finished,
                key: migration.source,
                payload: payload
            )
        }
    }

    private func consume(
        _ exchange: Exchange,
        _ writer: MigrationWriter,
        _ loader: inout BulkLoader
    ) throws -> LegacyReading {
        while true {
            switch exchange.receive() {
            case .pieces(let pieces):
                for piece in pieces {
                    switch piece {
                    case .record(let record): try writer.consume(record, &loader)
                    case .list(let list): try writer.consume(list, &loader)
                    case .warning(let warning): writer.pass.note(warning)
                    }
                }
            case .end(let reading): return reading
            case .abandoned: throw Abandoned()
            }
        }
    }
}

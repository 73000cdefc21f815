import LegacyRecords
import Reprise

/// What the commit of a migration says beside its changes (Specs/format/migration.md).
final class MigrationCommit: IntakeNotes {
    private let migrator: Migrator
    /// The identifier of the migration.
    private let id: String
    private let history: SourceHistory
    private let findings: MigrationFindings
    private let pass: MigrationPass
    private let reading: LegacyReading
    private let check: (IntakeReport) throws -> Bool
    /// What was begun last; nil where nothing was written.
    private(set) var record: MigrationRecord?

    /// - Parameter check: looks at what would be done, and says whether a commit is to be made in any case.
    init(
        _ migrator: Migrator,
        _ id: String,
        _ history: SourceHistory,
        _ findings: MigrationFindings,
        _ pass: MigrationPass,
        _ reading: LegacyReading,
        check: @escaping (IntakeReport) throws -> Bool
    ) {
        self.migrator = migrator
        self.id = id
        self.history = history
        self.findings = findings
        self.pass = pass
        self.reading = reading
        self.check = check
    }

    private var key: String { pass.source.description }

    func check(_ report: IntakeReport) throws -> Bool { try check(report) }

    private var snapshot = ""

    func snapshotName() throws -> String? {
        let numbers = try migrator.store.snapshots().compactMap { snapshot -> Int? in
            guard snapshot.name.hasPrefix(Migrator.snapshotPrefix) else { return nil }
            return Int(snapshot.name.dropFirst(Migrator.snapshotPrefix.count))
        }
        snapshot = "\(Migrator.snapshotPrefix)\((numbers.max() ?? 0) + 1)"
        return snapshot
    }

    func opening(first: Position) throws -> [CommitNote] {
        let record = MigrationRecord(
            id: id,
            source: key,
            snapshotBefore: snapshot,
            startedAt: MigrationLog.timestamp(),
            finishedAt: nil,
            contentHash: nil,
            folder: nil,
            firstPosition: first,
            lastPosition: first
        )
        self.record = record
        let started = MigrationLog.started(record, byteCount: migrator.source.byteCount)
        return [CommitNote(name: MigrationLog.started, key: key, payload: started)]
            + history.recorded.notes(
                migrator.source.interpretation,
                of: record,
                from: Position(rawValue: first.rawValue + 1)
            )
    }

    func ending(first: Position, _ report: IntakeReport) throws -> [CommitNote] {
        guard let record else { return [] }
        var notes = findings.times.payloads(record.id).map {
            CommitNote(name: RecordedTimes.name, key: key, payload: $0)
        }
        notes += RecordedDeviations.notes(report.deviations, replacesOthers: history.hasDeviations, of: record)
        // What an older version kept is known once an export has spoken of all.
        let saysKept = history.base?.saysKept ?? true || pass.hasSpokenOfAll
        let progress = MigrationLog.progress(record, first: first.rawValue, owned: history.owned, saysKept: saysKept)
        notes.append(CommitNote(name: MigrationLog.progress, key: key, payload: progress))
        let finished = MigrationLog.finished(
            record,
            pass,
            findings.counts(report),
            reading,
            of: migrator.source,
            finishedAt: MigrationLog.timestamp()
        )
        notes.append(CommitNote(name: MigrationLog.finished, key: key, payload: finished))
        return notes
    }
}

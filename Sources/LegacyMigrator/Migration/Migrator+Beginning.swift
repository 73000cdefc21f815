internal import Foundation
import LegacyRecords
import Reprise

/// What comes before the first batch.
extension Migrator {
    /// Begins on another thread: on this one nothing may be written, because the caller is called back on it.
    func beginElsewhere(_ history: SourceHistory) throws -> MigrationRecord {
        let beginning = Handover<MigrationRun.Step, MigrationRecord>()
        Self.onOwnThread { beginning.complete(Result { try begin(history) }) }
        return try beginning.finish { _ in true }.get()
    }

    /// Notes what an export has decided that takes up a migration, as far as the log does not have it: it may be a
    /// newer one.
    func noteExport(in migration: MigrationRecord) throws {
        // What was noted may have been left behind by going back.
        let recorded = try store.read { state in
            try RecordedInterpretation(of: migration.source, unfinished: migration.id, in: state)
        }
        guard recorded.lacks(source.interpretation) else { return }
        let noting = Handover<MigrationRun.Step, Bool>()
        let context = CommitContext(intent: Self.intent, actor: options.actor, correlation: migration.id)
        Self.onOwnThread {
            noting.complete(
                Result {
                    try store.write(context) { transaction in
                        try recorded.write(source.interpretation, of: migration, &transaction)
                    }
                    return true
                }
            )
        }
        _ = try noting.finish { _ in true }.get()
    }

    static func onOwnThread(_ body: @escaping @Sendable () -> Void) {
        let thread = Thread(block: body)
        thread.name = "reprise.migration"
        thread.stackSize = 1 << 20
        thread.start()
    }

    /// Names the state before, and writes into the log that a migration begins.
    private func begin(_ history: SourceHistory) throws -> MigrationRecord {
        let snapshot = try snapshotBefore()
        let id = "m\(snapshot.position)"
        let startedAt = MigrationLog.timestamp()
        let context = CommitContext(
            intent: Self.intent,
            actor: options.actor,
            correlation: id
        )
        let key = source.identity.description
        return try store.write(context) { transaction in
            var record = MigrationRecord(
                id: id,
                source: key,
                snapshotBefore: snapshot.name,
                startedAt: startedAt,
                finishedAt: nil,
                contentHash: nil,
                folder: nil,
                firstPosition: snapshot.position,
                lastPosition: snapshot.position
            )
            let position = try transaction.annotate(
                name: MigrationLog.started,
                key: key,
                payload: MigrationLog.started(record, byteCount: source.byteCount)
            )
            try history.recorded.write(source.interpretation, of: record, &transaction)
            record.firstPosition = position
            record.lastPosition = position
            return record
        }
    }

    private func snapshotBefore() throws -> Snapshot {
        let context = CommitContext(intent: Self.intent, actor: options.actor)
        while true {
            let numbers = try store.snapshots().compactMap { snapshot -> Int? in
                guard snapshot.name.hasPrefix(Self.snapshotPrefix) else { return nil }
                return Int(snapshot.name.dropFirst(Self.snapshotPrefix.count))
            }
            let number = (numbers.max() ?? 0) + 1
            do {
                return try store.createSnapshot(
                    named: "\(Self.snapshotPrefix)\(number)",
                    context: context
                )
            } catch let error as StoreError where error.code == .snapshotExists {
                // Another process was faster.
                continue
            }
        }
    }
}

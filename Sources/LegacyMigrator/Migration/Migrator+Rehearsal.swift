import LegacyRecords
import Reprise

extension Migrator {
    /// Does all that a new migration would do, up to its first change, without beginning one: an export that the store
    /// cannot take further leaves no trace in the log, however often it comes.
    ///
    /// - Returns: what a run finds that changes nothing; nil where it would change something.
    /// - Complexity: O(bytes of the export · log rows), and less where a change comes early. Others of the process do
    ///   not write meanwhile.
    func rehearse(
        _ shape: SourceShape,
        _ history: SourceHistory,
        _ progress: (MigrationProgress) -> Bool
    ) throws -> MigrationRun.Outcome? {
        let head = try store.read { $0.head.rawValue }
        // A migration would begin with a snapshot; here what is written comes first.
        let first = Position(rawValue: head + 1)
        let migration = MigrationRecord(
            id: "m\(head)",
            source: source.identity.description,
            snapshotBefore: "",
            startedAt: MigrationLog.timestamp(),
            finishedAt: nil,
            contentHash: nil,
            folder: nil,
            firstPosition: first,
            lastPosition: first
        )
        do {
            return try write(shape, history, migration, isRehearsal: true, progress).outcome
        } catch is MigrationRun.Change {
            return nil
        }
    }

    /// Whether the export is the one that was migrated last. Where it seems to differ all the same,
    /// either somebody has changed the store, or the store refuses what no comparison foresees.
    func isLastExport(
        _ history: SourceHistory,
        _ progress: (MigrationProgress) -> Bool
    ) throws -> Bool {
        try history.isLastExport(source, in: store, progress)
    }
}

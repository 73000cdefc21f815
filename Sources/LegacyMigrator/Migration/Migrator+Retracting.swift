import LegacyRecords
import Reprise

/// What became of a migration that lost something where that was not wanted
/// (``Migrator/Options/takesBackLosses``).
public enum MigrationRetraction: Sendable, Hashable {
    /// It was taken back: the state is the one before it.
    case takenBack
    /// Others have written to the store since it was begun. Nothing was taken back, because that would go, too.
    case overtaken
    /// It had been begun by an earlier run, which somebody may have built upon. Nothing was taken back.
    case resumed
}

extension Migrator {
    /// Takes back a migration that has come to its end, where it has lost something and that is not wanted; while no
    /// other migration into the store can be made, and only if nobody else has written since it was begun.
    ///
    /// - Returns: nil where it stays.
    func retract(
        _ migration: MigrationRecord,
        _ outcome: MigrationRun.Outcome,
        isResumed: Bool
    ) throws -> MigrationRetraction? {
        guard options.takesBackLosses, !outcome.warningCounts.keys.allSatisfy(\.isNote) else {
            return nil
        }
        if isResumed { return .resumed }
        guard let end = try lastPosition(ofUndisturbed: migration) else { return .overtaken }
        do {
            try store.rollback(
                to: .snapshot(migration.snapshotBefore),
                expecting: end,
                context: CommitContext(intent: "rollback", actor: options.actor)
            )
            return .takenBack
        } catch let error as StoreError where error.code == .revisionConflict {
            return .overtaken
        }
    }

    /// The last position of a complete migration between whose commits there are none of others; nil where there are
    /// some.
    private func lastPosition(ofUndisturbed migration: MigrationRecord) throws -> Position? {
        let history = try SourceHistory(of: source.identity, in: store)
        guard let last = history.last, last.id == migration.id, last.isFinished else { return nil }
        let snapshot = try store.snapshots().first { $0.name == migration.snapshotBefore }
        let start = migration.firstPosition.rawValue
        let end = last.lastPosition.rawValue
        // The snapshot's own event stands between the state that it names and the beginning.
        guard let snapshot, snapshot.position.rawValue + 2 == start else { return nil }
        // With the beginning stands what was decided. What batches have written has no gap, and the end follows.
        var begun = start
        try store.read { state in
            try state.forEachCommit(from: migration.firstPosition) { commit in
                begun = commit.events.last?.position.rawValue ?? start
                return false
            }
        }
        guard begun + 1 < end else { return last.lastPosition }
        let batches = Position(rawValue: begun + 1)...Position(rawValue: end - 1)
        return history.owned.contains(batches) ? last.lastPosition : nil
    }
}

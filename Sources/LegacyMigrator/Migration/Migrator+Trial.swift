import LegacyRecords
import Reprise

/// Finding out what a run does by making it.
extension Migrator {
    /// What a run would do as things stand, because it has been made in a private copy of the store.
    ///
    /// The copy has the same log, so that the run is the one that would be made: it takes up an interrupted migration,
    /// and goes back where that would. It does not compare before whether there is anything to do, and takes nothing
    /// back.
    ///
    /// - Returns: what was done, and the interrupted migration that was taken up; nil where there was no room for the
    ///   copy, or for what the run has written.
    /// - Throws: what ``run(progress:)`` throws; where it is cancelled nothing was written.
    /// - Complexity: O(bytes of the store · bytes of the export · log rows).
    func outcomeOfTrial(
        _ progress: (MigrationProgress) -> Bool
    ) throws -> (outcome: MigrationRun.Outcome, resumed: String?)? {
        let trial = try TrialStore(of: store) {
            let state = MigrationProgress(
                phase: .comparing,
                recordsRead: 0,
                recordsWritten: 0,
                bytesRead: 0,
                byteCount: source.byteCount
            )
            guard progress(state) else { throw MigrationError.cancelled(nil) }
        }
        guard let trial else { return nil }
        defer { trial.remove() }
        var migrator = Migrator(source: source, store: trial.store, options: options)
        migrator.isTrial = true
        do {
            return try migrator.wholeOutcome { step in
                var state = step
                state.phase = .comparing
                state.recordsWritten = 0
                return progress(state)
            }
        } catch let error as MigrationError where error.code == .cancelled {
            // What was written so far is gone, and in no store that anybody knows.
            throw MigrationError.cancelled(nil)
        } catch let error as StoreError where error.code == .diskFull {
            return nil
        }
    }

    private func wholeOutcome(
        _ progress: (MigrationProgress) -> Bool
    ) throws -> (outcome: MigrationRun.Outcome, resumed: String?) {
        let history = try SourceHistory(of: source.identity, in: store)
        if let growth = try SchemaGrowth.schema(for: source, history, in: store) {
            try grow(to: growth, history)
        }
        let shape = try SourceShape(of: source, history, in: try store.schema)
        let interrupted = try history.interrupted(in: store)
        let returned = try interrupted.flatMap { try goBack($0, history, progress) }
        let outcome = try write(shape, history, interrupted, returned, progress).outcome
        return (outcome, interrupted?.id)
    }
}

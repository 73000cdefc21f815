import LegacyRecords
import Reprise

/// Finding out what a run would do.
extension Migrator {
    /// Finds out what ``run(progress:)`` would do, and writes nothing to the store. Of an interrupted migration it
    /// finds out what is left, as things stand; a run that goes back first (Specs/format/migration.md, "Settling") does
    /// that again, too.
    ///
    /// A comparison of the export with the store is enough for most exports. Where it can only estimate, because rows
    /// want what others have, need each other or wait, because what is deleted holds others, or because somebody else
    /// has changed the same in the store, the run is made in a private copy of the store in the directory for temporary
    /// files (`TMPDIR`), of which nothing stays. What others write to the store meanwhile is not in the copy, and they
    /// do not wait for it. Where there is no room for that, the plan says that it is an estimate
    /// (``MigrationPlan/isExact``).
    ///
    /// Where it is not certain that there is anything to do, or the last export comes again and differs, it first
    /// rehearses the run up to its first change; others of the process do not write meanwhile.
    ///
    /// - Parameter progress: called now and then, always with the phase `comparing`; what was read begins anew where
    ///   the export is read again. Returning false cancels. It must not write to the store, as in ``run(progress:)``.
    /// - Throws: ``LegacyError``, ``MigrationError`` and `StoreError`.
    /// - Complexity: O(bytes of the export) and one lookup a record, with the memory of ``run(progress:)``. Where it
    ///   can only estimate it takes as long as a comparison, a copy of the store's file and a run, and as much room on
    ///   disk as that copy and what the run writes.
    public func plan(
        progress: (MigrationProgress) -> Bool = { _ in true }
    ) throws -> MigrationPlan {
        let history = try SourceHistory(of: source.identity, in: store)
        if let source = try history.understood(source, in: store, cancelled: .cancelled(nil), progress) {
            return try Migrator(source: source, store: store, options: options).plan(history, progress)
        }
        return try plan(history, progress)
    }

    private func plan(
        _ history: SourceHistory,
        _ progress: (MigrationProgress) -> Bool
    ) throws -> MigrationPlan {
        let shape = try SourceShape(of: source, history, in: try store.schema)
        let interrupted = try history.interrupted(in: store)
        let pass = try MigrationPass(source, history, shape, in: store, seesAll: true)
        if let interrupted { pass.takeUp(interrupted) }
        let comparison = comparison(pass, history, stopsEarly: false)
        let reading = try compare(comparison, progress)
        try checkReplacement(comparison, history, progress)
        var outcome = MigrationRun.Outcome(pass, reading)
        var resumed = interrupted?.id
        // A comparison leaves out what the store would get a place for.
        let grows = try SchemaGrowth.schema(for: source, history, in: store) != nil
        var isExact = try comparison.isExact && !hasWaited(interrupted) && !grows
        let isRepeated = interrupted == nil && history.last != nil && !grows
        if isRepeated,
            let found = try outcomeWithoutChange(comparison, reading, shape, history, progress)
        {
            outcome = found
            isExact = true
        } else if !isExact, let trial = try outcomeOfTrial(progress) {
            outcome = trial.outcome
            resumed = trial.resumed
            isExact = true
        }
        return MigrationPlan(
            source: source.identity,
            resumed: resumed,
            counts: outcome.counts,
            warningCounts: outcome.warningCounts,
            warnings: outcome.warnings,
            reading: outcome.reading,
            agreedCount: outcome.agreedCount,
            notesChoice: history.recorded.lacksAsked(of: source.interpretation),
            isExact: isExact
        )
    }

    /// Whether rows have waited in an interrupted migration: a run that takes it up lets them wait again, though they
    /// may have found their places since.
    private func hasWaited(_ migration: MigrationRecord?) throws -> Bool {
        guard let migration else { return false }
        return try store.read { state in
            let last = try state.annotation(name: WaitingRows.name, key: migration.source)
            return last.map { $0.position >= migration.firstPosition } ?? false
        }
    }
}

import LegacyRecords
import Reprise

/// Finding out what a run would do.
extension Migrator {
    /// Finds out what ``run(progress:)`` would do as things stand, and writes nothing to the store.
    ///
    /// Where the export has something that the store has no place for yet, that is found out in a private copy of the
    /// store in the directory for temporary files (`TMPDIR`), of which nothing stays. Where there is no room for one,
    /// the plan says that it is an estimate (``MigrationPlan/isExact``): what has no place is left out of it.
    ///
    /// - Parameter progress: called now and then. Returning false cancels. It must not write to the store, as in
    ///   ``run(progress:)``.
    /// - Throws: ``LegacyError``, ``MigrationError`` and `StoreError`, as ``run(progress:)``.
    /// - Complexity: as ``run(progress:)``, without what is written.
    public func plan(
        progress: (MigrationProgress) -> Bool = { _ in true }
    ) throws -> MigrationPlan {
        let history = try SourceHistory(of: source.identity, in: store)
        let understood = try history.understood(source, in: store, cancelled: .cancelled, progress)
        return try Migrator(source: understood ?? source, store: store, options: options).plan(history, progress)
    }

    private func plan(
        _ history: SourceHistory,
        _ progress: (MigrationProgress) -> Bool
    ) throws -> MigrationPlan {
        let shape = try SourceShape(of: source, history, in: try store.schema)
        var outcome = try takeIn(shape, history, isPlan: true, progress)
        var isExact = true
        if try SchemaGrowth.schema(for: source, history, in: store) != nil {
            if let grown = try outcomeInCopy(progress) { outcome = grown } else { isExact = false }
        }
        return MigrationPlan(
            source: source.identity,
            counts: outcome.counts,
            warningCounts: outcome.warningCounts,
            warnings: outcome.warnings,
            reading: outcome.reading,
            agreedCount: outcome.agreedCount,
            notesChoice: outcome.notesChoice,
            isExact: isExact
        )
    }

    /// What a run would do in a copy of the store whose schema has grown; nil where there is no room for one.
    private func outcomeInCopy(_ progress: (MigrationProgress) -> Bool) throws -> Outcome? {
        let copy = try TrialStore(of: store) {
            guard progress(MigrationProgress(.comparing, byteCount: source.byteCount)) else {
                throw MigrationError.cancelled
            }
        }
        guard let copy else { return nil }
        defer { copy.remove() }
        let migrator = Migrator(source: source, store: copy.store, options: options)
        let history = try SourceHistory(of: source.identity, in: copy.store)
        do {
            if let growth = try SchemaGrowth.schema(for: source, history, in: copy.store) {
                try migrator.grow(to: growth, history)
            }
            let shape = try SourceShape(of: source, history, in: try copy.store.schema)
            return try migrator.takeIn(shape, history, isPlan: true, asksReplacement: false, progress)
        } catch let error as StoreError where error.code == .diskFull {
            return nil
        }
    }
}

public import Reprise

/// What came of taking a migration back.
public struct MigrationRevert: Sendable {
    /// What was changed, and what stands in the way.
    public let report: ChangeSet.Report
    /// The identifiers of newer migrations of the same source that have the last word on its rows: what these have as
    /// well was left as it is. To take that back, too, revert both.
    public let newerMigrations: [String]
}

extension Store {
    /// Takes a migration back, and keeps what was done since.
    ///
    /// Where a newer export of the same source was migrated since, each row that it has stays as it is: it would be
    /// there without this migration as well. Then only what the newer export does not have is taken back. To take back
    /// both, take back the newer migration first.
    ///
    /// ```swift
    /// let plan = try store.revert(migration: "m1", isPlan: true)
    /// print(plan.report.conflicts, plan.newerMigrations)
    /// ```
    ///
    /// - Parameters:
    ///   - migration: its identifier, as ``MigrationReport/migration`` and the log have it.
    ///   - resolution: how conflicts with what was done since are settled.
    ///   - isPlan: whether it is only looked at what would be done, and nothing is written.
    ///   - context: what the commit says of itself.
    /// - Throws: `StoreError` with the code `unknownPosition` where no live commit is of the migration, and as a write;
    ///   ``MigrationError`` with the code `unreadableRecord`.
    /// - Complexity: O(events of the migration · log n). Memory is bounded for most large changes.
    public func revert(
        migration: String,
        resolving resolution: ChangeSet.Resolution = .none,
        isPlan: Bool = false,
        context: CommitContext = CommitContext(intent: "revert")
    ) throws -> MigrationRevert {
        try revertKeepingNewerExports(
            [.correlation(migration)],
            resolving: resolution,
            isPlan: isPlan,
            context: context
        )
    }

    /// As ``revert(migration:resolving:isPlan:context:)`` of all migrations among some commits.
    package func revertKeepingNewerExports(
        _ selections: [CommitSelection],
        resolving resolution: ChangeSet.Resolution,
        isPlan: Bool,
        context: CommitContext
    ) throws -> MigrationRevert {
        let reverted = try revert(
            selections,
            resolving: resolution,
            isPlan: isPlan,
            context: context,
            leaving: lastWords()
        )
        return MigrationRevert(report: reverted.report, newerMigrations: reverted.spoken.map(\.name))
    }

    /// Those of each source: of its last migration that no rollback has taken back.
    private func lastWords() throws -> [LastWord] {
        try read { state in
            try state.annotations(named: MigrationLog.started).compactMap { begun in
                let entry = try MigrationLog.Entry(source: begun.key, in: state)
                guard let base = try SourceHistory.Base(of: entry, in: state) else { return nil }
                let owned = entry.owned
                return LastWord(
                    base.migration,
                    position: base.position,
                    owns: { owned.contains($0) },
                    models: base.models,
                    base.deviations
                )
            }
        }
    }
}

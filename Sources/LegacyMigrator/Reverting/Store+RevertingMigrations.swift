public import Reprise

/// The result of taking a migration back.
public struct MigrationRevert: Sendable {
    /// The changes that were made, and the conflicts.
    public let report: ChangeSet.Report
    /// The identifiers of newer migrations of the same source, the oldest first, that have the last word on rows of
    /// this one: rows that their exports have stay as they are.
    public let newerMigrations: [String]
}

extension Store {
    /// Takes a migration back, and keeps all changes that were made since.
    ///
    /// A newer export of the same source has the last word: each row that it has stays as it is, for it would be there
    /// without this migration as well. Only the rest is taken back. To take both back, revert the newer migration
    /// first.
    ///
    /// ```swift
    /// let plan = try store.revert(migration: "m1", isPlan: true)
    /// print(plan.report.conflicts, plan.newerMigrations)
    /// ```
    ///
    /// - Parameters:
    ///   - migration: its identifier, as ``MigrationReport/migration`` and the log have it.
    ///   - resolution: how conflicts with changes since are settled.
    ///   - isPlan: whether the changes are only looked at, and nothing is written.
    ///   - context: what the commit says of itself.
    /// - Throws: `StoreError` with the code `unknownPosition` where the log has no live commit of the migration, and as
    ///   a write; ``MigrationError`` with the code `unreadableRecord`.
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

    /// As ``revert(migration:resolving:isPlan:context:)``, for all migrations among some commits.
    package func revertKeepingNewerExports(
        _ selections: [CommitSelection],
        resolving resolution: ChangeSet.Resolution,
        isPlan: Bool,
        context: CommitContext
    ) throws -> MigrationRevert {
        let reverted = try revert(selections, resolving: resolution, isPlan: isPlan, context: context) {
            try lastWords()
        }
        return MigrationRevert(report: reverted.report, newerMigrations: reverted.respected.map(\.migration))
    }

    /// The last word of each source: that of its newest migration that no rollback has taken back.
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

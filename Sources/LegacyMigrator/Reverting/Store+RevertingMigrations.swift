public import Reprise

/// The result of taking a migration back.
public struct MigrationRevert: Sendable {
    /// The changes that were made, and the conflicts.
    public let report: ChangeSet.Report
    /// The identifier of the newer migration of the same source that has the last word on rows of this one, so that
    /// they stay as they are; empty where there is none. Where the migrations of several sources were taken back, one
    /// of each, the oldest first.
    public let newerMigrations: [String]
}

extension Store {
    /// Takes a migration back, and keeps all changes that were made since.
    ///
    /// The newest migration of the same source that stands has the last word: the rows that the source has made, of the
    /// models of which its export has records, stay as they are (HIS-116). They would be there without this migration
    /// as well. The rest is taken back. To take both back, revert the newer migration first.
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
    /// - Complexity: O(events of the migration and of the newer one · log n), and O(commits). Memory is bounded for
    ///   most large changes.
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
        let reverted = try revert(
            selections,
            resolving: resolution,
            isPlan: isPlan,
            context: context
        ) { try Self.lastWords(on: $1, in: $0) }
        return MigrationRevert(report: reverted.report, newerMigrations: reverted.respected.map(\.migration))
    }

    /// The last word of each source of which migrations are taken back.
    private static func lastWords(
        on reverted: RevertedCommits,
        in state: borrowing ReadTransaction
    ) throws -> [LastWord] {
        let migrations = reverted.commits.filter { $0.intent == Migrator.intent }
        if migrations.isEmpty { return [] }
        let live = try state.liveRanges()
        return try state.annotations(named: MigrationLog.started).compactMap { begun in
            let entry = try MigrationLog.Entry(source: begun.key, in: state)
            guard migrations.contains(where: { entry.owned.contains($0.firstPosition) }) else { return nil }
            return try lastWord(of: entry, reverted, live)
        }
    }

    /// The last word of the newest migration of a source that stays; nil where there is none.
    private static func lastWord(
        of source: MigrationLog.Entry,
        _ reverted: RevertedCommits,
        _ live: [ClosedRange<Position>]
    ) throws -> LastWord? {
        for range in source.owned.ranges.reversed() {
            var end = range.upperBound
            while end >= range.lowerBound, let commit = try reverted.commit(holding: Position(rawValue: end)) {
                let last = commit.lastPosition
                if live.contains(where: { $0.contains(last) }), try reverted.stays(last) {
                    return try lastWord(in: commit, of: source, reverted)
                }
                end = commit.firstPosition.rawValue - 1
            }
        }
        return nil
    }

    /// The last word of the migration that a commit is of.
    private static func lastWord(
        in commit: RevertedCommits.Commit,
        of source: MigrationLog.Entry,
        _ reverted: RevertedCommits
    ) throws -> LastWord? {
        let owned = source.owned
        let notes = try reverted.annotations(of: commit) {
            $0 == MigrationLog.finished || $0.hasPrefix(RecordedDeviations.name)
        }
        guard let payload = notes[MigrationLog.finished] else { return nil }
        let finished = try MigrationLog.decode(MigrationLog.Finished.self, payload, of: source.record.source)
        return LastWord(
            finished.migration,
            position: commit.lastPosition,
            owns: { owned.contains($0) },
            models: finished.models,
            try RecordedDeviations.read(notes)
        )
    }
}

internal import RepriseLMDB
internal import RepriseLog

/// Which commits are taken back.
package enum CommitSelection: Sendable {
    /// The one that holds a position.
    case commit(Position)
    /// Those that hold a position of a stretch of the log.
    case range(ClosedRange<Position>)
    /// Those with a correlation.
    case correlation(String)
}

/// Taking changes back, each in one commit that can itself be taken back.
extension Store {
    /// Takes commits back, and keeps all that was done since.
    ///
    /// What a commit has changed goes back to what it was before, unless something newer stands in the way: then that
    /// is a ``ChangeSet/Conflict``. While one is open nothing is written.
    ///
    /// ```swift
    /// let report = try store.revert(commits: [position])
    /// for conflict in report.conflicts { print(conflict) }
    /// ```
    ///
    /// - Parameters:
    ///   - commits: any position of each.
    ///   - resolution: how conflicts are settled.
    ///   - isPlan: whether it is only looked at what would be done, and nothing is written.
    ///   - context: what the commit says of itself. Its causation becomes the newest of the commits.
    /// - Returns: what was done, with all conflicts.
    /// - Throws: `unknownPosition` for one that the log does not have, that a rollback has taken back, or that is a
    ///   rollback; and as a write.
    /// - Complexity: O(events of the commits · log n). Memory is bounded for most large changes (HIS-113, HIS-114).
    public func revert(
        commits: [Position],
        resolving resolution: ChangeSet.Resolution = .none,
        isPlan: Bool = false,
        context: CommitContext = CommitContext(intent: "revert")
    ) throws -> ChangeSet.Report {
        try revert(commits.map { .commit($0) }, resolving: resolution, isPlan: isPlan, context: context).report
    }

    /// As ``revert(commits:resolving:isPlan:context:)``, for all commits of a stretch of the log.
    ///
    /// - Parameters:
    ///   - range: from a position of the first to one of the last. What a rollback has taken back is passed over.
    ///   - resolution: how conflicts are settled.
    ///   - isPlan: whether it is only looked at what would be done, and nothing is written.
    ///   - context: what the commit says of itself.
    public func revert(
        range: ClosedRange<Position>,
        resolving resolution: ChangeSet.Resolution = .none,
        isPlan: Bool = false,
        context: CommitContext = CommitContext(intent: "revert")
    ) throws -> ChangeSet.Report {
        try revert([.range(range)], resolving: resolution, isPlan: isPlan, context: context).report
    }

    /// As ``revert(commits:resolving:isPlan:context:)``, for all commits that belong together: those of one migration,
    /// or of one group.
    ///
    /// `LegacyMigrator` has a call of its own for migrations, `revert(migration:)`: it leaves the rows that a newer
    /// export of the same source has as well.
    ///
    /// - Parameters:
    ///   - correlation: what the commits have in common, as ``CommitContext/correlation``; of a migration its
    ///     identifier. Not empty.
    ///   - resolution: how conflicts are settled.
    ///   - isPlan: whether it is only looked at what would be done, and nothing is written.
    ///   - context: what the commit says of itself.
    /// - Throws: also `unknownPosition` where no live commit has it.
    public func revert(
        correlation: String,
        resolving resolution: ChangeSet.Resolution = .none,
        isPlan: Bool = false,
        context: CommitContext = CommitContext(intent: "revert")
    ) throws -> ChangeSet.Report {
        try revert([.correlation(correlation)], resolving: resolution, isPlan: isPlan, context: context).report
    }

    /// - Parameter lastWords: those that rows may have to stay for. They are asked for while nobody else writes.
    /// - Returns: the report, and the last words that rows had to stay for, in the order of the log.
    package func revert(
        _ selections: [CommitSelection],
        resolving resolution: ChangeSet.Resolution,
        isPlan: Bool,
        context: CommitContext,
        respecting lastWords: () throws -> [LastWord] = { [] }
    ) throws -> (report: ChangeSet.Report, respected: [LastWord]) {
        var respected: [LastWord] = []
        let report = try merge(context, resolving: resolution, isPlan: isPlan) { ground in
            var chosen: [UInt64: CommitView] = [:]
            for selection in selections {
                for commit in try Self.commits(of: selection, ground) { chosen[commit.firstPosition] = commit }
            }
            let commits = chosen.values.sorted { $0.firstPosition > $1.firstPosition }
            respected = try Self.inForce(lastWords(), on: commits, ground)
            let untouched = try untouchedRows(of: respected, ground)
            return Self.takingBack(commits, ground) { commit in
                respected.firstIndex { $0.isAbout(commit, among: commits) }.map { untouched[$0] }
            }
        }
        return (try Self.made(report), respected)
    }

    /// The report of a merge that always has a change.
    static func made(_ report: ChangeSet.Report?) throws -> ChangeSet.Report {
        guard let report else { throw StoreError.damage("A merge has come to nothing.") }
        return report
    }

    /// The change that takes commits back.
    ///
    /// - Parameters:
    ///   - commits: the newest first.
    ///   - untouched: the rows that stay as they are although a commit has changed them.
    static func takingBack(
        _ commits: [CommitView],
        _ ground: MergeGround,
        but untouched: @escaping (CommitView) -> UntouchedRows? = { _ in nil }
    ) -> MergeWish {
        MergeWish(takenBack: commits) { body in
            var gathering = ground.gathering()
            for commit in commits { try gathering.takeBack(commit, but: untouched(commit), ground.log) }
            try gathering.forEachDelta(body)
        }
    }

    /// Those of the last words that are about one of the commits and were not taken back themselves, in the order of
    /// the log (HIS-116).
    private static func inForce(
        _ lastWords: [LastWord],
        on commits: [CommitView],
        _ ground: MergeGround
    ) throws -> [LastWord] {
        let words = lastWords.filter { word in commits.contains { word.isAbout($0, among: commits) } }
        if words.isEmpty { return [] }
        let reverted = try commitsReverted(ground)
        return words.filter { !reverted.contains($0.position.rawValue) }.sorted { $0.position < $1.position }
    }

    /// The rows of each of some last words.
    private func untouchedRows(of words: [LastWord], _ ground: MergeGround) throws -> [UntouchedRows] {
        if words.isEmpty { return [] }
        let base = ground.workspace.base
        let history = try SchemaHistory(of: StoreState.read(base, tables), base, tables)
        return words.map { $0.rows(in: history) }
    }

    /// The last positions of the commits that a revert has taken back which was not taken back itself. Of several
    /// commits that one revert has taken back the newest is known.
    private static func commitsReverted(_ ground: MergeGround) throws -> Set<UInt64> {
        var reverted: Set<UInt64> = []
        for live in try ground.liveRanges().reversed() {
            try ground.log.forEachCommit(from: live.lowerBound, to: live.upperBound, reversed: true) { commit in
                if commit.metadata.intent == "revert", !reverted.contains(commit.lastPosition) {
                    reverted.insert(commit.metadata.causation)
                }
                return true
            }
        }
        return reverted
    }

    /// The live commits that are meant.
    private static func commits(of selection: CommitSelection, _ ground: MergeGround) throws -> [CommitView] {
        switch selection {
        case .commit(let position): return [try liveCommit(at: position, ground)]
        case .range(let range):
            guard range.upperBound.rawValue <= ground.head else { throw unknown(range.upperBound, ground.head) }
            return try commits(in: range.lowerBound.rawValue...range.upperBound.rawValue, ground) { _ in true }
        case .correlation(let correlation):
            return try commits(in: 0...ground.head, ground) {
                !correlation.isEmpty && $0.metadata.correlation == correlation
            }
        }
    }

    private static func commits(
        in range: ClosedRange<UInt64>,
        _ ground: MergeGround,
        where isWanted: (CommitView) -> Bool
    ) throws -> [CommitView] {
        var commits: [CommitView] = []
        for live in try ground.liveRanges() where live.overlaps(range) {
            let stretch = live.clamped(to: range)
            try ground.log.forEachCommit(from: stretch.lowerBound, to: stretch.upperBound) {
                if isWanted($0) { commits.append($0) }
                return true
            }
        }
        guard commits.isEmpty else { return commits }
        throw StoreError(
            .unknownPosition,
            "The log has no live commit that is meant.",
            advice: "Look for it in the log."
        )
    }

    private static func liveCommit(at position: Position, _ ground: MergeGround) throws -> CommitView {
        guard position.rawValue <= ground.head, let commit = try ground.log.commit(holding: position.rawValue) else {
            throw unknown(position, ground.head)
        }
        if let event = try ground.log.event(at: commit.firstPosition), event.type == .rolledBack {
            throw StoreError(
                .unknownPosition,
                "The commit at position \(position) is a rollback.",
                advice: "Roll back to the position before it to take it back."
            )
        }
        guard try ground.liveRanges().contains(where: { $0.contains(commit.lastPosition) }) else {
            throw StoreError(
                .unknownPosition,
                "A rollback has taken the commit at position \(position) back already.",
                advice: "Look for live commits in the log."
            )
        }
        return commit
    }

    private static func unknown(_ position: Position, _ head: UInt64) -> StoreError {
        StoreError(
            .unknownPosition,
            "The log has no commit at position \(position); it ends at \(head).",
            advice: "Choose a position from the log."
        )
    }
}

internal import RepriseLMDB
internal import RepriseLog

/// Which commits are taken back.
package enum CommitSelection: Sendable {
    /// The one that holds a position.
    case commit(Position)
    /// Those that hold a position of a stretch of the log.
    case range(ClosedRange<Position>)
    /// Those that hold a position from this one on.
    case from(Position)
    /// Those with a correlation.
    case correlation(String)
}

/// Taking changes back, each in one commit that can itself be taken back.
extension Store {
    /// Takes commits back, and keeps all that was done since.
    ///
    /// What a commit has changed goes back to what it was before, unless something newer stands in the way: then that
    /// is a ``ChangeSet/Conflict``. While one is open nothing is written. To take back a migration behind which newer
    /// exports came, use `revert(migration:)` of `LegacyMigration`.
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
    /// - Complexity: O(events of the commits · log n). Memory is bounded, but for what HIS-114 names.
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
    ///   - range: from a position of the first to one of the last. What a rollback has taken back is passed over, and
    ///     so are the commits in which the schema was changed, with what code of the program did then.
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
    /// `LegacyMigration` has a call of its own for migrations, `revert(migration:)`: it leaves the rows on which a
    /// newer export of the same source has the last word.
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

    /// - Parameter lastWords: finds the newer migrations whose rows have to stay, in the state in which the commits are
    ///   taken back.
    /// - Returns: the report, and those of the migrations that are about one of the commits, in the order of the log.
    package func revert(
        _ selections: [CommitSelection],
        resolving resolution: ChangeSet.Resolution,
        isPlan: Bool,
        context: CommitContext,
        respecting lastWords: (borrowing ReadTransaction, RevertedCommits) throws -> [LastWord] = { _, _ in [] }
    ) throws -> (report: ChangeSet.Report, respected: [LastWord]) {
        var respected: [LastWord] = []
        let report = try merge(context, resolving: resolution, isPlan: isPlan) { ground in
            var chosen: [UInt64: CommitView] = [:]
            for selection in selections {
                for commit in try Self.commits(of: selection, ground) { chosen[commit.firstPosition] = commit }
            }
            let commits = chosen.values.sorted { $0.firstPosition > $1.firstPosition }
            respected = try self.lastWords(on: commits, ground, lastWords)
            guard !respected.isEmpty else { return Self.takingBack(commits, ground) }
            let base = ground.workspace.base
            let history = try SchemaHistory(of: ground.state, base, tables)
            let rows = respected.map { $0.rows(in: history, ground.workspace) }
            return Self.takingBack(commits, ground) { commit in
                respected.firstIndex { $0.isAbout(commit) }.map { rows[$0] }
            }
        }
        return (try Self.made(report), respected)
    }

    private func lastWords(
        on commits: [CommitView],
        _ ground: MergeGround,
        _ find: (borrowing ReadTransaction, RevertedCommits) throws -> [LastWord]
    ) throws -> [LastWord] {
        let access = StateAccess(shared, workspace: ground.workspace, position: ground.head, logHead: ground.head)
        defer { access.end() }
        let context = ReadContext(transactionID: 0, state: ground.state, workspace: ground.workspace)
        let words = try find(ReadTransaction(access: access, context: context), RevertedCommits(commits, ground))
        return words.filter { word in commits.contains { word.isAbout($0) } }.sorted { $0.position < $1.position }
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
        MergeWish(takenBack: commits, isWhole: true) { body in
            let untouched = commits.map(untouched)
            let oldestTouching = untouched.lastIndex { $0 == nil } ?? 0
            var gathering = try ground.gathering()
            for (place, commit) in commits.enumerated() {
                let isPassing = place < oldestTouching
                try gathering.takeBack(commit, but: untouched[place], isPassing: isPassing, ground.log)
            }
            try gathering.forEachDelta(body)
        }
    }

    /// The live commits that are meant.
    private static func commits(of selection: CommitSelection, _ ground: MergeGround) throws -> [CommitView] {
        switch selection {
        case .commit(let position): return [try liveCommit(at: position, ground)]
        case .from(let first):
            guard first.rawValue <= ground.head else { throw unknown(first, ground.head) }
            return try commits(of: .range(first...Position(ground.head)), ground)
        case .range(let range):
            guard range.upperBound.rawValue <= ground.head else { throw unknown(range.upperBound, ground.head) }
            let name = "from \(range.lowerBound) to \(range.upperBound)"
            return try commits(name, in: range.lowerBound.rawValue...range.upperBound.rawValue, ground) { commit in
                guard commit.metadata.intent == Self.schemaDeclarationIntent else { return true }
                return try ground.log.event(at: commit.firstPosition)?.type != .schemaDeclared
            }
        case .correlation(let correlation):
            return try commits("of \"\(correlation)\"", in: 0...ground.head, ground) {
                !correlation.isEmpty && $0.metadata.correlation == correlation
            }
        }
    }

    private static func commits(
        _ name: String,
        in range: ClosedRange<UInt64>,
        _ ground: MergeGround,
        where isWanted: (CommitView) throws -> Bool
    ) throws -> [CommitView] {
        var commits: [CommitView] = []
        for live in try ground.liveRanges() where live.overlaps(range) {
            let stretch = live.clamped(to: range)
            try ground.log.forEachCommit(from: stretch.lowerBound, to: stretch.upperBound) {
                if try isWanted($0) { commits.append($0) }
                return true
            }
        }
        guard commits.isEmpty else { return commits }
        throw StoreError(
            .unknownPosition,
            "The log has no commit \(name), or a rollback has taken it back.",
            advice: "Choose one that the log shows."
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

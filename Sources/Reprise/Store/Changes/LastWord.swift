internal import RepriseLog

/// The newest migration of a source that stands while earlier ones are taken back: its export has the last word on the
/// rows that the source has made (HIS-116).
package struct LastWord: Sendable {
    /// The identifier of the migration.
    package let migration: String
    /// The last position of the migration.
    let position: Position
    /// Whether migrations of the source have written a position.
    private let owns: @Sendable (Position) -> Bool
    /// The models of which the export has records, by their names of then.
    private let models: Set<String>
    /// Rows that the export does not have, and that are there because they were changed here or something needs them.
    private let lacking: Set<EntityKey>

    /// - Parameters:
    ///   - migration: its identifier.
    ///   - position: its last one.
    ///   - owns: whether migrations of the source have written a position.
    ///   - models: the models of which the export has records, by the names that they had at the position.
    ///   - deviations: where the store was left otherwise than the export says.
    package init(
        _ migration: String,
        position: Position,
        owns: @escaping @Sendable (Position) -> Bool,
        models: Set<String>,
        _ deviations: Deviations
    ) {
        self.migration = migration
        self.position = position
        self.owns = owns
        self.models = models
        lacking = Set(deviations.rows.filter { $0.value.isReleased || $0.value.isNeeded }.keys)
    }

    /// Whether a commit is of an earlier migration of the source.
    func isAbout(_ commit: CommitView) -> Bool {
        commit.lastPosition < position.rawValue && owns(Position(commit.firstPosition))
    }

    /// The rows on which the export has the last word.
    func rows(in history: SchemaHistory, _ workspace: Workspace) -> UntouchedRows {
        let schema = history.declared(upTo: position.rawValue) ?? history.present
        return UntouchedRows(
            models: Set(models.compactMap { schema.model(named: $0)?.number }),
            but: lacking,
            owns: owns,
            workspace
        )
    }
}

/// What a revert is about to take back, for those who know which rows have to stay.
package struct RevertedCommits {
    /// One of the commits.
    package struct Commit: Sendable {
        package let firstPosition: Position
        package let lastPosition: Position
        package let intent: String
    }

    /// The commits, the newest first.
    package let commits: [Commit]
    /// The commits that were taken back before.
    private let before: TakenBackCommits
    private let log: LogReader

    init(_ commits: [CommitView], _ before: TakenBackCommits, _ log: LogReader) {
        self.commits = commits.map(Self.commit)
        self.before = before
        self.log = log
    }

    private static func commit(_ view: CommitView) -> Commit {
        Commit(
            firstPosition: Position(view.firstPosition),
            lastPosition: Position(view.lastPosition),
            intent: view.metadata.intent
        )
    }

    /// Any commit of the log, by a position of it; nil where the log ends before.
    package func commit(holding position: Position) throws -> Commit? {
        try log.commit(holding: position.rawValue).map(Self.commit)
    }

    /// The payloads of annotations of a commit, by their names.
    ///
    /// - Complexity: O(events of the commit).
    package func annotations(of commit: Commit, where isWanted: (String) -> Bool) throws -> [String: [UInt8]] {
        var found: [String: [UInt8]] = [:]
        try log.forEachEvent(in: commit.firstPosition.rawValue...commit.lastPosition.rawValue) { event, _ in
            guard event.type == .annotated, case .annotated(let name, _, let payload) = try Change(event) else {
                return true
            }
            if isWanted(name) { found[name] = unsafe [UInt8](payload) }
            return true
        }
        return found
    }

    /// Whether a commit stays: it is none of these, and nothing has taken it back before.
    ///
    /// - Parameter lastPosition: that of a commit behind one of these.
    package func stays(_ lastPosition: Position) -> Bool {
        !commits.contains { $0.lastPosition == lastPosition } && !before.contains(lastPosition.rawValue)
    }
}

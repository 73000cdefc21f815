internal import RepriseLog

/// The commits that a revert is about to take back, as the code sees them that knows which exports they are of.
package final class RevertedCommits {
    /// One of the commits.
    package struct Commit: Sendable {
        package let firstPosition: Position
        package let lastPosition: Position
        package let intent: String
    }

    /// The commits, the newest first.
    package let commits: [Commit]
    private let ground: Store.MergeGround
    /// The commits that were taken back before; nil until they are asked for.
    private var before: TakenBackCommits?

    init(_ commits: [CommitView], _ ground: Store.MergeGround) {
        self.commits = commits.map(Self.commit)
        self.ground = ground
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
        try ground.log.commit(holding: position.rawValue).map(Self.commit)
    }

    /// The payloads of annotations of a commit, by their names.
    ///
    /// - Complexity: O(events of the commit).
    package func annotations(of commit: Commit, where isWanted: (String) -> Bool) throws -> [String: [UInt8]] {
        var found: [String: [UInt8]] = [:]
        try ground.log.forEachEvent(in: commit.firstPosition.rawValue...commit.lastPosition.rawValue) { event, _ in
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
    /// - Parameter lastPosition: that of a commit behind the oldest of these.
    /// - Complexity: at first O(commits behind the oldest of these).
    package func stays(_ lastPosition: Position) throws -> Bool {
        guard let oldest = commits.last, !commits.contains(where: { $0.lastPosition == lastPosition }) else {
            return false
        }
        let first = oldest.firstPosition.rawValue
        let before = try before ?? TakenBackCommits(from: first, ground.log, live: ground.liveRanges())
        self.before = before
        return !before.contains(lastPosition.rawValue)
    }
}

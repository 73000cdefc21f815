internal import RepriseLMDB
internal import RepriseLog

extension TakenBackMark {
    /// The intents of commits that have taken back their causation, where they have no note.
    fileprivate static let intents: Set<String> = ["revert", UndoStack.undoIntent, UndoStack.redoIntent]

    /// - Parameters:
    ///   - commits: the newest first.
    ///   - intent: that of the commit that takes them back.
    /// - Returns: nil where no note is needed.
    init?(of commits: [CommitView], intent: String) {
        guard let newest = commits.first, commits.count > 1 || !Self.intents.contains(intent) else { return nil }
        var stretches = [newest.firstPosition...newest.lastPosition]
        for commit in commits.dropFirst() {
            let last = stretches[stretches.count - 1]
            if commit.lastPosition + 1 == last.lowerBound {
                stretches[stretches.count - 1] = commit.firstPosition...last.upperBound
            } else {
                stretches.append(commit.firstPosition...commit.lastPosition)
            }
        }
        self.init(stretches: stretches)
    }
}

extension WriteSession {
    /// Notes what the commit has taken back, where it has any event. A note that would be too large is left out: the
    /// causation says the newest then.
    func note(_ mark: TakenBackMark?) throws {
        guard let mark, let newest = mark.stretches.first, builder.eventCount > 0 else { return }
        let payload = mark.payload
        guard payload.count <= Annotation.payloadByteCountMax else { return }
        _ = try annotate(name: TakenBackMark.name, key: String(newest.upperBound), payload: payload)
    }
}

/// The commits that later commits have taken back. A later commit that was taken back itself has no say.
struct TakenBackCommits {
    /// The last positions of commits that were taken back one by one.
    private var positions: Set<UInt64> = []
    /// What commits have noted that took several back.
    private var stretches: [ClosedRange<UInt64>] = []

    /// - Parameters:
    ///   - first: the position from which on commits may have taken others back.
    ///   - live: the stretches of the log that are alive, ascending.
    /// - Complexity: O(commits from there on).
    init(from first: UInt64, _ log: LogReader, live: [ClosedRange<UInt64>]) throws {
        for range in live.reversed() where range.upperBound >= first {
            let start = max(first, range.lowerBound)
            try log.forEachCommit(from: start, to: range.upperBound, reversed: true) { commit in
                if commit.metadata.causation > 0, !contains(commit.lastPosition) { try add(commit, log) }
                return true
            }
        }
    }

    /// - Parameter position: the last one of a commit.
    /// - Complexity: O(notes).
    func contains(_ position: UInt64) -> Bool {
        positions.contains(position) || stretches.contains { $0.contains(position) }
    }

    /// Adds the commits that one has taken back.
    private mutating func add(_ commit: CommitView, _ log: LogReader) throws {
        if let mark = try TakenBackMark(of: commit, log) {
            stretches += mark.stretches
        } else if TakenBackMark.intents.contains(commit.metadata.intent) {
            positions.insert(commit.metadata.causation)
        }
    }
}

internal import RepriseLMDB
internal import RepriseLog

/// What an actor can take back, and bring back: read from the log, and from nowhere else, so that it survives the
/// process.
///
/// Each group of commits of the actor is a step. An undo says by its causation which step it has taken back, and a redo
/// is a step of its own.
struct UndoStack {
    static let undoIntent = "undo"
    static let redoIntent = "redo"
    /// The note of an undo or a redo for which nothing was left to do.
    static let name = "reprise.undo"
    /// Intents of commits for the store as a whole, which are on no actor's stack.
    private static let otherIntents: Set<String> = [
        "bulk.load", "migrate", "schema.declare", RowConversions.name,
    ]

    let log: LogReader
    /// The stretches of the log that are alive, ascending.
    let live: [ClosedRange<UInt64>]
    let actor: String

    /// The commits that the next undo takes back, the newest first; empty where there is nothing.
    func nextUndo() throws -> [CommitView] {
        var found: [CommitView] = []
        /// The newest commits of what was taken back, by their last positions.
        var undone: Set<UInt64> = []
        /// The correlation of the step that was met last, while more commits may belong to it.
        var present: (correlation: String, isUndone: Bool)?
        try forEachCommit { commit in
            switch kind(of: commit) {
            case Self.undoIntent:
                if !found.isEmpty { return false }
                present = nil
                undone.insert(commit.metadata.causation)
            case Self.redoIntent:
                if !found.isEmpty { return false }
                present = nil
                // A redo that an undo has taken back has no say: the undo before it holds.
                if undone.contains(commit.lastPosition) { return true }
                found = [commit]
                return false
            default:
                guard try isStep(commit) else { return true }
                let correlation = commit.metadata.correlation
                if let present, !correlation.isEmpty, present.correlation == correlation {
                    if !present.isUndone { found.append(commit) }
                    return true
                }
                if !found.isEmpty { return false }
                let isUndone = undone.contains(commit.lastPosition)
                present = (correlation, isUndone)
                if !isUndone { found = [commit] }
            }
            return true
        }
        return found
    }

    /// The undo that the next redo takes back; nil where there is none, or the actor has done something else since.
    func nextRedo() throws -> CommitView? {
        var found: CommitView?
        /// The undos that were taken back, by their last positions.
        var redone: Set<UInt64> = []
        try forEachCommit { commit in
            switch kind(of: commit) {
            case Self.redoIntent: redone.insert(commit.metadata.causation)
            case Self.undoIntent:
                if redone.contains(commit.lastPosition) { return true }
                found = commit
                return false
            default: return try !isStep(commit)
            }
            return true
        }
        return found
    }

    /// Hands over the actor's commits that are alive, the newest first.
    private func forEachCommit(_ body: (CommitView) throws -> Bool) throws {
        var goesOn = true
        for range in live.reversed() where goesOn {
            try log.forEachCommit(from: range.lowerBound, to: range.upperBound, reversed: true) { commit in
                if commit.metadata.actor == actor { goesOn = try body(commit) }
                return goesOn
            }
        }
    }

    /// The intent of a commit. One that names nothing that it took back is no undo, whatever a program calls it.
    private func kind(of commit: CommitView) -> String {
        commit.metadata.causation == 0 ? "" : commit.metadata.intent
    }

    /// Whether a commit has changed entities, for the actor and not for the store as a whole.
    private func isStep(_ commit: CommitView) throws -> Bool {
        if Self.otherIntents.contains(commit.metadata.intent) { return false }
        // A merge is none, whatever a program calls it. Its note comes last.
        if let last = try log.event(at: commit.lastPosition), last.type == .annotated,
            case .annotated(MergeMark.name, _, _) = try Change(last)
        {
            return false
        }
        var isStep = false
        try log.forEachEvent(in: commit.firstPosition...commit.lastPosition) { event, _ in
            isStep = event.type.rawValue <= EventType.moved.rawValue
            return !isStep
        }
        return isStep
    }
}

internal import RepriseLMDB
internal import RepriseLog

/// What an actor can take back, and bring back: read from the log, and from nowhere else, so that it survives the
/// process.
///
/// Each group of commits of the actor is a step. Walked from the newest back, an undo says that the next step was taken
/// back, and a redo is a step of its own.
struct UndoStack {
    static let undoIntent = "undo"
    static let redoIntent = "redo"
    /// Intents of commits for the store as a whole, which are on no actor's stack.
    static let otherIntents: Set<String> = [
        "bulk.load", "merge", "migrate", "rollback", "schema.declare", "schema.convert",
    ]

    let log: LogReader
    /// The stretches of the log that are alive, ascending.
    let live: [ClosedRange<UInt64>]
    let actor: String

    /// The commits that the next undo takes back, the newest first; empty where there is nothing.
    func nextUndo() throws -> [CommitView] {
        var found: [CommitView] = []
        /// How many steps were taken back.
        var undone = 0
        /// The correlation of the step that was met last, while more commits may belong to it.
        var present: (correlation: String, isUndone: Bool)?
        try forEachCommit { commit in
            switch kind(of: commit) {
            case Self.undoIntent:
                if !found.isEmpty { return false }
                present = nil
                undone += 1
            case Self.redoIntent:
                if !found.isEmpty { return false }
                present = nil
                if undone == 0 {
                    found = [commit]
                    return false
                }
                undone -= 1
            default:
                guard try isStep(commit) else { return true }
                let correlation = commit.metadata.correlation
                if let present, !correlation.isEmpty, present.correlation == correlation {
                    if !present.isUndone { found.append(commit) }
                    return true
                }
                if !found.isEmpty { return false }
                present = (correlation, undone > 0)
                if undone > 0 { undone -= 1 } else { found = [commit] }
            }
            return true
        }
        return found
    }

    /// The undo that the next redo takes back; nil where there is none, or the actor has done something else since.
    func nextRedo() throws -> CommitView? {
        var found: CommitView?
        var redone = 0
        try forEachCommit { commit in
            switch kind(of: commit) {
            case Self.redoIntent: redone += 1
            case Self.undoIntent:
                if redone == 0 {
                    found = commit
                    return false
                }
                redone -= 1
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

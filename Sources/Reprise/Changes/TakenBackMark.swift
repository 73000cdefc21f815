internal import RepriseLMDB
internal import RepriseLog

/// The note of a commit that says which commits it has taken back, where its metadata does not
/// (Specs/format/taken-back.md).
///
/// A commit with the intent `revert`, `undo` or `redo` has taken back the one that is its causation, if it has no note.
struct TakenBackMark: Equatable {
    static let name = "reprise.takenBack"
    private static let version: UInt64 = 1
    private static let intents: Set<String> = ["revert", UndoStack.undoIntent, UndoStack.redoIntent]

    /// Stretches of the log, the newest first and apart. All commits that end in one of them were taken back.
    let stretches: [ClosedRange<UInt64>]

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
        self.stretches = stretches
    }

    init(stretches: [ClosedRange<UInt64>]) { self.stretches = stretches }

    /// Of each stretch how far it lies before the one before it, and how long it is.
    var payload: [UInt8] {
        var writer = ByteWriter()
        writer.varint(Self.version)
        writer.varint(UInt64(stretches.count))
        var last: UInt64?
        for stretch in stretches {
            writer.varint(last.map { $0 - stretch.upperBound } ?? stretch.upperBound)
            writer.varint(stretch.upperBound - stretch.lowerBound)
            last = stretch.lowerBound
        }
        return unsafe [UInt8](writer.bytes)
    }

    init(_ payload: [UInt8]) throws {
        stretches = try unsafe payload.withUnsafeBytes { bytes in
            var reader = unsafe ByteReader(bytes)
            guard try reader.varint() == Self.version else {
                throw StoreError(
                    .newerFormat,
                    "The log says in a newer form what was taken back.",
                    advice: "Use the version of the program that wrote it."
                )
            }
            var stretches: [ClosedRange<UInt64>] = []
            for _ in 0..<(try reader.count()) {
                let (distance, length) = (try reader.varint(), try reader.varint())
                var end = distance
                if let last = stretches.last?.lowerBound {
                    guard distance > 0, distance < last else { throw Self.contradiction }
                    end = last - distance
                }
                guard length < end else { throw Self.contradiction }
                stretches.append(end - length...end)
            }
            guard reader.isAtEnd, !stretches.isEmpty else { throw Self.contradiction }
            return stretches
        }
    }

    private static var contradiction: StoreError {
        StoreError.damage("The note of what was taken back contradicts itself.")
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
        // The note comes last.
        if let last = try log.event(at: commit.lastPosition), last.type == .annotated,
            case .annotated(TakenBackMark.name, _, let payload) = try Change(last)
        {
            stretches += try TakenBackMark(unsafe [UInt8](payload)).stretches
        } else if TakenBackMark.isTakingBack(commit.metadata.intent) {
            positions.insert(commit.metadata.causation)
        }
    }
}

extension TakenBackMark {
    /// Whether a commit with an intent has taken back its causation, where it has no note.
    fileprivate static func isTakingBack(_ intent: String) -> Bool { intents.contains(intent) }
}

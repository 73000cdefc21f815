internal import RepriseLMDB
internal import RepriseLog

/// The note of a commit that says which commits it has taken back, where its metadata does not
/// (Specs/format/taken-back.md).
///
/// A commit with the intent `revert`, `undo` or `redo` has taken back the one that is its causation, if it has no note.
struct TakenBackMark: Equatable {
    static let name = "reprise.takenBack"
    private static let version: UInt64 = 1

    /// Stretches of the log, the newest first and apart. All commits that end in one of them were taken back.
    let stretches: [ClosedRange<UInt64>]

    init(stretches: [ClosedRange<UInt64>]) { self.stretches = stretches }

    /// The note of a commit; nil where it has none.
    init?(of commit: CommitView, _ log: LogReader) throws {
        // It comes last.
        guard commit.metadata.causation > 0, let last = try log.event(at: commit.lastPosition),
            last.type == .annotated, case .annotated(Self.name, _, let payload) = try Change(last)
        else { return nil }
        try self.init(unsafe [UInt8](payload))
    }

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

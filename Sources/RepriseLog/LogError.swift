package import RepriseLMDB

/// What can be wrong with a log, or with what is to be written into it.
package struct LogError: Error, Sendable, Equatable {
    package enum Code: Sendable, Equatable {
        /// Bytes are not in the form they must have.
        case corrupt
        /// The block stored under this position is damaged: its hash, its header or its events do
        /// not agree.
        case corruptBlock(UInt64)
        /// The block at this position is sound in itself but does not continue the log before it.
        case chainBroken(UInt64)
        /// The block is written in a format version that this library does not know.
        case unsupportedVersion(UInt16)
        /// An event would take more than `LogFormat.eventByteCountMax` bytes.
        case eventTooLarge
        /// A commit would hold more than `LogFormat.commitEventCountMax` events, or positions are
        /// used up.
        case commitTooLarge
        /// Actor, intent or correlation takes more than `LogFormat.textByteCountMax` bytes.
        case textTooLong
        /// An event has a field that no event can have, such as version 0 or a cause that lies in
        /// its future.
        case invalidEvent
        /// The log has no event at a position where it must have one.
        case missingPosition
        /// The storage below could not do what was asked.
        case lmdb(LMDBError)
    }

    package var code: Code

    /// The log position concerned, when there is one.
    package var position: UInt64?

    /// What exactly does not hold, as a clause without a full stop; may be empty.
    package var detail: String

    package init(_ code: Code, position: UInt64? = nil, detail: String = "") {
        self.code = code
        self.position = position
        self.detail = detail
    }

    /// A fault of the storage below.
    init(_ error: LMDBError, position: UInt64? = nil) {
        self.init(.lmdb(error), position: position)
    }

    /// What happened, as a sentence for people.
    package var sentence: String {
        let place = position.map { " at position \($0)" } ?? ""
        let reason = detail.isEmpty ? "" : ": \(detail)"
        return switch code {
        case .corrupt: "The log holds bytes that cannot be read\(place)\(reason)."
        case .corruptBlock(let first): "The log's block at position \(first) is damaged\(reason)."
        case .chainBroken(let first):
            "The log's block at position \(first) does not continue the block before it\(reason)."
        case .unsupportedVersion(let version):
            "The log is written in format version \(version)\(place), which this library does not "
                + "know; use a newer one."
        case .eventTooLarge: "An event is too large for the log\(place)\(reason)."
        case .commitTooLarge: "A commit holds too many events\(place)\(reason)."
        case .textTooLong: "A text that describes a commit is too long\(place)\(reason)."
        case .invalidEvent: "An event cannot be written into the log\(place)\(reason)."
        case .missingPosition: "The log has no event\(place), although it must have one\(reason)."
        case .lmdb(let error): "The log's table could not be used\(place): \(error)."
        }
    }
}

extension LogError: CustomStringConvertible {
    package var description: String { sentence }
}

extension LogError {
    @usableFromInline @inline(never)
    static func corrupt(_ detail: String) -> LogError { LogError(.corrupt, detail: detail) }

    @usableFromInline @inline(never)
    static func endOfBytes() -> LogError { .corrupt("the bytes end too early") }
}

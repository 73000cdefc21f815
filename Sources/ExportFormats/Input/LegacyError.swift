/// Why an export could not be read.
public struct LegacyError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What sort of failure.
    public enum Code: String, Sendable, Equatable {
        /// There is no file at the path.
        case noSuchFile
        /// A directory, a pipe or a device.
        case notAFile
        case permissionDenied
        case inputOutput
        /// The file changed while it was read, or since the source was opened.
        case changedWhileReading
        case empty
        /// Neither the format that was asked for nor another one that is known.
        case unknownFormat
        /// A property list in its binary form.
        case binaryPropertyList
        /// The file ends in the middle.
        case truncated
        /// Not well formed.
        case malformed
        /// Bytes that are no UTF-8.
        case invalidText
        /// Text in an encoding other than UTF-8.
        case unsupportedEncoding
        /// An entity, an internal DOCTYPE subset or a processing instruction.
        case forbiddenDeclaration
        /// A limit on depth, length or count is exceeded.
        case limitExceeded
        /// The file is encrypted, and the key is missing or another one.
        case wrongKey
        /// A version of the format, or something in the file, that is not read.
        case unsupportedVersion
        /// Bytes that contradict each other: a torn copy, or damage.
        case damaged
        /// Well formed, but no music library.
        case notALibrary
        /// The caller wanted no more of it while it was opened.
        case cancelled
    }

    /// What sort of failure.
    public let code: Code
    /// One sentence: what happened.
    public let message: String
    /// One sentence: what to do.
    public let advice: String
    /// Where in the file, in bytes from its start, where that is known.
    public let byteOffset: UInt64?
    /// Where in the file, counted from 1, where that is known.
    public let line: Int?

    package init(
        _ code: Code,
        _ message: String,
        advice: String,
        byteOffset: UInt64? = nil,
        line: Int? = nil
    ) {
        self.code = code
        self.message = message
        self.advice = advice
        self.byteOffset = byteOffset
        self.line = line
    }

    /// What happened, where, and what to do.
    public var description: String { "\(message)\(place) \(advice)" }

    /// Where in the file, in brackets and after a space; empty where that is not known.
    public var place: String {
        if let line { return " (line \(line))" }
        return byteOffset.map { " (at byte \($0))" } ?? ""
    }

    /// A source is not opened, because the caller's progress callback said so.
    package static var cancelled: LegacyError {
        LegacyError(
            .cancelled,
            "The reading of the export was cancelled before anything was written.",
            advice: "Start it again when you like."
        )
    }

    package func at(byteOffset: UInt64? = nil, line: Int? = nil) -> LegacyError {
        LegacyError(
            code,
            message,
            advice: advice,
            byteOffset: byteOffset ?? self.byteOffset,
            line: line ?? self.line
        )
    }
}

/// Why a Realm file could not be read, or not all of it.
public struct RealmFileError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What sort of failure.
    public enum Code: String, Sendable, Equatable, CaseIterable {
        /// There is no file at the path.
        case noSuchFile
        /// A directory, a pipe or a device.
        case notAFile
        /// The file may not be read.
        case permissionDenied
        /// The system could not read the file.
        case inputOutput
        /// Neither a Realm file nor, with the key that was given, an encrypted one.
        case notARealm
        /// The file is encrypted with another key, or is none.
        case wrongKey
        /// A key that does not have 64 bytes.
        case invalidKey
        /// A version of the format that is not read.
        case unsupportedFormat
        /// Something in the file that is not read: a kind of column, a half-finished upgrade.
        case unsupportedContent
        /// Bytes that contradict the format or each other: a torn copy, or damage.
        case damaged
        /// The file ends before what it refers to.
        case truncated
        /// Collections within collections deeper than Realm writes them, or classes and texts that the schema lists
        /// of which more would have to be kept than four mebibytes and one and a half times the file.
        case limitExceeded
        /// The caller wanted no more of it while the file was opened.
        case cancelled
        /// A class or property that the file does not have, or a value of another type than was asked for.
        case invalidRequest
    }

    /// What sort of failure.
    public let code: Code
    /// One sentence: what happened.
    public let message: String
    /// One sentence: what to do.
    public let advice: String
    /// Where in the file, in bytes from its start (of the decrypted content where it is encrypted), where that is
    /// known.
    public let offset: UInt64?

    init(_ code: Code, _ message: String, advice: String? = nil, at offset: Int? = nil) {
        self.code = code
        self.message = message
        self.advice = advice ?? Self.advice(for: code)
        self.offset = offset.map { UInt64(clamping: $0) }
    }

    /// What happened, where, and what to do.
    public var description: String {
        let place = offset.map { " (at byte \($0))" } ?? ""
        return "\(message)\(place) \(advice)"
    }

    /// A file is not opened, because the caller's progress callback said so.
    static var cancelled: RealmFileError {
        RealmFileError(.cancelled, "The opening of the Realm file was cancelled.")
    }

    private static func advice(for code: Code) -> String {
        switch code {
        case .noSuchFile: "Check the path."
        case .notAFile: "Name the .realm file itself."
        case .permissionDenied: "Make the file readable."
        case .inputOutput: "Copy the file to a sound disk and try again."
        case .notARealm: "Name the .realm file itself; if it is encrypted, give its key."
        case .wrongKey: "Give the 64 bytes that the app opened the file with."
        case .invalidKey: "A key has 64 bytes."
        case .unsupportedFormat, .unsupportedContent:
            "Open the file once with the newest version of the app that wrote it, and copy it again."
        case .damaged, .truncated, .limitExceeded:
            "Copy the file again while the app is not running, or have the app write a copy."
        case .cancelled: "Start it again when you like."
        case .invalidRequest: "Ask for what the classes say that there is."
        }
    }
}

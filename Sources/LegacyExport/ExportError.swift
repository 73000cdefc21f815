import SQLiteFile

/// Why a state could not be exported. No file is left behind then.
public struct ExportError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What sort of failure.
    public enum Code: String, Sendable, Equatable, CaseIterable {
        /// There is something at the path already; exports replace nothing.
        case fileExists
        /// The file cannot be made: there is no such folder, or no permission.
        case cannotCreate
        /// The disk is full, or a quota is used up.
        case noSpace
        /// The system could not write.
        case inputOutput
        /// The format cannot hold what the store has: more columns than a table can have, or a value that is too long.
        case limitExceeded
    }

    /// What sort of failure.
    public let code: Code
    /// One sentence: what happened.
    public let message: String
    /// One sentence: what to do.
    public let advice: String

    init(_ code: Code, _ message: String, advice: String? = nil) {
        self.code = code
        self.message = message
        self.advice = advice ?? Self.advice(for: code)
    }

    /// What happened, and what to do.
    public var description: String { "\(message) \(advice)" }

    private static func advice(for code: Code) -> String {
        switch code {
        case .fileExists: "Name a file that does not exist yet, or move that one away."
        case .cannotCreate: "Make the folder, or give yourself permission to write there."
        case .noSpace: "Make room, or name a file on another disk."
        case .inputOutput: "Check the disk, then export again."
        case .limitExceeded: "Export in another format, such as ndjson."
        }
    }

    /// A failure of SQLite while a database was written.
    init(_ error: SQLiteFileError, writing path: String) {
        switch error.code {
        case .noSpace: self.init(.noSpace, "There is no room for \(path).")
        case .permissionDenied: self.init(.cannotCreate, "\(path) may not be written.")
        case .inputOutput: self.init(.inputOutput, "\(path) could not be written: \(error.message)")
        default:
            self.init(.limitExceeded, "SQLite does not take what is in the store: \(error.message)")
        }
    }
}

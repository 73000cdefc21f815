/// Why a SQLite database could not be read, or not all of it.
public struct SQLiteFileError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What sort of failure.
    public enum Code: String, Sendable, Equatable, CaseIterable {
        /// There is no file at the path.
        case noSuchFile
        /// A directory, a pipe or a device.
        case notAFile
        /// The file may not be read.
        case permissionDenied
        /// The system could not read the file, or not write its private copy.
        case inputOutput
        /// There is no room for the private copy.
        case noSpace
        /// The file changed while it was copied.
        case changedWhileReading
        /// The file is empty.
        case empty
        /// No SQLite database, or an encrypted one.
        case notADatabase
        /// The file ends before its own page count says.
        case truncated
        /// Bytes that contradict the format or each other: a torn copy, or damage.
        case damaged
        /// Text that is no UTF-8.
        case invalidText
        /// A limit on length, count or size is exceeded.
        case limitExceeded
        /// Something in the file that is not read: a function or a module that only the app has.
        case unsupportedContent
        /// The caller asked to stop.
        case cancelled
        /// A table or a column that there is not, or another mistake of the caller.
        case invalidRequest
    }

    /// What sort of failure.
    public let code: Code
    /// One sentence: what happened.
    public let message: String
    /// One sentence: what to do.
    public let advice: String
    /// SQLite's extended result code, where the failure came from it.
    public let resultCode: Int32?

    init(_ code: Code, _ message: String, advice: String? = nil, resultCode: Int32? = nil) {
        self.code = code
        self.message = message
        self.advice = advice ?? Self.advice(for: code)
        self.resultCode = resultCode
    }

    /// The caller's progress callback said so.
    static var cancelled: SQLiteFileError {
        SQLiteFileError(.cancelled, "The copying of the database was cancelled.")
    }

    /// More of a table is too large than can be left out by itself.
    ///
    /// - Parameter table: the name of the table.
    public static func tooManyLargeValues(in table: String) -> SQLiteFileError {
        SQLiteFileError(
            .limitExceeded,
            "The table \(table) has too many rows that are too large, or one that cannot be told from others."
        )
    }

    /// What happened, and what to do.
    public var description: String { "\(message) \(advice)" }

    private static func advice(for code: Code) -> String {
        switch code {
        case .noSuchFile: "Check the path."
        case .notAFile: "Name the database file itself."
        case .permissionDenied: "Give yourself permission to read it."
        case .inputOutput: "Check the disk, or copy the database elsewhere and try again."
        case .noSpace:
            "Make room in the directory for temporary files, or set TMPDIR to another one."
        case .changedWhileReading: "Quit the app that uses it, and try again."
        case .empty: "Name the database file itself; its data may be in another one."
        case .notADatabase:
            "Name the database file itself; an encrypted one has to be decrypted first."
        case .truncated, .damaged, .invalidText:
            "Copy the database again, with its -wal file, while the app is not running."
        case .limitExceeded:
            "Such a database is not read; take over only some of it by another way."
        case .unsupportedContent: "Have the app export its data in another form."
        case .cancelled: "Start again."
        case .invalidRequest: "Ask for what the schema says that there is."
        }
    }
}

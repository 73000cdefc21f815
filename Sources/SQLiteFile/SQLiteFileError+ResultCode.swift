internal import CSQLite

extension SQLiteFileError {
    /// Whether a value was in the way that has more bytes than are read of one.
    public var isOfLargeValue: Bool {
        resultCode.map { $0 & 0xFF == SQLITE_TOOBIG } ?? false
    }

    /// A failure that SQLite reports (https://www.sqlite.org/rescode.html).
    init(resultCode: Int32, message: String, doing what: String) {
        let text = "\(what): \(message.isEmpty ? "error \(resultCode) of SQLite" : message)."
        let code: Code
        // What only the app has: the schema may be sound.
        let isMissing = [
            "no such function", "no such collation", "no such module", "unknown tokenizer",
        ]
        .contains { message.contains($0) }
        switch resultCode & 0xFF {
        case SQLITE_ERROR where isMissing, SQLITE_CORRUPT where isMissing:
            code = .unsupportedContent
        case SQLITE_CORRUPT, SQLITE_FORMAT: code = .damaged
        case SQLITE_NOTADB: code = .notADatabase
        case SQLITE_TOOBIG, SQLITE_NOMEM: code = .limitExceeded
        case SQLITE_FULL: code = .noSpace
        case SQLITE_IOERR, SQLITE_CANTOPEN: code = .inputOutput
        case SQLITE_INTERRUPT: code = .cancelled
        case SQLITE_PERM, SQLITE_READONLY: code = .permissionDenied
        case SQLITE_ERROR where message.hasPrefix("malformed database schema"): code = .damaged
        default: code = .unsupportedContent
        }
        self.init(code, text, resultCode: resultCode)
    }
}

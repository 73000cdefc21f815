internal import CSQLite

/// A connection that fills a new database, for a program of its own: nobody else has the file open.
///
/// There is no journal and nothing is made durable: whoever makes the file throws it away when anything fails, and
/// syncs it when it is complete. Foreign keys are enforced, by each command or once for many
/// (``checkingReferencesAfterwards(_:)``). Not to be used by two threads at once.
@safe public final class SQLiteNewDatabase {
    private var connection: OpaquePointer?

    /// Opens an empty file as a database.
    ///
    /// - Parameters:
    ///   - path: a file without content, which exists.
    ///   - pageCountMax: the most pages of 4096 bytes that it may grow to; nil for as many as SQLite allows.
    /// - Throws: ``SQLiteFileError``: `inputOutput`, `permissionDenied`, `noSpace`, `limitExceeded`.
    public init(path: String, pageCountMax: Int? = nil) throws(SQLiteFileError) {
        // A relative path that begins with `file:` would be taken for an address.
        let name = path.hasPrefix("/") ? path : "./" + path
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let result = unsafe sqlite3_open_v2(name, &connection, flags, nil)
        guard unsafe connection != nil else {
            throw SQLiteFileError(.limitExceeded, "There is no memory for SQLite.")
        }
        // From here on the connection is closed when the value goes away.
        guard result == SQLITE_OK else { throw failure(result) }
        try execute("PRAGMA journal_mode=OFF")
        try execute("PRAGMA synchronous=OFF")
        try execute("PRAGMA locking_mode=EXCLUSIVE")
        try execute("PRAGMA page_size=4096")
        try execute("PRAGMA cache_size=-8192")
        // What is sorted for an index is kept in files, not in memory.
        try execute("PRAGMA temp_store=FILE")
        try execute("PRAGMA foreign_keys=ON")
        if let pageCountMax { try execute("PRAGMA max_page_count=\(pageCountMax)") }
    }

    deinit {
        close()
    }

    /// Whether this SQLite knows tables that hold each column to its type (https://www.sqlite.org/stricttables.html).
    public static var hasStrictTables: Bool { sqlite3_libversion_number() >= 3_037_000 }

    /// Closes the connection. Commands are of no use any more.
    public func close() {
        unsafe sqlite3_close_v2(connection)
        unsafe connection = nil
    }

    /// A statement, ready to be run again and again.
    ///
    /// - Parameter sql: one statement. Names in it are written by ``SQLiteName/quoted(_:)``; values are parameters.
    public func prepare(_ sql: String) throws(SQLiteFileError) -> SQLiteCommand {
        var statement: OpaquePointer?
        let result = unsafe sqlite3_prepare_v2(connection, sql, -1, &statement, nil)
        guard result == SQLITE_OK else { throw failure(result) }
        guard let statement = unsafe statement else {
            throw SQLiteFileError(.invalidRequest, "There is no statement in an empty text.")
        }
        return unsafe SQLiteCommand(statement, of: self)
    }

    /// Runs one statement without parameters.
    public func execute(_ sql: String) throws(SQLiteFileError) {
        try prepare(sql).run([])
    }

    /// Runs commands that may refer to rows which do not exist yet, and looks for what is missing once, when they are
    /// done.
    ///
    /// As long as one reference leads nowhere, a deferred rule makes SQLite look through every table that may refer to
    /// a row for each row that is added (https://www.sqlite.org/foreignkeys.html#fk_deferred): without an index, all of
    /// it. Looking afterwards costs one search for each reference.
    ///
    /// - Parameter body: the commands, with the beginning and the end of their transaction.
    /// - Throws: what `body` throws; ``SQLiteFileError``: `unsupportedContent` when a reference leads nowhere.
    public func checkingReferencesAfterwards<Result>(_ body: () throws -> Result) throws -> Result {
        try execute("PRAGMA foreign_keys=OFF")
        let result = try body()
        try execute("PRAGMA foreign_keys=ON")
        var statement: OpaquePointer?
        var code = unsafe sqlite3_prepare_v2(
            connection,
            "PRAGMA foreign_key_check",
            -1,
            &statement,
            nil
        )
        defer { unsafe sqlite3_finalize(statement) }
        if code == SQLITE_OK { code = unsafe sqlite3_step(statement) }
        switch code {
        case SQLITE_DONE: return result
        case SQLITE_ROW:
            let table = unsafe sqlite3_column_text(statement, 0).map {
                unsafe String(cString: $0)
            }
            throw SQLiteFileError(
                .unsupportedContent,
                "A row of \(table ?? "a table") refers to one that does not exist."
            )
        default: throw failure(code)
        }
    }

    /// The failure of the last call.
    func failure(_ result: Int32) -> SQLiteFileError {
        let message = unsafe sqlite3_errmsg(connection).map { unsafe String(cString: $0) } ?? ""
        return SQLiteFileError(
            resultCode: result,
            message: message,
            doing: "The database could not be written"
        )
    }
}

/// A statement that writes. Finished when it goes away.
@safe public final class SQLiteCommand {
    private let database: SQLiteNewDatabase
    private let statement: OpaquePointer

    init(_ statement: OpaquePointer, of database: SQLiteNewDatabase) {
        self.database = database
        unsafe self.statement = unsafe statement
    }

    deinit {
        unsafe sqlite3_finalize(statement)
    }

    /// Runs the statement once.
    ///
    /// - Parameter values: its parameters in order; those that are missing are NULL.
    /// - Throws: ``SQLiteFileError``: `noSpace`, `inputOutput`, `limitExceeded`, `unsupportedContent`.
    public func run(_ values: [SQLiteValue]) throws(SQLiteFileError) {
        for (place, value) in values.enumerated() {
            let result = unsafe SQLiteBinding.bind(value, at: place + 1, of: statement)
            guard result == SQLITE_OK else { throw database.failure(result) }
        }
        var result = unsafe sqlite3_step(statement)
        while result == SQLITE_ROW { result = unsafe sqlite3_step(statement) }
        let error = result == SQLITE_DONE ? nil : database.failure(result)
        unsafe sqlite3_reset(statement)
        unsafe sqlite3_clear_bindings(statement)
        if let error { throw error }
    }
}

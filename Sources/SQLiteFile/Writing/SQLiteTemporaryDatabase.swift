internal import CSQLite

/// A private database for what does not fit into memory: nobody else sees it, and nothing of it is left when it goes
/// away, nor when the process ends in any other way.
///
/// SQLite keeps it in its cache until that is full, and then in a file of the directory for temporary files whose name
/// it takes away at once (https://www.sqlite.org/inmemorydb.html#temp_db). Nothing is ever undone or made durable:
/// there is no journal, and all of its life is one transaction. Not to be used by two threads at once.
@safe public final class SQLiteTemporaryDatabase: SQLiteConnection {
    private var connection: OpaquePointer?

    /// Makes an empty database.
    ///
    /// - Parameters:
    ///   - cacheByteCount: the bytes that are kept in memory.
    ///   - pageCountMax: the most pages of 4096 bytes that it may grow to; nil for as many as SQLite allows.
    /// - Throws: ``SQLiteFileError``: `inputOutput`, `noSpace`, `limitExceeded`.
    public init(cacheByteCount: Int, pageCountMax: Int? = nil) throws(SQLiteFileError) {
        let flags =
            SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let result = unsafe sqlite3_open_v2("", &connection, flags, nil)
        guard unsafe connection != nil else {
            throw SQLiteFileError(.limitExceeded, "There is no memory for SQLite.")
        }
        // From here on the connection is closed when the value goes away.
        guard result == SQLITE_OK else {
            throw failure(result, "A temporary database could not be made")
        }
        // What is sorted is kept in files, too.
        try run("PRAGMA temp_store=FILE")
        try run("PRAGMA page_size=4096")
        try run("PRAGMA journal_mode=OFF")
        try run("PRAGMA synchronous=OFF")
        try run("PRAGMA locking_mode=EXCLUSIVE")
        try run("PRAGMA mmap_size=0")
        try run("PRAGMA cache_size=-\(max(1, cacheByteCount >> 10))")
        if let pageCountMax { try run("PRAGMA max_page_count=\(pageCountMax)") }
        try run("BEGIN")
    }

    deinit {
        unsafe sqlite3_close_v2(connection)
    }

    /// A statement, ready to be run again and again.
    ///
    /// - Parameter sql: one statement of the program's own.
    public func prepare(_ sql: String) throws(SQLiteFileError) -> SQLiteStatement {
        var statement: OpaquePointer?
        let result = unsafe sqlite3_prepare_v2(connection, sql, -1, &statement, nil)
        guard result == SQLITE_OK else {
            throw failure(result, "The temporary database could not be asked")
        }
        guard let statement = unsafe statement else {
            throw SQLiteFileError(.invalidRequest, "There is no statement in an empty text.")
        }
        return unsafe SQLiteStatement(statement, of: self)
    }

    /// Runs one statement without parameters to its end.
    public func run(_ sql: String) throws(SQLiteFileError) {
        let statement = try prepare(sql)
        while try statement.step() {}
    }

    /// How many rows the last statement that changes any has inserted, updated or deleted.
    public var changedRowCount: Int { unsafe Int(sqlite3_changes(connection)) }

    /// How many pages were written to the file: 0 as long as everything fits into the cache.
    public var writtenPageCount: Int {
        var current: Int32 = 0
        var highest: Int32 = 0
        let code = unsafe sqlite3_db_status(
            connection,
            SQLITE_DBSTATUS_CACHE_WRITE,
            &current,
            &highest,
            0
        )
        return code == SQLITE_OK ? Int(current) : 0
    }

    /// The failure of the last call. Whether it was reading or writing makes no difference to whoever has only put
    /// something aside.
    func failure(_ result: Int32, _ what: String) -> SQLiteFileError {
        let message = unsafe sqlite3_errmsg(connection).map { unsafe String(cString: $0) } ?? ""
        return SQLiteFileError(
            resultCode: result,
            message: message,
            doing: "What does not fit into memory could not be put aside"
        )
    }
}

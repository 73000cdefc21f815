internal import CSQLite

/// A connection to a private copy of a database that is not to be trusted.
///
/// Set up as SQLite advises (https://www.sqlite.org/security.html): functions of the schema are limited to harmless
/// ones, triggers and views are off, nothing can be attached or loaded, the file is not mapped into memory, cells are
/// checked, lengths are limited; and whatever is asked for may only read. Not to be used by two threads at once.
@safe public final class SQLiteDatabase: SQLiteConnection {
    /// The most bytes of a value or a row.
    public static let valueByteCountMax: Int = 128 << 20
    /// What counts of databases that are opened within `$valueByteCountBound.withValue`.
    @TaskLocal static var valueByteCountBound: Int = 128 << 20

    /// How many steps of SQLite's machine lie between two questions whether to go on; in its examination of pages, how
    /// many of these.
    public static let stepsPerQuestion: Int32 = 4096

    /// The most bytes of a value or a row of this one.
    public let valueByteCountMax: Int = SQLiteDatabase.valueByteCountBound

    let connection: OpaquePointer
    /// Whether collations that only the app has are stood in for.
    var hasStandIns = false
    private let interruption = Interruption()

    /// What is asked now and then, during long work, whether to stop.
    private final class Interruption {
        var shouldStop: (() -> Bool)?
    }

    /// Opens a copy, which then has no name any more and cannot be opened again.
    ///
    /// - Throws: ``SQLiteFileError``: `notADatabase`, `damaged`, `truncated`, `inputOutput`.
    public init(_ copy: SQLiteCopy) throws(SQLiteFileError) {
        // SQLite has opened all it needs when it has read the schema: the database, its log and what goes with that.
        // Other names it only asks for to find that they are not there. Where it fails nobody needs the copy either.
        defer { copy.removeName() }
        var handle: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let result = unsafe sqlite3_open_v2(copy.path, &handle, flags, nil)
        guard let handle = unsafe handle else {
            throw SQLiteFileError(.limitExceeded, "There is no memory for SQLite.")
        }
        unsafe connection = unsafe handle
        // From here on the connection is closed when the value goes away.
        guard result == SQLITE_OK else { throw failure(result, "The database could not be opened") }
        try configure()
        try replaceFunctions()
        try run("PRAGMA trusted_schema=OFF")
        try run("PRAGMA cell_size_check=ON")
        try run("PRAGMA mmap_size=0")
        try run("PRAGMA cache_size=-8192")
        try run("PRAGMA ignore_check_constraints=ON")
        // Here the log is read, or a transaction that was interrupted is undone.
        try run("SELECT count(*) FROM sqlite_schema")
        try run("PRAGMA query_only=ON")
        allowReadingOnly()
    }

    private func allowReadingOnly() {
        unsafe sqlite3_set_authorizer(connection, ReadingOnly.decide, nil)
    }

    /// Has SQLite read the schema again, and forget which indexes it could not use. It does so where a change of the
    /// schema is undone; that of a temporary table, which is in memory, is enough.
    func reloadSchema() throws(SQLiteFileError) {
        unsafe sqlite3_set_authorizer(connection, nil, nil)
        defer { allowReadingOnly() }
        try run("PRAGMA query_only=OFF")
        try run("BEGIN")
        try run("CREATE TEMP TABLE reloading(a)")
        try run("ROLLBACK")
        try run("PRAGMA query_only=ON")
    }

    deinit {
        unsafe sqlite3_close_v2(connection)
    }

    private func configure() throws(SQLiteFileError) {
        let switches: [(Int32, Int32)] = [
            (SQLITE_DBCONFIG_DEFENSIVE, 1), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
            (SQLITE_DBCONFIG_ENABLE_TRIGGER, 0),
            (SQLITE_DBCONFIG_ENABLE_VIEW, 0), (SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0),
            (SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0), (SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0),
        ]
        for (option, value) in switches {
            let result = unsafe reprise_sqlite_configure(connection, option, value)
            guard result == SQLITE_OK else {
                throw failure(result, "SQLite could not be made safe")
            }
        }
        let limits: [(Int32, Int32)] = [
            (SQLITE_LIMIT_LENGTH, Int32(valueByteCountMax)),
            (SQLITE_LIMIT_SQL_LENGTH, 1_000_000),
            (SQLITE_LIMIT_COLUMN, 2000),
            // SQLite's own: lower ones would refuse the schema of a sound database, whose views are parsed with it.
            (SQLITE_LIMIT_EXPR_DEPTH, 1000), (SQLITE_LIMIT_COMPOUND_SELECT, 500),
            (SQLITE_LIMIT_ATTACHED, 0), (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 50),
            (SQLITE_LIMIT_VARIABLE_NUMBER, 100),
            (SQLITE_LIMIT_TRIGGER_DEPTH, 1), (SQLITE_LIMIT_WORKER_THREADS, 0),
        ]
        for (limit, value) in limits { _ = unsafe sqlite3_limit(connection, limit, value) }
        unsafe sqlite3_progress_handler(
            connection,
            Self.stepsPerQuestion,
            { context in
                guard let context = unsafe context else { return 0 }
                let interruption = unsafe Unmanaged<Interruption>.fromOpaque(context)
                    .takeUnretainedValue()
                return interruption.shouldStop?() ?? false ? 1 : 0
            },
            Unmanaged.passUnretained(interruption).toOpaque()
        )
    }

    /// Does something that may take long.
    ///
    /// - Parameters:
    ///   - shouldStop: asked about every ``stepsPerQuestion`` steps of SQLite's machine. Where it says yes, what is
    ///     being done throws `cancelled`.
    ///   - body: does it.
    public func withInterruption<R, E: Error>(
        _ shouldStop: () -> Bool,
        _ body: () throws(E) -> R
    ) throws(E) -> R {
        let result: Result<R, E> = withoutActuallyEscaping(shouldStop) { shouldStop in
            interruption.shouldStop = shouldStop
            defer { interruption.shouldStop = nil }
            do throws(E) {
                return .success(try body())
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// A statement, ready to be run.
    ///
    /// - Parameter sql: one statement that reads; anything else is refused.
    public func prepare(_ sql: String) throws(SQLiteFileError) -> SQLiteStatement {
        var statement: OpaquePointer?
        let result = unsafe sqlite3_prepare_v2(connection, sql, -1, &statement, nil)
        guard result == SQLITE_OK else {
            throw failure(result, "The database could not be asked")
        }
        guard let statement = unsafe statement else {
            throw SQLiteFileError(.invalidRequest, "There is no statement in an empty text.")
        }
        return unsafe SQLiteStatement(statement, of: self)
    }

    /// Runs a statement to its end.
    private func run(_ sql: String) throws(SQLiteFileError) {
        let statement = try prepare(sql)
        while try statement.step() {}
    }

    /// The failure of the last call.
    func failure(_ result: Int32, _ what: String) -> SQLiteFileError {
        let message = unsafe sqlite3_errmsg(connection).map { unsafe String(cString: $0) } ?? ""
        return SQLiteFileError(resultCode: result, message: message, doing: what)
    }
}

/// Allows what reads, and nothing else (https://www.sqlite.org/c3ref/set_authorizer.html).
private enum ReadingOnly {
    private static let pragmas: Set<String> = [
        "table_list", "table_xinfo", "foreign_key_list", "index_list", "index_xinfo", "module_list",
        "integrity_check", "quick_check",
        "page_count", "page_size",
    ]
    private static let forbiddenFunctions: Set<String> = [
        "load_extension", "fts3_tokenizer", "writefile", "readfile",
    ]

    static let decide:
        @convention(c) (
            UnsafeMutableRawPointer?, Int32, UnsafePointer<CChar>?, UnsafePointer<CChar>?,
            UnsafePointer<CChar>?,
            UnsafePointer<CChar>?
        ) -> Int32 = { _, action, first, second, _, _ in
            switch action {
            case SQLITE_SELECT, SQLITE_READ:
                return SQLITE_OK
            case SQLITE_FUNCTION:
                guard let second = unsafe second else { return SQLITE_DENY }
                let name = unsafe String(cString: second)
                return forbiddenFunctions.contains(name.lowercased()) ? SQLITE_DENY : SQLITE_OK
            case SQLITE_PRAGMA:
                guard let first = unsafe first else { return SQLITE_DENY }
                let name = unsafe String(cString: first)
                return pragmas.contains(name.lowercased()) ? SQLITE_OK : SQLITE_DENY
            default:
                return SQLITE_DENY
            }
        }
}

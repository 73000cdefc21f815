internal import CSQLite

/// What a statement is prepared by.
protocol SQLiteConnection: AnyObject {
    /// The failure of the last call.
    func failure(_ result: Int32, _ what: String) -> SQLiteFileError
}

/// A statement that is run step by step. Finished when it goes away.
@safe public final class SQLiteStatement {
    private let database: any SQLiteConnection
    private let statement: OpaquePointer
    /// How many columns a row has.
    public let columnCount: Int
    private var hasRow = false

    init(_ statement: OpaquePointer, of database: any SQLiteConnection) {
        self.database = database
        unsafe self.statement = unsafe statement
        columnCount = unsafe Int(sqlite3_column_count(statement))
    }

    deinit {
        unsafe sqlite3_finalize(statement)
    }

    /// Goes to the next row.
    ///
    /// - Returns: whether there is one.
    /// - Throws: ``SQLiteFileError``: `damaged`, `cancelled`, `limitExceeded`.
    public func step() throws(SQLiteFileError) -> Bool {
        let result = unsafe sqlite3_step(statement)
        hasRow = result == SQLITE_ROW
        if hasRow { return true }
        guard result == SQLITE_DONE else {
            let error = database.failure(result, "The database could not be read")
            unsafe sqlite3_reset(statement)
            throw error
        }
        unsafe sqlite3_reset(statement)
        return false
    }

    /// Goes back to before the first row, and forgets what was bound.
    public func reset() {
        hasRow = false
        unsafe sqlite3_reset(statement)
        unsafe sqlite3_clear_bindings(statement)
    }

    /// Sets a parameter. The statement has to be before its first row.
    ///
    /// - Parameters:
    ///   - value: the value.
    ///   - place: the parameter's number, from 1.
    public func bind(_ value: SQLiteValue, at place: Int) throws(SQLiteFileError) {
        let result = unsafe SQLiteBinding.bind(value, at: place, of: statement)
        guard result == SQLITE_OK else {
            throw database.failure(result, "A value could not be asked for")
        }
    }

    /// How a column of the row is stored. `null` where there is no row or no such column.
    /// - Complexity: O(1); the value itself is not read.
    public func storageClass(at column: Int) -> SQLiteValue.StorageClass {
        guard hasRow, column >= 0, column < columnCount else { return .null }
        switch unsafe sqlite3_column_type(statement, Int32(column)) {
        case SQLITE_INTEGER: return .integer
        case SQLITE_FLOAT: return .real
        case SQLITE_TEXT: return .text
        case SQLITE_BLOB: return .blob
        default: return .null
        }
    }

    /// The size of a text or a blob in bytes; 0 for anything else.
    public func byteCount(at column: Int) -> Int {
        guard hasRow, column >= 0, column < columnCount else { return 0 }
        switch unsafe sqlite3_column_type(statement, Int32(column)) {
        case SQLITE_TEXT, SQLITE_BLOB:
            return max(0, Int(unsafe sqlite3_column_bytes(statement, Int32(column))))
        default: return 0
        }
    }

    /// The value of a column of the row, copied. `null` where there is no row or no such column.
    /// - Complexity: O(bytes).
    public func value(at column: Int) -> SQLiteValue {
        guard hasRow, column >= 0, column < columnCount else { return .null }
        let place = Int32(column)
        switch unsafe sqlite3_column_type(statement, place) {
        case SQLITE_INTEGER: return .integer(unsafe sqlite3_column_int64(statement, place))
        case SQLITE_FLOAT: return .real(unsafe sqlite3_column_double(statement, place))
        case SQLITE_TEXT:
            let text = unsafe sqlite3_column_text(statement, place)
            let count = max(0, Int(unsafe sqlite3_column_bytes(statement, place)))
            let bytes = unsafe UnsafeBufferPointer(
                start: text,
                count: unsafe text == nil ? 0 : count
            )
            if let text = unsafe String(validating: bytes, as: UTF8.self) { return .text(text) }
            return .invalidText(unsafe Array(bytes))
        case SQLITE_BLOB:
            let blob = unsafe sqlite3_column_blob(statement, place)
            let count = max(0, Int(unsafe sqlite3_column_bytes(statement, place)))
            guard let blob = unsafe blob else { return .blob([]) }
            return .blob(unsafe Array(UnsafeRawBufferPointer(start: blob, count: count)))
        default: return .null
        }
    }

    /// The text of a column; nil where it is anything else, or no UTF-8.
    func text(at column: Int) -> String? {
        guard case .text(let text) = value(at: column) else { return nil }
        return text
    }

    /// The number of a column, or 0.
    func integer(at column: Int) -> Int64 {
        guard case .integer(let number) = value(at: column) else { return 0 }
        return number
    }
}

internal import CSQLite

/// A SQLite database that a test writes.
@safe
package final class SQLiteScratch {
    /// What SQLite says is wrong with a statement of a test.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// Where it is.
    package let path: String
    private var connection: OpaquePointer?

    /// Opens a database, or makes one.
    package init(at path: String) throws {
        self.path = path
        let result = unsafe sqlite3_open_v2(
            path,
            &connection,
            SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
            nil
        )
        guard result == SQLITE_OK else { throw Failure(description: "\(path): \(result)") }
        // No test is about what survives a power cut.
        try execute("PRAGMA synchronous=OFF")
    }

    deinit { close() }

    /// Runs statements.
    package func execute(_ sql: String) throws {
        let result = unsafe sqlite3_exec(connection, sql, nil, nil, nil)
        guard result == SQLITE_OK else {
            let message = unsafe sqlite3_errmsg(connection).map { unsafe String(cString: $0) } ?? ""
            throw Failure(description: "\(message): \(sql.prefix(200))")
        }
    }

    /// The first column of each row, as text.
    package func texts(_ sql: String) throws -> [String] {
        var statement: OpaquePointer?
        guard unsafe sqlite3_prepare_v2(connection, sql, -1, &statement, nil) == SQLITE_OK else {
            throw Failure(
                description: "\(sql): \(unsafe String(cString: sqlite3_errmsg(connection)))"
            )
        }
        defer { unsafe sqlite3_finalize(statement) }
        var texts: [String] = []
        while unsafe sqlite3_step(statement) == SQLITE_ROW {
            texts.append(
                unsafe sqlite3_column_text(statement, 0).map { unsafe String(cString: $0) }
                    ?? "NULL"
            )
        }
        return texts
    }

    /// Allows `sqlite_schema` to be changed by hand.
    package func allowWritingSchema() throws {
        try execute("PRAGMA writable_schema=ON")
    }

    /// Closes it; SQLite then takes its log over.
    package func close() {
        unsafe sqlite3_close_v2(connection)
        unsafe connection = nil
    }
}

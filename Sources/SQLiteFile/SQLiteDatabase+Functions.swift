internal import CSQLite

/// Functions that a sound schema may name and that SQLite takes for unsafe in a file that is not to be trusted.
extension SQLiteDatabase {
    /// Those of JSON: until 3.41 SQLite did not count them among the harmless ones, so that it refused each database
    /// with one of them in a rule, an index or a computed column (https://www.sqlite.org/json1.html).
    private static let jsonFunctions = [
        "->", "->>", "json", "json_array", "json_array_length", "json_error_position", "json_extract",
        "json_insert", "json_object", "json_patch", "json_pretty", "json_quote", "json_remove",
        "json_replace", "json_set", "json_type", "json_valid", "jsonb", "jsonb_array",
        "jsonb_extract", "jsonb_insert", "jsonb_object", "jsonb_patch", "jsonb_remove",
        "jsonb_replace", "jsonb_set",
    ]

    /// Puts a harmless function in the place of each: one that says that it is not run. The schema can be read then,
    /// and nothing that is read here needs them: rules are not checked, computed columns are left out, and indexes of
    /// expressions are not compared.
    ///
    /// - Throws: ``SQLiteFileError`` with the code `limitExceeded` where there is no memory.
    func replaceFunctions() throws(SQLiteFileError) {
        let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS
        for name in Self.jsonFunctions {
            let result = unsafe sqlite3_create_function_v2(
                connection,
                name,
                -1,
                flags,
                nil,
                { context, _, _ in
                    unsafe sqlite3_result_error(context, "no such function: JSON is not read here", -1)
                },
                nil,
                nil,
                nil
            )
            guard result == SQLITE_OK else {
                throw failure(result, "SQLite could not be made safe")
            }
        }
    }
}

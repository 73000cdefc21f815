internal import CSQLite

/// Collations that only the app has.
extension SQLiteDatabase {
    /// Puts a comparison of bytes in the place of each collation that this SQLite does not know, from here on. The rows
    /// of a table whose key is compared by one can be read then, all of them, in the order in which they are stored.
    ///
    /// Nothing may be looked for by such a collation: an index that was made by another order does not lead to its rows
    /// (``SQLiteIndex/needsApp``). So ``check(remarkCountMax:)`` comes before, and is refused after this.
    public func standInForCollations() throws(SQLiteFileError) {
        hasStandIns = true
        // For the order of an index SQLite does not ask.
        let names = try tables().flatMap { $0.indexes.flatMap(\.appCollations) }
        for name in names {
            let result = unsafe Self.standIn(for: name, in: connection)
            guard result == SQLITE_OK else { throw failure(result, "A collation could not be replaced") }
        }
        // What it could not compare by before it would leave alone for good.
        if !names.isEmpty { try reloadSchema() }
        let result = unsafe sqlite3_collation_needed(connection, nil) { _, database, _, name in
            _ = unsafe SQLiteDatabase.standIn(for: name, in: database)
        }
        guard result == SQLITE_OK else { throw failure(result, "Collations could not be replaced") }
    }

    @unsafe private static func standIn(
        for name: UnsafePointer<CChar>?,
        in database: OpaquePointer?
    ) -> Int32 {
        unsafe sqlite3_create_collation_v2(
            database,
            name,
            SQLITE_UTF8,
            nil,
            { _, leftCount, left, rightCount, right in
                let left = unsafe UnsafeRawBufferPointer(start: left, count: max(0, Int(leftCount)))
                let right = unsafe UnsafeRawBufferPointer(start: right, count: max(0, Int(rightCount)))
                if unsafe left.elementsEqual(right) { return 0 }
                return unsafe left.lexicographicallyPrecedes(right) ? -1 : 1
            },
            nil
        )
    }
}

extension SQLiteIndex {
    /// The collations that SQLite has itself (https://www.sqlite.org/datatype3.html#collating_sequences).
    static let knownCollations: Set<String> = ["binary", "nocase", "rtrim"]
}

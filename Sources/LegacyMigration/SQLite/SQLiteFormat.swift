import SQLiteFile

/// Tells which sort of SQLite database a file is.
public enum SQLiteFormat {
    /// Whether a database is a store of Core Data or SwiftData: it has the tables `Z_PRIMARYKEY` and `Z_METADATA`.
    ///
    /// - Parameter path: the database file. It is copied, as for reading.
    /// - Throws: ``LegacyError`` where it is no database, or damaged.
    /// - Complexity: O(bytes).
    public static func isCoreData(path: String) throws(LegacyError) -> Bool {
        do {
            return try isCoreData(SQLiteDatabase(SQLiteCopy(of: path)))
        } catch {
            throw LegacyError(error)
        }
    }

    static func isCoreData(_ database: SQLiteDatabase) throws(SQLiteFileError) -> Bool {
        let wanted = ["Z_PRIMARYKEY": ["Z_ENT", "Z_NAME", "Z_SUPER"], "Z_METADATA": ["Z_UUID"]]
        let tables = try database.tables()
        return wanted.allSatisfy { name, columns in
            tables.contains { table in
                table.kind == .table && table.name == name
                    && columns.allSatisfy { table.column($0) != nil }
            }
        }
    }
}

public import ExportFormats
public import LegacyRecords
import SQLiteFile

/// Tells which sort of SQLite database a file is.
public enum SQLiteFormat {
    /// Whether a database is a store of Core Data or SwiftData: it has the tables `Z_PRIMARYKEY` and `Z_METADATA`.
    ///
    /// - Parameters:
    ///   - path: the database file. It is copied, as for reading.
    ///   - progress: called at the beginning, about every four megabytes and at the end, on the caller's thread;
    ///     returning false cancels, and no copy stays.
    /// - Throws: ``LegacyError`` where it is no database, or damaged.
    /// - Complexity: O(bytes).
    public static func isCoreData(
        path: String,
        progress: (LegacyProgress) -> Bool = { _ in true }
    ) throws(LegacyError) -> Bool {
        try SourceFile.open(path, progress) { opening in
            try isCoreData(DatabaseFile(opening))
        }
    }

    /// Opens a database as what it is: a ``CoreDataSource`` or a ``SQLiteDatabaseSource``. It is copied only once.
    ///
    /// - Parameters:
    ///   - path: the database file; its `-wal` is looked for beside it.
    ///   - name: a name that takes the place of the database's own as the identity of the library.
    ///   - progress: called at the beginning, about every four megabytes that are copied, now and then while the copy
    ///     is examined, and at the end, on the caller's thread; returning false cancels, and no copy stays.
    /// - Throws: ``LegacyError``.
    /// - Complexity: O(*n* log *n*) of the rows.
    public static func source(
        path: String,
        name: String? = nil,
        progress: (LegacyProgress) -> Bool = { _ in true }
    ) throws(LegacyError) -> any LegacySource {
        try SourceFile.open(path, progress) { opening -> any LegacySource in
            opening.passCount += DatabaseFile.planningPassCount
            let file = try DatabaseFile(opening)
            if try isCoreData(file) { return try CoreDataSource(file, opening, name: name) }
            let plan = try file.plan(opening, SQLiteDatabaseSource.plan)
            return SQLiteDatabaseSource(file, plan, name: name)
        }
    }

    private static func isCoreData(_ file: DatabaseFile) throws(LegacyError) -> Bool {
        do throws(SQLiteFileError) {
            return try file.withDatabase { database throws(SQLiteFileError) in
                try isCoreData(database)
            }
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

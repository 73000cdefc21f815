extension SQLiteDatabase {
    /// What SQLite's own check says that is no damage: values that break a rule of the schema, pages that nothing
    /// uses.
    private static let harmless = [
        "NULL value in ", "CHECK constraint failed", "NUMERIC value in ", "TEXT value in ",
        "BLOB value in ",
        "INT value in ", "REAL value in ", "INTEGER value in ", "non-INT value in ",
        "non-unique entry in index",
    ]

    /// Examines the whole database: every page, every row, every entry of an index.
    ///
    /// - Parameter remarkCountMax: how many remarks are gathered.
    /// - Returns: what breaks a rule of the schema but is no damage, in SQLite's words.
    /// - Throws: ``SQLiteFileError`` with the code `damaged`, and the first thing that is wrong.
    /// - Complexity: O(*n* log *n*) of the rows.
    public func check(remarkCountMax: Int = 100) throws(SQLiteFileError) -> [String] {
        let limit = max(1, remarkCountMax)
        do throws(SQLiteFileError) {
            return try check("PRAGMA integrity_check(\(limit))")
        } catch  where error.code == .unsupportedContent {
            // Indexes by functions or collations that only the app has cannot be compared with their rows.
            do throws(SQLiteFileError) {
                return try check("PRAGMA quick_check(\(limit))")
            } catch  where error.code == .unsupportedContent {
                return ["The database could not be examined: \(error.message)"]
            }
        }
    }

    private func check(_ sql: String) throws(SQLiteFileError) -> [String] {
        let statement = try prepare(sql)
        var remarks: [String] = []
        while try statement.step() {
            let text = statement.text(at: 0) ?? "something that cannot be read"
            if text == "ok" { continue }
            // One row may hold several lines.
            for line in text.split(separator: "\n") where !line.hasPrefix("*** in database") {
                guard
                    Self.harmless.contains(where: { line.hasPrefix($0) })
                        || line.hasSuffix("is never used")
                else {
                    throw SQLiteFileError(.damaged, "The database is damaged: \(line).")
                }
                remarks.append(String(line))
            }
        }
        return remarks
    }
}

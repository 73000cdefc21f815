extension SQLiteDatabase {
    /// What a comparison of a table's plain indexes with its rows has found.
    struct IndexComparison {
        /// What breaks a rule of the schema but is no damage.
        var remarks: [String] = []
        /// The indexes that were compared, by the bytes of their names.
        var names: Set<[UInt8]> = []
        /// Whether no index was passed over by which something can be looked for.
        var isWhole = true
    }

    /// Compares indexes of a table with its rows, where SQLite itself would run the expressions of others to do so, or
    /// cannot do so without the app: those of all rows by columns alone, which compare as these do. A table without
    /// rowids is not compared, nor is an index over a value that is too large.
    ///
    /// - Throws: ``SQLiteFileError``: `damaged` where an index does not lead to each row, once and to nothing else.
    /// - Complexity: O(*n* log *n*) of the rows, for each index.
    func checkPlainIndexes(of table: SQLiteTable) throws(SQLiteFileError) -> IndexComparison {
        var comparison = IndexComparison()
        for index in table.indexes where !index.isPartial {
            let columns = index.columns.compactMap { $0.flatMap(table.storedColumn) }
            guard columns.count == index.columns.count, !columns.isEmpty else { continue }
            guard let rowid = table.rowidName else {
                // By the key of a table without rowids its rows themselves are found.
                if !table.isWithoutRowid || index.origin != .primaryKey { comparison.isWhole = false }
                continue
            }
            do throws(SQLiteFileError) {
                let isCompared = try check(index, columns, rowid, of: table, into: &comparison)
                if isCompared { comparison.names.insert(SQLiteName.bytes(index.name)) }
            } catch  where Self.isOfContent(error) {
                comparison.isWhole = false
            }
        }
        return comparison
    }

    /// - Returns: false where the index compares in another way than its columns.
    private func check(
        _ index: SQLiteIndex,
        _ columns: [String],
        _ rowid: String,
        of table: SQLiteTable,
        into comparison: inout IndexComparison
    ) throws(SQLiteFileError) -> Bool {
        let name = SQLiteName.quoted(table.name)
        let source = "\(name) AS b INDEXED BY \(SQLiteName.quoted(index.name))"
        let found = (columns + [rowid]).map { column in
            "b.\(SQLiteName.quoted(column)) IS a.\(SQLiteName.quoted(column))"
        }
        let missing =
            "SELECT 1 FROM \(name) AS a NOT INDEXED WHERE NOT EXISTS "
            + "(SELECT 1 FROM \(source) WHERE \(found.joined(separator: " AND "))) LIMIT 1"
        // An index that compares in another way would be gone through for each row.
        guard try isSearch(missing) else { return false }
        if try isThere(missing) {
            throw SQLiteFileError(
                .damaged,
                "The database is damaged: a row of \(table.name) is missing from index \(index.name)."
            )
        }
        let entryCount = try number("SELECT sum(1) FROM \(source)")
        guard try number("SELECT sum(1) FROM \(name) NOT INDEXED") == entryCount else {
            throw SQLiteFileError(
                .damaged,
                "The database is damaged: wrong # of entries in index \(index.name)."
            )
        }
        let parts = columns.map { "b." + SQLiteName.quoted($0) }
        let repeated =
            "SELECT 1 FROM \(source) WHERE "
            + parts.map { $0 + " IS NOT NULL" }.joined(separator: " AND ")
            + " GROUP BY \(parts.joined(separator: ", ")) HAVING count(*) > 1 LIMIT 1"
        if index.isUnique, try isThere(repeated) {
            comparison.remarks.append("non-unique entry in index \(index.name)")
        }
        return true
    }

    /// Whether the rows called `b` are looked for, and not gone through; no where the index cannot be used at all.
    private func isSearch(_ sql: String) throws(SQLiteFileError) -> Bool {
        do throws(SQLiteFileError) {
            let plan = try prepare("EXPLAIN QUERY PLAN " + sql)
            while try plan.step() {
                if plan.text(at: 3)?.hasPrefix("SEARCH b ") ?? false { return true }
            }
            return false
        } catch {
            guard error.code == .unsupportedContent else { throw error }
            return false
        }
    }

    private func isThere(_ sql: String) throws(SQLiteFileError) -> Bool {
        try prepare(sql).step()
    }

    private func number(_ sql: String) throws(SQLiteFileError) -> Int64 {
        let rows = try prepare(sql)
        return try rows.step() ? rows.integer(at: 0) : 0
    }
}

extension SQLiteTable {
    /// The name of a column that is read without computing anything; nil for another one.
    fileprivate func storedColumn(_ name: String) -> String? {
        guard let column = column(name),
            column.origin == .stored || column.origin == .generatedAndStored
        else { return nil }
        return column.name
    }
}

import SQLiteFile

/// What the rows of a table are like.
struct TableSurvey: Sendable {
    let rowCount: Int
    /// What cannot be read of them.
    let largeValues: LargeValues
    /// By the names of the columns, as SQLite tells them apart.
    private let columns: [[UInt8]: ColumnSurvey]

    subscript(column: String) -> ColumnSurvey {
        columns[SQLiteName.bytes(column)] ?? ColumnSurvey()
    }

    /// Looks at every value of the columns.
    ///
    /// A value that is larger than SQLite was told to read ends the walk: its row is looked at column by column, and
    /// the walk goes on after it. No index is used, so that rows come in the same order each time. A text that is no
    /// UTF-8 counts as what it becomes.
    ///
    /// - Parameter columns: the columns, with what has to be known of them.
    /// - Complexity: O(rows × columns), and O(rows) more for each row that is too large.
    init(
        of table: SQLiteTable,
        _ columns: [(name: String, depth: ColumnSurvey.Depth)],
        in database: SQLiteDatabase
    ) throws(SQLiteFileError) {
        let names = columns.map { SQLiteName.quoted($0.name) }
        let origin = "FROM \(SQLiteName.quoted(table.name)) NOT INDEXED"
        var surveys = columns.map { _ in ColumnSurvey() }
        var largeValues = LargeValues(in: database)
        var rowCount = 0
        var byteCounts = columns.map { _ in 0 }
        func leaveOut(_ places: [Int]) throws(SQLiteFileError) {
            for place in places { surveys[place].nullCount += 1 }
            try largeValues.append(
                places.map { columns[$0].name },
                ofRowAt: rowCount,
                table,
                in: database
            )
        }
        func count(_ column: Int, of row: SQLiteStatement, at place: Int) {
            byteCounts[column] = surveys[column].count(row, at: place, columns[column].depth)
        }
        var isDone = false
        while !isDone {
            let rows = try database.prepare(
                "SELECT \(names.joined(separator: ", ")) \(origin)"
                    + (rowCount == 0 ? "" : " LIMIT -1 OFFSET \(rowCount)")
            )
            do throws(SQLiteFileError) {
                while try rows.step() {
                    for place in columns.indices { count(place, of: rows, at: place) }
                    // Whole texts are read for it only where that could make a difference.
                    if byteCounts.reduce(0, +) > largeValues.repairableByteCountMax {
                        byteCounts = columns.indices.map(rows.repairedByteCount)
                    }
                    if byteCounts.reduce(0, +) > largeValues.rowByteCountMax {
                        try leaveOut(largeValues.places(tooLargeIn: byteCounts))
                    }
                    rowCount += 1
                }
                isDone = true
            } catch  where error.isOfLargeValue {
                var tooLarge: [Int] = []
                for place in columns.indices {
                    byteCounts[place] = 0
                    let row = try database.prepare(
                        "SELECT \(names[place]) \(origin) LIMIT 1 OFFSET \(rowCount)"
                    )
                    do throws(SQLiteFileError) {
                        guard try row.step() else { throw error }
                        count(place, of: row, at: 0)
                        byteCounts[place] = row.repairedByteCount(at: 0)
                    } catch  where error.isOfLargeValue {
                        tooLarge.append(place)
                    }
                }
                try leaveOut(tooLarge + largeValues.places(tooLargeIn: byteCounts))
                rowCount += 1
            }
        }
        self.rowCount = rowCount
        self.largeValues = largeValues
        self.columns = Dictionary(
            zip(columns.map { SQLiteName.bytes($0.name) }, surveys),
            uniquingKeysWith: { first, _ in first }
        )
    }
}

extension SQLiteStatement {
    /// The size of a text or a blob in bytes, where what is no UTF-8 in a text was replaced: that is up to three times
    /// as large.
    ///
    /// - Complexity: O(bytes) for a text.
    fileprivate func repairedByteCount(at column: Int) -> Int {
        guard storageClass(at: column) == .text, case .invalidText(let bytes) = value(at: column) else {
            return byteCount(at: column)
        }
        return String(decoding: bytes, as: UTF8.self).utf8.count
    }
}

extension SQLiteTable {
    /// The columns that can be read as they are.
    var readableColumns: [SQLiteColumn] {
        columns.filter { $0.origin == .stored || $0.origin == .generatedAndStored }
    }

    /// Whether there is an index of all rows by a column alone.
    func hasIndex(by column: String, isUnique: Bool) -> Bool {
        indexes(by: column).contains { !isUnique || $0.isUnique }
    }

    /// The indexes of all rows by a column alone.
    private func indexes(by column: String) -> [SQLiteIndex] {
        indexes.filter { index in
            index.columns.count == 1
                && index.columns[0].map { SQLiteName.areSame($0, column) } ?? false
                && !index.isPartial
        }
    }

    /// Whether rows themselves stand in the order of a column, so that no index is needed to find one.
    private func areRowsFound(by column: String) -> Bool {
        if let rowidColumn { return SQLiteName.areSame(rowidColumn.name, column) }
        return isWithoutRowid && primaryKey.count == 1
            && SQLiteName.areSame(primaryKey[0].name, column)
    }

    /// Whether each value of a column leads to one row at most, without a walk through the table, and to that row
    /// surely: not where nobody could find out whether an index lacks rows.
    func isKey(
        _ column: String,
        in database: SQLiteDatabase,
        _ examination: SQLiteExamination
    ) throws -> Bool {
        let key = primaryKey
        let isUnique =
            key.count == 1 && SQLiteName.areSame(key[0].name, column)
            || hasIndex(by: column, isUnique: true)
        guard isUnique else { return false }
        let isTrusted = indexes(by: column).contains { $0.isUnique && examination.trusts($0, of: self) }
        guard isTrusted || areRowsFound(by: column) else { return false }
        // By a collation that only the app has nothing is found.
        let needsApp = indexes.contains { index in
            index.needsApp
                && index.columns.contains { $0.map { SQLiteName.areSame($0, column) } ?? false }
        }
        if needsApp { return false }
        // An index that compares in another way than the column is of no use, nor one that only the app can compare by.
        do throws(SQLiteFileError) {
            let plan = try database.prepare(
                "EXPLAIN QUERY PLAN SELECT 1 FROM \(SQLiteName.quoted(name)) "
                    + "WHERE \(SQLiteName.quoted(column)) = ?1"
            )
            guard try plan.step(), case .text(let step) = plan.value(at: 3) else { return false }
            return step.hasPrefix("SEARCH")
        } catch {
            guard error.code == .unsupportedContent else { throw error }
            return false
        }
    }
}

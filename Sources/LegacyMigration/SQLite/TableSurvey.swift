import SQLiteFile

/// What the rows of a table are like.
struct TableSurvey: Sendable {
    let rowCount: Int
    /// By the names of the columns, as SQLite tells them apart.
    private let columns: [[UInt8]: ColumnSurvey]

    subscript(column: String) -> ColumnSurvey {
        columns[SQLiteName.bytes(column)] ?? ColumnSurvey()
    }

    /// Looks at every value of the columns.
    ///
    /// - Parameter columns: the columns, with what has to be known of them.
    /// - Complexity: O(rows × columns).
    init(
        of table: String,
        _ columns: [(name: String, depth: ColumnSurvey.Depth)],
        in database: SQLiteDatabase
    ) throws(SQLiteFileError) {
        let names = columns.map { SQLiteName.quoted($0.name) }
        let rows = try database.prepare(
            "SELECT \(names.joined(separator: ", ")) FROM \(SQLiteName.quoted(table))"
        )
        var surveys = columns.map { _ in ColumnSurvey() }
        var rowCount = 0
        while try rows.step() {
            rowCount += 1
            for (place, column) in columns.enumerated() {
                surveys[place].count(rows, at: place, column.depth)
            }
        }
        self.rowCount = rowCount
        self.columns = Dictionary(
            zip(columns.map { SQLiteName.bytes($0.name) }, surveys),
            uniquingKeysWith: { first, _ in first }
        )
    }
}

extension SQLiteTable {
    /// The columns that can be read as they are.
    var readableColumns: [SQLiteColumn] {
        columns.filter { $0.origin == .stored || $0.origin == .generatedAndStored }
    }

    /// Whether there is an index of all rows by a column alone.
    func hasIndex(by column: String, isUnique: Bool) -> Bool {
        indexes.contains { index in
            index.columns.count == 1
                && index.columns[0].map { SQLiteName.areSame($0, column) } ?? false
                && !index.isPartial && (!isUnique || index.isUnique)
        }
    }

    /// Whether each value of a column leads to one row at most, without a walk through the table.
    func isKey(_ column: String, in database: SQLiteDatabase) throws -> Bool {
        let key = primaryKey
        let isUnique =
            key.count == 1 && SQLiteName.areSame(key[0].name, column)
            || hasIndex(by: column, isUnique: true)
        guard isUnique else { return false }
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

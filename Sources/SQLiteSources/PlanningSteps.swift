import SQLiteFile

/// How far the examination of a database and the look at all of its values are: as many steps of SQLite's machine as
/// have been done, of as many as the sizes of the tables let expect.
struct PlanningSteps {
    /// How many questions of SQLite lie between two of ours.
    private static let stride = 8
    /// The usual size of a page; of each there is a step of the examination.
    private static let pageByteCount: UInt64 = 4096

    private let expectedCount: Double
    private var questionCount = 0

    /// - Parameter byteCount: the size of the database.
    /// - Complexity: O(tables · log rows).
    init(_ database: SQLiteDatabase, byteCount: UInt64) {
        var steps = Double(byteCount / Self.pageByteCount)
        // What is wrong with the database, its examination says.
        for table in (try? database.tables()) ?? [] where table.kind == .table {
            let rows = min(Self.rowCount(of: table, in: database), byteCount / 8)
            // The examination looks at each row, at what must not be empty in it, and for it in each index; then each
            // of its columns is looked at.
            let required = table.columns.count { $0.isNotNull }
            let perRow = 5 + required + 6 * table.indexes.count + table.columns.count
            steps += Double(rows) * Double(perRow)
        }
        expectedCount = max(1, steps)
    }

    /// Counts a question; now and then says the share of all that is done.
    mutating func next() -> Double? {
        questionCount += 1
        guard questionCount % Self.stride == 0 else { return nil }
        return Double(questionCount) * Double(SQLiteDatabase.stepsPerQuestion) / expectedCount
    }

    /// About how many rows there are: the greatest number of one. It is found at once.
    private static func rowCount(of table: SQLiteTable, in database: SQLiteDatabase) -> UInt64 {
        guard let rowid = table.rowidName else { return 0 }
        let sql =
            "SELECT max(\(SQLiteName.quoted(rowid))) FROM \(SQLiteName.quoted(table.name))"
        guard let rows = try? database.prepare(sql), (try? rows.step()) == true,
            case .integer(let number) = rows.value(at: 0)
        else { return 0 }
        return UInt64(clamping: number)
    }
}

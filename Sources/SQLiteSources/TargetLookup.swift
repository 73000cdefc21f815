import SQLiteFile

/// Finds the key of the row that a reference leads to.
final class TargetLookup {
    private let keys: RowKeyMaker
    private let columnCount: Int
    private let statement: SQLiteStatement
    /// Many references in a row lead to the same.
    private var last: (value: SQLiteValue, key: String?)?

    init(_ target: DatabasePlan.Target, in database: SQLiteDatabase) throws {
        keys = try RowKeyMaker(target.key, in: database)
        let columns = target.key.readColumns.map(target.largeValues.expression)
        columnCount = columns.count
        statement = try database.prepare(
            "SELECT \(columns.joined(separator: ", ")) FROM \(SQLiteName.quoted(target.table)) "
                + "WHERE \(SQLiteName.quoted(target.column)) = ?1"
        )
    }

    /// The key of the row, or nil where there is none. A UUID as text is looked for in other case too.
    func key(for value: SQLiteValue) throws -> String? {
        if let last, last.value.isIdentical(to: value) { return last.key }
        var found = try find(value)
        if found == nil, case .text(let text) = value, text.utf8.count == 36 {
            found = try find(.text(SQLiteName.folded(text))) ?? find(.text(text.uppercased()))
        }
        last = (value, found)
        return found
    }

    /// SQL that gives the value in the referred column by which ``key(for:)`` finds the same row, for the value that
    /// `expression` gives; NULL where there is none. A column compared with an expression compares as it does with a
    /// parameter.
    static func foundValue(of target: DatabasePlan.Target, for expression: String) -> String {
        let column = "o.\(SQLiteName.quoted(target.column))"
        func find(_ value: String) -> String {
            "(SELECT \(column) FROM \(SQLiteName.quoted(target.table)) AS o WHERE \(column) = +\(value))"
        }
        return "coalesce(\(find(expression)), "
            + "CASE WHEN typeof(\(expression)) = 'text' AND length(\(expression)) = 36 THEN coalesce("
            + "\(find("lower(\(expression))")), \(find("upper(\(expression))"))) END)"
    }

    private func find(_ value: SQLiteValue) throws -> String? {
        try statement.bind(value, at: 1)
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        return try keys.key((0..<columnCount).map(statement.value)).text
    }
}

extension SQLiteValue {
    /// Whether two values are the same byte by byte: two texts of the same characters may be two keys.
    func isIdentical(to other: SQLiteValue) -> Bool {
        switch (self, other) {
        case (.text(let left), .text(let right)): left.utf8.elementsEqual(right.utf8)
        case (.text, _), (_, .text): false
        default: self == other
        }
    }
}

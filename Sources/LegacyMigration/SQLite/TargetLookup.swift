import SQLiteFile

/// Finds the key of the row that a reference leads to.
final class TargetLookup {
    private let key: RowKey
    private let statement: SQLiteStatement
    /// Many references in a row lead to the same.
    private var last: (value: SQLiteValue, key: String?)?

    init(_ target: DatabasePlan.Target, in database: SQLiteDatabase) throws {
        key = target.key
        let columns = target.key.columns.map(SQLiteName.quoted).joined(separator: ", ")
        statement = try database.prepare(
            "SELECT \(columns) FROM \(SQLiteName.quoted(target.table)) "
                + "WHERE \(SQLiteName.quoted(target.column)) = ?1"
        )
    }

    /// The key of the row, or nil where there is none. A UUID as text is looked for in other case too.
    func key(for value: SQLiteValue) throws -> String? {
        if let last, Self.areIdentical(last.value, value) { return last.key }
        var found = try find(value)
        if found == nil, case .text(let text) = value, text.utf8.count == 36 {
            found = try find(.text(text.lowercased())) ?? find(.text(text.uppercased()))
        }
        last = (value, found)
        return found
    }

    /// Whether two values are the same byte by byte: two texts of the same characters may be two keys.
    private static func areIdentical(_ left: SQLiteValue, _ right: SQLiteValue) -> Bool {
        switch (left, right) {
        case (.text(let left), .text(let right)): left.utf8.elementsEqual(right.utf8)
        case (.integer(let left), .integer(let right)): left == right
        case (.blob(let left), .blob(let right)): left == right
        default: false
        }
    }

    private func find(_ value: SQLiteValue) throws -> String? {
        try statement.bind(value, at: 1)
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        return key.key((0..<key.columns.count).map(statement.value)).text
    }
}

import SQLiteFile

extension SQLiteDatabase {
    /// Whether several rows of a table have the same value of an expression.
    func hasSeveral(of expression: String, in table: String) throws -> Bool {
        let rows = try prepare(
            "SELECT 1 FROM \(SQLiteName.quoted(table)) NOT INDEXED WHERE \(expression) IS NOT NULL "
                + "GROUP BY \(expression) HAVING count(*) > 1 LIMIT 1"
        )
        return try rows.step()
    }

    /// Whether the rows of each group come in the order of their places, where all rows are sorted by something else. A
    /// row without a place, or whose place is no number, may come anywhere.
    ///
    /// - Parameters:
    ///   - place: an expression of SQL for a row's place in its group.
    ///   - group: one for its group; what has none is in no order.
    ///   - table: the name of the table.
    ///   - expressions: what the rows are sorted by.
    /// - Complexity: O(*n* log *n*) of the rows.
    func keepsOrder(
        of place: String,
        within group: String,
        in table: String,
        sortedBy expressions: [String]
    ) throws -> Bool {
        let rows = try prepare(
            "SELECT \(group), \(place) FROM \(SQLiteName.quoted(table)) NOT INDEXED WHERE \(group) IS NOT NULL "
                + "ORDER BY \(([group] + expressions).joined(separator: ", "))"
        )
        var last: (group: SQLiteValue, place: SQLiteValue)?
        while try rows.step() {
            let next = (group: rows.value(at: 0), place: rows.value(at: 1))
            guard next.place.isNumber else { continue }
            if let last, last.group == next.group, next.place.isBefore(last.place) { return false }
            last = next
        }
        return true
    }
}

extension SQLiteValue {
    fileprivate var isNumber: Bool {
        switch self {
        case .integer, .real: true
        case .null, .text, .invalidText, .blob: false
        }
    }

    /// Whether a number is smaller than another one.
    fileprivate func isBefore(_ other: SQLiteValue) -> Bool {
        switch (self, other) {
        case (.integer(let first), .integer(let second)): first < second
        case (.integer(let first), .real(let second)): Double(first) < second
        case (.real(let first), .integer(let second)): first < Double(second)
        case (.real(let first), .real(let second)): first < second
        default: false
        }
    }
}

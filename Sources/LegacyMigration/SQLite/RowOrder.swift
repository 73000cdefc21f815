import SQLiteFile

/// In which order rows are read: as they were made, unless a column says where they stand among those that refer to the
/// same row.
enum RowOrder {
    private static let words = [
        "position", "order", "sort", "index", "rank", "ordinal", "sequence",
    ]

    /// Whether a column says where something stands.
    static func isPosition(_ column: SQLiteColumn) -> Bool {
        let name = SQLiteName.folded(column.name)
        return words.contains { name.hasPrefix($0) || name.hasSuffix($0) }
            && [.int, .double].contains(DeclaredType.form(column.declaredType))
    }

    /// What the rows of a table are sorted by.
    static func order(of source: SQLitePlanner.Source) -> [String] {
        let positions = source.table.readableColumns.filter { column in
            isPosition(column) && !source.references.contains { $0.column.name == column.name }
        }
        var column: SQLiteColumn?
        if source.references.count == 1, positions.count == 1 {
            column = positions[0]
        } else {
            // `albumID` and `albumPosition` belong together.
            column = positions.first { position in
                source.references.contains { reference in
                    let stem = stem(of: reference.column.name)
                    return !stem.isEmpty && SQLiteName.folded(position.name).hasPrefix(stem)
                }
            }
        }
        return (column.map { [SQLiteName.quoted($0.name)] } ?? []) + rowOrder(source.table)
    }

    /// What tells rows apart.
    static func rowOrder(_ table: SQLiteTable) -> [String] {
        if let rowid = table.rowidName { return [SQLiteName.quoted(rowid)] }
        return table.primaryKey.map { SQLiteName.quoted($0.name) }
    }

    /// The name of a referring column without what says that it refers: `album` of `albumID` and `album_id`.
    static func stem(of column: String) -> String {
        var name = SQLiteName.folded(column)
        for ending in ["_id", "id", "_uuid", "uuid"]
        where name.hasSuffix(ending) && name.count > ending.count {
            name.removeLast(ending.count)
            break
        }
        return name
    }
}

extension ValueForm {
    /// Whether two values that SQLite tells apart are also told apart in this form.
    var keepsDifference: Bool {
        switch self {
        case .int, .string, .data, .uuid: true
        case .bool, .double, .decimal, .date, .referenceDate, .externalData: false
        }
    }
}

import SQLiteFile

/// Which tables have columns that are called after the rows of another one, without a foreign key that says so:
/// `note.membership_id`.
struct TableMentions {
    /// The places of the tables with such a column, by what it is called after.
    private var places: [String: Set<Int>] = [:]

    /// - Complexity: O(columns).
    init(in sources: [SQLitePlanner.Source]) {
        for (place, source) in sources.enumerated() {
            for column in source.table.readableColumns {
                // Those that are known to lead elsewhere name nothing else.
                let isReference = source.references.contains {
                    SQLiteName.areSame($0.column.name, column.name)
                }
                guard !isReference, let name = Self.mentioned(by: column.name) else { continue }
                places[name, default: []].insert(place)
            }
        }
    }

    /// Whether another table has a column that is called after a table, or after one row of it.
    func has(_ table: String, at place: Int) -> Bool {
        Self.names(of: table).contains { places[$0]?.contains { $0 != place } == true }
    }

    /// Whether a primary key is called as those are that say nothing: `id`, `membership_id` of the table
    /// `memberships`, `Z_PK`.
    static func isConventional(_ key: String, in table: String) -> Bool {
        ["id", "pk", "zpk", "rowid", "uuid"].contains(plain(key))
            || mentioned(by: key).map(names(of: table).contains) == true
    }

    /// What a column is called after: `membership` of `membershipID` and `membership_id`; nil where its name says no
    /// such thing.
    private static func mentioned(by column: String) -> String? {
        let stem = RowOrder.stem(of: column)
        return stem == SQLiteName.folded(column) ? nil : plain(stem)
    }

    /// A table's name, and what may be one row of it.
    private static func names(of table: String) -> Set<String> {
        let name = plain(table)
        var names: Set<String> = [name]
        for (plural, singular) in [("ies", "y"), ("es", ""), ("s", "")]
        where name.hasSuffix(plural) && name.count > plural.count {
            names.insert(name.dropLast(plural.count) + singular)
        }
        return names
    }

    /// A name however its words are put together.
    private static func plain(_ name: String) -> String {
        SQLiteName.folded(name).filter { $0 != "_" }
    }
}

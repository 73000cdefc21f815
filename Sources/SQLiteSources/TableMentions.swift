import SQLiteFile

/// Which tables have columns that lead to the rows of another one without a foreign key that says so.
///
/// The name of a column says it (`note.membership_id`, `note.fk_membership`), or its name and its values together:
/// `payment.membership` and `badge.membership_no` may be anything, unless all that is in them are keys of
/// `memberships`.
struct TableMentions {
    /// A column that is called after something.
    private struct Mention {
        /// The place of its table.
        let place: Int
        let table: String
        /// What is selected of the column.
        let value: String
        /// Whether the name alone says it.
        let isSure: Bool
    }

    private var mentions: [String: [Mention]] = [:]

    /// - Complexity: O(columns).
    init(in sources: [SQLitePlanner.Source]) {
        for (place, source) in sources.enumerated() {
            for column in source.table.readableColumns {
                // Those that are known to lead elsewhere name nothing else.
                let isReference = source.references.contains {
                    SQLiteName.areSame($0.column.name, column.name)
                }
                if isReference { continue }
                let sure = Self.surelyMentioned(by: column.name)
                let hasValues = source.survey[column.name].count > 0
                for name in sure.union(hasValues ? Self.perhapsMentioned(by: column.name) : []) {
                    mentions[name, default: []].append(
                        Mention(
                            place: place,
                            table: source.table.name,
                            value: source.survey.largeValues.expression(for: column.name),
                            isSure: sure.contains(name)
                        )
                    )
                }
            }
        }
    }

    /// Whether another table has a column that leads to the rows of a table.
    ///
    /// - Parameters:
    ///   - key: the table's key, of one column.
    ///   - place: the table's place.
    /// - Complexity: O(*n* log *n*) of the rows of each table with a column whose name alone does not say it.
    func has(_ table: String, key: String, at place: Int, in database: SQLiteDatabase) throws -> Bool {
        let found = Self.names(of: table).flatMap { mentions[$0] ?? [] }.filter { $0.place != place }
        if found.contains(where: \.isSure) { return true }
        return try found.contains { try Self.areKeys($0, of: table, key, in: database) }
    }

    /// Whether a primary key is called as those are that say nothing: `id`, `membership_id` of the table
    /// `memberships`, `Z_PK`.
    static func isConventional(_ key: String, in table: String) -> Bool {
        ["id", "pk", "zpk", "rowid", "uuid"].contains(plain(key))
            || calledAfter(key).map(names(of: table).contains) == true
    }

    /// Whether each value of a column is one of a table's key.
    private static func areKeys(
        _ mention: Mention,
        of table: String,
        _ key: String,
        in database: SQLiteDatabase
    ) throws -> Bool {
        let strangers = try database.prepare(
            "SELECT 1 FROM (SELECT \(mention.value) AS value FROM \(SQLiteName.quoted(mention.table)) NOT INDEXED) "
                + "AS o WHERE o.value IS NOT NULL AND NOT EXISTS (SELECT 1 FROM \(SQLiteName.quoted(table)) AS j "
                // A UUID as text is found in other case too.
                + "WHERE j.\(SQLiteName.quoted(key)) IN (o.value, lower(o.value), upper(o.value))) LIMIT 1"
        )
        return try !strangers.step()
    }

    // MARK: Names

    /// What a column is called after: `membership` of `membershipID` and `membership_id`; nil where its name says no
    /// such thing.
    private static func calledAfter(_ column: String) -> String? {
        let stem = RowOrder.stem(of: column)
        return stem == SQLiteName.folded(column) ? nil : plain(stem)
    }

    /// What a column surely leads to by its name: `membership` of `membership_id`, `fk_membership`, `membershipRef` and
    /// `membership_key`.
    private static func surelyMentioned(by column: String) -> Set<String> {
        let name = plain(column)
        var found = Set([calledAfter(column)].compactMap { $0 })
        found.formUnion(["fk", "ref"].compactMap { rest(of: name, after: $0) })
        found.formUnion(["fk", "ref", "reference", "key"].compactMap { rest(of: name, before: $0) })
        // `fk_membership_id`
        found.formUnion(found.flatMap { name in ["fk", "ref"].compactMap { rest(of: name, after: $0) } })
        return found
    }

    /// What it leads to if its values do: `membership` of `membership`, `memberships`, `membership_no` and
    /// `membershipNumber`.
    private static func perhapsMentioned(by column: String) -> Set<String> {
        let name = plain(column)
        let numbered = ["no", "nr", "num", "number", "pk"].compactMap { rest(of: name, before: $0) }
        return names(of: column).union(numbered).union([rest(of: name, after: "id")].compactMap { $0 })
    }

    private static func rest(of name: String, before ending: String) -> String? {
        name.hasSuffix(ending) && name.count > ending.count ? String(name.dropLast(ending.count)) : nil
    }

    private static func rest(of name: String, after beginning: String) -> String? {
        name.hasPrefix(beginning) && name.count > beginning.count ? String(name.dropFirst(beginning.count)) : nil
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

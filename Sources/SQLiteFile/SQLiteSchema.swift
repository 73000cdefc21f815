/// A table of a database, as its own schema describes it.
public struct SQLiteTable: Sendable, Equatable {
    /// What sort of table.
    public enum Kind: String, Sendable, Equatable {
        /// Rows of its own.
        case table
        /// A stored query.
        case view
        /// Made by a module, such as full-text search.
        case virtual
        /// Where a virtual table keeps its data.
        case shadow
    }

    /// The name.
    public let name: String
    /// What sort of table.
    public let kind: Kind
    /// Whether rows are told apart by the primary key alone.
    public let isWithoutRowid: Bool
    /// Whether SQLite itself enforced the declared types.
    public let isStrict: Bool
    /// The columns in order; empty for a view and a virtual table.
    public let columns: [SQLiteColumn]
    /// What refers to other tables, in the order of the declarations.
    public let foreignKeys: [SQLiteForeignKey]
    /// The indexes, in the order in which they were made.
    public let indexes: [SQLiteIndex]

    /// The primary key's columns in its order; empty where there is none.
    public var primaryKey: [SQLiteColumn] {
        columns.filter { $0.primaryKeyPlace > 0 }.sorted { $0.primaryKeyPlace < $1.primaryKeyPlace }
    }

    /// The column that is another name of the rowid: a primary key declared as exactly `INTEGER`, unless it is the
    /// exception that has an index of its own (https://www.sqlite.org/lang_createtable.html#rowid).
    public var rowidColumn: SQLiteColumn? {
        let key = primaryKey
        guard !isWithoutRowid, key.count == 1, SQLiteName.areSame(key[0].declaredType, "INTEGER"),
            !indexes.contains(where: { $0.origin == .primaryKey })
        else { return nil }
        return key[0]
    }

    /// A name by which the rowid can be asked for: one that no column has taken; nil where there is none.
    public var rowidName: String? {
        if isWithoutRowid { return nil }
        if let rowidColumn { return rowidColumn.name }
        return ["rowid", "_rowid_", "oid"].first { name in
            !columns.contains { SQLiteName.areSame($0.name, name) }
        }
    }

    /// The column of a name, or nil. SQLite ignores the case of ASCII letters.
    /// - Complexity: O(columns).
    public func column(_ name: String) -> SQLiteColumn? {
        columns.first { SQLiteName.areSame($0.name, name) }
    }
}

/// A column of a table.
public struct SQLiteColumn: Sendable, Equatable {
    /// Where its values come from.
    public enum Origin: Sendable, Equatable {
        /// They are stored.
        case stored
        /// They are computed when they are read.
        case virtuallyGenerated
        /// They are computed when the row is written, and stored.
        case generatedAndStored
        /// Hidden columns of virtual tables.
        case hidden
    }

    /// The name.
    public let name: String
    /// The declared type as it stands in the schema; empty where there is none.
    public let declaredType: String
    /// Whether NULL is forbidden.
    public let isNotNull: Bool
    /// The place in the primary key, counted from 1; 0 outside.
    public let primaryKeyPlace: Int
    /// Where its values come from.
    public let origin: Origin
}

/// A reference from one table to another.
public struct SQLiteForeignKey: Sendable, Equatable {
    /// What happens to the rows that refer to a row which is deleted.
    public enum Action: String, Sendable, Equatable {
        /// The deletion is refused in the end.
        case noAction = "NO ACTION"
        /// The deletion is refused at once.
        case restrict = "RESTRICT"
        /// They refer to nothing then.
        case setNull = "SET NULL"
        /// They get the column's default.
        case setDefault = "SET DEFAULT"
        /// They are deleted too.
        case cascade = "CASCADE"
    }

    /// One column and what it stands for.
    public struct Part: Sendable, Equatable {
        /// The referring column.
        public let column: String
        /// The column referred to; nil for the primary key.
        public let target: String?
    }

    /// The table referred to; it may not exist.
    public let table: String
    /// The columns; more than one in a composite key.
    public let parts: [Part]
    /// What happens when the row referred to is deleted.
    public let onDelete: Action
}

/// An index of a table.
public struct SQLiteIndex: Sendable, Equatable {
    /// Why there is an index.
    public enum Origin: String, Sendable, Equatable {
        /// By `CREATE INDEX`.
        case created = "c"
        /// For a `UNIQUE` column or constraint.
        case uniqueConstraint = "u"
        /// For the primary key.
        case primaryKey = "pk"
    }

    /// The name.
    public let name: String
    /// Whether no two rows may have the same values.
    public let isUnique: Bool
    /// Why it exists.
    public let origin: Origin
    /// Whether it leaves rows out.
    public let isPartial: Bool
    /// The columns in order; nil for an expression or the rowid.
    public let columns: [String?]
    /// The names of the collations in its order that SQLite does not have itself.
    public let appCollations: [String]

    /// Whether it is in an order by which only the app can look for something.
    public var needsApp: Bool { !appCollations.isEmpty }
}

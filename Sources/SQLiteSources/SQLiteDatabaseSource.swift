public import ExportFormats
public import LegacyRecords
public import Reprise
import SQLiteFile

/// Any SQLite database: GRDB, SQLiteData and others write ordinary tables.
///
/// **Tables** become models under their own names, except those of frameworks. A full-text table that holds rows of its
/// own is one of them; its index, and other virtual tables, are left out. Views are not read. **Columns** become
/// attributes by their declared type: `INT` an integer, `REAL`, `FLOA` or `DOUB` a double, `CHAR`, `CLOB` or `TEXT`
/// text, `BLOB` data, `BOOL…` a yes or no, `DATE…` and `TIMESTAMP…` a date, `DECIMAL` and `NUMERIC` a decimal; without
/// a type, what is there. How the numbers in a column of dates count time, whether other numbers and texts are dates,
/// and whether 0 and 1 are a yes or no, the name and all values of a column say together (Specs/format/migration.md,
/// *Types of columns of databases*), and it is said of each such column (`guessedDate`, `guessedFlag`). Since SQLite
/// lets a column hold anything, every value is looked at when the source is opened: where one does not fit, the
/// attribute gets a type that holds them all, with a warning. UUIDs in `TEXT` columns stay text.
///
/// A record's **key** is the primary key, of each row by its own value: text as it is, numbers in decimal, sixteen
/// bytes as the lower-case text of a UUID, other bytes in hexadecimal; several columns, and what is none of these or
/// the text of another row, make a key of 32 hexadecimal digits. Without a primary key it is made in the same way of
/// the unique columns, where there are some that are declared not to be NULL, and else it is the rowid, which `VACUUM`
/// changes (`rowNumberKey`); a table whose columns have taken all names of that is left out. A text column called `id`
/// is no attribute too: the record's identifier says the same. Any other column that alone is the key is an attribute
/// and indexed, but not unique, because another database may have a row with the same key.
///
/// **Foreign keys** of one column become to-one relationships named by the column, with the referring table's name on
/// the other side, and `ON DELETE` as the rule: `SET NULL` of a column that may not be NULL forbids the deletion, as
/// `RESTRICT`, `NO ACTION` and no rule do. A table with nothing but two foreign keys, perhaps a key of its own and
/// a column that says the position, becomes an ordered list: of the table after which it is named first, otherwise of
/// the first foreign key's. Where one of the two foreign keys forbids that what it refers to is deleted, so does the
/// list. Such a key is one of numbers or UUIDs that is called `id` or after the table, and to which
/// no column of another table leads by its name (`membership_id`), or by its name and its values together
/// (`membership`). A column says the position when all words of its name do (`position`, `sort_order`), or one of
/// them or a single other word does (`trackOrder`, `order`, `rank`) and no two entries of a list have the same value.
/// Where a column says the position among the rows of a to-one (`album_position`), records come in this order; of
/// several to-ones in that of the first one, and it is said where another one would differ (`lostOrder`).
///
/// A newer export of a database that was migrated is understood as the one before, whatever its values would say by
/// themselves (``understood(as:progress:)``): a value that does not fit its column is left out then (`unexpectedType`).
///
/// The database and its log are copied to a private place first; the original is never opened by SQLite. Nothing in the
/// file is trusted (``SQLiteDatabase``). A database that is damaged is refused when it is opened.
///
/// Memory: a row at a time, and the list in hand.
public struct SQLiteDatabaseSource: DetailedSource, InterpretingSource, GuessingSource {
    /// The kind of the identity of every SQLite database.
    public static let kind = "sqlite"

    public let identity: SourceIdentity
    public var byteCount: UInt64 { file.byteCount }
    public var schema: SchemaDescription { plan.schema }
    public var infersTypes: Bool { true }
    public var interpretation: SourceInterpretation { plan.interpretation }
    public var widenedFields: [String: Set<String>] { plan.widenedFields }
    /// Whether the log is missing now and an earlier export had it: its changes are in the store.
    public var isOutdated: Bool { file.lacksLog && plan.interpretation[DatabaseChoice.log] != nil }
    public var keyFields: [String: String] {
        let fields = plan.tables.compactMap { table in table.keyField.map { (table.model, $0) } }
        return Dictionary(fields, uniquingKeysWith: { first, _ in first })
    }

    private let file: DatabaseFile
    private let plan: DatabasePlan

    /// Copies a database, examines it, and looks at every value.
    ///
    /// - Parameters:
    ///   - path: the database file; its `-wal` is looked for beside it.
    ///   - name: a name that takes the place of the file's name as the identity of the library.
    ///   - progress: called at the beginning, about every four megabytes that are copied, now and then while the copy
    ///     is examined, and at the end, on the caller's thread; returning false cancels, and no copy stays.
    /// - Throws: ``LegacyError``.
    /// - Complexity: O(*n* log *n*) of the rows.
    public init(
        path: String,
        name: String? = nil,
        progress: (LegacyProgress) -> Bool = { _ in true }
    ) throws(LegacyError) {
        let (file, plan) = try SourceFile.open(path, progress) { opening in
            opening.passCount += DatabaseFile.planningPassCount
            let file = try DatabaseFile(opening)
            return (file, try file.plan(opening, Self.plan))
        }
        self.init(file, plan, name: name)
    }

    init(_ file: DatabaseFile, _ plan: DatabasePlan, name: String?) {
        self.init(file, plan, SourceIdentity(kind: Self.kind, name: name, fileName: file.fileName))
    }

    private init(_ file: DatabaseFile, _ plan: DatabasePlan, _ identity: SourceIdentity) {
        self.file = file
        self.plan = plan
        self.identity = identity
    }

    static func plan(_ database: SQLiteDatabase) throws -> DatabasePlan {
        var planner = SQLitePlanner(database)
        return try planner.plan()
    }

    public func understood(
        as earlier: SourceInterpretation,
        progress: (LegacyProgress) -> Bool
    ) throws(LegacyError) -> Self {
        let again = try file.plan(progress) { database in
            var planner = SQLitePlanner(database, asIn: earlier, after: plan.examination)
            return try planner.plan()
        }
        return Self(file, again, identity)
    }

    package func storedValues(of fields: [String: Set<String>]) -> Self {
        Self(file, plan.storedValues(of: fields), identity)
    }

    public static func canRead(prefix: some Sequence<UInt8>) -> Bool {
        SQLiteCopy.isDatabase(prefix: prefix)
    }

    public func read(_ consume: (LegacyEvent) throws -> Void) throws -> LegacyReading {
        try file.read(by: plan, consume)
    }

    public func contentHash(_ progress: (LegacyProgress) throws -> Void) throws -> ContentHash {
        try file.contentHash(progress)
    }
}

public import ExportFormats
public import LegacyRecords
public import Reprise
import SQLiteFile

/// A store of Core Data or SwiftData: a SQLite database of a certain form.
///
/// **Entities** become models under their own names. Where others inherit from an entity, all of them are in its
/// table, and in its model: the attribute `entity` says which one a record is of. **Attributes** are told by their
/// columns: their names are upper-case there, so that without the model's own copy in the store they become
/// lower-case; dates are seconds since 2001; sixteen bytes stay data unless the model calls them a UUID. **To-one
/// relationships** are numbers of rows. Where they lead says the model; without it, a column with the index that Core
/// Data makes for relationships, or with an order, leads to the entity that it is named after, or the only one that
/// has all those rows. **Many-to-many relationships** become ordered lists, in the store's order or else in that of
/// the rows, with a warning. Records come in the order of one relationship, and lists are in that of one side; it is
/// said where another one would differ (`lostOrder`). Tables of the app's own are left out, with a warning.
///
/// A record's **key** is the number of its row (`Z_PK`), which stays the same as long as the store does. The store's
/// **identity** is its UUID. The history (`ATRANSACTION`, `ACHANGE`) holds no values; the times in it become those of
/// the records (``LegacyTimes``).
///
/// The store and its log are copied to a private place first; the original is never opened by SQLite. Large values that
/// Core Data keeps in files of their own (`.<name>_SUPPORT/_EXTERNAL_DATA`) are read beside the original. Before a
/// value that may be in such a file stands a mark: the model says for which attributes; without it, a column in which
/// one value is in a file.
///
/// Memory: a row at a time, and the list in hand.
public struct CoreDataSource: DetailedSource, InterpretingSource, GuessingSource {
    /// The kind of the identity of every store of Core Data.
    public static let kind = "coredata"

    public let identity: SourceIdentity
    public var byteCount: UInt64 { file.byteCount }
    public var schema: SchemaDescription { plan.schema }

    public var interpretation: SourceInterpretation { plan.interpretation }
    /// Whether the log is missing now and an earlier export had it: its changes are in the store.
    public var isOutdated: Bool { file.lacksLog && plan.interpretation[DatabaseChoice.log] != nil }

    private let file: DatabaseFile
    private let plan: DatabasePlan
    private let allowsMissingFiles: Bool

    /// Copies a store, examines it, and looks at every value.
    ///
    /// - Parameters:
    ///   - path: the store's main file, such as `default.store`; its `-wal` is looked for beside it.
    ///   - name: a name that takes the place of the store's UUID as the identity of the library.
    ///   - allowsMissingFiles: whether the store may be read where large values are in files of their own and the
    ///     directory of those is missing altogether; the values are left out then, with warnings. Otherwise
    ///     ``read(_:)`` throws `noSuchFile`, since a migration would take them for removed.
    ///   - progress: called at the beginning, about every four megabytes that are copied, now and then while the copy
    ///     is examined, and at the end, on the caller's thread; returning false cancels, and no copy stays.
    /// - Throws: ``LegacyError``: `unknownFormat` for a database of another sort.
    /// - Complexity: O(*n* log *n*) of the rows.
    public init(
        path: String,
        name: String? = nil,
        allowsMissingFiles: Bool = false,
        progress: (LegacyProgress) -> Bool = { _ in true }
    ) throws(LegacyError) {
        self = try SourceFile.open(path, progress) { opening in
            opening.passCount += DatabaseFile.planningPassCount
            let file = try DatabaseFile(opening)
            return try Self(file, opening, name: name, allowsMissingFiles: allowsMissingFiles)
        }
    }

    /// - Parameter opening: what the making of the plan is a part of.
    init(
        _ file: DatabaseFile,
        _ opening: SourceOpening,
        name: String?,
        allowsMissingFiles: Bool = false
    ) throws(LegacyError) {
        var uuid: String?
        plan = try file.plan(opening) { database in
            guard try SQLiteFormat.isCoreData(database) else {
                throw LegacyError(
                    .unknownFormat,
                    "\(file.path) is a SQLite database, but no store of Core Data.",
                    advice: "Read it as an ordinary database."
                )
            }
            uuid = try Self.uuid(database)
            return try Self.plan(
                database,
                file,
                allowsMissingFiles: allowsMissingFiles,
                asIn: SourceInterpretation(),
                after: nil
            )
        }
        self.file = file
        self.allowsMissingFiles = allowsMissingFiles
        identity = SourceIdentity(
            kind: Self.kind,
            name: name ?? uuid,
            fileName: file.fileName
        )
    }

    private init(_ source: Self, _ plan: DatabasePlan) {
        file = source.file
        identity = source.identity
        allowsMissingFiles = source.allowsMissingFiles
        self.plan = plan
    }

    private static func plan(
        _ database: SQLiteDatabase,
        _ file: DatabaseFile,
        allowsMissingFiles: Bool,
        asIn earlier: SourceInterpretation,
        after examination: SQLiteExamination?
    ) throws -> DatabasePlan {
        var planner = try CoreDataPlanner(database, asIn: earlier, after: examination)
        return try planner.plan(
            externalDirectory: externalDirectory(of: file.originalPath),
            allowsMissingFiles: allowsMissingFiles
        )
    }

    public func understood(
        as earlier: SourceInterpretation,
        progress: (LegacyProgress) -> Bool
    ) throws(LegacyError) -> Self {
        let again = try file.plan(progress) { database in
            try Self.plan(
                database,
                file,
                allowsMissingFiles: allowsMissingFiles,
                asIn: earlier,
                after: plan.examination
            )
        }
        return Self(self, again)
    }

    private static func uuid(_ database: SQLiteDatabase) throws -> String? {
        let rows = try database.prepare("SELECT Z_UUID FROM Z_METADATA LIMIT 1")
        guard try rows.step(), case .text(let text) = rows.value(at: 0), KeyRegistry.isUsable(text)
        else { return nil }
        return text
    }

    /// `.<name>_SUPPORT/_EXTERNAL_DATA` beside the store, the name without its extension.
    private static func externalDirectory(of path: String) -> String {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let fileName = String(parts.last ?? "")
        let name = fileName.lastIndex(of: ".").map { String(fileName[..<$0]) } ?? fileName
        return parts.dropLast().joined(separator: "/") + "/.\(name)_SUPPORT/_EXTERNAL_DATA"
    }

    package func storedValues(of fields: [String: Set<String>]) -> Self {
        Self(self, plan.storedValues(of: fields))
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

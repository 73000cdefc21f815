import SQLiteFile

/// Which tables of a store Core Data, SwiftData and the mirroring to CloudKit make for themselves, and which a search
/// index keeps its data in. What is in any other table is the app's own.
struct CoreDataBookkeeping {
    /// The persistent history; see ``CoreDataHistory``.
    private static let history: Set<String> = ["achange", "atransaction", "atransactionstring"]
    /// What CloudKit's mirroring keeps: `ANSCKRECORDMETADATA`.
    private static let mirroring = "ansck"
    /// `Z_METADATA`; but `Z_2TRACKS` relates rows of entities.
    private static let own = "z_"
    /// What the tables of full-text and R-tree indexes are called after them.
    private static let shadows = [
        "content", "segments", "segdir", "docsize", "stat", "data", "idx", "config", "node",
        "parent", "rowid",
    ]

    /// The tables of search indexes, where the module is not there to say which they are.
    private let shadowNames: Set<String>

    /// - Parameter tables: all tables of the store.
    init(_ tables: [SQLiteTable]) {
        shadowNames = Set(
            tables.lazy.filter { $0.kind == .virtual }.flatMap { index in
                Self.shadows.map { "\(SQLiteName.folded(index.name))_\($0)" }
            }
        )
    }

    /// Whether what is in a table says nothing of the app's own.
    func has(_ table: SQLiteTable) -> Bool {
        let name = SQLiteName.folded(table.name)
        return Self.history.contains(name) || name.hasPrefix(Self.mirroring)
            || (name.hasPrefix(Self.own) && CoreDataJoin.parts(table.name) == nil)
            || shadowNames.contains(name)
    }
}

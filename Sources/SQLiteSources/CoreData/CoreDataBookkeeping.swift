import SQLiteFile

/// Which tables of a store Core Data, SwiftData and the mirroring to CloudKit make for themselves, and which a search
/// index keeps its data in. What is in any other table is the app's own, also where it is called like one of those.
struct CoreDataBookkeeping {
    /// The persistent history (see ``CoreDataHistory``), and what the mirroring to CloudKit keeps: the entities of
    /// models that Core Data adds to the app's. Their tables begin with an A and are like those of any entity.
    private static let addedEntities: Set<String> = [
        "ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING",
        "ANSCKDATABASEMETADATA", "ANSCKEVENT", "ANSCKEXPORTEDOBJECT", "ANSCKEXPORTMETADATA", "ANSCKEXPORTOPERATION",
        "ANSCKHISTORYANALYZERSTATE", "ANSCKIMPORTOPERATION", "ANSCKIMPORTPENDINGRELATIONSHIP", "ANSCKMETADATAENTRY",
        "ANSCKMIRROREDRELATIONSHIP", "ANSCKMIRROREDRELATIONSHIPSYSTEMFIELDSASSET", "ANSCKRECORDMETADATA",
        "ANSCKRECORDMETADATAENCODEDRECORDASSET", "ANSCKRECORDMETADATASYSTEMFIELDSASSET", "ANSCKRECORDZONEMETADATA",
        "ANSCKRECORDZONEMETADATAENCODEDSHAREASSET", "ANSCKRECORDZONEMOVERECEIPT", "ANSCKRECORDZONEQUERY",
    ]
    /// Those of the first stores in iCloud, up to iOS 9.
    private static let cloud: Set<String> = ["Y_UBKVS", "Y_UBMETA", "Y_UBRANGE"]
    /// What the tables of search indexes are called after them, by the module.
    private static let shadows: [String: [String]] = {
        let words = ["content", "segments", "segdir", "docsize", "stat"]
        let boxes = ["node", "parent", "rowid"]
        return [
            "fts3": words, "fts4": words, "fts5": ["data", "idx", "content", "docsize", "config"],
            "rtree": boxes, "rtree_i32": boxes, "geopoly": boxes, "spellfix1": ["vocab"],
        ]
    }()

    /// The tables of search indexes whose module is not there to say which they are.
    private let shadowNames: Set<String>
    /// What the names of the indexes that Core Data makes of values of entities begin with.
    private let ownIndexes: [String]
    /// The modules of virtual tables.
    private let modules: [String: String]

    /// - Parameters:
    ///   - tables: all tables of the store.
    ///   - entities: the names of its entities.
    init(_ tables: [SQLiteTable], _ entities: [String], in database: SQLiteDatabase) throws {
        let known = try Self.knownModules(in: database)
        modules = try Self.modules(in: database)
        shadowNames = Self.shadowNames(of: modules, known: known)
        ownIndexes = entities.map { "Z_RT_\($0)_" }
    }

    /// Whether what is in a table says nothing of the app's own.
    func has(_ table: SQLiteTable) -> Bool {
        if table.kind == .virtual {
            // Of numbers that are in the entity's table as well.
            return modules[SQLiteName.folded(table.name)] == "rtree"
                && ownIndexes.contains { table.name.hasPrefix($0) }
        }
        // Names are in capital letters.
        if Self.addedEntities.contains(table.name) { return table.rowidColumn?.name == "Z_PK" }
        return Self.cloud.contains(table.name) || shadowNames.contains(SQLiteName.folded(table.name))
    }

    /// What tables of search indexes are called of which SQLite does not say it, because it does not have the module:
    /// where it has it, a table that is called so and is none of them is the app's own.
    ///
    /// - Parameters:
    ///   - modules: the modules of virtual tables, by the tables' names in small letters.
    ///   - known: the modules that SQLite has.
    static func shadowNames(of modules: [String: String], known: Set<String>) -> Set<String> {
        Set(
            modules.lazy.filter { !known.contains($0.value) }.flatMap { name, module in
                (shadows[module] ?? []).map { "\(name)_\($0)" }
            }
        )
    }

    private static func knownModules(in database: SQLiteDatabase) throws -> Set<String> {
        var names: Set<String> = []
        let rows = try database.prepare("PRAGMA module_list")
        while try rows.step() {
            if case .text(let name) = rows.value(at: 0) { names.insert(SQLiteName.folded(name)) }
        }
        return names
    }

    private static func modules(in database: SQLiteDatabase) throws -> [String: String] {
        try declarations(in: database).compactMapValues(module)
    }

    /// How virtual tables are declared, by their names in small letters.
    static func declarations(in database: SQLiteDatabase) throws -> [String: String] {
        var declarations: [String: String] = [:]
        let rows = try database.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND rootpage = 0")
        while try rows.step() {
            guard case .text(let name) = rows.value(at: 0), case .text(let statement) = rows.value(at: 1) else {
                continue
            }
            declarations[SQLiteName.folded(name)] = statement
        }
        return declarations
    }

    /// The module that the declaration of a virtual table names, in small letters: SQLite keeps it as
    /// `CREATE VIRTUAL TABLE <name> USING <module>(…)`, the name as it was written. Nil where there is anything else.
    static func module(in statement: String) -> String? {
        var rest = statement.unicodeScalars[...]
        guard SQLiteName.folded(String(rest.prefix(beginning.unicodeScalars.count))) == beginning else { return nil }
        rest = rest.dropFirst(beginning.unicodeScalars.count)
        guard let first = rest.first else { return nil }
        if let end: Unicode.Scalar = first == "[" ? "]" : ["\"", "'", "`"].contains(first) ? first : nil {
            rest = rest.dropFirst()
            while true {
                guard let place = rest.firstIndex(of: end) else { return nil }
                rest = rest[rest.index(after: place)...]
                // A quote twice is one in the name.
                guard end != "]", rest.first == end else { break }
                rest = rest.dropFirst()
            }
        } else {
            rest = rest.drop { !$0.properties.isWhitespace }
        }
        let words = rest.split { !isOfName($0) }.prefix(2).map { SQLiteName.folded(String($0)) }
        return words.count == 2 && words[0] == "using" ? words[1] : nil
    }

    private static let beginning = "create virtual table "

    private static func isOfName(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "_" || scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
    }
}

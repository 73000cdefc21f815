import LegacyRecords
import ExportFormats
import SQLiteFile

/// The tables of full-text search (FTS3, FTS4 and FTS5) of a database.
///
/// One that holds rows of its own keeps them in an ordinary table, which can be read without the module: its name and
/// `_content` (https://www.sqlite.org/fts3.html#_shadow_tables_, https://www.sqlite.org/fts5.html#appendix_b). One
/// that only finds rows of other tables has none.
struct SearchTables {
    /// What a table with the rows of a search table is called.
    struct Content {
        let table: String
        /// By the name of the column, as SQLite tells names apart.
        let columns: [[UInt8]: String]
    }

    /// By the names of the tables that have the rows.
    private var contents: [String: Content] = [:]
    /// The tables that are part of a search table, it among them.
    private var parts: Set<String> = []
    /// A sentence for each search table.
    private(set) var notes: [String] = []

    private static let modules: Set<String> = ["fts3", "fts4", "fts5"]

    init(_ tables: [SQLiteTable], in database: SQLiteDatabase) throws {
        let declarations = try CoreDataBookkeeping.declarations(in: database)
        let names = Dictionary(
            tables.map { (SQLiteName.folded($0.name), $0) },
            uniquingKeysWith: { first, _ in first }
        )
        for table in tables where table.kind == .virtual {
            let name = SQLiteName.folded(table.name)
            guard let declaration = declarations[name], let module = CoreDataBookkeeping.module(in: declaration),
                Self.modules.contains(module)
            else { continue }
            let arguments = Self.arguments(of: declaration)
            // Such values only the app can read.
            if arguments.contains(where: { SQLiteName.folded($0).hasPrefix("compress=") }) { continue }
            parts.insert(name)
            let shadows = CoreDataBookkeeping.shadowNames(of: [name: module], known: []).filter { names[$0] != nil }
            parts.formUnion(shadows)
            if let content = names[name + "_content"] {
                let columns = Self.columns(of: content, arguments.filter { !$0.contains("=") })
                contents[SQLiteName.folded(content.name)] = Content(table: table.name, columns: columns)
                notes.append("\(table.name) is a full-text table with rows of its own; its index was left out.")
            } else {
                notes.append("\(table.name) is a full-text index of rows that other tables have; it was left out.")
            }
        }
    }

    func content(_ table: SQLiteTable) -> Content? { contents[SQLiteName.folded(table.name)] }

    /// Whether a table belongs to a search table and has no rows to read.
    func isIndex(_ table: SQLiteTable) -> Bool {
        content(table) == nil && parts.contains(SQLiteName.folded(table.name))
    }

    /// What the columns of a table of content are called: in FTS3 and FTS4 `c0title`, in FTS5 `c0`, after the number of
    /// the row.
    private static func columns(of content: SQLiteTable, _ arguments: [String]) -> [[UInt8]: String] {
        var columns: [[UInt8]: String] = [:]
        for (place, column) in content.columns.enumerated() {
            let number = "c\(place - 1)"
            let rest = column.name.dropFirst(number.count)
            let name: String? =
                if place == 0 {
                    "rowid"
                } else if !column.name.hasPrefix(number) {
                    nil
                } else if !rest.isEmpty {
                    String(rest)
                } else if arguments.indices.contains(place - 1) {
                    firstName(in: arguments[place - 1])
                } else {
                    nil
                }
            columns[SQLiteName.bytes(column.name)] = name
        }
        return columns
    }

    /// What stands between the parentheses of a declaration, apart by commas.
    private static func arguments(of declaration: String) -> [String] {
        guard let start = declaration.firstIndex(of: "("), let end = declaration.lastIndex(of: ")"), start < end else {
            return []
        }
        var arguments: [String] = [""]
        var quote: Character?
        for character in declaration[declaration.index(after: start)..<end] {
            if let open = quote {
                if character == open { quote = nil }
            } else if character == "[" {
                quote = "]"
            } else if ["\"", "'", "`"].contains(character) {
                quote = character
            } else if character == "," {
                arguments.append("")
                continue
            }
            arguments[arguments.count - 1].append(character)
        }
        return arguments.map(\.withoutSpacesAround)
    }

    /// The name that an argument begins with, without its quotes.
    private static func firstName(in argument: String) -> String {
        guard let first = argument.first, "[\"'`".contains(first) else {
            return String(argument.prefix { !$0.isWhitespace })
        }
        return String(argument.dropFirst().prefix { $0 != (first == "[" ? "]" : first) })
    }
}

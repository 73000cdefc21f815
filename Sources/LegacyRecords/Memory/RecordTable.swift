import ExportFormats
package import SQLiteFile

/// What records are remembered by: one number, or the two of a content key.
package protocol RememberedKey: Hashable {
    /// The columns of a table that hold such keys.
    static var columns: [String] { get }

    /// Sets the first parameters of a statement.
    func bind(to statement: SQLiteStatement) throws(SQLiteFileError)
}

extension UInt64: RememberedKey {
    package static var columns: [String] { ["key"] }

    package func bind(to statement: SQLiteStatement) throws(SQLiteFileError) {
        try statement.bind(.integer(Int64(bitPattern: self)), at: 1)
    }
}

extension ContentKey: RememberedKey {
    package static var columns: [String] { ["high", "low"] }

    package func bind(to statement: SQLiteStatement) throws(SQLiteFileError) {
        try statement.bind(.integer(Int64(bitPattern: high)), at: 1)
        try statement.bind(.integer(Int64(bitPattern: low)), at: 2)
    }
}

/// Keys that did not fit into memory, each with a value perhaps. Every operation is a search in a B-tree.
final class RecordTable<Key: RememberedKey> {
    private let database: SQLiteTemporaryDatabase
    private let name: String
    private let insertion: SQLiteStatement
    private let search: SQLiteStatement
    private let deletion: SQLiteStatement

    /// - Throws: ``LegacyError`` with the code `inputOutput`, as everything else here.
    init(in memory: RecordMemory) throws(LegacyError) {
        (database, name) = try memory.newTable()
        let columns = Key.columns
        let condition = columns.map { "\($0) = ?" }.joined(separator: " AND ")
        let parameters = Array(repeating: "?", count: columns.count + 1).joined(separator: ", ")
        do throws(SQLiteFileError) {
            // A single number is SQLite's own key of a row; two make the table its own index.
            try database.run(
                columns.count == 1
                    ? "CREATE TABLE \(name) (\(columns[0]) INTEGER PRIMARY KEY, value)"
                    : "CREATE TABLE \(name) (\(columns.joined(separator: ", ")), value,"
                        + " PRIMARY KEY (\(columns.joined(separator: ", ")))) WITHOUT ROWID"
            )
            insertion = try database.prepare("INSERT OR IGNORE INTO \(name) VALUES (\(parameters))")
            search = try database.prepare("SELECT value FROM \(name) WHERE \(condition)")
            deletion = try database.prepare("DELETE FROM \(name) WHERE \(condition)")
        } catch {
            throw LegacyError(remembering: error)
        }
    }

    deinit {
        database.drop(name)
    }

    /// Adds a key, where it is new; returns whether it is.
    @discardableResult
    func insert(_ key: Key, _ value: RecordKey? = nil) throws(LegacyError) -> Bool {
        do throws(SQLiteFileError) {
            try key.bind(to: insertion)
            try insertion.bind(Self.stored(value), at: Key.columns.count + 1)
            _ = try insertion.step()
            return database.changedRowCount > 0
        } catch {
            throw LegacyError(remembering: error)
        }
    }

    func contains(_ key: Key) throws(LegacyError) -> Bool {
        do throws(SQLiteFileError) {
            try key.bind(to: search)
            defer { search.reset() }
            return try search.step()
        } catch {
            throw LegacyError(remembering: error)
        }
    }

    func value(of key: Key) throws(LegacyError) -> RecordKey? {
        do throws(SQLiteFileError) {
            try key.bind(to: search)
            defer { search.reset() }
            guard try search.step() else { return nil }
            return RecordKey(stored: search.value(at: 0))
        } catch {
            throw LegacyError(remembering: error)
        }
    }

    /// Takes a key away; returns whether it was there.
    @discardableResult
    func remove(_ key: Key) throws(LegacyError) -> Bool {
        do throws(SQLiteFileError) {
            try key.bind(to: deletion)
            _ = try deletion.step()
            return database.changedRowCount > 0
        } catch {
            throw LegacyError(remembering: error)
        }
    }

    private static func stored(_ value: RecordKey?) -> SQLiteValue {
        value.map(\.stored) ?? .null
    }
}

extension RecordKey {
    /// As a table has it: a number as one, anything else as a text.
    var stored: SQLiteValue {
        switch self {
        case .number(let number): .integer(Int64(bitPattern: number))
        case .odd(let text): .text(text)
        }
    }

    init?(stored value: SQLiteValue) {
        switch value {
        case .integer(let number): self = .number(UInt64(bitPattern: number))
        case .text(let text): self = .odd(text)
        default: return nil
        }
    }
}

package import ExportFormats
import SQLiteFile

/// Bytes by numbers, in ascending order, for what does not fit into memory.
package final class ByteTable {
    private let database: SQLiteTemporaryDatabase
    private let name: String
    private let insertion: SQLiteStatement
    private let search: SQLiteStatement
    private let next: SQLiteStatement

    /// - Throws: ``LegacyError`` with the code `inputOutput`, as everything else here.
    package init(in memory: RecordMemory) throws(LegacyError) {
        (database, name) = try memory.newTable()
        do throws(SQLiteFileError) {
            try database.run("CREATE TABLE \(name) (number INTEGER PRIMARY KEY, bytes)")
            insertion = try database.prepare("INSERT OR REPLACE INTO \(name) VALUES (?, ?)")
            search = try database.prepare("SELECT bytes FROM \(name) WHERE number = ?")
            next = try database.prepare(
                "SELECT number FROM \(name) WHERE number > ? ORDER BY number LIMIT 1"
            )
        } catch {
            throw LegacyError(remembering: error)
        }
    }

    deinit {
        database.drop(name)
    }

    package func insert(_ bytes: [UInt8], at number: Int) throws(LegacyError) {
        do throws(SQLiteFileError) {
            try insertion.bind(.integer(Int64(number)), at: 1)
            try insertion.bind(.blob(bytes), at: 2)
            _ = try insertion.step()
        } catch {
            throw LegacyError(remembering: error)
        }
    }

    /// The first number after another. A search in a B-tree.
    package func first(after number: Int) throws(LegacyError) -> Int? {
        do throws(SQLiteFileError) {
            try next.bind(.integer(Int64(number)), at: 1)
            defer { next.reset() }
            guard try next.step(), case .integer(let found) = next.value(at: 0) else { return nil }
            return Int(found)
        } catch {
            throw LegacyError(remembering: error)
        }
    }

    /// The bytes at a number; nil where there are none. A search in a B-tree, and a copy.
    package func bytes(at number: Int) throws(LegacyError) -> [UInt8]? {
        do throws(SQLiteFileError) {
            try search.bind(.integer(Int64(number)), at: 1)
            defer { search.reset() }
            guard try search.step(), case .blob(let bytes) = search.value(at: 0) else { return nil }
            return bytes
        } catch {
            throw LegacyError(remembering: error)
        }
    }
}

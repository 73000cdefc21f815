package import ExportFormats
import SQLiteFile

/// Numbers by what they are of, in ascending order, for those that do not fit into memory.
package final class PlaceTable {
    private let database: SQLiteTemporaryDatabase
    private let name: String
    private let insertion: SQLiteStatement
    private let search: SQLiteStatement
    private let next: SQLiteStatement

    /// - Throws: ``LegacyError`` with the code `inputOutput`, as everything else here.
    package init(in memory: RecordMemory) throws(LegacyError) {
        (database, name) = try memory.newTable()
        do throws(SQLiteFileError) {
            try database.run(
                "CREATE TABLE \(name) (owner INTEGER, place INTEGER, PRIMARY KEY (owner, place)) WITHOUT ROWID"
            )
            insertion = try database.prepare("INSERT INTO \(name) VALUES (?, ?)")
            search = try database.prepare(
                "SELECT place FROM \(name) WHERE owner = ? ORDER BY place"
            )
            next = try database.prepare(
                "SELECT owner, place FROM \(name) WHERE (owner, place) > (?, ?)"
                    + " ORDER BY owner, place LIMIT 1"
            )
        } catch {
            throw LegacyError(remembering: error)
        }
    }

    deinit {
        database.drop(name)
    }

    package func insert(_ place: Int, of owner: Int) throws(LegacyError) {
        do throws(SQLiteFileError) {
            try insertion.bind(.integer(Int64(owner)), at: 1)
            try insertion.bind(.integer(Int64(place)), at: 2)
            _ = try insertion.step()
        } catch {
            throw LegacyError(remembering: error)
        }
    }

    /// The first place, of whatever owner, after one of an owner. A search in a B-tree.
    package func first(after owner: Int, _ place: Int) throws(LegacyError) -> (owner: Int, place: Int)? {
        do throws(SQLiteFileError) {
            try next.bind(.integer(Int64(owner)), at: 1)
            try next.bind(.integer(Int64(place)), at: 2)
            defer { next.reset() }
            guard try next.step(), case .integer(let owner) = next.value(at: 0),
                case .integer(let place) = next.value(at: 1)
            else { return nil }
            return (Int(owner), Int(place))
        } catch {
            throw LegacyError(remembering: error)
        }
    }

    /// Hands over the places of an owner until `body` returns false. O(places), after a search in a B-tree.
    package func forEachPlace(
        of owner: Int,
        _ body: (Int) throws(LegacyError) -> Bool
    ) throws(LegacyError) {
        defer { search.reset() }
        do throws(SQLiteFileError) {
            try search.bind(.integer(Int64(owner)), at: 1)
        } catch {
            throw LegacyError(remembering: error)
        }
        while let place = try nextPlace() {
            guard try body(place) else { return }
        }
    }

    private func nextPlace() throws(LegacyError) -> Int? {
        do throws(SQLiteFileError) {
            guard try search.step(), case .integer(let place) = search.value(at: 0) else {
                return nil
            }
            return Int(place)
        } catch {
            throw LegacyError(remembering: error)
        }
    }
}

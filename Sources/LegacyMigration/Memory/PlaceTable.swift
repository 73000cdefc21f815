import SQLiteFile

/// Numbers by what they are of, in ascending order, for those that do not fit into memory.
final class PlaceTable {
    private let database: SQLiteTemporaryDatabase
    private let name: String
    private let insertion: SQLiteStatement
    private let search: SQLiteStatement

    /// - Throws: ``LegacyError`` with the code `inputOutput`, as everything else here.
    init(in memory: RecordMemory) throws(LegacyError) {
        (database, name) = try memory.newTable()
        do throws(SQLiteFileError) {
            try database.run(
                "CREATE TABLE \(name) (owner INTEGER, place INTEGER, PRIMARY KEY (owner, place)) WITHOUT ROWID"
            )
            insertion = try database.prepare("INSERT INTO \(name) VALUES (?, ?)")
            search = try database.prepare(
                "SELECT place FROM \(name) WHERE owner = ? ORDER BY place"
            )
        } catch {
            throw LegacyError(remembering: error)
        }
    }

    deinit {
        database.drop(name)
    }

    func insert(_ place: Int, of owner: Int) throws(LegacyError) {
        do throws(SQLiteFileError) {
            try insertion.bind(.integer(Int64(owner)), at: 1)
            try insertion.bind(.integer(Int64(place)), at: 2)
            _ = try insertion.step()
        } catch {
            throw LegacyError(remembering: error)
        }
    }

    /// O(places of the owner), after a search in a B-tree.
    func places(of owner: Int) throws(LegacyError) -> [Int] {
        do throws(SQLiteFileError) {
            try search.bind(.integer(Int64(owner)), at: 1)
            defer { search.reset() }
            var places: [Int] = []
            while try search.step() {
                guard case .integer(let place) = search.value(at: 0) else { continue }
                places.append(Int(place))
            }
            return places
        } catch {
            throw LegacyError(remembering: error)
        }
    }
}

import Foundation
import GRDB
import Reprise

/// GRDB as its documentation recommends: a `DatabasePool` (which is WAL), cached prepared statements, one transaction
/// for a batch; and with full sync, because Reprise has it always and the pool by itself does not.
final class GRDBEngine: TrackEngine {
    static let participant = Participant.grdb

    private let pool: DatabasePool

    init(in directory: URL) throws {
        let file = directory.appending(path: "tracks.sqlite")
        let isNew = !FileManager.default.fileExists(atPath: file.path)
        pool = try DatabasePool.durable(at: file)
        guard isNew else { return }
        try pool.write { database in
            try database.create(table: "track") { table in
                table.primaryKey("id", .text)
                table.column("title", .text).notNull()
                table.column("artist", .text).notNull()
                table.column("album", .text).notNull()
                table.column("genre", .text).notNull().indexed()
                table.column("duration", .double).notNull()
                table.column("releaseDate", .datetime).notNull().indexed()
                table.column("year", .integer).notNull()
                table.column("rating", .integer)
                table.column("playCount", .integer).notNull()
                table.column("bpm", .double).notNull()
                table.column("addedAt", .datetime)
                table.column("location", .text).notNull()
            }
        }
    }

    func close() throws {
        try pool.close()
    }

    func insert(_ tracks: [Track]) throws {
        try pool.write { database in try Self.insert(tracks, into: database) }
    }

    func insertConcurrently(_ track: Track) async throws {
        try await pool.write { database in try Self.insert([track], into: database) }
    }

    func load(_ nextBatch: () -> [Track]?) throws {
        while let tracks = nextBatch() { try insert(tracks) }
    }

    func readTogether(_ ids: ArraySlice<Track.ID>, _ use: (Track) -> Void) throws {
        try pool.read { database in
            for id in ids { use(try Self.track(id, in: database)) }
        }
    }

    func readSeparately(_ ids: ArraySlice<Track.ID>, _ use: (Track) -> Void) throws {
        for id in ids { use(try pool.read { database in try Self.track(id, in: database) }) }
    }

    func tracks(ofGenre genre: String, longerThan duration: Double) throws -> [Track] {
        try fetch("SELECT * FROM track WHERE genre = ? AND duration > ?", [genre, duration])
    }

    func firstByReleaseDate(_ count: Int) throws -> [Track] {
        try fetch("SELECT * FROM track ORDER BY releaseDate LIMIT ?", [count])
    }

    /// `instr` and not `LIKE`, which would not tell upper from lower case.
    func tracks(withTitleContaining part: String) throws -> [Track] {
        try fetch("SELECT * FROM track WHERE instr(title, ?) > 0", [part])
    }

    func durationByGenre() throws -> [String: Double]? {
        try pool.read { database in
            let statement = try database.cachedStatement(
                sql: "SELECT genre, sum(duration) FROM track GROUP BY genre"
            )
            var sums: [String: Double] = [:]
            for row in try Row.fetchAll(statement) { sums[row[0]] = row[1] }
            return sums
        }
    }

    func count() throws -> Int {
        try pool.read { database in
            try Int.fetchOne(database, sql: "SELECT count(*) FROM track") ?? 0
        }
    }

    func stream(_ use: (Track) -> Void) throws {
        try pool.read { database in
            let statement = try database.cachedStatement(sql: "SELECT * FROM track")
            let cursor = try Track.fetchCursor(statement)
            while let track = try cursor.next() { use(track) }
        }
    }

    func settle() throws {
        _ = try pool.writeWithoutTransaction { database in try database.checkpoint(.truncate) }
    }

    private func fetch(_ sql: String, _ arguments: StatementArguments) throws -> [Track] {
        try pool.read { database in
            try Track.fetchAll(try database.cachedStatement(sql: sql), arguments: arguments)
        }
    }

    private static func track(_ id: Track.ID, in database: Database) throws -> Track {
        let statement = try database.cachedStatement(sql: "SELECT * FROM track WHERE id = ?")
        guard let track = try Track.fetchOne(statement, arguments: [id.rawValue]) else {
            throw BenchmarkError.missing(id)
        }
        return track
    }

    /// One transaction.
    func write<Value>(_ body: (Database) throws -> Value) throws -> Value { try pool.write(body) }

    static func insert(_ tracks: [Track], into database: Database) throws {
        let statement = try database.cachedStatement(
            sql: "INSERT INTO track VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?)"
        )
        for track in tracks { try statement.execute(arguments: track.arguments) }
    }
}

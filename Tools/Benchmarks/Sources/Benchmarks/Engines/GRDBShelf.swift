import Foundation
import GRDB

final class GRDBShelf: ShelfEngine {
    static let participant = Participant.grdb

    private let pool: DatabasePool

    private static func pool(in directory: URL) throws -> DatabasePool {
        try DatabasePool.durable(at: directory.appending(path: "shelf.sqlite"))
    }

    init(in directory: URL, filledBy plan: ShelfPlan) throws {
        pool = try Self.pool(in: directory)
        try pool.write { database in
            try Self.createTables(in: database)
            try Self.fill(database, by: plan)
        }
    }

    func close() throws {
        try pool.close()
    }

    func deleteAlbums(_ ids: [String]) throws {
        try pool.write { database in
            let statement = try database.cachedStatement(sql: "DELETE FROM album WHERE id = ?")
            for id in ids { try statement.execute(arguments: [id]) }
        }
    }

    func counts() throws -> ShelfCounts { try Self.counts(pool) }

    static func keepTracksOfDeletedAlbums(in directory: URL) throws {
        let pool = try pool(in: directory)
        var migrator = DatabaseMigrator()
        migrator.registerMigration("keep") { database in
            try database.create(table: "newTrack") { table in
                table.primaryKey("id", .text)
                table.column("title", .text).notNull()
                table.column("duration", .double).notNull()
                table.belongsTo("album", onDelete: .setNull)
            }
            try database.execute(sql: "INSERT INTO newTrack SELECT * FROM track")
            try database.drop(table: "track")
            try database.rename(table: "newTrack", to: "track")
        }
        try migrator.migrate(pool)
        try pool.close()
    }

    static func countsWithoutFirstAlbum(in directory: URL, _ plan: ShelfPlan) throws -> ShelfCounts {
        let pool = try pool(in: directory)
        try pool.write { database in
            try database.execute(sql: "DELETE FROM album WHERE id = ?", arguments: [plan.albumID(0)])
        }
        let counts = try counts(pool)
        try pool.close()
        return counts
    }

    private static func counts(_ pool: DatabasePool) throws -> ShelfCounts {
        try pool.read { database in
            func count(_ table: String) throws -> Int {
                try Int.fetchOne(database, sql: "SELECT count(*) FROM \(table)") ?? 0
            }
            return ShelfCounts(
                albums: try count("album"),
                tracks: try count("track"),
                entries: try count("entry")
            )
        }
    }

    private static func createTables(in database: Database) throws {
        try database.create(table: "album") { table in
            table.primaryKey("id", .text)
            table.column("title", .text).notNull()
        }
        try database.create(table: "track") { table in
            table.primaryKey("id", .text)
            table.column("title", .text).notNull()
            table.column("duration", .double).notNull()
            table.belongsTo("album", onDelete: .cascade)
        }
        try database.create(table: "playlist") { table in
            table.primaryKey("id", .text)
            table.column("name", .text).notNull()
        }
        try database.create(table: "entry") { table in
            table.autoIncrementedPrimaryKey("id")
            table.belongsTo("playlist", onDelete: .cascade).notNull()
            table.belongsTo("track", onDelete: .cascade).notNull()
            table.column("place", .integer).notNull()
        }
    }

    private static func fill(_ database: Database, by plan: ShelfPlan) throws {
        let album = try database.cachedStatement(sql: "INSERT INTO album VALUES (?,?)")
        for i in 0..<plan.albumCount {
            try album.execute(arguments: [plan.albumID(i), "album \(i)"])
        }
        let track = try database.cachedStatement(sql: "INSERT INTO track VALUES (?,?,?,?)")
        for i in 0..<plan.trackCount {
            let album = plan.albumID(i / plan.tracksPerAlbum)
            try track.execute(
                arguments: [plan.trackID(i), "track \(i)", Double(i % 600), album]
            )
        }
        let playlist = try database.cachedStatement(sql: "INSERT INTO playlist VALUES (?,?)")
        let entry = try database.cachedStatement(
            sql: "INSERT INTO entry (playlistId, trackId, place) VALUES (?,?,?)"
        )
        for i in 0..<plan.playlistCount {
            try playlist.execute(arguments: [plan.playlistID(i), "playlist \(i)"])
            for place in 0..<plan.entriesPerPlaylist {
                let track = plan.trackID(plan.track(inPlaylist: i, at: place))
                try entry.execute(arguments: [plan.playlistID(i), track, place])
            }
        }
    }
}

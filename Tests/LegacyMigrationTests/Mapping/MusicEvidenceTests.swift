import Foundation
import LegacyMigration
import Reprise
import TestSupport
import Testing

/// When an export is music without anybody saying so.
@Suite struct MusicEvidenceTests {
    private func isMusic(_ sql: String) throws -> Bool {
        let sandbox = try DatabaseSandbox(sql)
        let source = try SQLiteDatabaseSource(path: sandbox.path)
        return try MappedSource(source, RecordMapping(target: .music)).isSurelyMusic
    }

    @Test(arguments: [
        "CREATE TABLE songs(id INTEGER PRIMARY KEY, name TEXT, artist TEXT);",
        "CREATE TABLE track(id TEXT PRIMARY KEY, title TEXT, length REAL);",
        "CREATE TABLE song(id TEXT PRIMARY KEY, track_title TEXT, album TEXT);",
        """
        CREATE TABLE albums(id INTEGER PRIMARY KEY);
        CREATE TABLE tracks(id INTEGER PRIMARY KEY, title TEXT, disc INTEGER REFERENCES albums(id));
        """,
        """
        CREATE TABLE tracks(id INTEGER PRIMARY KEY, title TEXT);
        CREATE TABLE playlists(id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE entries(playlist_id INTEGER REFERENCES playlists(id), track_id INTEGER REFERENCES tracks(id),
            position INTEGER, PRIMARY KEY(playlist_id, position));
        """,
    ])
    func `tracks with a title and something that only music has are music`(sql: String) throws {
        #expect(try isMusic(sql))
    }

    @Test(arguments: [
        """
        CREATE TABLE tracks(id INTEGER PRIMARY KEY, name TEXT, color TEXT, device INTEGER REFERENCES devices(id));
        CREATE TABLE devices(id INTEGER PRIMARY KEY, model TEXT);
        CREATE TABLE waypoints(id INTEGER PRIMARY KEY, track INTEGER REFERENCES tracks(id), lat REAL, lon REAL);
        """,
        "CREATE TABLE tracks(id INTEGER PRIMARY KEY, artist TEXT, duration REAL);",
        "CREATE TABLE people(id INTEGER PRIMARY KEY, title TEXT, artist TEXT);",
    ])
    func `what is only called after tracks is none`(sql: String) throws {
        #expect(try !isMusic(sql))
    }

    @Test func `classes without a place are named`() throws {
        let sandbox = try DatabaseSandbox(
            """
            CREATE TABLE songs(id INTEGER PRIMARY KEY, name TEXT, artist TEXT);
            CREATE TABLE moods(id INTEGER PRIMARY KEY, name TEXT);
            """
        )
        let source = try SQLiteDatabaseSource(path: sandbox.path)
        let mapped = try MappedSource(source, RecordMapping(target: .music))
        #expect(mapped.unmappedClasses == ["moods"])
    }

    @Test(arguments: [
        ("INTEGER PRIMARY KEY", "7, 8", 0), ("TEXT PRIMARY KEY", "'a', 'b'", 0), ("TEXT PRIMARY KEY", "'a', ''", 1),
        ("PRIMARY KEY", "7, 'a'", 1),
    ])
    func `a key that every row has as its identifier is not lost, and one that becomes another is`(
        type: String,
        keys: String,
        count: Int
    ) throws {
        let keys = keys.split(separator: ", ")
        let sandbox = try DatabaseSandbox(
            """
            CREATE TABLE songs(code \(type), title TEXT, artist TEXT, duration REAL);
            INSERT INTO songs VALUES(\(keys[0]), 'One', 'A', 100), (\(keys[1]), 'Two', 'A', 200);
            """
        )
        let base = try SQLiteDatabaseSource(path: sandbox.path)
        let source = try MappedSource(base, RecordMapping(target: .music))
        let readout = try Readout(source)
        #expect(readout.records.count == 2)
        #expect(readout.count(.unmappedProperty) == count)
    }

    @Test func `the Realm file of a music app is music`() throws {
        #expect(try RealmLibrarySource(path: Repository.realm("music_100.realm")).isSurelyMusic)
    }
}

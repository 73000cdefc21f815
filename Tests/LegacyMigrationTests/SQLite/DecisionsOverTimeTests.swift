import Foundation
import LegacyMigration
import Reprise
import TestSupport
import Testing

/// What was decided on about a database over many exports: rollbacks, interrupted runs, and what is there again after
/// it was gone (Specs/format/migration.md, "Decisions").
@Suite struct DecisionsOverTimeTests {
    private func migrate(
        _ sequel: DatabaseSequel,
        progress: (MigrationProgress) -> Bool = { _ in true }
    ) throws -> MigrationReport {
        try Migrator(
            source: SQLiteFormat.source(path: sequel.sandbox.path),
            store: sequel.library.store,
            options: Migrator.Options(replacesEverything: true)
        ).run(progress: progress)
    }

    @Test func `a rollback takes back what its migration has decided`() throws {
        let sequel = try DatabaseSequel(
            "CREATE TABLE u(id TEXT PRIMARY KEY); INSERT INTO u VALUES('u');"
                + "CREATE TABLE t(code TEXT PRIMARY KEY, v TEXT); INSERT INTO t VALUES('a', '1'), ('b', '2');"
        )
        let digest = try sequel.library.store.read { $0.digest }
        try sequel.change("ALTER TABLE t RENAME TO old; CREATE TABLE t(v TEXT); INSERT INTO t SELECT v FROM old")
        let report = try migrate(sequel)
        #expect(report.warningCounts[.changedKey] == 1 && report.counts["t"]?.deleted == 2)
        try sequel.library.store.rollback(to: .snapshot(try #require(report.snapshotBefore)))
        #expect(try sequel.library.store.read { $0.digest } == digest)
        try sequel.change("DROP TABLE t; ALTER TABLE old RENAME TO t")
        #expect(try sequel.again().eventCount == 0)
    }

    @Test func `a first decision goes with the migration that made it`() throws {
        let sequel = try DatabaseSequel(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, d DATE); INSERT INTO t VALUES(1, 2459000);"
        )
        #expect(try sequel.values("t", "d") == ["1": .date(Date(timeIntervalSince1970: 2_459_000))])
        try sequel.library.store.rollback(to: .snapshot(try #require(sequel.first.snapshotBefore)))
        try sequel.change("INSERT INTO t VALUES(2, 2459001.5)")
        _ = try sequel.again()
        let values = try sequel.values("t", "d")
        #expect(values["1"] == .date(Date(timeIntervalSince1970: 1_590_840_000)), "\(values)")
    }

    @Test func `what numbers mean in a column of dates is decided when there are some`() throws {
        let sequel = try DatabaseSequel(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, d DATE); INSERT INTO t VALUES(1, '2020-05-31 12:00:00'), (2, NULL);"
        )
        try sequel.change("UPDATE t SET d = julianday('2022-03-04 06:00:00') WHERE id = 2")
        #expect(try sequel.again().isLossless)
        let second = Value.date(Date(timeIntervalSince1970: 1_646_373_600))
        #expect(try sequel.values("t", "d")["2"] == second)
        try sequel.change("UPDATE t SET d = julianday(d) WHERE id = 1")
        #expect(try sequel.again().eventCount == 0)
    }

    @Test func `seconds that could all be days are lost and not moved to another time`() throws {
        let sequel = try DatabaseSequel(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, d DATE); INSERT INTO t VALUES(1, 1590926400), (2, 1646373600);"
        )
        try sequel.change("UPDATE t SET d = julianday(d, 'unixepoch')")
        #expect(try sequel.again().warningCounts[.unexpectedType] == 2)
        #expect(try sequel.values("t", "d") == ["1": .null, "2": .null])
    }

    @Test(arguments: [
        ("INT", "'7'", "'8'", "TEXT"), ("TEXT", "7", "8", "INT"), ("INT", "7.0", "8.0", "REAL"),
        ("REAL", "7", "8", "INT"),
    ])
    func `keys stay the same where their values are stored in another way`(
        _ before: String,
        _ first: String,
        _ second: String,
        _ after: String
    ) throws {
        let sequel = try DatabaseSequel(
            """
            CREATE TABLE a(k \(before), l \(before), v TEXT, PRIMARY KEY(k, l));
            CREATE TABLE b(k \(before) PRIMARY KEY, v TEXT);
            INSERT INTO a VALUES(7, 8, 'v'); INSERT INTO b VALUES(7, 'v'), (8, 'w');
            """
        )
        try sequel.change(
            """
            DROP TABLE a; CREATE TABLE a(k \(after), l \(after), v TEXT, PRIMARY KEY(k, l));
            DROP TABLE b; CREATE TABLE b(k \(after) PRIMARY KEY, v TEXT);
            INSERT INTO a VALUES(\(first), \(second), 'v'); INSERT INTO b VALUES(\(first), 'v'), (\(second), 'w');
            """
        )
        let report = try sequel.again()
        for counts in report.counts.values { #expect(counts.inserted == 0 && counts.deleted == 0) }
    }

    @Test func `a list and a reference that could not be followed once go on as soon as they can`() throws {
        func tables(_ album: String, _ playlist: String, _ track: String) -> String {
            """
            CREATE TABLE song(id INTEGER PRIMARY KEY, album INT \(album));
            CREATE TABLE playlist_song(playlist INT \(playlist), song INT \(track), position INT);
            """
        }
        let refer = ("REFERENCES album(id)", "REFERENCES playlist(id)", "REFERENCES song(id)")
        let sequel = try DatabaseSequel(
            "CREATE TABLE album(id INTEGER PRIMARY KEY); CREATE TABLE playlist(id INTEGER PRIMARY KEY);"
                + tables(refer.0, refer.1, refer.2)
                + "INSERT INTO album VALUES(1), (2); INSERT INTO playlist VALUES(1);"
                + "INSERT INTO song VALUES(1, 1), (2, 2);"
                + "INSERT INTO playlist_song VALUES(1, 1, 1), (1, 2, 2);"
        )
        try sequel.change(
            "DROP TABLE playlist_song; DROP TABLE song;" + tables("", "", "")
                + "INSERT INTO song VALUES(1, 1), (2, 2); INSERT INTO playlist_song VALUES(1, 1, 1), (1, 2, 2);"
                + "INSERT INTO album VALUES(3);"
        )
        let report = try migrate(sequel)
        #expect(!report.isLossless && report.counts["album"]?.inserted == 1)
        try sequel.change(
            "DROP TABLE playlist_song; DROP TABLE song;" + tables(refer.0, refer.1, refer.2)
                + "INSERT INTO song VALUES(1, 3), (2, 2); INSERT INTO playlist_song VALUES(1, 1, 3), (1, 2, 2);"
        )
        // What was taken for a class of its own meanwhile stays one.
        #expect(try migrate(sequel).warningCounts == [.vanishedClass: 1, .joinTable: 1])
        #expect(try sequel.values("song", "album")["1"] == .reference("3"))
        #expect(try sequel.entries(of: "song", "playlist", "1") == ["2", "1"])
    }

    @Test func `an identifier that says less than its value is a loss`() throws {
        let sequel = try DatabaseSequel("CREATE TABLE t(id PRIMARY KEY, v TEXT); INSERT INTO t VALUES('x', 'y');")
        try sequel.change("INSERT INTO t VALUES(1.5, 'z'), (x'0102', 'w'), (7, 'v')")
        #expect(try sequel.again().warningCounts == [.unexpectedType: 2, .changedKey: 1])
    }

    @Test func `texts of a column of numbers are numbers only where they are written so`() throws {
        let sequel = try DatabaseSequel(
            """
            CREATE TABLE t(id INTEGER PRIMARY KEY, d NUMERIC, r REAL);
            INSERT INTO t VALUES(1, 1234, 5.0), (2, 10115, 1.5);
            """
        )
        try sequel.change(
            """
            DROP TABLE t; CREATE TABLE t(id INTEGER PRIMARY KEY, d TEXT, r TEXT);
            INSERT INTO t VALUES(1, '01234', '5'), (2, '10115', '1.5'), (3, '1.50', 'nan');
            """
        )
        #expect(try sequel.again().warningCounts[.unexpectedType] == 3)
        #expect(try sequel.values("t", "d") == ["1": .null, "2": .decimal(10115), "3": .null])
        #expect(try sequel.values("t", "r") == ["1": .double(5), "2": .double(1.5), "3": .null])
    }

    @Test(arguments: [
        ("a TEXT, b TEXT, PRIMARY KEY(a, b)", "('1', 'u'), ('abc', 'w')", "a NUMERIC, b TEXT, PRIMARY KEY(a, b)"),
        ("a TEXT PRIMARY KEY, b TEXT", "('1.5', 'u'), ('abc', 'w')", "a NUMERIC PRIMARY KEY, b TEXT"),
    ])
    func `keys that are made of values of several sorts now are said to be others`(
        _ before: String,
        _ rows: String,
        _ after: String
    ) throws {
        let sequel = try DatabaseSequel("CREATE TABLE t(\(before)); INSERT INTO t VALUES\(rows);")
        try sequel.change("DROP TABLE t; CREATE TABLE t(\(after)); INSERT INTO t VALUES\(rows)")
        #expect(try migrate(sequel).warningCounts[.changedKey] == 1)
    }

    @Test func `keys that were bytes and are texts now are said to be others`() throws {
        let sequel = try DatabaseSequel(
            """
            CREATE TABLE u(id TEXT PRIMARY KEY); INSERT INTO u VALUES('u');
            CREATE TABLE t(id BLOB PRIMARY KEY, v INT); INSERT INTO t VALUES(x'00112233445566778899AABBCCDDEEFF', 1);
            """
        )
        try sequel.change("UPDATE t SET id = '00112233-4455-6677-8899-AABBCCDDEEFF'")
        #expect(try migrate(sequel).warningCounts[.changedKey] == 1)
    }

    @Test(arguments: ["UUID", "STRING", "", "TEXT"])
    func `a table that was empty has all of its rows later, whatever its key is declared as`(_ type: String) throws {
        let sequel = try DatabaseSequel(
            "CREATE TABLE other(id INTEGER PRIMARY KEY); INSERT INTO other VALUES(1);"
                + "CREATE TABLE t(id \(type) PRIMARY KEY NOT NULL, v INT);"
        )
        try sequel.change("INSERT INTO t VALUES('k1', 1), ('k2', 2), ('k3', 3)")
        let report = try sequel.again()
        #expect(report.counts["t"]?.inserted == 3 && report.warningCounts[.uniqueValueTaken] == nil)
    }

    @Test func `a list of texts is in the order of its numbers, and what refers into a list is a loss`() throws {
        let sequel = try DatabaseSequel(
            """
            CREATE TABLE p(id INTEGER PRIMARY KEY); CREATE TABLE t(id INTEGER PRIMARY KEY, v INT);
            CREATE TABLE p_t(id INTEGER PRIMARY KEY, p INT REFERENCES p(id), t INT REFERENCES t(id), position INT);
            INSERT INTO p VALUES(1); INSERT INTO t VALUES(1, 1), (2, 2), (3, 3);
            INSERT INTO p_t VALUES(1, 1, 1, 1), (2, 1, 2, 2), (3, 1, 3, 10);
            """
        )
        try sequel.change(
            """
            PRAGMA legacy_alter_table = ON; ALTER TABLE p_t RENAME TO old;
            CREATE TABLE p_t(id INTEGER PRIMARY KEY, p INT REFERENCES p(id), t INT REFERENCES t(id), position TEXT);
            INSERT INTO p_t SELECT * FROM old; DROP TABLE old;
            ALTER TABLE t RENAME TO old; CREATE TABLE t(id INTEGER PRIMARY KEY, v INT REFERENCES p_t(id));
            INSERT INTO t SELECT * FROM old; DROP TABLE old;
            """
        )
        let report = try sequel.again()
        #expect(try sequel.entries(of: "t", "p", "1") == ["1", "2", "3"])
        #expect(report.warningCounts[.unmappedProperty] == 1 && report.warningCounts[.plainForeignKey] == 1)
    }

    @Test func `a photo that Core Data keeps in a file of its own comes though earlier ones were in the row`() throws {
        let sequel = try DatabaseSequel(
            """
            \(CoreDataTables.sql("(1, 'Song', 0, 2)"))
            CREATE TABLE ZSONG(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZPHOTO BLOB);
            INSERT INTO ZSONG VALUES(1, 1, 1, x'01AABB');
            """,
            named: "L.sqlite"
        )
        #expect(sequel.first.warningCounts[.ambiguousData] == 1)
        let name = "F2C31B5A-0B7A-4B0E-9F0C-0A1B2C3D4E5F"
        let folder = sequel.sandbox.directory.path(".L_SUPPORT/_EXTERNAL_DATA")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data("photo".utf8).write(to: URL(filePath: folder + "/" + name))
        let reference = "02" + Data(name.utf8).map { String($0, radix: 16) }.joined() + "00"
        try sequel.change("INSERT INTO ZSONG VALUES(2, 1, 1, x'\(reference)')")
        #expect(try sequel.again().isLossless)
        let photos = try sequel.values("Song", "photo")
        #expect(photos == ["1": .data(Data([0xAA, 0xBB])), "2": .data(Data("photo".utf8))])
    }

    @Test func `decisions on very many columns are all written down`() throws {
        let name = String(repeating: "n", count: 60)
        let columns = (0..<400).map { "\(name)\($0) INT" }.joined(separator: ", ")
        let tables = (0..<16).map { "CREATE TABLE \(name)t\($0)(id INTEGER PRIMARY KEY, d DATE, \(columns));" }
        let sequel = try DatabaseSequel(tables.joined() + "INSERT INTO \(name)t15(id, d) VALUES(1, 2460310.5);")
        var count = 0
        try sequel.library.store.read { state in
            try state.forEachCommit { commit in
                count += commit.events.count { $0.annotation?.name == "migration.understood" }
                return true
            }
        }
        #expect(count > 1)
        try sequel.change("INSERT INTO \(name)t15(id, d) VALUES(2, 0)")
        #expect(try sequel.again().warningCounts[.unexpectedType] == 1)
    }
}

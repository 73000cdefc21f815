import Foundation
import LegacyMigration
import Reprise
import TestSupport
import Testing

/// What a database says nothing of any more goes on as it was understood (Specs/format/migration.md, "Decisions").
@Suite struct EmptiedTableTests {
    private static let sides = """
        CREATE TABLE p(id TEXT PRIMARY KEY, n TEXT); INSERT INTO p VALUES('p1', 'a');
        CREATE TABLE s(id TEXT PRIMARY KEY, n TEXT); INSERT INTO s VALUES('s1', 'a'), ('s2', 'b');
        """

    @Test(arguments: [
        ("id TEXT PRIMARY KEY, p TEXT REFERENCES p, s TEXT REFERENCES s", "('ck1', 'p1', 's1'), ('ck2', 'p1', 's2')"),
        ("p TEXT REFERENCES p, s TEXT REFERENCES s, rank INT", "('p1', 's1', 1), ('p1', 's2', 1)"),
    ])
    func `the rows of a table that could be a list are deleted when it is empty, and come back`(
        _ columns: String,
        _ rows: String
    ) throws {
        let sequel = try DatabaseSequel(Self.sides + "CREATE TABLE j(\(columns)); INSERT INTO j VALUES\(rows);")
        #expect(sequel.first.counts["j"]?.inserted == 2)
        try sequel.change("DELETE FROM j")
        let report = try sequel.again()
        #expect(report.counts["j"]?.deleted == 2 && report.isLossless)
        try sequel.change("INSERT INTO j VALUES\(rows)")
        #expect(try sequel.again().counts["j"]?.inserted == 2)
    }

    @Test func `an empty table whose key is a text stays a table when it has rows`() throws {
        let sequel = try DatabaseSequel(
            Self.sides + "CREATE TABLE j(id TEXT PRIMARY KEY, p TEXT REFERENCES p, s TEXT REFERENCES s);"
        )
        try sequel.change("INSERT INTO j VALUES('ck1', 'p1', 's1')")
        let report = try sequel.again()
        #expect(report.counts["j"]?.inserted == 1 && report.isLossless)
    }

    @Test func `an empty table that is a list stays one, whatever its rows say later`() throws {
        let sequel = try DatabaseSequel(
            Self.sides + "CREATE TABLE j(p TEXT REFERENCES p, s TEXT REFERENCES s, rank INT);"
        )
        try sequel.change("INSERT INTO j VALUES('p1', 's2', 1), ('p1', 's1', 1)")
        let report = try sequel.again()
        #expect(Set(try sequel.entries(of: "s", "p", "p1")) == ["s1", "s2"])
        #expect(report.warningCounts == [.joinTable: 1, .unmappedProperty: 1])
    }

    @Test func `a relationship of Core Data that leads nowhere any more is emptied`() throws {
        let sequel = try DatabaseSequel(
            """
            \(CoreDataTables.sql("(1, 'Song', 0, 2), (2, 'Disc', 0, 2)"))
            CREATE TABLE ZSONG(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZALBUM INTEGER);
            CREATE INDEX ZSONG_ZALBUM_INDEX ON ZSONG(ZALBUM);
            CREATE TABLE ZDISC(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER);
            INSERT INTO ZSONG VALUES(1, 1, 1, 8), (2, 1, 1, 9);
            INSERT INTO ZDISC VALUES(8, 2, 1), (9, 2, 1);
            """,
            named: "default.store"
        )
        #expect(try sequel.values("Song", "album")["1"] == .reference("8"))
        try sequel.change("UPDATE ZSONG SET ZALBUM = NULL")
        _ = try sequel.again()
        #expect(try sequel.values("Song", "album") == ["1": .null, "2": .null])
    }

    @Test func `bytes of Core Data keep their marks off when the last one in a file is gone`() throws {
        let uuid = "0AB1C2D3-0000-4000-8000-00000000000F"
        let sandbox = try DatabaseSandbox(
            """
            \(CoreDataTables.sql("(1, 'Photo', 0, 3)", uuid: "STORE"))
            CREATE TABLE ZPHOTO(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZDATA BLOB);
            INSERT INTO ZPHOTO(Z_PK, ZDATA) VALUES(1, x'0174696E79'),
                (2, CAST(x'02' || CAST('\(uuid)' AS BLOB) || x'00' AS BLOB));
            """,
            named: "default.store"
        )
        let directory = sandbox.directory.path(".default_SUPPORT/_EXTERNAL_DATA")
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try Data("large".utf8).write(to: URL(filePath: "\(directory)/\(uuid)"))
        let library = try TemporaryLibrary(for: SQLiteFormat.source(path: sandbox.path))
        func migrate() throws -> MigrationReport {
            try Migrator(replacing: SQLiteFormat.source(path: sandbox.path), store: library.store).run()
        }
        _ = try migrate()
        let both = [Value.data(Data("tiny".utf8)), Value.data(Data("large".utf8))]
        #expect(try library.values("Photo", "data") == ["1": both[0], "2": both[1]])
        let database = try SQLiteScratch(at: sandbox.path)
        try database.execute("DELETE FROM ZPHOTO WHERE Z_PK = 2")
        database.close()
        #expect(try migrate().counts["Photo"]?.deleted == 1)
        #expect(try library.values("Photo", "data") == ["1": both[0]])
    }

    @Test func `a value that does not fit what is required and unique takes no other row's place`() throws {
        let sequel = try DatabaseSequel(
            """
            CREATE TABLE product(code INT NOT NULL PRIMARY KEY, name TEXT);
            INSERT INTO product VALUES(1, 'a'), (2, 'b');
            """
        )
        try sequel.change("INSERT INTO product VALUES('A1', 'c'), ('B2', 'd'), ('C3', 'e'), (0, 'f')")
        let report = try sequel.again()
        let names = try sequel.values("product", "name")
        #expect(names["0"] == .string("f") && names["1"] == .string("a") && names["2"] == .string("b"))
        #expect(report.warningCounts[.uniqueValueTaken] == nil && !report.isLossless)
        #expect(report.warningCounts[.unexpectedType] == 3)
    }

    @Test func `one of a row that is there leaves it what it had`() throws {
        let sequel = try DatabaseSequel(
            """
            CREATE TABLE t(id INTEGER PRIMARY KEY, code INT NOT NULL UNIQUE, name TEXT);
            INSERT INTO t VALUES(1, 5, 'a'), (2, 6, 'b');
            """
        )
        try sequel.change("UPDATE t SET code = 'x', name = 'c' WHERE id = 1; UPDATE t SET code = 'y' WHERE id = 2")
        let source = try SQLiteFormat.source(path: sequel.sandbox.path)
        let report = try Migrator(replacing: source, store: sequel.library.store).run()
        #expect(report.warningCounts[.defaultedValue] == 2)
        #expect(try sequel.values("t", "code") == ["1": .int(5), "2": .int(6)])
        #expect(try sequel.values("t", "name") == ["1": .string("c"), "2": .string("b")])
        #expect(try Migrator(replacing: source, store: sequel.library.store).run().eventCount == 0)
    }
}

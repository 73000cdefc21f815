import Foundation
import LegacyMigration
import Reprise
import TestSupport
import Testing

/// Databases made to do harm end in records, warnings or a ``LegacyError``, and in nothing else.
@Suite struct HostileSourceTests {
    @Test func `a table with as many columns as SQLite allows is read`() throws {
        let columns = (0..<1999).map { "c\($0) INT" }.joined(separator: ", ")
        let sandbox = try DatabaseSandbox(
            "CREATE TABLE t(k INTEGER PRIMARY KEY, \(columns)); INSERT INTO t(k, c1998) VALUES(1, 5)"
        )
        let readout = try Readout(SQLiteDatabaseSource(path: sandbox.path))
        #expect(readout.record("t", "1")?["c1998"] == .integer(5))
    }

    @Test func `names with quotes, spaces and other signs are read and made storable`() throws {
        let sandbox = try DatabaseSandbox(
            """
            CREATE TABLE "a""; DROP TABLE t; --"("x y" TEXT, "é" INT, "é2" INT, "id" INT, "select" TEXT);
            INSERT INTO "a""; DROP TABLE t; --" VALUES('1', 2, 3, 4, '5');
            CREATE TABLE t(a); INSERT INTO t VALUES(1);
            CREATE TABLE "T 2"(a); CREATE TABLE "T_2"(a);
            """
        )
        let source = try SQLiteDatabaseSource(path: sandbox.path)
        let readout = try Readout(source)
        #expect(readout.records.count == 2)
        let record = try #require(readout.records.first { $0.className.hasPrefix("a_") })
        let names = record.fields.map(\.name)
        #expect([names[0], names[3], names[4]] == ["x_y", "id_2", "select"])
        #expect(names[1] == "e" && names[2] == "e2")
        #expect(Set(readout.reading.recordCounts.keys).count == 2)
    }

    @Test func `triggers, views and functions of the schema never run`() throws {
        let sandbox = try DatabaseSandbox(
            """
            CREATE TABLE t(a TEXT DEFAULT (hex(randomblob(4))), b TEXT AS (printf('%s', a)) STORED);
            INSERT INTO t(a) VALUES('x');
            CREATE TRIGGER r AFTER INSERT ON t BEGIN DELETE FROM t; END;
            CREATE VIEW v AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n;
            CREATE INDEX e ON t(length(a)); CREATE INDEX p ON t(a) WHERE b IS NOT NULL;
            """
        )
        let readout = try Readout(SQLiteDatabaseSource(path: sandbox.path))
        #expect(readout.record("t", "1")?["b"] == .string("x"))
    }

    @Test func `an index that has a column twice is one that has it once`() throws {
        let sandbox = try DatabaseSandbox(
            """
            CREATE TABLE t(a INTEGER, b INTEGER); INSERT INTO t VALUES(1, 2);
            CREATE INDEX i ON t(a, a); CREATE INDEX j ON t(a, b, a);
            """
        )
        let schema = try SQLiteDatabaseSource(path: sandbox.path).schema
        #expect(schema.models[0].indexes.map(\.slots.count) == [1, 2])
        _ = try Schema(schema)
    }

    @Test func `a collation that only the app has hides no row`() throws {
        let sandbox = try DatabaseSandbox(
            """
            CREATE TABLE p(id TEXT COLLATE NOCASE PRIMARY KEY, name TEXT COLLATE NOCASE); CREATE INDEX i ON p(name);
            CREATE TABLE c(p TEXT REFERENCES p(id)); INSERT INTO p VALUES('a', 'x'), ('b', 'y');
            INSERT INTO c VALUES('a');
            """
        )
        let writer = try SQLiteScratch(at: sandbox.path)
        try writer.execute("PRAGMA writable_schema=ON")
        try writer.execute("UPDATE sqlite_schema SET sql = replace(sql, 'NOCASE', 'ofTheApp')")
        writer.close()
        let readout = try Readout(SQLiteDatabaseSource(path: sandbox.path))
        #expect(readout.keys("p") == ["a", "b"])
        // Without the collation no row can be found by it.
        #expect(readout.record("c", "1")?["p"] == .string("a"))
        #expect(readout.count(.plainForeignKey) == 1)
    }

    @Test func `an index by a function that only the app has is no reason to refuse the rows`()
        throws
    {
        let sandbox = try DatabaseSandbox(
            "CREATE TABLE t(a); CREATE INDEX i ON t(lower(a)); INSERT INTO t VALUES('x')"
        )
        let writer = try SQLiteScratch(at: sandbox.path)
        try writer.execute("PRAGMA writable_schema=ON")
        try writer.execute("UPDATE sqlite_schema SET sql = replace(sql, 'lower(', 'ofTheApp(')")
        writer.close()
        let readout = try Readout(SQLiteDatabaseSource(path: sandbox.path))
        #expect(readout.record("t", "1")?["a"] == .string("x"))
    }

    /// Every mutant is read by both sources.
    @Test func `flipped bytes in a store end in records or in an error of ours`() throws {
        let sandbox = try DatabaseSandbox(
            """
            PRAGMA page_size=512;
            CREATE TABLE Z_METADATA(Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
            INSERT INTO Z_METADATA VALUES(1, 'U', NULL);
            CREATE TABLE Z_PRIMARYKEY(Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
            INSERT INTO Z_PRIMARYKEY VALUES(1, 'List', 0, 2), (2, 'Track', 0, 3);
            CREATE TABLE ZLIST(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR, ZAT TIMESTAMP);
            CREATE TABLE ZTRACK(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZLIST INTEGER, ZP DECIMAL,
                ZB BLOB);
            INSERT INTO ZLIST VALUES(1, 1, 1, 'one', 1.5), (2, 1, 1, 'two', 2);
            INSERT INTO ZTRACK VALUES(1, 2, 1, 1, 1.5, x'00'), (2, 2, 1, 2, 2, zeroblob(700)), (3, 2, 1, NULL, 3, NULL);
            CREATE INDEX ZTRACK_ZLIST_INDEX ON ZTRACK(ZLIST);
            CREATE TABLE Z_1TRACKS(Z_1LISTS INTEGER, Z_2TRACKS INTEGER, PRIMARY KEY(Z_1LISTS, Z_2TRACKS));
            INSERT INTO Z_1TRACKS VALUES(1, 1), (1, 2), (2, 3);
            """
        )
        let bytes = try Data(contentsOf: URL(filePath: sandbox.path))
        let path = sandbox.directory.path("mutant.db")
        var refused = 0
        var read = 0
        func attempt(_ body: () throws -> Void) throws {
            do {
                try body()
                read += 1
            } catch is LegacyError {
                refused += 1
            }
        }
        try seeded(42) { random in
            for _ in 0..<1000 {
                var mutant = bytes
                for _ in 0...random.below(3) {
                    let page = random.below(bytes.count / 512)
                    let place =
                        page * 512 + (random.once(in: 2) ? random.below(16) : random.below(512))
                    mutant[place] = UInt8(truncatingIfNeeded: random.next())
                }
                try mutant.write(to: URL(filePath: path))
                try attempt { _ = try Readout(CoreDataSource(path: path)) }
                try attempt { _ = try Readout(SQLiteDatabaseSource(path: path)) }
            }
        }
        #expect(refused > 200 && read > 200)
    }

    @Test func `whatever consume throws comes out, and ends the reading`() throws {
        struct Enough: Error {}
        let sandbox = try DatabaseSandbox("CREATE TABLE t(a); INSERT INTO t VALUES(1), (2)")
        let source = try SQLiteDatabaseSource(path: sandbox.path)
        var count = 0
        #expect(throws: Enough.self) {
            try source.read { event in
                if case .record = event {
                    count += 1
                    throw Enough()
                }
            }
        }
        #expect(count == 1)
    }

    @Test func `a database that changed since it was opened is noticed`() throws {
        let sandbox = try DatabaseSandbox("CREATE TABLE t(a); INSERT INTO t VALUES(1), (2)")
        let source = try SQLiteDatabaseSource(path: sandbox.path)
        let writer = try SQLiteScratch(at: sandbox.path)
        try writer.execute("INSERT INTO t VALUES(3)")
        writer.close()
        #expect(try code { _ = try source.contentHash { _ in } } == .changedWhileReading)
        #expect(try code { _ = try source.read { _ in } } == .changedWhileReading)
    }

    @Test func `both sources say what a file is by its first bytes`() throws {
        let sandbox = try DatabaseSandbox("CREATE TABLE t(a)")
        let prefix = try LegacyFormat.prefix(of: sandbox.path)
        #expect(
            SQLiteDatabaseSource.canRead(prefix: prefix) && CoreDataSource.canRead(prefix: prefix)
        )
        #expect(!SQLiteDatabaseSource.canRead(prefix: Array("<?xml".utf8)))
        #expect(!SQLiteDatabaseSource.canRead(prefix: []))
        let directory = sandbox.directory.path
        #expect(try code { _ = try SQLiteDatabaseSource(path: directory) } == .notAFile)
        #expect(
            try code { _ = try SQLiteDatabaseSource(path: directory + "/absent") } == .noSuchFile
        )
    }
}

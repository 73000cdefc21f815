import Foundation
import LegacyMigration
import Reprise
import TestSupport
import Testing

@testable import SQLiteFile

/// Values that are larger than is read of one.
@Suite struct LargeDatabaseValueTests {
    private static let byteCountMax = 1 << 20

    private func withBound<R>(_ body: () throws -> R) rethrows -> R {
        try SQLiteDatabase.$valueByteCountBound.withValue(Self.byteCountMax, operation: body)
    }

    private static let large = "zeroblob(\(byteCountMax + 1))"
    private static let largeText = "hex(zeroblob(\(byteCountMax / 2 + 1)))"
    /// More than half of what is read of a row.
    private static let half = "zeroblob(\(byteCountMax / 10 * 3))"

    @Test func `only the values that are too large are left out, and a verification says the same`() throws {
        // Without the bound all of it is there.
        let sandbox = try DatabaseSandbox(
            """
            CREATE TABLE doc(id INTEGER PRIMARY KEY, position INTEGER, title TEXT, data BLOB, other BLOB);
            INSERT INTO doc VALUES(1, 7, 'one', x'01', NULL), (2, 6, 'two', \(Self.large), x'02'),
                (3, 5, \(Self.largeText), \(Self.large), x'03'), (4, 4, 'four', \(Self.half), \(Self.half)),
                (5, 3, 'five', x'05', \(Self.half)), (-9, 2, \(Self.largeText), NULL, NULL);
            """
        )
        #expect(try Readout(SQLiteDatabaseSource(path: sandbox.path)).reading.warningCounts.isEmpty)
        try withBound {
            let source = try SQLiteDatabaseSource(path: sandbox.path)
            let readout = try Readout(source)
            #expect(readout.reading.warningCounts == [.oversizedValue: 5])
            #expect(readout.keys("doc") == ["-9", "1", "2", "3", "4", "5"])
            #expect(readout.record("doc", "2")?["title"] == .string("two"))
            #expect(readout.record("doc", "2")?["data"] == nil)
            #expect(readout.record("doc", "2")?["other"] == .data(Data([2])))
            #expect(readout.record("doc", "3")?["title"] == nil)
            #expect(readout.record("doc", "3")?["other"] == .data(Data([3])))
            let four = try #require(readout.record("doc", "4"))
            #expect([four["data"], four["other"]].count { $0 != nil } == 1)
            #expect(readout.warnings.first?.message.contains("doc.title of the row with id \"-9\"") == true)
            let library = try TemporaryLibrary(for: source)
            let report = try Migrator(replacing: source, store: library.store).run()
            #expect(report.counts["doc"]?.inserted == 6)
            let verification = try MigrationVerifier(source: source, store: library.store).run()
            #expect(verification.isEqual)
            #expect(verification.warningCounts == report.warningCounts)
        }
    }

    @Test func `rows are sorted by a position without what is too large of them`() throws {
        let sandbox = try DatabaseSandbox(
            """
            CREATE TABLE box(id INTEGER PRIMARY KEY);
            CREATE TABLE item(id INTEGER PRIMARY KEY, box INTEGER REFERENCES box(id), position INTEGER, data, more);
            INSERT INTO box VALUES(1);
            INSERT INTO item VALUES(1, 1, 3, x'01', NULL), (2, 1, 2, \(Self.large), x'02'),
                (3, 1, 1, \(Self.half), \(Self.half));
            """
        )
        try withBound {
            let readout = try Readout(SQLiteDatabaseSource(path: sandbox.path))
            #expect(readout.keys("item") == ["3", "2", "1"])
            #expect(readout.reading.warningCounts == [.oversizedValue: 2])
        }
    }

    @Test(arguments: ["b", "b_position"])
    func `a second order is asked about without what is too large`(column: String) throws {
        let sandbox = try DatabaseSandbox(
            """
            CREATE TABLE a(id INTEGER PRIMARY KEY); CREATE TABLE b(id INTEGER PRIMARY KEY);
            INSERT INTO a VALUES(1); INSERT INTO b VALUES(1);
            CREATE TABLE t(id INTEGER PRIMARY KEY, a INT REFERENCES a(id), a_position INT, b INT REFERENCES b(id),
                b_position INT, v);
            INSERT INTO t VALUES(1, 1, 1, 1, 2, 'x'), (2, 1, 2, 1, 1, 'y'), (3, 1, 3, 1, 3, 'z');
            UPDATE t SET \(column) = \(Self.large) WHERE id = 3;
            """
        )
        try withBound {
            let readout = try Readout(SQLiteDatabaseSource(path: sandbox.path))
            #expect(readout.keys("t") == ["1", "2", "3"])
            #expect(readout.count(.oversizedValue) == 1)
            #expect(readout.count(.lostOrder) == 1)
        }
    }

    @Test func `what is too large is left out where it says an order or names a row that is referred to`() throws {
        let sandbox = try DatabaseSandbox(
            """
            CREATE TABLE box(name TEXT PRIMARY KEY, code TEXT UNIQUE);
            INSERT INTO box VALUES('a', 'ca'), (\(Self.largeText), 'cb');
            CREATE TABLE item(id INTEGER PRIMARY KEY, box TEXT REFERENCES box(code), position INTEGER);
            INSERT INTO item VALUES(1, 'ca', 3), (2, 'cb', \(Self.large)), (3, 'cb', 1);
            """
        )
        try withBound {
            let readout = try Readout(SQLiteDatabaseSource(path: sandbox.path))
            let counts = readout.reading.warningCounts
            #expect(counts == [.oversizedValue: 2, .missingKey: 1, .unexaminedTable: 1])
            #expect(readout.keys("item") == ["2", "3", "1"])
            let made = try #require(readout.keys("box").first { $0 != "a" })
            #expect(readout.record("item", "3")?["box"] == .reference(made))
            #expect(readout.record("item", "1")?["box"] == .reference("a"))
        }
    }

    @Test func `texts in UTF-16 take as much room as they do in the database`() throws {
        let text = "hex(zeroblob(\(Self.byteCountMax / 5)))"
        let sandbox = try DatabaseSandbox(
            """
            PRAGMA encoding = 'UTF-16le';
            CREATE TABLE box(id INTEGER PRIMARY KEY); INSERT INTO box VALUES(1);
            CREATE TABLE item(id INTEGER PRIMARY KEY, box INTEGER REFERENCES box(id), position INTEGER, a TEXT, b TEXT);
            INSERT INTO item VALUES(1, 1, 2, \(text), \(text)), (2, 1, 1, 'a', \(text));
            """
        )
        try withBound {
            let readout = try Readout(SQLiteDatabaseSource(path: sandbox.path))
            #expect(readout.keys("item") == ["2", "1"])
            #expect(readout.reading.warningCounts == [.oversizedValue: 1])
        }
    }

    @Test func `a text that is no UTF-8 counts as what it becomes`() throws {
        let text = "replace(hex(zeroblob(\(Self.byteCountMax / 10))), '0', CAST(x'ff' AS TEXT))"
        let sandbox = try DatabaseSandbox(
            """
            CREATE TABLE doc(id INTEGER PRIMARY KEY, title TEXT, body TEXT, data BLOB);
            INSERT INTO doc VALUES(1, 'one', \(text), x'01'),
                (2, 'two', hex(zeroblob(\(Self.byteCountMax / 10))), x'02'),
                (3, 'three', substr(\(text), 1, 1000), x'03'),
                (4, 'four', \(text), \(Self.large));
            """
        )
        try withBound {
            let source = try SQLiteDatabaseSource(path: sandbox.path)
            let readout = try Readout(source)
            #expect(readout.reading.warningCounts == [.oversizedValue: 3, .invalidText: 1])
            for (key, data) in [("1", Data([1])), ("2", Data([2])), ("3", Data([3]))] {
                #expect(readout.record("doc", key)?["data"] == .data(data))
                #expect((readout.record("doc", key)?["body"] == nil) == (key == "1"))
            }
            #expect(readout.record("doc", "4")?["title"] == .string("four"))
        }
    }

    @Test func `a table without rowids, a key that is too large and an index over it are no exception`() throws {
        let sandbox = try DatabaseSandbox(
            """
            CREATE TABLE w(a TEXT, b INTEGER, data, PRIMARY KEY(a, b)) WITHOUT ROWID;
            INSERT INTO w VALUES('it''s', 1, x'01'), ('it''s', 2, \(Self.large)), ('x', 1, x'02');
            CREATE TABLE k(name TEXT PRIMARY KEY, n INTEGER);
            INSERT INTO k VALUES('a', 1), (\(Self.largeText), 2), ('b', 3);
            CREATE TABLE u(name TEXT NOT NULL UNIQUE, n INTEGER);
            INSERT INTO u VALUES('a', 1), (\(Self.largeText), 2), (\(Self.largeText) || 'x', 3);
            """
        )
        try withBound {
            let readout = try Readout(SQLiteDatabaseSource(path: sandbox.path))
            #expect(readout.keys("w").count == 3)
            #expect(readout.records.filter { $0.className == "w" && $0["data"] != nil }.count == 2)
            let numbers = readout.records.filter { $0.className == "k" }.map { $0["n"] }
            #expect(numbers == [.integer(1), .integer(2), .integer(3)])
            #expect(Set(readout.keys("u")).count == 3 && readout.record("u", "a")?["n"] == .integer(1))
            #expect(readout.reading.warningCounts[.oversizedValue] == 4)
            #expect(readout.reading.warningCounts[.missingKey] == 3)
        }
    }

    @Test func `a store of Core Data loses one value and not itself`() throws {
        let sandbox = try DatabaseSandbox(
            """
            CREATE TABLE Z_METADATA(Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
            INSERT INTO Z_METADATA VALUES(1, 'STORE-UUID', NULL);
            CREATE TABLE Z_PRIMARYKEY(Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
            INSERT INTO Z_PRIMARYKEY VALUES(1, 'Doc', 0, 3);
            CREATE TABLE ZDOC(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR, ZDATA BLOB);
            INSERT INTO ZDOC VALUES(1, 1, 1, 'a', x'0203'), (2, 1, 1, 'b', \(Self.large)), (3, 1, 1, 'c', x'04');
            """,
            named: "default.store"
        )
        try withBound {
            let readout = try Readout(CoreDataSource(path: sandbox.path))
            #expect(readout.keys("Doc") == ["1", "2", "3"])
            #expect(readout.count(.oversizedValue) == 1)
            #expect(readout.record("Doc", "2")?["name"] == .string("b"))
            #expect(readout.record("Doc", "2")?["data"] == nil)
        }
    }
}

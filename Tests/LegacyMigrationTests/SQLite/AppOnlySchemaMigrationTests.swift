import Foundation
import LegacyMigration
import Reprise
import TestSupport
import Testing

/// Databases whose schema has functions and collations that only the app has.
@Suite struct AppOnlySchemaMigrationTests {
    /// A database whose schema is changed afterwards, by words that are put in the place of others.
    private func sandbox(_ sql: String, _ changes: [String: String]) throws -> DatabaseSandbox {
        let sandbox = try DatabaseSandbox(sql)
        let database = try SQLiteScratch(at: sandbox.path)
        try database.allowWritingSchema()
        for (old, new) in changes {
            try database.execute("UPDATE sqlite_schema SET sql = replace(sql, '\(old)', '\(new)')")
        }
        database.close()
        return sandbox
    }

    @Test func `a column that only the app can compute is a note and no loss`() throws {
        let sandbox = try sandbox(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT, b TEXT AS (abs(a))); INSERT INTO t(a) VALUES('x'), ('y');",
            ["abs(": "appOwn("]
        )
        let readout = try Readout(SQLiteDatabaseSource(path: sandbox.path))
        #expect(readout.keys("t") == ["1", "2"])
        #expect(readout.reading.warningCounts == [.unexaminedTable: 1, .generatedColumn: 1])
        let kinds = readout.reading.warningCounts.keys
        #expect(!kinds.contains { !$0.isNote })
    }

    @Test func `a table whose key only the app can order is read, and nothing is looked for by it`() throws {
        let sandbox = try sandbox(
            """
            CREATE TABLE word(k TEXT COLLATE NOCASE PRIMARY KEY, v INTEGER) WITHOUT ROWID;
            INSERT INTO word VALUES('b', 1), ('A', 2), ('C', 3), ('a2', 4);
            CREATE TABLE used(id INTEGER PRIMARY KEY, word TEXT REFERENCES word(k));
            INSERT INTO used VALUES(1, 'b'), (2, 'C');
            """,
            ["NOCASE": "APP"]
        )
        let source = try SQLiteDatabaseSource(path: sandbox.path)
        let readout = try Readout(source)
        #expect(readout.keys("word") == ["A", "a2", "b", "C"])
        #expect(readout.record("used", "2")?["word"] == .string("C"))
        #expect(readout.reading.warningCounts == [.unexaminedTable: 1, .plainForeignKey: 1])
        let library = try TemporaryLibrary(for: source)
        let report = try Migrator(replacing: source, store: library.store).run()
        #expect(report.counts["word"]?.inserted == 4)
        let verification = try MigrationVerifier(source: source, store: library.store).run()
        #expect(verification.isEqual && verification.isLossless)
    }

    @Test func `rows that an index lacks which nobody could examine are read nevertheless`() throws {
        let rows = (0..<40).map { (id: Int) -> String in "(\(id), 1, \(40 - id), 't', 'x')" }.joined(separator: ", ")
        let entries = (0..<40).map { "(1, \($0))" }.joined(separator: ", ")
        let sandbox = try sandbox(
            """
            CREATE TABLE box(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO box VALUES(1, 'b');
            CREATE TABLE item(id INTEGER PRIMARY KEY, box INTEGER REFERENCES box(id), position INTEGER, a TEXT, b TEXT);
            INSERT INTO item VALUES\(rows);
            CREATE INDEX app_a ON item(a COLLATE NOCASE);
            CREATE INDEX all_a ON item(position, box, a COLLATE NOCASE, b) WHERE id < 9;
            CREATE TABLE box_item(box INTEGER REFERENCES box(id), item INTEGER REFERENCES item(id));
            INSERT INTO box_item VALUES\(entries);
            CREATE INDEX app_b ON box_item(item COLLATE NOCASE);
            CREATE INDEX all_b ON box_item(box, item COLLATE NOCASE) WHERE item < 9;
            """,
            ["NOCASE": "APP", " WHERE id < 9": "", " WHERE item < 9": ""]
        )
        let readout = try Readout(SQLiteDatabaseSource(path: sandbox.path))
        #expect(readout.keys("item") == (0..<40).reversed().map(String.init))
        #expect(readout.lists.map(\.members.count) == [40])
        #expect(readout.reading.warningCounts[.unexaminedTable] == 2)
    }

    /// A table with an index that only the app can read, and one by `v` that lacks a row.
    private func lackingEntry(_ ending: String) throws -> DatabaseSandbox {
        try sandbox(
            """
            CREATE TABLE a(k TEXT PRIMARY KEY, v TEXT, w TEXT)\(ending);
            INSERT INTO a VALUES('1', 'x', 'm'), ('2', 'y', 'n');
            CREATE UNIQUE INDEX plain ON a(v) WHERE v < 'y';
            CREATE INDEX own ON a(w COLLATE NOCASE);
            CREATE TABLE c(id INTEGER PRIMARY KEY, a TEXT REFERENCES a(v)); INSERT INTO c VALUES(1, 'x'), (2, 'y');
            CREATE TABLE d(id INTEGER PRIMARY KEY, a TEXT REFERENCES a(k)); INSERT INTO d VALUES(1, '2');
            """,
            ["NOCASE": "APP", " WHERE v < ''y''": ""]
        )
    }

    @Test func `a row that a plain index lacks beside one of the app makes a database damaged`() throws {
        let sandbox = try lackingEntry("")
        let error = #expect(throws: LegacyError.self) { try SQLiteDatabaseSource(path: sandbox.path) }
        #expect(error?.code == .damaged && error?.message.contains("index plain") == true)
    }

    @Test func `no reference is said to dangle where its index could not be compared with the rows`() throws {
        let sandbox = try lackingEntry(" WITHOUT ROWID")
        let readout = try Readout(SQLiteDatabaseSource(path: sandbox.path))
        #expect(readout.record("c", "2")?["a"] == .string("y"))
        #expect(readout.record("d", "1")?["a"] == .reference("2"))
        #expect(readout.reading.warningCounts == [.unexaminedTable: 1, .plainForeignKey: 1])
        #expect(readout.warnings.contains { $0.kind == .unexaminedTable && $0.message.hasPrefix("a ") })
    }

    @Test(arguments: [
        // Texts that spell numbers, and the numbers; bytes and texts; infinity and its name.
        ("a", "1", "'1'"), ("a", "x'31'", "'1'"), ("a BLOB", "x'00'", "2"), ("a TEXT", "x'41'", "'A'"),
        ("a NUMERIC", "9e999", "'inf'"), ("a", "0.5", "'0.5'"), ("a", "x'31'", "1"),
    ])
    func `values that become the same as others of another type are a loss`(
        column: String,
        first: String,
        second: String
    ) throws {
        let sandbox = try sandbox(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, \(column)); INSERT INTO t VALUES(1, \(first)), (2, \(second));",
            [:]
        )
        let readout = try Readout(SQLiteDatabaseSource(path: sandbox.path))
        #expect(readout.reading.warningCounts == [.mergedTypes: 1])
        #expect(!LegacyWarning.Kind.mergedTypes.isNote)
        #expect(readout.warnings.first?.message.contains("can be the same") == true)
    }

    @Test(arguments: [
        ("a", "1", "'one'"), ("a INTEGER", "1", "'1 '"), ("a REAL", "0.5", "'half'"), ("a", "7", "'07'"),
        ("a INTEGER", "1", "1.5"),
    ])
    func `values that stay apart in another type are a note`(
        column: String,
        first: String,
        second: String
    ) throws {
        let sandbox = try sandbox(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, \(column)); INSERT INTO t VALUES(1, \(first)), (2, \(second));",
            [:]
        )
        let readout = try Readout(SQLiteDatabaseSource(path: sandbox.path))
        let kinds = readout.reading.warningCounts.keys
        #expect(!kinds.contains { $0 != .mixedTypes })
        #expect(LegacyWarning.Kind.mixedTypes.isNote)
    }
}

import Foundation
import LegacyMigration
import Reprise
import TestSupport
import Testing

/// Keys and uniqueness of rows: no row takes another one's key, and no value its place.
@Suite struct SQLiteKeyTests {
    private func read(_ sql: String) throws -> (SQLiteDatabaseSource, Readout) {
        let sandbox = try DatabaseSandbox(sql)
        let source = try SQLiteDatabaseSource(path: sandbox.path)
        return (source, try Readout(source))
    }

    private func key(_ readout: Readout, _ value: String) -> String? {
        readout.records.first { $0["v"] == .string(value) }?.key
    }

    @Test(arguments: [
        ("id", "(1, 'a'), (2, 'b')", "('x', 'c')"), ("id", "('1', 'a'), ('x', 'b')", "(2, 'c')"),
        ("id TEXT", "('1', 'a'), ('x', 'b')", "(x'01', 'c')"),
        (
            "id BLOB",
            "(x'00112233445566778899AABBCCDDEEFF', 'a'), (x'00112233445566778899AABBCCDDEEFE', 'b')",
            "(x'01', 'c')"
        ),
        ("id BLOB", "(x'00112233445566778899AABBCCDDEEFF', 'a'), (x'02', 'b')", "('t', 'c')"),
        ("id NUMERIC", "(1, 'a'), (2, 'b')", "(1.5, 'c')"),
    ])
    func `a row of another sort leaves the keys of all others as they are`(
        _ column: String,
        _ rows: String,
        _ odd: String
    ) throws {
        let table = "CREATE TABLE t(\(column) PRIMARY KEY, v TEXT); INSERT INTO t VALUES"
        let (_, before) = try read(table + rows)
        let (_, after) = try read(table + rows + "," + odd)
        #expect(key(before, "a") == key(after, "a") && key(before, "b") == key(after, "b"))
        #expect(Set(after.keys("t")).count == 3)
        #expect(after.count(.missingKey) == 0)
    }

    @Test
    func
        `values of several sorts with the same text have keys of their own, and references find them`()
        throws
    {
        let uuid = "00112233-4455-6677-8899-aabbccddeeff"
        let (_, readout) = try read(
            """
            CREATE TABLE t(id PRIMARY KEY, v TEXT);
            INSERT INTO t VALUES(1, 'number'), ('1', 'text'), ('\(uuid)', 'uuid text'),
                (x'\(uuid.replacingOccurrences(of: "-", with: ""))', 'uuid'), (x'12', 'bytes'), (12, 'twelve'),
                ('12', 'twelve text');
            CREATE TABLE r(n TEXT, t REFERENCES t(id)); INSERT INTO r SELECT v, id FROM t;
            """
        )
        #expect(key(readout, "number") == "1" && key(readout, "uuid text") == uuid)
        #expect(key(readout, "twelve") == "12")
        #expect(Set(readout.keys("t")).count == 7)
        #expect(readout.count(.missingKey) == 4)
        let references = readout.records.filter { $0.className == "r" }
        #expect(references.count == 7)
        for record in references {
            guard case .string(let value)? = record["n"] else { continue }
            #expect(record["t"] == key(readout, value).map(LegacyValue.reference), "\(value)")
        }
    }

    @Test func `rows whose primary key is NULL are told apart`() throws {
        let (_, readout) = try read(
            """
            CREATE TABLE t(id TEXT PRIMARY KEY, n INT); INSERT INTO t VALUES(NULL, 1), (NULL, 2), (NULL, 3), ('a', 4);
            CREATE TABLE u(a INT, b INT, v TEXT, PRIMARY KEY(a, b));
            INSERT INTO u VALUES(1, NULL, 'x'), (1, NULL, 'y'), (2, 2, 'z');
            """
        )
        #expect(Set(readout.keys("t")).count == 4 && readout.record("t", "a") != nil)
        #expect(Set(readout.keys("u")).count == 3)
        #expect(readout.count(.missingKey) == 5)
    }

    @Test func `the text of an identifier that is no UTF-8 is not only in the key`() throws {
        let (_, readout) = try read(
            "CREATE TABLE t(id TEXT PRIMARY KEY, n INT); INSERT INTO t VALUES(CAST(x'41ff' AS TEXT), 1), ('b', 2)"
        )
        #expect(readout.records.map { $0["id_2"] } == [.string("A\u{FFFD}"), .string("b")])
    }

    @Test func `what is unique in the database is only unique where its values stay different`()
        throws
    {
        let sandbox = try DatabaseSandbox(
            """
            CREATE TABLE a(id INTEGER PRIMARY KEY, v UNIQUE); INSERT INTO a VALUES(1, 1), (2, '1');
            CREATE TABLE b(id INTEGER PRIMARY KEY, v TEXT UNIQUE);
            INSERT INTO b VALUES(1, CAST(x'ff' AS TEXT)), (2, CAST(x'fe' AS TEXT));
            CREATE TABLE c(id INTEGER PRIMARY KEY, v UNIQUE); INSERT INTO c VALUES(1, x'61'), (2, 'a');
            CREATE TABLE d(id INTEGER PRIMARY KEY, v TEXT UNIQUE); INSERT INTO d VALUES(1, 'a'), (2, 'b');
            """
        )
        let source = try SQLiteDatabaseSource(path: sandbox.path)
        let unique = source.schema.models.map { model in model.indexes.map(\.isUnique) }
        #expect(unique == [[false], [false], [false], [true]])
        let library = try TemporaryLibrary(for: source)
        _ = try Migrator(source: source, store: library.store).run()
        let counts = try library.store.read { $0.counts.map(\.count) }
        #expect(counts == [2, 2, 2, 2])
    }
}

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

    @Test(arguments: [
        ("TEXT", "'https://example.com/\(String(repeating: "a", count: 250))'"), ("TEXT", "''"),
        ("BLOB", "zeroblob(101)"), ("BLOB", "x''"), ("REAL", "1.5"), ("TEXT", "CAST(x'41ff' AS TEXT)"),
    ])
    func `a key that follows from the row's own values alone is no loss, and references find the row`(
        _ type: String,
        _ value: String
    ) throws {
        let tables = """
            CREATE TABLE t(k \(type) PRIMARY KEY, v TEXT); CREATE TABLE u(k \(type), l TEXT, v TEXT, PRIMARY KEY(k, l));
            CREATE TABLE r(id INTEGER PRIMARY KEY, t \(type) REFERENCES t(k));
            INSERT INTO t VALUES(\(value), 'odd'); INSERT INTO u VALUES(\(value), 'en', 'odd');
            INSERT INTO r VALUES(1, \(value));
            """
        let (_, readout) = try read(tables)
        #expect(readout.count(.missingKey) == 0)
        let made = try #require(key(readout, "odd"))
        #expect(made.utf8.count == 32)
        #expect(readout.record("r", "1")?["t"] == .reference(made))
        #expect(readout.keys("u").allSatisfy { $0.utf8.count == 32 })
        // Whatever the other rows are, and where it stands.
        let other = type == "REAL" ? "2.5" : type == "BLOB" ? "x'01'" : "'plain'"
        let (_, later) = try read(
            tables + "DELETE FROM t; INSERT INTO t VALUES(\(other), 'other'); INSERT INTO t VALUES(\(value), 'odd');"
        )
        #expect(key(later, "odd") == made)
    }

    @Test func `a text that was the identifier and can be none now is a loss where nothing else says it`() throws {
        let sequel = try DatabaseSequel("CREATE TABLE t(id TEXT PRIMARY KEY, v TEXT); INSERT INTO t VALUES('a', '1');")
        try sequel.change(
            "INSERT INTO t VALUES('\(String(repeating: "k", count: 300))', '2'), ('', '3'), ('b', '4'), (NULL, '5')"
        )
        let report = try sequel.again()
        #expect(report.warningCounts == [.unexpectedType: 2, .missingKey: 1])
        #expect(report.counts["t"]?.inserted == 4)
        let message = try #require(report.warnings.first { $0.kind == .unexpectedType }?.message)
        #expect(message.contains("kkk") && message.contains("identifier"))
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
        #expect(readout.warnings.allSatisfy { $0.message.contains("VACUUM") })
    }

    @Test(arguments: [
        // What is unique and never NULL; the fewest columns, then the first ones, however the indexes were made.
        ("a INT NOT NULL, b TEXT NOT NULL UNIQUE, v TEXT", "1, 'k', 'v'", "k"),
        ("a TEXT NOT NULL UNIQUE, b TEXT NOT NULL UNIQUE, v TEXT", "'k', 'l', 'v'", "k"),
        ("b TEXT NOT NULL, a TEXT NOT NULL UNIQUE, v TEXT, UNIQUE(b)", "'k', 'l', 'v'", "k"),
        ("a INT NOT NULL, b TEXT NOT NULL UNIQUE, v TEXT, UNIQUE(a, v)", "1, 'k', 'v'", "k"),
        // Where something stands changes.
        ("a INT NOT NULL, position INT NOT NULL UNIQUE, v TEXT", "1, 7, 'v'", nil),
        ("a INT NOT NULL, position INT NOT NULL, v TEXT, UNIQUE(a, position)", "1, 7, 'v'", nil),
        ("position INT NOT NULL UNIQUE, a TEXT NOT NULL UNIQUE, v TEXT", "7, 'k', 'v'", "k"),
        // What may be NULL, though it never is, and what is not unique tells nothing apart.
        ("a TEXT UNIQUE, b TEXT NOT NULL, v TEXT", "'k', 'l', 'v'", nil),
        ("a TEXT NOT NULL, b TEXT, v TEXT, UNIQUE(a, b)", "'k', 'l', 'v'", nil),
    ])
    func `without a primary key rows are told apart by what is unique, or by their numbers, which is said`(
        _ columns: String,
        _ row: String,
        _ expected: String?
    ) throws {
        let sql = "CREATE TABLE t(\(columns)); INSERT INTO t VALUES(\(row));"
        let (_, readout) = try read(sql)
        #expect(readout.keys("t") == [expected ?? "1"])
        #expect(readout.reading.warningCounts == (expected == nil ? [.rowNumberKey: 1] : [:]))
        // An index of some rows, or by an expression, is none.
        let (_, other) = try read(
            sql + "CREATE UNIQUE INDEX i ON t(a) WHERE a > 0; CREATE UNIQUE INDEX j ON t(lower(a));"
        )
        #expect(other.keys("t") == readout.keys("t"))
    }

    @Test func `a table without rows or a list says nothing of keys`() throws {
        let (_, readout) = try read(
            """
            CREATE TABLE t(v TEXT); CREATE TABLE a(id INTEGER PRIMARY KEY); INSERT INTO a VALUES(1);
            CREATE TABLE a_a(one INT REFERENCES a(id), two INT REFERENCES a(id), position INT);
            INSERT INTO a_a VALUES(1, 1, 1);
            """
        )
        #expect(readout.count(.rowNumberKey) == 0)
        #expect(LegacyWarning.Kind.rowNumberKey.isNote)
    }

    @Test func `several unique columns make a key, whatever order their index has them in`() throws {
        let table =
            "CREATE TABLE t(v TEXT, a INT NOT NULL, b INT NOT NULL); "
            + "INSERT INTO t VALUES('x', 1, 2), ('y', 2, 1);"
        let (_, first) = try read(table + "CREATE UNIQUE INDEX i ON t(a, b)")
        let (_, second) = try read(table + "CREATE UNIQUE INDEX i ON t(b, a)")
        #expect(Set(first.keys("t")).count == 2 && first.keys("t") == second.keys("t"))
        #expect(first.keys("t").allSatisfy { $0.utf8.count == 32 })
    }

    @Test func `what was edited stays with its row though the database gives its rows other numbers`() throws {
        let sandbox = try DatabaseSandbox(
            """
            CREATE TABLE t(name TEXT NOT NULL UNIQUE, v TEXT);
            INSERT INTO t VALUES('a', '1'), ('b', '2'), ('c', '3'), ('d', '4');
            DELETE FROM t WHERE name = 'b';
            """
        )
        let library = try TemporaryLibrary(for: SQLiteDatabaseSource(path: sandbox.path))
        _ = try Migrator(replacing: SQLiteDatabaseSource(path: sandbox.path), store: library.store).run()
        let database = try SQLiteScratch(at: sandbox.path)
        // As a copy by `.dump` does it.
        try database.execute("CREATE TABLE old AS SELECT * FROM t; DELETE FROM t; INSERT INTO t SELECT * FROM old")
        try database.execute("DROP TABLE old")
        #expect(try database.texts("SELECT rowid FROM t ORDER BY rowid") == ["1", "2", "3"])
        database.close()
        let report = try Migrator(replacing: SQLiteDatabaseSource(path: sandbox.path), store: library.store).run()
        let counts = try #require(report.counts["t"])
        #expect(counts.inserted == 0 && counts.updated == 0 && counts.deleted == 0)
    }

    @Test func `a key does where every name of the row's number is that of a column`() throws {
        let (_, readout) = try read(
            """
            CREATE TABLE t(k TEXT PRIMARY KEY, rowid INT, _rowid_ INT, oid INT);
            INSERT INTO t VALUES('b', 1, 2, 3), ('a', 4, 5, 6);
            CREATE TABLE u(rowid INT, _rowid_ INT, oid INT); INSERT INTO u VALUES(1, 2, 3);
            CREATE TABLE w(rowid INT, _rowid_ INT, oid INT, k INT NOT NULL UNIQUE, t REFERENCES t(k));
            INSERT INTO w VALUES(1, 2, 3, 9, 'a'), (1, 2, 3, 8, 'b');
            """
        )
        #expect(readout.keys("t") == ["a", "b"] && readout.keys("w") == ["8", "9"])
        #expect(readout.record("w", "9")?["t"] == .reference("a"))
        #expect(readout.record("t", "b")?["oid"] == .integer(3))
        #expect(readout.reading.warningCounts == [.skippedTable: 1])
    }

    @Test func `an index that breaks its own rule makes no keys`() throws {
        let sandbox = try DatabaseSandbox(
            "CREATE TABLE t(a TEXT NOT NULL, v TEXT); INSERT INTO t VALUES('x', '1'), ('x', '2'); "
                + "CREATE INDEX i ON t(a);"
        )
        let database = try SQLiteScratch(at: sandbox.path)
        try database.allowWritingSchema()
        try database.execute("UPDATE sqlite_schema SET sql = 'CREATE UNIQUE INDEX i ON t(a)' WHERE name = 'i'")
        database.close()
        let readout = try Readout(SQLiteDatabaseSource(path: sandbox.path))
        #expect(readout.keys("t") == ["1", "2"])
        #expect(readout.reading.warningCounts == [.brokenRule: 1, .rowNumberKey: 1])
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
        _ = try Migrator(replacing: source, store: library.store).run()
        let counts = try library.store.read { $0.counts.map(\.count) }
        #expect(counts == [2, 2, 2, 2])
    }
}

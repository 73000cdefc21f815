import Foundation
import TestSupport
import Testing

@testable import SQLiteFile

/// What must neither be refused nor overlooked.
@Suite struct SoundDatabaseTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory(named: "sqlite-sound")
    }

    private func write(_ sql: String) throws -> String {
        let path = directory.path("\(UUID()).db")
        let database = try SQLiteScratch(at: path)
        try database.execute(sql)
        database.close()
        return path
    }

    @Test func `tables whose names have the same characters in other bytes are two`() throws {
        let path = try write(
            "CREATE TABLE \"caf\u{E9}\"(a INT); CREATE TABLE \"cafe\u{301}\"(b TEXT, c TEXT)"
        )
        let tables = try SQLiteDatabase(SQLiteCopy(of: path)).tables()
        #expect(tables.map { Array($0.name.utf8).count } == [5, 6])
        #expect(tables.map { $0.columns.map(\.name) } == [["a"], ["b", "c"]])
    }

    @Test(arguments: [
        "CREATE TABLE t(a TEXT CHECK(json_valid(a)))",
        "CREATE TABLE t(a TEXT, b TEXT GENERATED ALWAYS AS (json_extract(a, '$.k')) VIRTUAL)",
        "CREATE TABLE t(a TEXT, b TEXT AS (a ->> '$.k') STORED NOT NULL)",
        "CREATE TABLE t(a TEXT DEFAULT (json_array(1, 2))); CREATE INDEX i ON t(json_type(a))",
        "CREATE TABLE t(a TEXT); CREATE UNIQUE INDEX i ON t(a) WHERE json_array_length(a) > 0",
        "CREATE TABLE t(a TEXT PRIMARY KEY, CHECK(a -> '$.k' IS NOT 7)) WITHOUT ROWID",
    ])
    func `functions of JSON in a schema are no reason to refuse a database`(_ schema: String) throws {
        let path = try write(
            schema + "; INSERT INTO t(a) VALUES('{\"k\":1}'), ('{\"k\":2}')"
        )
        let database = try SQLiteDatabase(SQLiteCopy(of: path))
        #expect(try database.tables().map(\.name) == ["t"])
        // A column that is computed when it is read cannot be examined without its function.
        #expect(try database.check().unexamined.count == (schema.contains("VIRTUAL") ? 1 : 0))
        let statement = try database.prepare("SELECT a FROM t ORDER BY +a")
        var values: [SQLiteValue] = []
        while try statement.step() { values.append(statement.value(at: 0)) }
        #expect(values == [.text("{\"k\":1}"), .text("{\"k\":2}")])
    }

    @Test func `a table whose name is no UTF-8 is an error`() throws {
        let path = try write("CREATE TABLE aXXb(a); CREATE TABLE t(a); INSERT INTO aXXb VALUES(1)")
        var bytes = try Data(contentsOf: URL(filePath: path))
        while let range = bytes.range(of: Data("aXXb".utf8)) {
            bytes.replaceSubrange(range, with: [0x61, 0xFF, 0xFE, 0x62])
        }
        try bytes.write(to: URL(filePath: path))
        #expect(
            code { _ = try SQLiteDatabase(SQLiteCopy(of: path)).tables() } == .invalidText
        )
    }

    @Test(arguments: [
        "CREATE VIEW v AS "
            + Array(repeating: "SELECT a FROM t", count: 60).joined(separator: " UNION ALL "),
        "CREATE VIEW v AS SELECT a FROM t WHERE "
            + (0..<600).map { "a = \($0)" }.joined(separator: " OR "),
    ])
    func `a long view is no reason to refuse a database`(_ view: String) throws {
        let path = try write("CREATE TABLE t(a); INSERT INTO t VALUES(1); \(view)")
        let database = try SQLiteDatabase(SQLiteCopy(of: path))
        #expect(try database.check().isEmpty)
        #expect(try count(database, "SELECT count(*) FROM t") == 1)
    }

    /// A table with so many rows that break a rule, and one whose index has lost all entries.
    private func broken(_ count: Int, isDamaged: Bool) throws -> String {
        let path = try write(
            """
            CREATE TABLE f(id TEXT PRIMARY KEY, v); INSERT INTO f VALUES('a', 1), ('b', 2);
            CREATE TABLE b(id INTEGER PRIMARY KEY, v TEXT);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
                INSERT INTO b SELECT i, NULL FROM n;
            CREATE TABLE empty(x TEXT PRIMARY KEY) WITHOUT ROWID;
            """
        )
        let writer = try SQLiteScratch(at: path)
        try writer.allowWritingSchema()
        try writer.execute(
            "UPDATE sqlite_schema SET sql = 'CREATE TABLE b(id INTEGER PRIMARY KEY, v TEXT NOT NULL)' WHERE name = 'b'"
        )
        if isDamaged {
            try writer.execute(
                """
                UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'empty')
                    WHERE name = 'sqlite_autoindex_f_1';
                DELETE FROM sqlite_schema WHERE name = 'empty';
                """
            )
        }
        writer.close()
        return path
    }

    @Test func `damage that comes after many remarks is found`() throws {
        let path = try broken(250, isDamaged: true)
        #expect(code { _ = try SQLiteDatabase(SQLiteCopy(of: path)).check() } == .damaged)
    }

    /// The expression of the index is another one than that by which it was made: who computes it finds damage.
    private func computing(_ sql: String) throws -> SQLiteDatabase {
        let path = try write(
            "CREATE TABLE t(a); CREATE INDEX i ON t(length(a)); INSERT INTO t VALUES('x'), ('yy'); \(sql)"
        )
        let writer = try SQLiteScratch(at: path)
        try writer.allowWritingSchema()
        try writer.execute(
            "UPDATE sqlite_schema SET sql = replace(sql, 'length(', '-length(') WHERE name = 'i'"
        )
        writer.close()
        return try SQLiteDatabase(SQLiteCopy(of: path))
    }

    @Test func `expressions of the file are not run, and all that has none is examined`() throws {
        #expect(try computing("").check().isEmpty)
        let named = try computing("CREATE TABLE \"7\"(a UNIQUE); INSERT INTO \"7\" VALUES(1)").check()
        #expect(named.remarks.isEmpty)
        #expect(named.unexamined == ["7 was not compared with its indexes."])
        let path = try broken(1, isDamaged: true)
        let writer = try SQLiteScratch(at: path)
        try writer.execute("CREATE INDEX i ON b(length(v))")
        writer.close()
        #expect(code { _ = try SQLiteDatabase(SQLiteCopy(of: path)).check() } == .damaged)
    }

    /// A table with an index by an expression or of some rows, and with one by columns whose entries are others'.
    private func swapped(_ index: String, _ change: String = "") throws -> String {
        let path = try write(
            """
            CREATE TABLE t(a TEXT PRIMARY KEY, b, c COLLATE NOCASE); CREATE INDEX plain ON t(b, c);
            CREATE INDEX other ON t(c COLLATE BINARY); CREATE INDEX special ON \(index);
            INSERT INTO t VALUES('x', 1, 'm'), ('y', NULL, 'M'), (NULL, 1.5, NULL);
            CREATE TABLE u(b, c COLLATE NOCASE); CREATE INDEX foreign_plain ON u(b, c);
            INSERT INTO u VALUES(1, 'm'), (NULL, 'M'), (7, NULL);
            CREATE TABLE v(b, c COLLATE NOCASE); CREATE INDEX longer_plain ON v(b, c);
            INSERT INTO v VALUES(1, 'm'), (NULL, 'M'), (1.5, NULL), (9, 'n');
            """
        )
        guard !change.isEmpty else { return path }
        let writer = try SQLiteScratch(at: path)
        try writer.allowWritingSchema()
        try writer.execute(
            """
            UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = '\(change)_plain')
                WHERE name = 'plain';
            DELETE FROM sqlite_schema WHERE tbl_name IN ('u', 'v');
            """
        )
        writer.close()
        return path
    }

    @Test(arguments: ["t(length(a))", "t(b) WHERE b > 1"])
    func `beside an index by an expression or of some rows, the others are compared with the rows`(
        _ index: String
    ) throws {
        #expect(try SQLiteDatabase(SQLiteCopy(of: swapped(index))).check().isEmpty)
        for change in ["foreign", "longer"] {
            let path = try swapped(index, change)
            #expect(code { _ = try SQLiteDatabase(SQLiteCopy(of: path)).check() } == .damaged)
        }
    }

    @Test func `beside an index by an expression, values that are not unique are remarks`() throws {
        let path = try write(
            "CREATE TABLE t(a, b); CREATE INDEX special ON t(length(a)); CREATE INDEX plain ON t(b); "
                + "INSERT INTO t VALUES(1, 2), (3, 2), (4, NULL), (5, NULL)"
        )
        let writer = try SQLiteScratch(at: path)
        try writer.allowWritingSchema()
        try writer.execute(
            "UPDATE sqlite_schema SET sql = 'CREATE UNIQUE INDEX plain ON t(b)' WHERE name = 'plain'"
        )
        writer.close()
        #expect(
            try SQLiteDatabase(SQLiteCopy(of: path)).check().remarks == ["non-unique entry in index plain"]
        )
    }

    @Test func `a table that was not examined to its end, beside expressions, is said`() throws {
        let path = try broken(250, isDamaged: false)
        let writer = try SQLiteScratch(at: path)
        try writer.execute("CREATE TABLE e(a); CREATE INDEX i ON e(length(a))")
        writer.close()
        let found = try SQLiteDatabase(SQLiteCopy(of: path)).check()
        #expect(found.unexamined == ["b was not compared with all of its indexes."])
        #expect(found.remarks.first == "NULL value in b.v")
    }

    @Test func `remarks beyond the first are counted`() throws {
        let path = try broken(250, isDamaged: false)
        let remarks = try SQLiteDatabase(SQLiteCopy(of: path)).check(remarkCountMax: 3).remarks
        #expect(remarks == Array(repeating: "NULL value in b.v", count: 3) + ["and 247 more."])
    }

    @Test func `pages that nothing uses are no damage, however SQLite says it`() {
        for line in ["Page 3 is never used", "Page 3: never used", "NULL value in t.a"] {
            #expect(SQLiteDatabase.isHarmless(Substring(line)))
        }
        for line in [
            "Tree 3 page 3: never used", "row 1 missing from index i",
            "Page 3: btreeInitPage() returns 11",
        ] {
            #expect(!SQLiteDatabase.isHarmless(Substring(line)))
        }
    }

    @Test func `a missing directory for temporary files is named as such`() throws {
        let error = #expect(throws: SQLiteFileError.self) {
            try PrivateDirectory(in: directory.path("absent"))
        }
        #expect(error?.code == .inputOutput && error?.message.contains("temporary") == true)
        #expect(error?.advice.contains("TMPDIR") == true)
    }
}

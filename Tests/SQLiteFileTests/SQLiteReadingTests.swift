import Foundation
import SQLiteFile
import TestSupport
import Testing

@Suite struct SQLiteReadingTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory(named: "sqlite-reading")
    }

    private func open(_ sql: String) throws -> SQLiteDatabase {
        let path = directory.path("\(UUID()).db")
        let database = try SQLiteScratch(at: path)
        try database.execute(sql)
        database.close()
        return try SQLiteDatabase(SQLiteCopy(of: path))
    }

    @Test func `every value comes as it is stored`() throws {
        let database = try open(
            "CREATE TABLE t(a); INSERT INTO t VALUES(NULL), (-9223372036854775808), (0.1), (9e999), "
                + "('é' || char(0) || 'x'), "
                + "(''), (x'00ff'), (x''), (CAST(x'ff41' AS TEXT))"
        )
        let rows = try database.prepare("SELECT a FROM t ORDER BY rowid")
        var values: [SQLiteValue] = []
        while try rows.step() {
            let value = rows.value(at: 0)
            #expect(value.storageClass == rows.storageClass(at: 0))
            values.append(value)
        }
        #expect(
            values == [
                .null, .integer(.min), .real(0.1), .real(.infinity), .text("é\0x"), .text(""),
                .blob([0, 255]), .blob([]),
                .invalidText([0xFF, 0x41]),
            ]
        )
        #expect(
            rows.value(at: 0) == .null && rows.value(at: 7) == .null && rows.value(at: -1) == .null
        )
    }

    @Test func `what is bound is found again`() throws {
        let database = try open("CREATE TABLE t(a)")
        let rows = try database.prepare("SELECT ?1, typeof(?1)")
        for value: SQLiteValue in [
            .null, .integer(.max), .real(-0.5), .text("a\0b"), .text(""), .blob([]), .blob([1, 0]),
            .invalidText([0xFF]),
        ] {
            try rows.bind(value, at: 1)
            #expect(try rows.step())
            #expect(rows.value(at: 0) == value)
            rows.reset()
        }
        #expect(code { try rows.bind(.null, at: 2) } != nil)
    }

    @Test(arguments: [
        "DELETE FROM t", "UPDATE t SET a = 1", "INSERT INTO t VALUES(1)", "DROP TABLE t",
        "CREATE TABLE u(a)",
        "ATTACH 'other.db' AS o", "VACUUM INTO 'other.db'", "PRAGMA writable_schema=ON",
        "PRAGMA query_only=OFF", "PRAGMA journal_mode=DELETE", "SELECT load_extension('x')",
        "BEGIN",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT * FROM n",
        "SELECT * FROM v", "",
        "REINDEX", "ANALYZE", "CREATE TEMP TABLE x(a)",
    ])
    func `a statement that does anything but read rows is refused`(_ sql: String) throws {
        let database = try open(
            "CREATE TABLE t(a); CREATE INDEX i ON t(a); CREATE VIEW v AS SELECT a FROM t"
        )
        #expect(throws: SQLiteFileError.self) {
            let rows = try database.prepare(sql)
            while try rows.step() {}
        }
    }

    @Test func `the schema is read whole`() throws {
        let database = try open(
            """
            CREATE TABLE "a ""b"" c"("i d" INTEGER PRIMARY KEY, x TEXT NOT NULL UNIQUE, y REAL DEFAULT 1,
                z AS (x || y) VIRTUAL, s TEXT AS (upper(x)) STORED);
            CREATE TABLE w(k TEXT, l INT, p TEXT REFERENCES "a ""b"" c"(x) ON DELETE SET NULL, q INT, r INT,
                PRIMARY KEY(l, k), FOREIGN KEY(q, r) REFERENCES w(l, k) ON DELETE CASCADE) WITHOUT ROWID, STRICT;
            CREATE INDEX part ON w(p) WHERE p > 'a';
            CREATE INDEX expression ON w(lower(p), q);
            CREATE VIEW v AS SELECT 1;
            CREATE VIRTUAL TABLE f USING fts5(body);
            """
        )
        let tables = try database.tables()
        #expect(tables.filter { $0.kind == .table }.map(\.name) == ["a \"b\" c", "w"])
        #expect(tables.first { $0.name == "v" }?.kind == .view)
        #expect(tables.first { $0.name == "f" }?.kind == .virtual)
        #expect(tables.filter { $0.kind == .shadow }.count >= 4)
        let first = try #require(tables.first)
        #expect(first.rowidColumn?.name == "i d" && first.rowidName == "i d" && !first.isStrict)
        #expect(first.columns.map(\.name) == ["i d", "x", "y", "z", "s"])
        #expect(
            first.columns.map(\.origin) == [
                .stored, .stored, .stored, .virtuallyGenerated, .generatedAndStored,
            ]
        )
        #expect(first.column("X")?.isNotNull == true && first.column("y")?.declaredType == "REAL")
        #expect(
            first.indexes.count == 1 && first.indexes[0].isUnique
                && first.indexes[0].columns == ["x"]
        )
        let second = try #require(tables.first { $0.name == "w" })
        #expect(second.isWithoutRowid && second.isStrict && second.rowidName == nil)
        #expect(second.primaryKey.map(\.name) == ["l", "k"])
        #expect(second.foreignKeys.count == 2)
        #expect(
            second.foreignKeys[0].table == "a \"b\" c" && second.foreignKeys[0].onDelete == .setNull
        )
        #expect(
            second.foreignKeys[0].parts.map(\.column) == ["p"]
                && second.foreignKeys[0].parts[0].target == "x"
        )
        #expect(
            second.foreignKeys[1].parts.map(\.column) == ["q", "r"]
                && second.foreignKeys[1].onDelete == .cascade
        )
        #expect(second.indexes.first { $0.name == "part" }?.isPartial == true)
        #expect(second.indexes.first { $0.name == "expression" }?.columns == [nil, "q"])
        #expect(second.indexes.first { $0.origin == .primaryKey }?.isUnique == true)
    }

    @Test func `a name is quoted whatever it contains`() throws {
        let name = "x\"); DROP TABLE t; --"
        let database = try open(
            "CREATE TABLE t(a); CREATE TABLE \(SQLiteName.quoted(name))(\(SQLiteName.quoted(name)))"
        )
        let table = try #require(try database.tables().first { $0.name == name })
        #expect(table.columns.map(\.name) == [name])
        #expect(
            try count(
                database,
                "SELECT count(\(SQLiteName.quoted(name))) FROM \(SQLiteName.quoted(name))"
            ) == 0
        )
    }

    @Test func `long work can be stopped`() throws {
        let database = try open(
            "CREATE TABLE t(a); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000) "
                + "INSERT INTO t SELECT i FROM n"
        )
        var asked = 0
        let found = code {
            _ = try database.withInterruption({
                asked += 1
                return asked == 3
            }) { () throws(SQLiteFileError) in
                let rows = try database.prepare("SELECT count(*) FROM t a, t b WHERE a.a + b.a = 7")
                while try rows.step() {}
            }
        }
        #expect(found == .cancelled && asked == 3)
        #expect(try count(database, "SELECT count(*) FROM t") == 3000)
    }

    @Test func `the examination of a database can be stopped`() throws {
        let database = try open(
            "CREATE TABLE t(a INTEGER PRIMARY KEY, b); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
                + "WHERE i < 20000) INSERT INTO t SELECT i, i FROM n"
        )
        var asked = 0
        let found = code {
            _ = try database.withInterruption {
                asked += 1
                return asked == 3
            } _: { () throws(SQLiteFileError) in
                try database.check()
            }
        }
        #expect(found == .cancelled && asked == 3)
        #expect(try database.check().isEmpty)
    }

    @Test func `values that break a rule of the schema are remarks, no damage`() throws {
        let path = directory.path("rules.db")
        let writer = try SQLiteScratch(at: path)
        try writer.execute(
            "CREATE TABLE t(a NOT NULL, b CHECK(b > 0)); PRAGMA ignore_check_constraints=ON"
        )
        try writer.execute("INSERT INTO t VALUES(1, -1)")
        try writer.execute("PRAGMA writable_schema=ON")
        try writer.execute(
            "UPDATE sqlite_schema SET sql = 'CREATE TABLE t(a NOT NULL, b NOT NULL)'"
        )
        try writer.execute("PRAGMA writable_schema=RESET")
        writer.close()
        #expect(try SQLiteDatabase(SQLiteCopy(of: path)).check().isEmpty)
        let other = try SQLiteScratch(at: path)
        try other.execute("PRAGMA writable_schema=ON")
        try other.execute("UPDATE sqlite_schema SET sql = 'CREATE TABLE t(a, b)'")
        try other.execute("PRAGMA writable_schema=RESET")
        try other.execute("INSERT INTO t VALUES(NULL, NULL); PRAGMA writable_schema=ON")
        try other.execute("UPDATE sqlite_schema SET sql = 'CREATE TABLE t(a NOT NULL, b)'")
        other.close()
        #expect(try SQLiteDatabase(SQLiteCopy(of: path)).check().remarks == ["NULL value in t.a"])
    }
}

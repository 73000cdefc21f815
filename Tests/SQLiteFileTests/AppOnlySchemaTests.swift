import Foundation
import TestSupport
import Testing

@testable import SQLiteFile

/// Schemas with functions and collations that only the app has.
@Suite struct AppOnlySchemaTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory(named: "sqlite-app")
    }

    /// A database whose schema is changed afterwards, by words that are put in the place of others.
    private func write(_ sql: String, _ changes: [String: String]) throws -> String {
        let path = directory.path("\(UUID()).db")
        var database = try SQLiteScratch(at: path)
        try database.execute(sql)
        database.close()
        database = try SQLiteScratch(at: path)
        try database.allowWritingSchema()
        for (old, new) in changes {
            try database.execute("UPDATE sqlite_schema SET sql = replace(sql, '\(old)', '\(new)')")
        }
        database.close()
        return path
    }

    @Test func `a column that only the app can compute keeps no other table from being examined`() throws {
        let sql = """
            CREATE TABLE plain(a, b); INSERT INTO plain VALUES(1, 2), (NULL, 3);
            CREATE TABLE t(a, b TEXT AS (abs(a))); INSERT INTO t(a) VALUES(1);
            """
        let path = try write(sql, ["abs(": "appOwn(", "plain(a, b)": "plain(a NOT NULL, b)"])
        let found = try SQLiteDatabase(SQLiteCopy(of: path)).check()
        #expect(found.remarks == ["NULL value in plain.a"])
        #expect(found.unexamined.count == 1)
        #expect(found.unexamined.first?.hasPrefix("t could not be examined: ") == true)
        #expect(found.unexamined.first?.contains("appOwn") == true)
    }

    @Test func `a collation that only the app has keeps no other table's indexes from being examined`() throws {
        let sql = """
            CREATE TABLE word(k TEXT COLLATE NOCASE UNIQUE); INSERT INTO word VALUES('a');
            CREATE TABLE t(a); INSERT INTO t VALUES(1), (2), (3);
            CREATE INDEX i ON t(a) WHERE a < 2;
            """
        let path = try write(sql, ["NOCASE": "APP", " WHERE a < 2": ""])
        let error = try #require(throws: SQLiteFileError.self) {
            _ = try SQLiteDatabase(SQLiteCopy(of: path)).check()
        }
        #expect(error.code == .damaged && error.message.contains("missing from index i"), "\(error)")
    }

    @Test func `a table is not said to be examined where SQLite takes its name for a number`() throws {
        let sql = """
            CREATE TABLE word(k TEXT COLLATE NOCASE UNIQUE); CREATE TABLE plain(a, b);
            INSERT INTO plain VALUES(NULL, 1), (NULL, 2); CREATE TABLE "1st"(a); CREATE TABLE "-2"(a);
            """
        let path = try write(sql, ["NOCASE": "APP", "plain(a, b)": "plain(a NOT NULL, b)"])
        let found = try SQLiteDatabase(SQLiteCopy(of: path)).check()
        #expect(found.remarks == ["NULL value in plain.a"])
        #expect(found.unexamined.map { $0.prefix(4) } == ["word", "1st ", "-2 c"])
    }

    /// A table with an index that only the app can read, and one over another column.
    private func beside(_ index: String, _ ending: String = "") -> String {
        """
        CREATE TABLE t(k TEXT PRIMARY KEY, v TEXT, w TEXT)\(ending);
        INSERT INTO t VALUES('1', 'x', 'm'), ('2', 'y', 'n');
        CREATE INDEX own ON t(w COLLATE NOCASE); CREATE UNIQUE INDEX plain ON t(v)\(index);
        """
    }

    @Test func `the plain indexes of a table that could not be examined are compared with its rows`() throws {
        let changes = ["NOCASE": "APP", " WHERE v < ''y''": ""]
        let sound = try SQLiteDatabase(SQLiteCopy(of: write(beside(""), changes)))
        let found = try sound.check()
        #expect(found.unexamined.count == 1 && found.remarks.isEmpty)
        let table = try #require(try sound.tables().first)
        let trusted = table.indexes.filter { found.trusts($0, of: table) }.map(\.name)
        #expect(Set(trusted) == ["sqlite_autoindex_t_1", "plain"])
    }

    @Test func `a row that such an index lacks is damage, and without rowids nobody trusts the index`() throws {
        let changes = ["NOCASE": "APP", " WHERE v < ''y''": ""]
        let path = try write(beside(" WHERE v < 'y'"), changes)
        let error = #expect(throws: SQLiteFileError.self) {
            _ = try SQLiteDatabase(SQLiteCopy(of: path)).check()
        }
        #expect(error?.code == .damaged && error?.message.contains("missing from index plain") == true)
        let second = try write(beside(" WHERE v < 'y'", " WITHOUT ROWID"), changes)
        let database = try SQLiteDatabase(SQLiteCopy(of: second))
        let found = try database.check()
        #expect(found.unexamined.count == 1 && found.unexamined[0].hasPrefix("t "))
        let table = try #require(try database.tables().first)
        #expect(!table.indexes.contains { $0.name == "plain" && found.trusts($0, of: table) })
    }

    @Test func `the rows of a table in an order that only the app knows are all read`() throws {
        let sql = """
            CREATE TABLE t(k TEXT COLLATE NOCASE PRIMARY KEY, v) WITHOUT ROWID;
            INSERT INTO t VALUES('b', 1), ('A', 2), ('C', 3), ('a2', 4);
            CREATE TABLE u(a TEXT COLLATE NOCASE UNIQUE, b TEXT UNIQUE);
            """
        let path = try write(sql, ["NOCASE": "APP"])
        let database = try SQLiteDatabase(SQLiteCopy(of: path))
        let tables = try database.tables()
        #expect(tables.flatMap { $0.indexes.map(\.needsApp) } == [true, true, false])
        #expect(try database.check().unexamined.map { $0.prefix(1) } == ["t", "u"])
        #expect(throws: SQLiteFileError.self) { _ = try database.prepare("SELECT k FROM t") }
        try database.standInForCollations()
        let rows = try database.prepare("SELECT k FROM t ORDER BY k")
        var keys: [SQLiteValue] = []
        while try rows.step() { keys.append(rows.value(at: 0)) }
        #expect(keys == [.text("A"), .text("a2"), .text("b"), .text("C")])
        let error = try #require(throws: SQLiteFileError.self) { _ = try database.check() }
        #expect(error.code == .invalidRequest)
    }
}

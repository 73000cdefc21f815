import Foundation
import LegacyMigration
import Reprise
import Testing

/// What becomes of the tables and columns of an ordinary database.
@Suite struct SQLiteSchemaTests {
    private func model(_ source: SQLiteDatabaseSource, _ name: String) throws -> ModelDescription {
        try #require(source.schema.models.first { $0.name == name })
    }

    private func read(_ sql: String) throws -> (SQLiteDatabaseSource, Readout) {
        let sandbox = try DatabaseSandbox(sql)
        let before = try sandbox.content
        let source = try SQLiteDatabaseSource(path: sandbox.path)
        let readout = try Readout(source)
        #expect(try sandbox.content == before)
        return (source, readout)
    }

    private func types(_ source: SQLiteDatabaseSource, _ name: String) throws -> [String: ValueType]
    {
        Dictionary(
            uniqueKeysWithValues: try model(source, name).attributes.map { ($0.name, $0.type) }
        )
    }

    @Test func `a column has the type that it was declared with`() throws {
        let (source, readout) = try read(
            """
            CREATE TABLE t(i INTEGER, big BIGINT, r REAL, d DOUBLE PRECISION, s VARCHAR(20), b BLOB, f BOOLEAN,
                day DATE, at DATETIME, unix TIMESTAMP, price DECIMAL(10,2), n NUMERIC, x);
            INSERT INTO t VALUES(1, 9223372036854775807, 0.5, 2, 'a', x'00', 1, '2020-02-29', '2001-01-01 00:00:01.5',
                978307201, 12.25, 3, 'free');
            """
        )
        #expect(
            try types(source, "t") == [
                "i": .int, "big": .int, "r": .double, "d": .double, "s": .string, "b": .data,
                "f": .bool, "day": .date,
                "at": .date, "unix": .date, "price": .decimal, "n": .decimal, "x": .string,
            ]
        )
        let record = try #require(readout.record("t", "1"))
        #expect(record["big"] == .integer(.max))
        #expect(record["d"] == .double(2))
        #expect(record["f"] == .bool(true))
        #expect(record["day"] == .date(Date(timeIntervalSince1970: 1_582_934_400)))
        #expect(record["at"] == .date(Date(timeIntervalSinceReferenceDate: 1.5)))
        #expect(record["unix"] == .date(Date(timeIntervalSinceReferenceDate: 1)))
        #expect(record["price"] == .decimal(Decimal(string: "12.25") ?? 0))
        #expect(record["n"] == .decimal(3))
        // How the number in `unix` counts time.
        #expect(readout.reading.warningCounts == [.guessedDate: 1, .rowNumberKey: 1])
    }

    @Test func `values that do not fit their column are kept in a type that holds them all`() throws
    {
        let (source, readout) = try read(
            """
            CREATE TABLE t(a INTEGER, b INTEGER, c REAL, d TEXT, e BOOLEAN, f DATE, g BLOB, h);
            INSERT INTO t VALUES(1, 'word', 0.5, 'text', 1, '2020-01-01', x'01', 1);
            INSERT INTO t VALUES(0.5, 2, 'word', x'ff', 7, 'yesterday', 'text', 0.25);
            """
        )
        #expect(
            try types(source, "t") == [
                "a": .double, "b": .string, "c": .string, "d": .data, "e": .int, "f": .string,
                "g": .data, "h": .double,
            ]
        )
        #expect(readout.record("t", "1")?["b"] == .string("word"))
        #expect(readout.record("t", "2")?["b"] == .string("2"))
        #expect(readout.record("t", "1")?["c"] == .string("0.5"))
        #expect(readout.record("t", "1")?["d"] == .data(Data("text".utf8)))
        #expect(readout.record("t", "2")?["d"] == .data(Data([0xFF])))
        #expect(readout.record("t", "2")?["f"] == .string("yesterday"))
        #expect(readout.record("t", "2")?["g"] == .data(Data("text".utf8)))
        #expect(readout.record("t", "1")?["h"] == .double(1))
        // Bytes and texts cannot be told apart any more.
        #expect(readout.count(.mixedTypes) == 4 && readout.count(.mergedTypes) == 2)
    }

    @Test func `columns whose names have the same characters in other bytes are two`() throws {
        let (source, readout) = try read(
            """
            CREATE TABLE t(id INTEGER PRIMARY KEY, "e\u{301}" INTEGER, "\u{E9}" TEXT);
            INSERT INTO t VALUES(1, 5, 'text');
            CREATE TABLE "caf\u{E9}"(v TEXT); INSERT INTO "caf\u{E9}" VALUES('one');
            CREATE TABLE "cafe\u{301}"(v TEXT); INSERT INTO "cafe\u{301}" VALUES('two');
            """
        )
        #expect(source.schema.models.count == 3)
        let record = try #require(readout.record("t", "1"))
        #expect(record.fields.map(\.value) == [.integer(1), .integer(5), .string("text")])
        let values = readout.records.map { $0["v"] }
        #expect(values.contains(.string("one")) && values.contains(.string("two")))
        #expect(readout.reading.warningCounts == [.respelledName: 4, .rowNumberKey: 2])
    }

    @Test func `an integer that no double holds makes a column of numbers text`() throws {
        let (source, readout) = try read(
            "CREATE TABLE t(a); INSERT INTO t VALUES(9007199254740993), (0.5)"
        )
        #expect(try types(source, "t") == ["a": .string])
        #expect(readout.record("t", "1")?["a"] == .string("9007199254740993"))
    }

    @Test func `text that is no UTF-8 is repaired with a warning`() throws {
        let (_, readout) = try read(
            "CREATE TABLE t(a TEXT); INSERT INTO t VALUES(CAST(x'41ff' AS TEXT))"
        )
        #expect(readout.record("t", "1")?["a"] == .string("A\u{FFFD}"))
        #expect(readout.count(.invalidText) == 1)
    }

    @Test func `a primary key becomes the key`() throws {
        let (source, readout) = try read(
            """
            CREATE TABLE a(id TEXT PRIMARY KEY, x); INSERT INTO a VALUES('Key', 1);
            CREATE TABLE b(id INTEGER PRIMARY KEY, x); INSERT INTO b VALUES(-5, 1);
            CREATE TABLE c(u BLOB PRIMARY KEY, x); INSERT INTO c VALUES(x'00112233445566778899AABBCCDDEEFF', 1);
            CREATE TABLE d(u BLOB PRIMARY KEY, x); INSERT INTO d VALUES(x'0A', 1);
            CREATE TABLE e(p TEXT, q INT, x, PRIMARY KEY(p, q)) WITHOUT ROWID;
            INSERT INTO e VALUES('a', 1, 1), ('a', 2, 1), ('b', 1, 1);
            CREATE TABLE f(x); INSERT INTO f VALUES('no key');
            CREATE TABLE g(name TEXT PRIMARY KEY); INSERT INTO g VALUES('é'), ('e' || char(769));
            """
        )
        #expect(readout.keys("a") == ["Key"] && readout.record("a", "Key")?["id"] == nil)
        #expect(readout.keys("b") == ["-5"] && readout.record("b", "-5")?["id_2"] == .integer(-5))
        #expect(readout.keys("c") == ["00112233-4455-6677-8899-aabbccddeeff"])
        #expect(readout.keys("d") == ["0a"])
        #expect(
            Set(readout.keys("e")).count == 3
                && readout.keys("e").allSatisfy { $0.utf8.count == 32 }
        )
        #expect(readout.keys("f") == ["1"])
        // Two texts of the same characters are two keys.
        #expect(Set(readout.keys("g").map { Array($0.utf8) }).count == 2)
        #expect(try model(source, "a").attributes.map(\.name) == ["x"])
        #expect(readout.reading.warningCounts == [.rowNumberKey: 1])
    }

    @Test func `a key that cannot be used is made from the row, and references follow it`() throws {
        let long = String(repeating: "k", count: 300)
        let (_, readout) = try read(
            """
            CREATE TABLE a(id TEXT PRIMARY KEY, x); INSERT INTO a VALUES('', 1), ('\(long)', 2), ('short', 3),
                (NULL, 4);
            CREATE TABLE b(a TEXT REFERENCES a(id)); INSERT INTO b VALUES(''), ('\(long)'), ('short');
            """
        )
        // Only where nothing is there something else has a part in the key.
        #expect(readout.count(.missingKey) == 1)
        func key(_ value: Int64) -> String? {
            readout.records.first { $0.className == "a" && $0["x"] == .integer(value) }?.key
        }
        #expect(Set((1...4).map(key)).count == 4)
        let targets = readout.records.filter { $0.className == "b" }.map { $0["a"] }
        #expect(targets == [1, 2, 3].map { key($0).map(LegacyValue.reference) })
    }

    @Test func `an empty table has the same schema as a full one`() throws {
        let sql =
            "CREATE TABLE t(id TEXT PRIMARY KEY, a INT, b REAL, c TEXT NOT NULL, d DATE, e BOOL, f BLOB)"
        let (empty, _) = try read(sql)
        let (full, _) = try read(
            "\(sql); INSERT INTO t VALUES('x', 1, 0.5, 'c', '2020-01-01', 0, x'00')"
        )
        #expect(empty.schema == full.schema)
    }

    @Test func `indexes come along, unique where values stay different`() throws {
        let (source, _) = try read(
            """
            CREATE TABLE t(a TEXT UNIQUE, b INT, c DATE UNIQUE, d TEXT);
            CREATE INDEX i ON t(b); CREATE INDEX j ON t(b, d); CREATE UNIQUE INDEX k ON t(d) WHERE b > 1;
            CREATE INDEX l ON t(lower(d));
            """
        )
        let model = try model(source, "t")
        func slots(_ names: String...) -> [Int] {
            names.compactMap { name in model.attributes.first { $0.name == name }?.slot }
        }
        let indexes = model.indexes.map { "\($0.slots) \($0.isUnique)" }
        #expect(
            Set(indexes) == [
                "\(slots("a")) true", "\(slots("b")) false", "\(slots("c")) false",
                "\(slots("b", "d")) false",
            ]
        )
    }

    @Test func `computed columns, search indexes and bookkeeping are left out and said so`() throws
    {
        let (source, readout) = try read(
            """
            CREATE TABLE t(a TEXT, b TEXT AS (upper(a)) VIRTUAL, c TEXT AS (lower(a)) STORED);
            INSERT INTO t(a) VALUES('x');
            CREATE VIRTUAL TABLE f USING fts5(body); INSERT INTO f VALUES('word');
            CREATE TABLE grdb_migrations(identifier TEXT PRIMARY KEY);
            CREATE TABLE sqlitedata_icloud_metadata(x);
            CREATE VIEW v AS SELECT * FROM t;
            CREATE TABLE keeps(id INTEGER PRIMARY KEY AUTOINCREMENT);
            """
        )
        // A full-text table that holds rows of its own comes, and its index does not.
        #expect(source.schema.models.map(\.name) == ["t", "f", "keeps"])
        #expect(readout.record("f", "1")?["body"] == .string("word"))
        #expect(try types(source, "t") == ["a": .string, "c": .string])
        #expect(readout.record("t", "1")?["c"] == .string("x"))
        #expect(readout.count(.generatedColumn) == 1)
        #expect(readout.count(.skippedTable) == 0 && readout.count(.bookkeepingTable) == 3)
    }
}

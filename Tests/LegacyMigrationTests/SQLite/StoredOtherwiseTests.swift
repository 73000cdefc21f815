import LegacyMigration
import Reprise
import TestSupport
import Testing

/// Keys of a database whose values are stored in another way in a newer export (Specs/format/migration.md,
/// "Decisions").
@Suite struct StoredOtherwiseTests {
    /// A table before, and the same with the column `k` declared otherwise.
    private func sequel(
        _ before: String,
        _ rows: String,
        _ after: String,
        _ newRows: String? = nil
    ) throws -> (sequel: DatabaseSequel, report: MigrationReport) {
        let sequel = try DatabaseSequel("CREATE TABLE t(\(before)); INSERT INTO t VALUES\(rows);")
        try sequel.change("DROP TABLE t; CREATE TABLE t(\(after)); INSERT INTO t VALUES\(newRows ?? rows)")
        return (sequel, try sequel.again())
    }

    @Test(arguments: [
        ("k PRIMARY KEY, v INT", "(1, 1), (2.5, 2)", "(1.0, 1), (2.5, 2)"),
        ("k PRIMARY KEY, v INT", "(1, 1), (2, 2)", "(1.0, 1), (2.0, 2)"),
        ("k, l INT, v INT, PRIMARY KEY(k, l)", "(1, 1, 1), (2.5, 1, 2)", "(1.0, 1, 1), (2.5, 1, 2)"),
        ("k, l TEXT, v INT, PRIMARY KEY(k, l)", "(7.0, 'a', 1), (8.0, 'b', 2)", "(7, 'a', 1), (8, 'b', 2)"),
    ])
    func `a whole number is the same key, be it stored as an integer or not`(
        _ columns: String,
        _ rows: String,
        _ later: String
    ) throws {
        let (sequel, report) = try sequel(columns, rows, columns, later)
        let counts = try #require(report.counts["t"])
        #expect(counts.inserted == 0 && counts.deleted == 0)
        #expect(report.warningCounts[.changedKey] == nil)
        #expect(try sequel.values("t", "v").count == 2)
    }

    @Test func `texts and numbers that say the same have keys of their own in one column`() throws {
        let sequel = try DatabaseSequel(
            "CREATE TABLE t(k PRIMARY KEY, v INT); INSERT INTO t VALUES(7.0, 1), ('7', 2), (8, 3), ('8', 4), ('9', 5);"
        )
        let values = try sequel.values("t", "v")
        #expect(values.count == 5)
        #expect(values["7"] == .int(1) && values["8"] == .int(3) && values["9"] == .int(5))
    }

    @Test func `texts that became numbers with fractions keep whole ones, and may be others, which is a loss`() throws {
        let (sequel, report) = try sequel(
            "k TEXT PRIMARY KEY, v INT",
            "('7', 1), ('8', 2), ('7.5', 3)",
            "k REAL PRIMARY KEY, v INT"
        )
        let counts = try #require(report.counts["t"])
        #expect(counts.inserted == 0 && counts.deleted == 0)
        #expect(report.warningCounts[.changedKey] == 1)
        #expect(Set(try sequel.values("t", "v").keys) == ["7", "8", "7.5"])
    }

    @Test(arguments: [
        ("(1, 'u', 1), ('x', 'w', 2)", "('1', 'u', 1), ('x', 'w', 2)"),
        ("('1', 'u', 1), ('x', 'w', 2)", "(1, 'u', 1), ('x', 'w', 2)"),
    ])
    func `a column of numbers and texts that has other kinds of values now makes other keys, which is a loss`(
        _ rows: String,
        _ later: String
    ) throws {
        let columns = "k, l, v INT, PRIMARY KEY(k, l)"
        let report = try sequel(columns, rows, columns, later).report
        #expect(report.warningCounts[.changedKey] == 1)
        #expect(report.counts["t"]?.inserted == 1 && report.counts["t"]?.deleted == 1)
    }

    @Test func `that keys may have become others is said once`() throws {
        let columns = "k, l, v INT, PRIMARY KEY(k, l)"
        let (sequel, report) = try sequel(
            columns,
            "('n1', 'u', 1), ('n2', 'w', 2)",
            columns,
            "('n1', 'u', 1), ('n2', 'w', 2), (7, 'r', 3)"
        )
        #expect(report.warningCounts[.changedKey] == 1 && report.counts["t"]?.inserted == 1)
        try sequel.change("INSERT INTO t VALUES('n3', 'r', 4), (8, 'r', 5)")
        #expect(try sequel.again().isLossless)
    }

    @Test func `so it is where texts of UUIDs became their bytes`() throws {
        let sequel = try DatabaseSequel(
            """
            CREATE TABLE u(id INTEGER PRIMARY KEY); INSERT INTO u VALUES(1);
            CREATE TABLE t(id PRIMARY KEY, v INT); INSERT INTO t VALUES('00112233-4455-6677-8899-aabbccddeeff', 1);
            """
        )
        try sequel.change("UPDATE t SET id = x'00112233445566778899AABBCCDDEEFF', v = 2")
        let report = try sequel.again()
        #expect(report.warningCounts[.changedKey] == 1 && report.counts["t"]?.deleted == 0)
        try sequel.change("UPDATE t SET v = 3")
        #expect(try sequel.again().warningCounts[.changedKey] == nil)
    }

    @Test func `the log has these very words for keys that are stored in several ways`() throws {
        let sequel = try DatabaseSequel(
            """
            CREATE TABLE t(k, l, PRIMARY KEY(k, l)); INSERT INTO t VALUES(x'01', 1), ('x', 2), (3, 2.5), (1.5, 1);
            """
        )
        let payload = try sequel.library.store.read { state in
            try state.annotation(name: "migration.understood", key: "sqlite:test.db")?.payload
        }
        let text = String(decoding: try #require(payload), as: UTF8.self)
        #expect(text.hasSuffix(#"["sorts \"t\"","integer+real+text+blob","real"]]}"#), "\(text)")
    }
}

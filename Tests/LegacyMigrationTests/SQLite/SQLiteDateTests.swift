import Foundation
import LegacyMigration
import Reprise
import TestSupport
import Testing

/// What is taken for a date in a database, which has no type for one.
@Suite struct SQLiteDateTests {
    private func read(_ sql: String) throws -> (SQLiteDatabaseSource, Readout) {
        let sandbox = try DatabaseSandbox(sql)
        let source = try SQLiteDatabaseSource(path: sandbox.path)
        return (source, try Conformance.read(source))
    }

    /// The type of the only column, and how often it was said that it was taken for dates.
    private func column(_ column: String, _ values: [String]) throws -> (type: ValueType?, guesses: Int) {
        let rows = values.map { "(\($0))" }.joined(separator: ", ")
        let (source, readout) = try read("CREATE TABLE t(\(column)); INSERT INTO t VALUES\(rows);")
        #expect(readout.reading.warningCounts.keys.allSatisfy { $0.isNote })
        return (source.schema.models.first?.attributes.first?.type, readout.count(.guessedDate))
    }

    // MARK: Numbers

    @Test func `numbers in a column of dates are Julian days where all of them can be, and that is said`() throws {
        let (source, readout) = try read(
            """
            CREATE TABLE t(a DATETIME, release_date REAL, createdAt REAL, length REAL, mixed DATE, unix DATE);
            INSERT INTO t VALUES(2460000.5, julianday('2000-01-01 12:34:56.789'), 2451544.5, 2451544.5, 2451544.5,
                    1700000000.5),
                (2460001, 2451545, 2451545.25, 2451545, '2020-01-01', 2451544.5);
            """
        )
        let types = source.schema.models.first?.attributes.map(\.type)
        #expect(types == [.date, .date, .date, .double, .date, .date])
        let (first, second) = (readout.record("t", "1"), readout.record("t", "2"))
        #expect(first?["a"] == .date(Date(timeIntervalSince1970: 1_677_283_200)))
        #expect(second?["a"] == .date(Date(timeIntervalSince1970: 1_677_326_400)))
        #expect(
            first?["release_date"] == .date(Date(timeIntervalSinceReferenceDate: -31577103.211))
        )
        #expect(first?["createdAt"] == .date(Date(timeIntervalSince1970: 946_684_800)))
        #expect(first?["length"] == .double(2_451_544.5))
        #expect(first?["unix"] == .date(Date(timeIntervalSince1970: 1_700_000_000.5)))
        #expect(readout.reading.warningCounts == [.guessedDate: 5, .rowNumberKey: 1])
        let messages = readout.warnings.map(\.message)
        #expect(messages.contains("t.createdAt has numbers, which were taken for Julian days: 2000-01-01."))
        let range = "1970-01-29 to 2023-11-14"
        #expect(messages.contains("t.unix has numbers, which were taken for seconds since 1970: \(range)."))
    }

    @Test(arguments: [
        "candidate_votes", "updateBytes", "bytes_update", "mandate", "validateCount", "dated", "at_most", "format",
        "juliana", "length",
    ])
    func `a column of doubles whose name only has a word for dates in another one stays numbers`(name: String) throws {
        let (type, guesses) = try column("\(name) REAL", ["2451544.5", "2460000.25"])
        #expect(type == .double && guesses == 0)
    }

    @Test(arguments: ["bytes_at", "date", "lastDate", "DATE", "jd"])
    func `a column of doubles that are days of no time near to ours stays numbers`(name: String) throws {
        for values in [["2000000", "3000000.5"], ["2451544.5", "2378496.25"], ["2524958.5", "2451544.25"]] {
            let (type, guesses) = try column("\(name) REAL", values)
            #expect(type == .double && guesses == 0, "\(values)")
        }
    }

    @Test(arguments: ["created_at", "createdAt", "release_date", "dateAdded", "timestamp", "julian_day", "jd", "DATE"])
    func `a column of doubles that is called after a moment holds Julian days, and that is said`(name: String) throws {
        let (type, guesses) = try column("\(name) REAL", ["2378496.5", "2524958.25"])
        #expect(type == .date && guesses == 1)
    }

    @Test func `doubles that are all whole are Julian days only where the name says so`() throws {
        let columns: [(String, ValueType)] = [
            ("created_at", .double), ("date", .double), ("jd", .date), ("julianDay", .date),
        ]
        for (name, wanted) in columns {
            let (type, guesses) = try column("\(name) REAL", ["2451545.0", "2460001.0"])
            #expect(type == wanted && guesses == (wanted == .date ? 1 : 0), "\(name)")
        }
        // In a column of dates they are as likely seconds of January 1970.
        let (type, guesses) = try column("day DATE", ["2451545", "2460001"])
        #expect(type == .date && guesses == 1)
    }

    @Test(arguments: [
        ("0.123456789012", true), ("-1000000.0000000001", true), ("100000000.123456789", true),
        ("1700000000.123456789", false), ("1700000000", false), ("1700000000.123", false), ("0.5", false),
        ("0.001", false), ("-86399.999", false), ("12345.678901", false), ("100000000.123456", false),
        ("0", false), ("-0.0", false),
    ])
    func `a number of seconds that a date does not tell is rounded, and counted`(
        _ number: String,
        _ isSaid: Bool
    ) throws {
        let (_, readout) = try read(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, a TIMESTAMP); INSERT INTO t VALUES(1, \(number));"
        )
        #expect(readout.count(.roundedDate) == (isSaid ? 1 : 0))
        let wanted = try #require(Double(number))
        guard case .date(let date)? = readout.record("t", "1")?["a"] else {
            Issue.record("There is no date.")
            return
        }
        #expect(abs(date.timeIntervalSince1970 - wanted) < 1e-6)
    }

    @Test(arguments: [
        // What SQLite writes for a millisecond is that one.
        ("julianday('2000-01-01 12:34:56.789')", -31_577_103.211),
        ("julianday('2024-02-29 23:59:59.999')", 730_943_999.999),
        ("julianday('1800-01-01 00:00:00.001')", -6_342_969_599.999),
        // Anything else is as exact as a day in a double.
        ("2460000.123456789", (2_460_000.123456789 - 2_451_910.5) * 86_400), ("2460000.5", 698_976_000),
        ("2451910.5 + 1.0 / 3", 28_800),
    ])
    func `a Julian day loses nothing of what its double holds`(_ day: String, _ seconds: Double) throws {
        let (_, readout) = try read(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, a DATETIME); INSERT INTO t VALUES(1, \(day)), (2, 2451910.25);"
        )
        guard case .date(let date)? = readout.record("t", "1")?["a"] else {
            Issue.record("There is no date.")
            return
        }
        #expect(abs(date.timeIntervalSinceReferenceDate - seconds) < 0.00003)
        if day.hasPrefix("julianday") { #expect(date == Date(timeIntervalSinceReferenceDate: seconds)) }
        #expect(readout.count(.roundedDate) == 0)
    }

    @Test func `dates that are texts are no guess`() throws {
        let (type, guesses) = try column("a DATE", ["'2024-01-01'", "NULL"])
        #expect(type == .date && guesses == 0)
        #expect(LegacyWarning.Kind.guessedDate.isNote)
    }

    // MARK: Texts

    @Test func `a text with more digits than a date holds is rounded to the nearest, and counted`() throws {
        let (_, readout) = try read(
            """
            CREATE TABLE t(a DATETIME);
            INSERT INTO t VALUES('2024-01-01 00:00:00.123456789'), ('2016-12-31 23:59:59.999999999Z'),
                ('2024-01-01 00:00:00.123'), ('2024-01-01T00:00:00.250000000+01:00'), ('2024-01-01');
            """
        )
        #expect(readout.reading.warningCounts == [.roundedDate: 2, .rowNumberKey: 1])
        #expect(readout.warnings.contains { $0.message.hasPrefix("a of t 1 was rounded;") })
        guard case .date(let date)? = readout.record("t", "1")?["a"] else {
            Issue.record("There is no date.")
            return
        }
        #expect(abs(date.timeIntervalSinceReferenceDate - 725_760_000.123456789) < 1e-7)
        // One nanosecond: the dates beside it are sixty nanoseconds before it, and this.
        #expect(readout.record("t", "2")?["a"] == .date(Date(timeIntervalSinceReferenceDate: 504_921_600)))
        #expect(
            readout.record("t", "4")?["a"] == .date(Date(timeIntervalSinceReferenceDate: 725_756_400.25))
        )
    }

    @Test func `a text that a mapping or the store makes a date of is counted where it is rounded`() throws {
        let schema = SchemaDescription(
            models: [ModelDescription(1, "note", [("made", .date, true)])],
            relations: []
        )
        var source = InventedSource(
            schema: SchemaDescription(
                models: [ModelDescription(1, "note", [("made", .string, true)])],
                relations: []
            )
        )
        source.records = ["2024-01-01 00:00:00.123456789", "2024-01-01 00:00:00.5"].enumerated().map {
            LegacyRecord(className: "note", key: "\($0)", fields: [LegacyField("made", .string($1))])
        }
        let mapped = try MappedSource(source, RecordMapping(target: .schema(schema)))
        #expect(try Readout(mapped).reading.warningCounts == [.roundedDate: 1])
        let library = try TemporaryLibrary(schema: Schema(schema))
        let report = try Migrator(replacing: source, store: library.store).run()
        #expect(report.warningCounts == [.roundedDate: 1])
        #expect(try MigrationVerifier(source: source, store: library.store).run().isEqual)
    }
}

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
        #expect(readout.reading.warningCounts == [.guessedDate: 5])
        let messages = readout.warnings.map(\.message)
        #expect(messages.contains("t.createdAt has numbers, which were taken for Julian days."))
        #expect(messages.contains("t.unix has numbers, which were taken for seconds since 1970."))
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

    @Test func `dates that are texts are no guess`() throws {
        let (type, guesses) = try column("a DATE", ["'2024-01-01'", "NULL"])
        #expect(type == .date && guesses == 0)
        #expect(LegacyWarning.Kind.guessedDate.isNote)
    }
}

import Foundation
import LegacyMigration
import Testing

/// A date of whole milliseconds, or of whole microseconds of our times, is as exact in a `Date` as it was.
@Suite struct MillisecondTests {
    private func roundedCount(_ milliseconds: [Int64]) throws -> Int {
        let objects = milliseconds.enumerated()
            .map { "{\"id\":\"k\($0)\",\"d\":{\"$date\":{\"$numberLong\":\"\($1)\"}}}" }
            .joined(separator: ",")
        let readout = try Realm2JSON.read("{\n\"T\":[\(objects)]\n}\n")
        for (record, count) in zip(readout.records, milliseconds) {
            guard case .date(let date)? = record["d"] else {
                Issue.record("\(record) has no date")
                continue
            }
            let seconds = date.timeIntervalSinceReferenceDate + 978_307_200
            if count.magnitude < 1 << 50 { #expect(Int64((seconds * 1000).rounded()) == count) }
        }
        return readout.count(.roundedDate)
    }

    @Test func `seeded whole milliseconds are not said to be rounded`() throws {
        var random = SeededGenerator(seed: 5)
        // Some nine thousand years before and after 1970.
        let range: ClosedRange<Int64> = -284_000_000_000_000...284_000_000_000_000
        let counts = (0..<400).map { _ in Int64.random(in: range, using: &random) }
        #expect(try roundedCount(counts + [0, -1, 1, 999, -999, 1_700_000_000_123]) == 0)
    }

    @Test func `milliseconds beyond what a date tells apart are said`() throws {
        #expect(try roundedCount([9_007_199_254_740_993_001, Int64.max, Int64.min]) == 3)
    }

    @Test(arguments: [
        ("2023-11-14 22:13:20.123", false), ("2023-11-14 22:13:20.123000000", false),
        ("2023-11-14 22:13:20.123456789", true), ("1969-12-31 23:59:59.999", false),
        ("2001-01-01 00:00:00.000000001", false), ("2023-11-14 22:13:20.123456", false),
        ("1969-12-31T23:59:59.999999Z", false), ("2023-11-14 22:13:20.1234561", true),
        ("9999-12-31 23:59:59.123456", true),
    ])
    func `a text is rounded where it has more than a date tells apart`(text: String, expected: Bool) throws {
        let instant = try #require(ScalarText.instant(text))
        #expect(instant.isRounded == expected)
    }

    @Test(arguments: ["2020-02-28T12:00:00.1234567891", "2020-02-28 12:00:00.12345678901234567890Z"])
    func `a fraction of more than nine digits is no date`(text: String) throws {
        #expect(ScalarText.instant(text) == nil)
    }
}

import Foundation
import Testing

@testable import RepriseCLI

struct TimestampTests {
    @Test(
        arguments: [
            (0, "2001-01-01T00:00:00Z"), (0.5, "2001-01-01T00:00:00.5Z"),
            (-0.25, "2000-12-31T23:59:59.75Z"), (-978_307_200, "1970-01-01T00:00:00Z"),
            (-978_307_201.125, "1969-12-31T23:59:58.875Z"),
            (599_529_600.1, "2020-01-01T00:00:00.1Z"),
            (-1e-7, "2000-12-31T23:59:59.9999999Z"), (1e-5, "2001-01-01T00:00:00.00001Z"),
            (86_400.0 * 59, "2001-03-01T00:00:00Z"), (86_400.0 * 1154, "2004-02-29T00:00:00Z"),
            (252_423_993_599, "9999-12-31T23:59:59Z"), (252_423_993_600, "+10000-01-01T00:00:00Z"),
            (-63_113_904_000, "0001-01-01T00:00:00Z"), (-63_113_904_001, "0000-12-31T23:59:59Z"),
            (-63_145_526_401, "-0001-12-31T23:59:59Z"), (.nan, "nan"), (.infinity, "inf"),
            (-.infinity, "-inf"), (1e300, "@1e+300"),
        ] as [(Double, String)]
    )
    func `a date is written in UTC with the fraction it has`(_ interval: Double, _ text: String)
        throws
    {
        let date = Date(timeIntervalSinceReferenceDate: interval)
        #expect(Timestamp.text(date) == text)
        if interval.isFinite { #expect(try Timestamp.date(text) == date) }
    }

    @Test(
        arguments: [
            ("2024-05-31", "2024-05-31T00:00:00Z"), ("2024-05-31T12:30", "2024-05-31T12:30:00Z"),
            ("2024-05-31t12:30:15z", "2024-05-31T12:30:15Z"),
            ("2024-05-31 12:30:15,250", "2024-05-31T12:30:15.25Z"),
            ("2024-01-01T00:30:00+01:00", "2023-12-31T23:30:00Z"),
            ("2024-01-01T00:30-0130", "2024-01-01T02:00:00Z"),
            ("2024-01-01T00:00:00.5+02", "2023-12-31T22:00:00.5Z"),
            ("+12345-06-07T00:00:00Z", "+12345-06-07T00:00:00Z"),
            ("2000-02-29", "2000-02-29T00:00:00Z"),
        ]
    )
    func `the usual spellings are read`(_ text: String, _ canonical: String) throws {
        #expect(Timestamp.text(try Timestamp.date(text)) == canonical)
    }

    @Test(
        arguments: [
            ("", 1), ("2024", 5), ("24-05-31", 1), ("2024-13-01", 6), ("2024-00-01", 6),
            ("2023-02-29", 9), ("1900-02-29", 9), ("2024-05-31T24:00", 12),
            ("2024-05-31T12:60", 15),
            ("2024-05-31T12:30:60Z", 18), ("2024-05-31T12:30:15.Z", 21), ("2024-05-31T12:30Zx", 18),
            ("2024-05-31T12:30:15 UTC", 20), ("2024-05-31x", 11), ("-12-01-01", 2),
            ("+123456789-01-01", 2), ("2024-5-31", 6), ("2024-05-31T12:30+1", 18), ("@", 1),
            ("@nan", 1), ("２０２４-05-31", 1),
        ]
    )
    func `a mistake is found where it is`(_ text: String, _ column: Int) throws {
        let mistake = try #require(throws: TextMistake.self) { try Timestamp.date(text) }
        #expect(mistake.column(in: text) == column, "\(mistake)")
    }

    @Test func `every double survives the way to text and back bit for bit`() throws {
        var random = SeededGenerator(seed: 2)
        for _ in 0..<20_000 {
            let magnitude = Double(
                sign: .plus,
                exponent: Int.random(in: -60...55, using: &random),
                significand: 1
            )
            let interval = Double.random(in: -1...1, using: &random) * magnitude
            let text = Timestamp.text(Date(timeIntervalSinceReferenceDate: interval))
            let read = try Timestamp.date(text).timeIntervalSinceReferenceDate
            #expect(read.bitPattern == interval.bitPattern, "\(text)")
        }
    }

    @Test func `days agree with Foundation's calendar`() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
        var random = SeededGenerator(seed: 3)
        for _ in 0..<500 {
            // From 1583 on Foundation's calendar has no Julian dates.
            let date = Date(
                timeIntervalSinceReferenceDate: Double(
                    Int.random(in: -13_000_000_000...250_000_000_000, using: &random)
                )
            )
            let parts = calendar.dateComponents(
                [.year, .month, .day, .hour, .minute, .second],
                from: date
            )
            let text = Timestamp.text(date)
            let numbers = text.split { "-T:Z".contains($0) }.compactMap { Int($0) }
            #expect(
                numbers
                    == [parts.year, parts.month, parts.day, parts.hour, parts.minute, parts.second]
                    .compactMap { $0 }
            )
        }
    }
}

import ExportFormats

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// How numbers count time.
package enum DateUnit {
    case secondsSince1970
    case millisecondsSince1970
    /// As a `Date` does.
    case secondsSince2001
    /// Days since noon of the first of January 4713 before Christ.
    case julianDays

    private static let julianDaysRange = 1_721_000.0...5_373_484.5
    private static let secondsRange = -1e11...1e11
    private static let millisecondsRange = 0.0...1e14
    private static let millisecondsOfDay = 86_400_000.0
    private static let millisecondsBefore2001 = 210_866_760_000_000 + 1000 * Double(DateText.referenceSeconds)

    /// Whether numbers can be dates that are counted so: Julian days of the years 0 to 9999, seconds up to the year
    /// 5138.
    package func areDates(_ numbers: ClosedRange<Double>) -> Bool {
        switch self {
        case .julianDays: Self.julianDaysRange.holds(numbers)
        case .secondsSince1970: Self.secondsRange.holds(numbers)
        case .millisecondsSince1970: Self.millisecondsRange.holds(numbers)
        case .secondsSince2001: numbers.lowerBound.isFinite && numbers.upperBound.isFinite
        }
    }

    /// Whether a whole number can be a date, and a `Double` holds it.
    package func isDate(_ number: Int64) -> Bool {
        Int64(exactly: Double(number)) == number && isDate(Double(number))
    }

    /// Whether a number can be a date.
    package func isDate(_ number: Double) -> Bool {
        !number.isNaN && areDates(number...number)
    }

    /// The date that a whole number counts.
    package func date(_ number: Int64) -> Date {
        self == .millisecondsSince1970 ? ScalarText.Instant(milliseconds: number).date : date(Double(number))
    }

    /// The date that a number counts.
    package func date(_ number: Double) -> Date {
        switch self {
        case .secondsSince1970: Date(timeIntervalSince1970: number)
        case .millisecondsSince1970: Date(timeIntervalSince1970: number / 1000)
        case .secondsSince2001: Date(timeIntervalSinceReferenceDate: number)
        case .julianDays: Self.date(julianDay: number)
        }
    }

    /// Whether a `Date` does not hold the date that a number counts.
    package func isRounded(_ number: Double) -> Bool {
        self == .secondsSince1970 && date(number).hasLost(secondsSince1970: number)
    }

    /// SQLite itself reads days to the millisecond (https://www.sqlite.org/lang_datefunc.html), and writes a
    /// millisecond as the nearest double: such a number means the millisecond. What somebody else wrote would lose up
    /// to half a millisecond by that.
    private static func date(julianDay: Double) -> Date {
        let milliseconds = (julianDay * millisecondsOfDay + 0.5).rounded(.down)
        if milliseconds / millisecondsOfDay == julianDay {
            return Date(timeIntervalSinceReferenceDate: (milliseconds - millisecondsBefore2001) / 1000)
        }
        // The difference is exact.
        return Date(
            timeIntervalSinceReferenceDate: (julianDay - millisecondsBefore2001 / millisecondsOfDay) * 86_400
        )
    }
}

extension ClosedRange {
    fileprivate func holds(_ other: Self) -> Bool { contains(other.lowerBound) && contains(other.upperBound) }
}

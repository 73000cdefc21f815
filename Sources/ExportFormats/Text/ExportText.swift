#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The texts of dates and numbers in exports: each reads back as the same value, where one does.
package enum ExportText {
    /// A date in UTC.
    package struct DateForm {
        /// `yyyy-MM-dd HH:mm:ss` and a fraction of at most nine digits.
        package let text: String
        /// Whether the text does not tell the exact date.
        package let isRounded: Bool
        /// Whether the year has four digits.
        package let isUsual: Bool
    }

    /// How many digits the fraction of a second has.
    package enum Fraction {
        /// None, or nine, as Realm writes them.
        case nineOrNone
        /// Three to nine, as GRDB writes and reads them.
        case threeOrMore
    }

    private static let secondsPerDay: Int64 = 86_400
    private static let referenceSeconds: Int64 = 978_307_200
    private static let nanosecondsPerSecond: Int64 = 1_000_000_000
    /// The seconds that nine digits of years are, with room to spare.
    private static let intervalMax = 3e16

    /// The text of a date; nil where it is none or too far away for nine digits of years.
    package static func date(_ date: Date, _ fraction: Fraction) -> DateForm? {
        let interval = date.timeIntervalSinceReferenceDate
        guard interval.magnitude < intervalMax else { return nil }
        let floor = interval.rounded(.down)
        guard let whole = Int64(exactly: floor) else { return nil }
        let instant = instant(whole + referenceSeconds, and: interval - floor, in: interval)
        let (seconds, nanoseconds) = (instant.seconds, instant.nanoseconds)
        let days = (Double(seconds) / Double(secondsPerDay)).rounded(.down)
        let day = Int64(days)
        let secondOfDay = seconds - day * secondsPerDay
        let (year, month, dayOfMonth) = civil(day)
        var text = year < 0 ? "-" : ""
        text += padded(abs(year), 4) + "-" + padded(month, 2) + "-" + padded(dayOfMonth, 2) + " "
        text += padded(secondOfDay / 3600, 2) + ":" + padded(secondOfDay / 60 % 60, 2) + ":"
        text += padded(secondOfDay % 60, 2) + self.fraction(nanoseconds, fraction)
        return DateForm(
            text: text,
            isRounded: !tells(instant, interval),
            isUsual: (0...9999).contains(year)
        )
    }

    /// The time of milliseconds, of microseconds, or otherwise of nanoseconds that reads back as the same date: one of
    /// milliseconds is these, though the Double of its seconds since 2001 is a little beside them.
    private static func instant(
        _ seconds: Int64,
        and fraction: Double,
        in interval: Double
    ) -> ScalarText.Instant {
        var nearest = ScalarText.Instant(seconds: seconds, nanoseconds: 0)
        for unit: Int64 in [1_000_000, 1000, 1] {
            let nanoseconds = Int64((fraction * Double(nanosecondsPerSecond / unit)).rounded()) * unit
            let isWhole = nanoseconds == nanosecondsPerSecond
            nearest = ScalarText.Instant(
                seconds: isWhole ? seconds + 1 : seconds,
                nanoseconds: isWhole ? 0 : nanoseconds
            )
            // Whoever reads it must not take it for one that was rounded.
            if tells(nearest, interval), !nearest.isRounded { break }
        }
        return nearest
    }

    private static func tells(_ instant: ScalarText.Instant, _ interval: Double) -> Bool {
        instant.date.timeIntervalSinceReferenceDate.bitPattern == interval.bitPattern
    }

    private static func fraction(_ nanoseconds: Int64, _ form: Fraction) -> String {
        switch form {
        case .nineOrNone: return nanoseconds == 0 ? "" : "." + padded(nanoseconds, 9)
        case .threeOrMore:
            var digits = padded(nanoseconds, 9)
            while digits.utf8.count > 3, digits.hasSuffix("0") { digits.removeLast() }
            return "." + digits
        }
    }

    private static func padded(_ number: Int64, _ count: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, count - digits.utf8.count)) + digits
    }

    /// The date of the proleptic Gregorian calendar that is so many days after 1970-01-01: Howard Hinnant's "civil from
    /// days".
    private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    /// The digits of a number that are not zeros at its ends.
    package static func significantDigitCount(_ text: String) -> Int {
        let digits = text.utf8.filter { (0x30...0x39).contains($0) }.drop { $0 == 0x30 }
        return digits.count - digits.reversed().prefix { $0 == 0x30 }.count
    }
}

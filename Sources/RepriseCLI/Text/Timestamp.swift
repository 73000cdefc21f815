#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Dates as ISO 8601 text in UTC, without losing a bit.
///
/// A `Date` is a `Double` of seconds since 2001-01-01T00:00:00Z. The text carries the shortest decimal
/// fraction that identifies that double, worked out on decimal digits: going through 1970 or through
/// milliseconds would round. Years outside 0000...9999 get a sign (ISO 8601, expanded
/// representation). Beyond eight digits of year the text is `@` and the seconds since 2001.
/// Calendar: proleptic Gregorian, days of 86,400 seconds.
enum Timestamp {
    /// Seconds since 2001 below which the year has at most eight digits.
    private static let secondsMax = 3.155e15
    private static let secondsPerDay: Int64 = 86_400

    /// The date as text; `nan`, `inf` or `-inf` for one that is not a number of seconds.
    static func text(_ date: Date) -> String {
        let interval = date.timeIntervalSinceReferenceDate
        guard interval.isFinite else {
            return interval.isNaN ? "nan" : interval < 0 ? "-inf" : "inf"
        }
        guard interval.magnitude < secondsMax else { return "@\(interval)" }
        var (seconds, fraction) = decimal(interval.magnitude)
        if interval < 0 {
            seconds = fraction.isEmpty ? -seconds : -seconds - 1
            fraction = complement(fraction)
        }
        let days = (seconds >= 0 ? seconds : seconds - secondsPerDay + 1) / secondsPerDay
        let second = seconds - days * secondsPerDay
        let day = CalendarDay(daysSince2001: days)
        let clock = [second / 3600, second / 60 % 60, second % 60].map { padded($0, 2) }
        return day.text + "T" + clock.joined(separator: ":")
            + (fraction.isEmpty ? "" : "." + fraction) + "Z"
    }

    /// A positive number below 1e16 as whole part and decimal digits of the fraction, shortest.
    private static func decimal(_ number: Double) -> (whole: Int64, fraction: String) {
        let text = number.description
        let parts = text.split(separator: "e")
        let digits = parts[0].split(separator: ".")
        guard parts.count == 2, let exponent = Int(parts[1]) else {
            return (
                Int64(digits[0]) ?? 0, digits.count < 2 || digits[1] == "0" ? "" : "\(digits[1])"
            )
        }
        // Swift writes an exponent only below 1e-4 here: `1.5e-07` is 0.00000015.
        let significant = digits.joined()
        let isWhole = digits.count == 2 && digits[1] == "0"
        return (
            0,
            String(repeating: "0", count: max(0, -exponent - 1))
                + (isWhole ? String(digits[0]) : significant)
        )
    }

    /// The digits of 1 - 0.`fraction`, which has no trailing zeros.
    private static func complement(_ fraction: String) -> String {
        let digits = fraction.compactMap(\.wholeNumberValue)
        return digits.enumerated()
            .map { String(($0.offset == digits.count - 1 ? 10 : 9) - $0.element) }
            .joined()
    }

    private static func padded(_ number: Int64, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}

/// Reading.
extension Timestamp {
    /// Reads `YYYY-MM-DD`, optionally with `THH:MM[:SS[.fraction]]` and a zone (`Z`, `+HH:MM`, `-HHMM`);
    /// without a zone it is UTC. Also reads whatever ``text(_:)`` writes.
    static func date(_ text: String) throws(TextMistake) -> Date {
        if text.first == "@", let interval = Double(text.dropFirst()), interval.isFinite {
            return Date(timeIntervalSinceReferenceDate: interval)
        }
        var reader = TimestampReader(scanner: TextScanner(text))
        let (seconds, fraction) = try reader.read()
        return Date(timeIntervalSinceReferenceDate: interval(seconds, fraction))
    }

    /// The double nearest to `seconds` + 0.`fraction`.
    private static func interval(_ seconds: Int64, _ fraction: String) -> Double {
        var fraction = fraction
        while fraction.last == "0" { fraction.removeLast() }
        if fraction.isEmpty { return Double(seconds) }
        let text =
            seconds >= 0
            ? "\(seconds).\(fraction)" : "-\(-(seconds + 1)).\(complement(fraction))"
        return Double(text) ?? Double(seconds)
    }
}

/// The parts of a timestamp, read one after the other.
private struct TimestampReader {
    /// The digits of a fraction: the longest that a double needs is far shorter.
    static let fractionDigitCountMax = 400
    static let expected = "a date such as 2024-05-31 or 2024-05-31T12:00:00Z"

    var scanner: TextScanner

    mutating func read() throws(TextMistake) -> (seconds: Int64, fraction: String) {
        let day = try calendarDay()
        var seconds = day.daysSince2001 * 86_400
        var fraction = ""
        if scanner.take("T") || scanner.take("t") || scanner.take(" ") {
            seconds += try number(digits: 2, "an hour from 00 to 23", 0...23) * 3600
            try require(":")
            seconds += try number(digits: 2, "a minute from 00 to 59", 0...59) * 60
            if scanner.take(":") {
                seconds += try number(digits: 2, "a second from 00 to 59", 0...59)
                if scanner.take(".") || scanner.take(",") { fraction = try fractionDigits() }
            }
            seconds -= try zone()
        }
        guard scanner.isAtEnd else { throw scanner.mistake("the end of the date") }
        return (seconds, fraction)
    }

    private mutating func calendarDay() throws(TextMistake) -> CalendarDay {
        let sign: Int64 = scanner.current == UInt8(ascii: "-") ? -1 : 1
        let year: Int64
        if sign < 0 || scanner.current == UInt8(ascii: "+") {
            scanner.advance()
            let count = digitCount()
            guard (4...8).contains(count) else {
                throw scanner.mistake("a year of four to eight digits")
            }
            year = sign * (try number(digits: count, Self.expected, 0...99_999_999))
        } else {
            year = try number(digits: 4, Self.expected, 0...9999)
        }
        try require("-")
        let month = try number(digits: 2, "a month from 01 to 12", 1...12)
        try require("-")
        let last = CalendarDay.lastDay(year: year, month: month)
        let day = try number(digits: 2, "a day from 01 to \(last)", 1...last)
        return CalendarDay(year: year, month: month, day: day)
    }

    /// The seconds by which the local clock is ahead of UTC.
    private mutating func zone() throws(TextMistake) -> Int64 {
        if scanner.isAtEnd || scanner.take("Z") || scanner.take("z") { return 0 }
        let sign: Int64 = scanner.current == UInt8(ascii: "-") ? -1 : 1
        guard scanner.take("+") || scanner.take("-") else {
            throw scanner.mistake("Z or an offset such as +01:00")
        }
        let hours = try number(digits: 2, "the hours of the offset", 0...23)
        guard scanner.take(":") || !scanner.isAtEnd else { return sign * hours * 3600 }
        let minutes = try number(digits: 2, "the minutes of the offset", 0...59)
        return sign * (hours * 3600 + minutes * 60)
    }

    private mutating func fractionDigits() throws(TextMistake) -> String {
        let count = digitCount()
        guard (1...Self.fractionDigitCountMax).contains(count) else {
            throw scanner.mistake("1 to \(Self.fractionDigitCountMax) digits of a fraction")
        }
        defer { scanner.advance(by: count) }
        return scanner.text(scanner.offset..<scanner.offset + count)
    }

    private func digitCount() -> Int {
        var count = 0
        while let byte = scanner.peek(count), (0x30...0x39).contains(byte) { count += 1 }
        return count
    }

    private mutating func number(
        digits count: Int,
        _ expected: String,
        _ range: ClosedRange<Int64>
    ) throws(TextMistake) -> Int64 {
        guard digitCount() >= count,
            let value = Int64(scanner.text(scanner.offset..<scanner.offset + count)),
            range.contains(value)
        else { throw scanner.mistake(expected) }
        scanner.advance(by: count)
        return value
    }

    private mutating func require(_ text: StaticString) throws(TextMistake) {
        guard scanner.take(text) else { throw scanner.mistake("`\(text)`") }
    }
}

/// A day of the proleptic Gregorian calendar.
///
/// The conversions count eras of 400 years from 1 March of year 0, so that the leap day is the last of
/// its year (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms").
private struct CalendarDay {
    /// Days from 0000-03-01 to 2001-01-01.
    private static let daysTo2001: Int64 = 730_791
    private static let daysPerEra: Int64 = 146_097

    var year: Int64
    var month: Int64
    var day: Int64

    init(year: Int64, month: Int64, day: Int64) {
        self.year = year
        self.month = month
        self.day = day
    }

    init(daysSince2001: Int64) {
        let days = daysSince2001 + Self.daysTo2001
        let era = (days >= 0 ? days : days - Self.daysPerEra + 1) / Self.daysPerEra
        let dayOfEra = days - era * Self.daysPerEra
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    var daysSince2001: Int64 {
        let year = month <= 2 ? year - 1 : year
        let era = (year >= 0 ? year : year - 399) / 400
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * Self.daysPerEra + dayOfEra - Self.daysTo2001
    }

    /// `YYYY-MM-DD`, the year with a sign where it does not lie in 0...9999.
    var text: String {
        let digits = String(year.magnitude)
        let sign = year < 0 ? "-" : year > 9999 ? "+" : ""
        return sign + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
            + (month < 10 ? "-0" : "-") + String(month) + (day < 10 ? "-0" : "-") + String(day)
    }

    static func lastDay(year: Int64, month: Int64) -> Int64 {
        switch month {
        case 2:
            let isLeap =
                year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
            return isLeap ? 29 : 28
        case 4, 6, 9, 11: return 30
        default: return 31
        }
    }
}

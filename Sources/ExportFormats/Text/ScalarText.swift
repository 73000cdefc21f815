#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Reads the texts in which exports write dates and decimals.
package enum ScalarText {
    private static let secondsPerDay: Int64 = 86_400
    private static let referenceSeconds: Int64 = 978_307_200

    /// A date as seconds since 1970 and the nanoseconds after them.
    package struct Instant: Equatable {
        package var seconds: Int64
        /// 0..<1,000,000,000.
        package var nanoseconds: Int64

        /// The nearest date, which is a Double of seconds since 2001.
        package var date: Date {
            let (whole, overflow) = seconds.subtractingReportingOverflow(referenceSeconds)
            let count = overflow ? Double(seconds) : Double(whole)
            return Date(timeIntervalSinceReferenceDate: count + Double(nanoseconds) / 1e9)
        }

        /// Whether the nearest date tells less than the text.
        package var isRounded: Bool { date.hasLost(seconds: seconds, nanoseconds: nanoseconds) }

        init(seconds: Int64, nanoseconds: Int64) {
            self.seconds = seconds
            self.nanoseconds = nanoseconds
        }

        /// From milliseconds since 1970.
        package init(milliseconds: Int64) {
            let (quotient, remainder) = milliseconds.quotientAndRemainder(dividingBy: 1000)
            seconds = remainder < 0 ? quotient - 1 : quotient
            nanoseconds = (remainder < 0 ? remainder + 1000 : remainder) * 1_000_000
        }
    }

    /// A date and time in UTC, such as `2001-02-03 04:05:06.123456789` (realm-core, `Timestamp::to_string`) or
    /// `2001-02-03T04:05:06Z` (ISO 8601). Years have four digits or more and may be negative; nil where a fraction has
    /// more than nine.
    package static func instant(_ text: String) -> Instant? {
        var rest = Array(text.utf8)[...]
        let isNegative = rest.first == UInt8(ascii: "-")
        if isNegative { rest = rest.dropFirst() }
        guard let year = number(&rest, digits: 4...9), take(&rest, "-"),
            let month = number(&rest, digits: 2...2), take(&rest, "-"),
            let day = number(&rest, digits: 2...2), take(&rest, " ") || take(&rest, "T"),
            let hour = number(&rest, digits: 2...2), take(&rest, ":"),
            let minute = number(&rest, digits: 2...2), take(&rest, ":"),
            let second = number(&rest, digits: 2...2)
        else { return nil }
        var nanoseconds: Int64 = 0
        if take(&rest, ".") {
            let byteCount = rest.count
            guard let fraction = number(&rest, digits: 1...9) else { return nil }
            nanoseconds = fraction
            for _ in (byteCount - rest.count)..<9 { nanoseconds *= 10 }
        }
        _ = take(&rest, "Z")
        let signedYear = isNegative ? -year : year
        guard rest.isEmpty, (1...12).contains(month),
            (1...GregorianDay.count(ofMonth: month, signedYear)).contains(day),
            hour < 24, minute < 60, second < 60
        else { return nil }
        let days = GregorianDay.since1970(signedYear, month, day)
        let seconds = days * secondsPerDay + (hour * 60 + minute) * 60 + second
        return Instant(seconds: seconds, nanoseconds: nanoseconds)
    }

    private static func take(_ rest: inout ArraySlice<UInt8>, _ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest = rest.dropFirst()
        return true
    }

    private static func number(
        _ rest: inout ArraySlice<UInt8>,
        digits range: ClosedRange<Int>
    ) -> Int64? {
        let digits = rest.prefix(range.upperBound).prefix { (0x30...0x39).contains($0) }
        guard range.contains(digits.count) else { return nil }
        rest = rest.dropFirst(digits.count)
        return digits.reduce(0) { 10 * $0 + Int64($1 - 0x30) }
    }

    // MARK: Decimals

    /// The exact decimal that a text such as `-12.50E3` spells, or `NaN`; nil where a `Decimal` cannot hold it, as it
    /// cannot hold infinities, more than 38 digits and exponents outside -128...127.
    package static func decimal(_ text: String) -> Decimal? {
        let text = text.hasPrefix("+") ? String(text.dropFirst()) : text
        if text.lowercased() == "nan" || text.lowercased() == "-nan" { return Decimal.nan }
        guard let parts = DecimalDigits(text), let decimal = Decimal(string: text),
            !decimal.isNaN, DecimalDigits(decimal.description) == parts
        else { return nil }
        return decimal
    }

    /// A decimal text taken apart, without leading and trailing zeros.
    private struct DecimalDigits: Equatable {
        var isNegative = false
        var digits: [UInt8] = []
        var exponent = 0

        init?(_ text: String) {
            var rest = Array(text.utf8)[...]
            guard rest.count <= 256 else { return nil }
            if rest.first == UInt8(ascii: "-") {
                isNegative = true
                rest = rest.dropFirst()
            }
            var isFraction = false
            while let byte = rest.first, byte | 32 != UInt8(ascii: "e") {
                rest = rest.dropFirst()
                if byte == UInt8(ascii: "."), !isFraction {
                    isFraction = true
                } else if (0x30...0x39).contains(byte) {
                    digits.append(byte)
                    if isFraction { exponent -= 1 }
                } else {
                    return nil
                }
            }
            guard !digits.isEmpty else { return nil }
            if !rest.isEmpty {
                guard let more = Int16(String(decoding: rest.dropFirst(), as: UTF8.self)) else {
                    return nil
                }
                exponent += Int(more)
            }
            while digits.last == 0x30 {
                digits.removeLast()
                exponent += 1
            }
            digits = Array(digits.drop { $0 == 0x30 })
            if digits.isEmpty { (isNegative, exponent) = (false, 0) }
        }
    }
}

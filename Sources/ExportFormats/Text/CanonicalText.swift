#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Numbers and truth values in texts, where the very text could be written again from what it is taken for: `7` is a
/// number and `007`, `+7`, `1.50` and `yes` are texts. Nothing can be lost by that.
package enum CanonicalText {
    package static func integer(_ text: String) -> Int64? {
        guard let number = Int64(text), String(number) == text else { return nil }
        return number
    }

    /// A number, which is written with a point, or without one where it is whole and has no more digits than a Double.
    package static func double(_ text: String) -> Double? {
        if let whole = integer(text) { return Double(exactly: whole) }
        guard let number = Double(text), number.isFinite, "\(number)" == text else { return nil }
        return number
    }

    /// The same, whatever zeros stand at the end of its fraction: `1.50` where a column is known to be one of numbers.
    package static func doubleWithZeros(_ text: String) -> Double? {
        if let number = double(text) { return number }
        guard let short = withoutZeros(text) else { return nil }
        return double(short.utf8.last == UInt8(ascii: ".") ? short + "0" : short)
    }

    /// A fraction without the zeros at its end; nil for a text that has none.
    private static func withoutZeros(_ text: String) -> String? {
        let hasExponent = text.utf8.contains { $0 | 32 == UInt8(ascii: "e") }
        guard text.contains("."), !hasExponent, text.utf8.last == UInt8(ascii: "0") else { return nil }
        var short = text
        while short.utf8.last == UInt8(ascii: "0") { short.removeLast() }
        return short
    }

    package static func bool(_ text: String) -> Bool? {
        switch text {
        case "true": true
        case "false": false
        default: nil
        }
    }

    package static func decimal(_ text: String) -> Decimal? {
        guard let number = DecimalText.decimal(text), "\(number)" == text else { return nil }
        return number
    }

    /// The same, whatever zeros stand at the end of its fraction: `1.50`, where the store has a decimal.
    package static func decimalWithZeros(_ text: String) -> Decimal? {
        if let number = decimal(text) { return number }
        guard var short = withoutZeros(text) else { return nil }
        if short.utf8.last == UInt8(ascii: ".") { short.removeLast() }
        return decimal(short)
    }
}

/// Numbers and truth values in texts that somebody wants to be such, in any spelling that is customary.
package enum CustomaryText {
    /// A number in decimal digits, and whether they are more than a Double holds; nil for others, and for numbers
    /// beyond what a Double holds.
    package static func double(_ text: String) -> (number: Double, isShortened: Bool)? {
        let isDecimal = text.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || "+-.eE".utf8.contains(byte)
        }
        guard isDecimal, let number = Double(text), number.isFinite else { return nil }
        return (number, JSONNumber(text: text).isShortened(as: number))
    }

    package static func bool(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "true", "yes", "1": true
        case "false", "no", "0": false
        default: nil
        }
    }
}

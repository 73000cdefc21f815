#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A value as the auditor knows it: equal exactly when the stored bits are to be equal.
///
/// Floating point numbers are kept as bit patterns, because a store must give back the NaN it was given, and -0 as
/// -0. Their order, which calls all NaN and both zeros equal, is `Datum.order`.
package indirect enum Datum: Hashable, Sendable {
    /// A nil element of a list or value of a map; elsewhere nil is the absence of a datum.
    case null
    case bool(Bool)
    case int(Int64)
    case double(bits: UInt64)
    case float(bits: UInt32)
    case text(Text)
    case data([UInt8])
    /// Bit pattern of the seconds since 2001-01-01T00:00:00Z.
    case date(bits: UInt64)
    case uuid(UUID)
    /// The number written out, as `1.5` or `NaN`: arithmetic on `Decimal` may round, digits do not.
    case decimal(String)
    case list([Datum])
    case set(Set<Datum>)
    case map([Text: Datum])
    /// The fields that are not nil.
    case embedded([String: Datum])
    /// A to-one: the target's id.
    case reference(Text)

    package static func double(_ value: Double) -> Datum { .double(bits: value.bitPattern) }
    package static func float(_ value: Float) -> Datum { .float(bits: value.bitPattern) }
    package static func date(_ seconds: Double) -> Datum { .date(bits: seconds.bitPattern) }
    package static func text(_ string: String) -> Datum { .text(Text(string)) }
}

// MARK: - Order

extension Datum {
    /// Which of two values of one type comes first: -1, 0 or 1. Nil comes before everything; NaN after every other
    /// number and equal to NaN; -0 equal to 0; text by UTF-8 bytes. Values of different types, or without an order,
    /// are equal.
    package static func order(_ left: Datum?, _ right: Datum?) -> Int {
        switch (left, right) {
        case (nil, nil), (.null, .null): 0
        case (nil, _), (.null, _): -1
        case (_, nil), (_, .null): 1
        case (.bool(let a), .bool(let b)): compare(a ? 1 : 0, b ? 1 : 0)
        case (.int(let a), .int(let b)): compare(a, b)
        case (.double(let a), .double(let b)), (.date(let a), .date(let b)):
            compareNumbers(Double(bitPattern: a), Double(bitPattern: b))
        case (.float(let a), .float(let b)):
            compareNumbers(Float(bitPattern: a), Float(bitPattern: b))
        case (.text(let a), .text(let b)), (.reference(let a), .reference(let b)): compare(a, b)
        case (.data(let a), .data(let b)): compareBytes(a, b)
        case (.uuid(let a), .uuid(let b)): compareBytes(bytes(of: a), bytes(of: b))
        case (.decimal(let a), .decimal(let b)): Numeral.compare(a, b)
        default: 0
        }
    }

    private static func compare<T: Comparable>(_ a: T, _ b: T) -> Int {
        a < b ? -1 : (b < a ? 1 : 0)
    }

    private static func compareNumbers<T: BinaryFloatingPoint>(_ a: T, _ b: T) -> Int {
        if a.isNaN || b.isNaN { return compare(a.isNaN ? 1 : 0, b.isNaN ? 1 : 0) }
        return compare(a, b)
    }

    private static func compareBytes(_ a: [UInt8], _ b: [UInt8]) -> Int {
        a.lexicographicallyPrecedes(b) ? -1 : (b.lexicographicallyPrecedes(a) ? 1 : 0)
    }

    private static func bytes(of uuid: UUID) -> [UInt8] {
        let (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p) = uuid.uuid
        return [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p]
    }
}

extension Datum: CustomStringConvertible {
    package var description: String {
        switch self {
        case .null: "nil"
        case .bool(let value): "\(value)"
        case .int(let value): "\(value)"
        case .double(let bits): "\(Double(bitPattern: bits))"
        case .float(let bits): "\(Float(bitPattern: bits))f"
        case .text(let text): "\(text)"
        case .data(let bytes): "\(bytes.count) bytes \(bytes.prefix(8))"
        case .date(let bits): "date(\(Double(bitPattern: bits)))"
        case .uuid(let uuid): "\(uuid)"
        case .decimal(let digits): "\(digits)m"
        case .list(let elements):
            "[\(elements.map(\.description).joined(separator: ", "))]"
        case .set(let elements): "{\(elements.map(\.description).sorted().joined(separator: ", "))}"
        case .map(let entries):
            "[\(entries.map { "\($0): \($1)" }.sorted().joined(separator: ", "))]"
        case .embedded(let fields):
            "(\(fields.map { "\($0): \($1)" }.sorted().joined(separator: ", ")))"
        case .reference(let id): "→\(id)"
        }
    }
}

// MARK: - Numbers written out

/// A decimal number in digits.
private struct Numeral {
    let isNegative: Bool
    let whole: [UInt8]
    let fraction: [UInt8]

    /// - Parameter text: `-?[0-9]+(\.[0-9]+)?`
    init(_ text: String) {
        isNegative = text.first == "-"
        let parts = text.drop { $0 == "-" }.split(separator: ".")
        whole = Array(parts[0].utf8.drop { $0 == UInt8(ascii: "0") })
        let digits = parts.count > 1 ? Array(parts[1].utf8) : []
        fraction = Array(digits.reversed().drop { $0 == UInt8(ascii: "0") }.reversed())
    }

    static func compare(_ left: String, _ right: String) -> Int {
        if left == "NaN" || right == "NaN" {
            return (left == "NaN" ? 1 : 0) - (right == "NaN" ? 1 : 0)
        }
        let a = Numeral(left)
        let b = Numeral(right)
        if a.isNegative != b.isNegative { return a.isNegative ? -1 : 1 }
        let size = a.magnitude(comparedTo: b)
        return a.isNegative ? -size : size
    }

    private func magnitude(comparedTo other: Numeral) -> Int {
        if whole.count != other.whole.count { return whole.count < other.whole.count ? -1 : 1 }
        let left = whole + fraction
        let right = other.whole + other.fraction
        return left.lexicographicallyPrecedes(right)
            ? -1 : (right.lexicographicallyPrecedes(left) ? 1 : 0)
    }
}

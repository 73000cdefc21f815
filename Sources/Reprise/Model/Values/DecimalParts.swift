#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A `Decimal` taken apart: `(-1)^sign * mantissa * 10^exponent`, or NaN.
///
/// Canonical: zero is positive with exponent 0, and the mantissa has no trailing decimal zero
/// unless the exponent is already at its maximum. Equal decimals have equal parts.
struct DecimalParts: Equatable {
    static let exponentMax = 127

    var isNaN = false
    var isNegative = false
    var exponent = 0
    var mantissa: UInt128 = 0

    static let nan: Self = {
        var parts = Self(isNegative: false, exponent: 0, mantissa: 0)
        parts.isNaN = true
        return parts
    }()

    init(isNegative: Bool, exponent: Int, mantissa: UInt128) {
        self.isNegative = isNegative && mantissa != 0
        self.exponent = mantissa == 0 ? 0 : exponent
        self.mantissa = mantissa
        while self.mantissa != 0, self.exponent < Self.exponentMax,
            self.mantissa.isMultiple(of: 10)
        {
            self.mantissa /= 10
            self.exponent += 1
        }
    }

    /// Foundation keeps mantissa and exponent to itself on Linux; the description is exact and has
    /// no exponent and no grouping, whatever the locale.
    init(_ decimal: Decimal) {
        if decimal.isNaN {
            self = .nan
            return
        }
        var mantissa: UInt128 = 0
        var exponent = 0
        var zeros = 0
        var isFraction = false
        for character in decimal.description.utf8 {
            if character == UInt8(ascii: ".") { isFraction = true }
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(character) else { continue }
            if isFraction { exponent -= 1 }
            zeros += 1
            if character == UInt8(ascii: "0") { continue }
            // Zeros count only when another digit follows, so a mantissa never outgrows 128 bits.
            if mantissa == 0 { zeros = 1 }
            for _ in 0..<zeros { mantissa *= 10 }
            mantissa += UInt128(character - UInt8(ascii: "0"))
            zeros = 0
        }
        exponent += zeros
        while exponent > Self.exponentMax, mantissa != 0 {
            mantissa *= 10
            exponent -= 1
        }
        self.init(isNegative: decimal.sign == .minus, exponent: exponent, mantissa: mantissa)
    }

    var decimal: Decimal {
        if isNaN { return .nan }
        // Whole numbers below 2^128 are exact in Decimal, and so is a shift of the exponent.
        let high = Decimal(UInt64(truncatingIfNeeded: mantissa >> 64))
        let low = Decimal(UInt64(truncatingIfNeeded: mantissa))
        let whole = high * (Decimal(UInt64.max) + 1) + low
        return Decimal(
            sign: isNegative ? .minus : .plus,
            exponent: exponent,
            significand: whole
        )
    }

    /// The decimal digits of the mantissa, most significant first, without trailing zeros.
    var digits: [UInt8] {
        var digits: [UInt8] = []
        var rest = mantissa
        while rest != 0 {
            digits.append(UInt8(rest % 10))
            rest /= 10
        }
        return Array(digits.drop { $0 == 0 }.reversed())
    }

    /// The exponent `e` for which the value is `0.d1 d2 d3… * 10^e`.
    var scale: Int {
        var count = 0
        var rest = mantissa
        while rest != 0 {
            count += 1
            rest /= 10
        }
        return exponent + count
    }
}

/// Bytes in a slot: see `Specs/format/values.md`, Decimal.
extension DecimalParts {
    /// The first byte; the order of these is the order of the values.
    enum Tag {
        static let negative: UInt8 = 1
        static let zero: UInt8 = 2
        static let positive: UInt8 = 3
        static let nan: UInt8 = 4
    }

    var tag: UInt8 {
        if isNaN { return Tag.nan }
        if mantissa == 0 { return Tag.zero }
        return isNegative ? Tag.negative : Tag.positive
    }

    func write(to writer: inout RowPayloadWriter) {
        writer.append(tag)
        guard !isNaN, mantissa != 0 else { return }
        writer.append(UInt8(bitPattern: Int8(exponent)))
        var rest = mantissa
        while rest != 0 {
            writer.append(UInt8(truncatingIfNeeded: rest))
            rest >>= 8
        }
    }

    init(reading bytes: UnsafeRawBufferPointer) throws(ValueError) {
        guard let tag = unsafe bytes.first else { throw ValueError(.wrongLength) }
        switch tag {
        case Tag.nan, Tag.zero:
            unsafe try require(1, bytes)
            self = tag == Tag.nan ? .nan : Self(isNegative: false, exponent: 0, mantissa: 0)
        case Tag.negative, Tag.positive:
            guard bytes.count >= 3, bytes.count <= 18 else { throw ValueError(.wrongLength) }
            var mantissa: UInt128 = 0
            for index in stride(from: bytes.count - 1, through: 2, by: -1) {
                mantissa = unsafe mantissa << 8 | UInt128(bytes[index])
            }
            let exponent = unsafe Int(Int8(bitPattern: bytes[1]))
            self.init(isNegative: tag == Tag.negative, exponent: exponent, mantissa: mantissa)
            let isMinimal = unsafe bytes[bytes.count - 1] != 0
            guard isMinimal, self.mantissa == mantissa, self.exponent == exponent else {
                throw ValueError(.notCanonical)
            }
        default:
            throw ValueError(.notCanonical)
        }
    }
}

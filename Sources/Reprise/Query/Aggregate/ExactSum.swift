/// The exact sum of doubles, rounded once at the end: the same whatever the order in which they are added.
///
/// A fixed-point number of 2,176 bits, which holds every finite double at its place (U. Kulisch, "Computer Arithmetic
/// and Validity", 2008). Its digits have 32 bits in 64, so carries are needed only now and then.
struct ExactSum {
    /// Bit 0 of the first digit stands for 2^-1074, the smallest double.
    private static let digitCount = 68
    /// Carries before a digit could overflow: each addition adds less than 2^32 to a digit.
    private static let additionCountMax = 1 << 30

    private var digits: [Int64]
    private var additionCount = 0
    /// The sum of what is not finite; 0 when all is.
    private var special = 0.0

    init() {
        digits = Array(repeating: 0, count: Self.digitCount)
    }

    mutating func add(_ value: Double) {
        guard value.isFinite else {
            special += value
            return
        }
        if value == 0 { return }
        let biased = Int(value.exponentBitPattern)
        // A subnormal number has no hidden bit, and the exponent of the smallest normal one.
        let mantissa =
            biased == 0 ? value.significandBitPattern : value.significandBitPattern | 1 << 52
        let place = max(biased - 1, 0)
        let (digit, shift) = (place >> 5, UInt64(place & 31))
        let low = mantissa << shift
        let high = shift == 0 ? 0 : mantissa >> (64 - shift)
        let parts = (Int64(low & 0xFFFF_FFFF), Int64(low >> 32), Int64(high))
        if value.sign == .minus {
            digits[digit] -= parts.0
            digits[digit + 1] -= parts.1
            digits[digit + 2] -= parts.2
        } else {
            digits[digit] += parts.0
            digits[digit + 1] += parts.1
            digits[digit + 2] += parts.2
        }
        additionCount += 1
        if additionCount == Self.additionCountMax { carry() }
    }

    /// The double nearest to the sum, ties to even. Infinite and NaN terms count as in ordinary addition.
    var value: Double {
        guard special == 0 else { return special }
        var copy = self
        copy.carry()
        // After carrying all digits but the last are in 0..<2^32; the last has the sign.
        guard let last = copy.digits.last, last < 0 else { return copy.magnitude }
        for index in copy.digits.indices { copy.digits[index].negate() }
        copy.carry()
        return -copy.magnitude
    }

    private mutating func carry() {
        additionCount = 0
        for index in 0..<(Self.digitCount - 1) {
            let carried = digits[index] >> 32
            digits[index] &= 0xFFFF_FFFF
            digits[index + 1] += carried
        }
    }

    /// The value of digits that are carried and not negative.
    private var magnitude: Double {
        guard let top = digits.lastIndex(where: { $0 != 0 }) else { return 0 }
        let width = 64 - digits[top].leadingZeroBitCount
        // The place of the highest bit, and of the lowest that a double keeps.
        let highest = top * 32 + width - 1
        let lowest = max(0, highest - 52)
        var mantissa: UInt64 = 0
        for place in stride(from: highest, through: lowest, by: -1) {
            mantissa = mantissa << 1 | bit(place)
        }
        if lowest > 0, bit(lowest - 1) == 1 {
            let isBeyondHalf = hasBits(below: lowest - 1)
            if isBeyondHalf || mantissa & 1 == 1 { mantissa += 1 }
        }
        // Mantissa times 2^(lowest - 1074); a carry out of rounding is still exact in a double.
        return Double(sign: .plus, exponent: lowest - 1074, significand: Double(mantissa))
    }

    private func bit(_ place: Int) -> UInt64 {
        UInt64(truncatingIfNeeded: digits[place >> 5] >> Int64(place & 31)) & 1
    }

    private func hasBits(below place: Int) -> Bool {
        let (digit, shift) = (place >> 5, place & 31)
        if digits[digit] & ((1 << Int64(shift)) - 1) != 0 { return true }
        return digits[..<digit].contains { $0 != 0 }
    }
}

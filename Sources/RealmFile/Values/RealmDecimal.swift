/// A decimal number of up to 34 digits: ± coefficient · 10^exponent, an infinity or no number.
///
/// Source: IEEE 754-2008, binary integer significand ("BID"), 32, 64 and 128 bits.
public struct RealmDecimal: Sendable, Hashable, CustomStringConvertible {
    /// What sort of number.
    public enum Kind: Sendable, Hashable {
        /// ± coefficient · 10^exponent.
        case finite
        /// Larger than every number, or smaller.
        case infinite
        /// No number.
        case notANumber
    }

    /// What sort of number.
    public let kind: Kind
    /// Whether it is below zero, or minus zero.
    public let isNegative: Bool
    /// 0 to 10^34 - 1; 0 where the number is not finite.
    public let coefficient: UInt128
    /// -6176 to 6111; 0 where the number is not finite.
    public let exponent: Int

    /// `-123E-2`, `Inf`, `-Inf` or `NaN`.
    public var description: String {
        switch kind {
        case .finite: "\(isNegative ? "-" : "")\(coefficient)E\(exponent)"
        case .infinite: isNegative ? "-Inf" : "Inf"
        case .notANumber: "NaN"
        }
    }

    /// A number of 128 bits.
    init(low: UInt64, high: UInt64) {
        self.init(UInt128(high) << 64 | UInt128(low), Layout.wide)
    }

    /// A number of 64 bits.
    init(_ bits: UInt64) {
        self.init(UInt128(bits), Layout.middle)
    }

    /// A number of 32 bits.
    init(_ bits: UInt32) {
        self.init(UInt128(bits), Layout.narrow)
    }

    /// Zero.
    init() {
        self.init(kind: .finite, isNegative: false, coefficient: 0, exponent: 0)
    }

    private init(kind: Kind, isNegative: Bool, coefficient: UInt128, exponent: Int) {
        self.kind = kind
        self.isNegative = isNegative
        self.coefficient = coefficient
        self.exponent = exponent
    }

    private init(_ bits: UInt128, _ layout: Layout) {
        let isNegative = bits >> UInt128(layout.bitWidth - 1) & 1 == 1
        let steering = Int(truncatingIfNeeded: bits >> UInt128(layout.bitWidth - 6)) & 0b11111
        if steering == 0b11111 {
            self.init(kind: .notANumber, isNegative: false, coefficient: 0, exponent: 0)
            return
        }
        if steering == 0b11110 {
            self.init(kind: .infinite, isNegative: isNegative, coefficient: 0, exponent: 0)
            return
        }
        // With its first bits 11, the exponent stands two bits lower, and the coefficient begins with 100.
        let isShifted = steering >> 3 == 0b11
        let shift = layout.coefficientBitCount - (isShifted ? 2 : 0)
        let mask = (UInt128(1) << UInt128(shift)) - 1
        let exponentMask = (1 << layout.exponentBitCount) - 1
        let biased = Int(truncatingIfNeeded: bits >> UInt128(shift)) & exponentMask
        var coefficient = bits & mask
        if isShifted { coefficient |= UInt128(0b100) << UInt128(shift) }
        // What is too large stands for zero.
        if coefficient > layout.coefficientMax { coefficient = 0 }
        self.init(
            kind: .finite,
            isNegative: isNegative,
            coefficient: coefficient,
            exponent: biased - layout.bias
        )
    }

    /// Where the parts of a number lie.
    private struct Layout {
        let bitWidth: Int
        let exponentBitCount: Int
        let bias: Int
        let coefficientMax: UInt128

        var coefficientBitCount: Int { bitWidth - 1 - exponentBitCount }

        static let narrow = Layout(
            bitWidth: 32,
            exponentBitCount: 8,
            bias: 101,
            coefficientMax: 9_999_999
        )
        static let middle = Layout(
            bitWidth: 64,
            exponentBitCount: 10,
            bias: 398,
            coefficientMax: 9_999_999_999_999_999
        )
        static let wide = Layout(
            bitWidth: 128,
            exponentBitCount: 14,
            bias: 6176,
            coefficientMax: 9_999_999_999_999_999_999_999_999_999_999_999
        )
    }
}

/// As its seconds in a decimal, which holds them to the attosecond.
extension Duration: StoredValue {
    private static let attosecondsPerSecond: UInt128 = 1_000_000_000_000_000_000

    /// A decimal.
    public static var valueType: ValueType { .decimal }

    /// Appends the seconds, exactly: 63 bits of seconds and 18 digits behind them are fewer than 38 digits.
    public func write(to writer: inout RowPayloadWriter) {
        let (seconds, attoseconds) = components
        DecimalParts(
            isNegative: seconds < 0 || attoseconds < 0,
            exponent: -18,
            mantissa: UInt128(seconds.magnitude) * Self.attosecondsPerSecond + UInt128(attoseconds.magnitude)
        )
        .write(to: &writer)
    }

    /// Reads a duration from its seconds; throws `outOfRange` where they are not whole attoseconds or too many.
    public static func read(_ bytes: UnsafeRawBufferPointer) throws(ValueError) -> Duration {
        let parts = unsafe try DecimalParts(reading: bytes)
        var attoseconds = parts.mantissa
        guard !parts.isNaN, parts.mantissa == 0 || parts.exponent >= -18 else { throw ValueError(.outOfRange) }
        for _ in 0..<(parts.mantissa == 0 ? 0 : parts.exponent + 18) {
            let (product, isOverflow) = attoseconds.multipliedReportingOverflow(by: 10)
            guard !isOverflow else { throw ValueError(.outOfRange) }
            attoseconds = product
        }
        let (whole, fraction) = attoseconds.quotientAndRemainder(dividingBy: attosecondsPerSecond)
        let sign: Int64 = parts.isNegative ? -1 : 1
        let seconds = parts.isNegative ? Int64(exactly: -Int128(whole)) : Int64(exactly: whole)
        guard let seconds else { throw ValueError(.outOfRange) }
        return Duration(secondsComponent: seconds, attosecondsComponent: sign * Int64(fraction))
    }
}

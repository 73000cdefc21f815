#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension JSONNumber {
    /// Whether a number that was read from this text lost some of it: printed with as many digits as there are in the
    /// text, it is another text. Ones that are not finite have lost nothing that could be told.
    package func isShortened(as number: Double) -> Bool {
        guard number.isFinite else { return false }
        // Every text of so few digits comes back from a Double.
        let isShort = text.utf8.count <= 15 && Double(text) == number
        if isShort, text.utf8.allSatisfy({ $0 | 32 != UInt8(ascii: "e") }) { return false }
        guard let wanted = DecimalForm(text) else { return true }
        guard !wanted.digits.isEmpty else { return false }
        return DecimalForm(number, digitCount: wanted.digits.count) != wanted
    }
}

/// A number other than zero as digits, the first and the last of which are not zero, and the power of ten of the first.
private struct DecimalForm: Equatable {
    /// No double has more digits than this.
    private static let digitCountMax = 768

    var digits: [UInt8] = []
    var exponent = 0

    /// A number as JSON or C writes it; nil where it has more digits or a larger exponent than any double.
    init?(_ text: String) {
        let parts = text.utf8.split(maxSplits: 1, omittingEmptySubsequences: false) {
            $0 | 32 == UInt8(ascii: "e")
        }
        var hasPoint = false
        for byte in parts[0] {
            switch byte {
            case 0x30...0x39:
                if !hasPoint, !digits.isEmpty { exponent += 1 }
                if hasPoint, digits.isEmpty { exponent -= 1 }
                if byte != 0x30 || !digits.isEmpty { digits.append(byte) }
            case UInt8(ascii: "-"), UInt8(ascii: "+"): break
            default: hasPoint = true
            }
        }
        while digits.last == 0x30 { digits.removeLast() }
        guard digits.count <= Self.digitCountMax else { return nil }
        guard parts.count > 1, !digits.isEmpty else { return }
        guard let power = Int32(String(decoding: parts[1], as: UTF8.self)) else { return nil }
        exponent += Int(power)
    }

    /// A number to so many digits.
    init?(_ number: Double, digitCount: Int) {
        var buffer = [CChar](repeating: 0, count: Self.digitCountMax + 16)
        let capacity = buffer.count
        let count = unsafe withVaList([Int32(digitCount - 1), number]) { arguments in
            unsafe vsnprintf(&buffer, capacity, "%.*e", arguments)
        }
        guard (1..<capacity).contains(Int(count)) else { return nil }
        let bytes = buffer[..<Int(count)].map { UInt8(bitPattern: $0) }
        self.init(String(decoding: bytes, as: UTF8.self))
    }
}

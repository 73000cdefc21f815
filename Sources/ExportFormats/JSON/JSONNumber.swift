/// A number as its text: what it is, is asked for later.
package struct JSONNumber: Sendable, Equatable {
    /// As it is written, such as `-1.50e3`; `nan`, `inf` or `-inf` for those.
    package let text: String

    package init(text: String) {
        self.text = text
    }

    /// One of the words that stand for no number; nil for others.
    package init?(word: String) {
        switch word {
        case "nan", "NaN": text = "nan"
        case "inf", "Inf", "Infinity": text = "inf"
        case "-nan", "-NaN": text = "nan"
        case "-inf", "-Inf", "-Infinity": text = "-inf"
        default: return nil
        }
    }

    /// Whether it is written without a point and an exponent.
    package var isWhole: Bool {
        text.utf8.allSatisfy { $0 == UInt8(ascii: "-") || ($0 >= 0x30 && $0 <= 0x39) }
    }

    /// The exact number where it is whole and fits 64 bits.
    package var integer: Int64? { Int64(text) }

    /// The nearest number; nil where that would be an infinity.
    package var double: Double? {
        switch text {
        case "nan": return .nan
        case "inf": return .infinity
        case "-inf": return -.infinity
        default:
            guard let number = Double(text), number.isFinite else { return nil }
            return number
        }
    }
}

extension JSONReader {
    /// A number, by the grammar of RFC 8259, section 6.
    func number() throws -> JSONNumber {
        scratch.removeAll(keepingCapacity: true)
        if try peek() == UInt8(ascii: "-") {
            try takeOne()
            if options.isLenient, let byte = try peek(),
                (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 32)
            {
                guard let number = JSONNumber(word: "-" + (try letters())) else {
                    throw malformed("has a word that means nothing")
                }
                return number
            }
        }
        if try peek() == UInt8(ascii: "0") {
            try takeOne()
        } else {
            try takeDigits()
        }
        if try peek() == UInt8(ascii: ".") {
            try takeOne()
            try takeDigits()
        }
        if let byte = try peek(), byte | 32 == UInt8(ascii: "e") {
            try takeOne()
            if let sign = try peek(), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
                try takeOne()
            }
            try takeDigits()
        }
        if let byte = try peek(), (0x30...0x39).contains(byte) {
            throw malformed("has a number that begins with zero")
        }
        return JSONNumber(text: String(decoding: scratch, as: UTF8.self))
    }

    private func takeDigits() throws {
        guard let first = try peek() else { throw truncated() }
        guard (0x30...0x39).contains(first) else { throw malformed("has a number without digits") }
        while let byte = try peek(), (0x30...0x39).contains(byte) { try takeOne() }
    }

    private func takeOne() throws {
        guard let byte = try peek() else { throw truncated() }
        guard scratch.count < limits.numberByteCountMax else {
            throw tooLong("A number", limits.numberByteCountMax)
        }
        scratch.append(byte)
        advance()
    }
}

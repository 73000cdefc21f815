/// Reads literals out of UTF-8 text: the strings and numbers of JSON, which where-expressions share.
///
/// Never traps: every step is bounds-checked, and a mistake is thrown with its place.
struct TextScanner {
    let bytes: [UInt8]
    private(set) var offset = 0

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    var isAtEnd: Bool { offset >= bytes.count }
    /// The byte at the current place, nil at the end.
    var current: UInt8? { offset < bytes.count ? bytes[offset] : nil }

    /// The byte `distance` places further on, nil behind the end.
    func peek(_ distance: Int) -> UInt8? {
        offset + distance < bytes.count ? bytes[offset + distance] : nil
    }

    mutating func advance(by count: Int = 1) {
        offset = min(offset + count, bytes.count)
    }

    /// Skips the four kinds of white space that JSON knows.
    mutating func skipSpace() {
        while let byte = current, byte == 0x20 || (0x09...0x0A).contains(byte) || byte == 0x0D {
            offset += 1
        }
    }

    /// Passes over `text` when it comes next.
    mutating func take(_ text: StaticString) -> Bool {
        let count = text.utf8CodeUnitCount
        let expected = "\(text)".utf8
        guard offset + count <= bytes.count,
            bytes[offset..<offset + count].elementsEqual(expected)
        else { return false }
        offset += count
        return true
    }

    /// The text between two places, which lie on the borders of characters.
    func text(_ range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self)
    }

    /// What is at a place, as a reader would call it.
    func describe(at place: Int) -> String {
        guard place < bytes.count else { return "the end" }
        let rest = String(decoding: bytes[place...].prefix(64), as: UTF8.self)
        guard let first = rest.first else { return "the end" }
        let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        return "`\(DisplayWidth.visible(word.isEmpty ? String(first) : String(word)))`"
    }

    func mistake(_ expected: String, at place: Int? = nil) -> TextMistake {
        TextMistake(
            at: place ?? offset,
            expected: expected,
            found: describe(at: place ?? offset)
        )
    }
}

/// Numbers.
extension TextScanner {
    /// Whether only a number can come next.
    var startsNumber: Bool {
        current.map { $0 == UInt8(ascii: "-") || (0x30...0x39).contains($0) } ?? false
    }

    /// The text of a number as JSON writes it (RFC 8259, section 6): `-?int frac? exp?`.
    mutating func number() throws(TextMistake) -> String {
        let start = offset
        if current == UInt8(ascii: "-") { offset += 1 }
        let isZero = current == UInt8(ascii: "0")
        let count = digits()
        guard count > 0 else { throw mistake("a digit") }
        if isZero, count > 1 { throw mistake("a number without leading zeros", at: start) }
        if current == UInt8(ascii: ".") {
            offset += 1
            guard digits() > 0 else { throw mistake("a digit after the point") }
        }
        if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
            offset += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { offset += 1 }
            guard digits() > 0 else { throw mistake("a digit of the exponent") }
        }
        return text(start..<offset)
    }

    private mutating func digits() -> Int {
        let start = offset
        while let byte = current, (0x30...0x39).contains(byte) { offset += 1 }
        return offset - start
    }
}

/// Strings.
extension TextScanner {
    /// The content of a JSON string (RFC 8259, section 7) whose opening quote comes next.
    mutating func string() throws(TextMistake) -> String {
        let start = offset
        guard current == UInt8(ascii: "\"") else { throw mistake("a string in double quotes") }
        offset += 1
        var content: [UInt8] = []
        while let byte = current {
            switch byte {
            case UInt8(ascii: "\""):
                offset += 1
                return String(decoding: content, as: UTF8.self)
            case UInt8(ascii: "\\"):
                try escape(into: &content)
            case 0..<0x20:
                throw mistake("\\n, \\t or \\u00XX instead of a control character")
            default:
                content.append(byte)
                offset += 1
            }
        }
        throw TextMistake(
            at: start,
            expected: "a closing double quote for this string",
            found: "the end"
        )
    }

    private mutating func escape(into content: inout [UInt8]) throws(TextMistake) {
        let start = offset
        offset += 1
        guard let kind = current else { throw mistake("a character after the backslash") }
        offset += 1
        switch kind {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): content.append(kind)
        case UInt8(ascii: "b"): content.append(0x08)
        case UInt8(ascii: "f"): content.append(0x0C)
        case UInt8(ascii: "n"): content.append(0x0A)
        case UInt8(ascii: "r"): content.append(0x0D)
        case UInt8(ascii: "t"): content.append(0x09)
        case UInt8(ascii: "u"): content.append(contentsOf: String(try scalar(from: start)).utf8)
        default:
            throw mistake("one of the escapes \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX", at: start)
        }
    }

    /// The scalar of `\uXXXX` or of a surrogate pair of them, from behind the first `u`.
    private mutating func scalar(from start: Int) throws(TextMistake) -> Character {
        let high = try fourHexDigits()
        if let scalar = Unicode.Scalar(high) { return Character(scalar) }
        guard (0xD800..<0xDC00).contains(high), take("\\u") else {
            throw mistake("both halves of a surrogate pair", at: start)
        }
        let low = try fourHexDigits()
        let value = 0x10000 + UInt32(high & 0x3FF) << 10 + UInt32(low & 0x3FF)
        guard (0xDC00..<0xE000).contains(low), let scalar = Unicode.Scalar(value) else {
            throw mistake("both halves of a surrogate pair", at: start)
        }
        return Character(scalar)
    }

    private mutating func fourHexDigits() throws(TextMistake) -> UInt16 {
        var value: UInt16 = 0
        for _ in 0..<4 {
            guard let byte = current, let digit = Character(Unicode.Scalar(byte)).hexDigitValue
            else { throw mistake("four hexadecimal digits after \\u") }
            value = value << 4 | UInt16(digit)
            offset += 1
        }
        return value
    }
}

extension JSONReader {
    /// The rest of a string whose opening quote was taken.
    func string() throws -> String {
        scratch.removeAll(keepingCapacity: scratch.capacity <= 1 << 20)
        var start = 0
        var startOffset = offset
        while true {
            guard let byte = try takePlainText() else { continue }
            switch byte {
            case UInt8(ascii: "\""):
                try check(from: start, at: startOffset)
                advance()
                return String(decoding: scratch, as: UTF8.self)
            case UInt8(ascii: "\\"):
                // An escape is ASCII: a character that it cuts in two is not well formed.
                try check(from: start, at: startOffset)
                advance()
                try escape()
                start = scratch.count
                startOffset = offset
            default:
                guard options.isLenient else {
                    throw malformed("has a control character in a text")
                }
                if byte == UInt8(ascii: "\n") { countLine() }
                scratch.append(byte)
                advance()
            }
        }
    }

    private func check(from start: Int, at startOffset: UInt64) throws {
        let invalid: Int? = unsafe scratch.withUnsafeBytes { bytes in
            let segment = unsafe UnsafeRawBufferPointer(rebasing: bytes[start...])
            switch unsafe UTF8Validation.check(segment) {
            case .valid(let count): return count < segment.count ? count : nil
            case .invalid(let place): return place
            }
        }
        guard let invalid else { return }
        throw LegacyError(
            .invalidText,
            "The file holds bytes that are no UTF-8 text.",
            advice: "It was damaged or converted: export the library again.",
            byteOffset: startOffset + UInt64(invalid),
            line: line
        )
    }

    /// What follows a backslash.
    private func escape() throws {
        guard let byte = try peek() else { throw truncated() }
        advance()
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): scratch.append(byte)
        case UInt8(ascii: "b"): scratch.append(0x08)
        case UInt8(ascii: "f"): scratch.append(0x0C)
        case UInt8(ascii: "n"): scratch.append(0x0A)
        case UInt8(ascii: "r"): scratch.append(0x0D)
        case UInt8(ascii: "t"): scratch.append(0x09)
        case UInt8(ascii: "u"): try unicodeEscapes()
        default: throw malformed("has an escape that means nothing")
        }
    }

    /// The four digits after `\u`, and the escapes after them as long as a pair of surrogates may still be completed.
    private func unicodeEscapes() throws {
        var unit = try hexadecimalUnit()
        while (0xD800...0xDBFF).contains(unit) {
            guard try peek() == UInt8(ascii: "\\") else { return replaceLoneSurrogate() }
            advance()
            guard try peek() == UInt8(ascii: "u") else {
                replaceLoneSurrogate()
                return try escape()
            }
            advance()
            let second = try hexadecimalUnit()
            if (0xDC00...0xDFFF).contains(second) {
                return append(0x10000 + (unit - 0xD800) << 10 + (second - 0xDC00))
            }
            replaceLoneSurrogate()
            unit = second
        }
        append(unit)
    }

    private func append(_ code: UInt32) {
        guard let scalar = Unicode.Scalar(code) else { return replaceLoneSurrogate() }
        scratch.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }

    private func replaceLoneSurrogate() {
        replacedCount += 1
        scratch.append(contentsOf: UTF8.encodedReplacementCharacter)
    }

    private func hexadecimalUnit() throws -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let byte = try peek() else { throw truncated() }
            guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else {
                throw malformed("has an escape that means nothing")
            }
            unit = unit << 4 | UInt32(digit)
            advance()
        }
        return unit
    }
}

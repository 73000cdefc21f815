/// Reads the generated tables (Specs/format/folding.md).
extension FoldingData {
    /// Code points and what they become.
    static func decode(_ text: StaticString) -> [UInt32: [UInt32]] {
        var reader = PackedNumbers(text)
        var images: [UInt32: [UInt32]] = [:]
        var first: UInt32 = 0
        while let distance = reader.next(), let run = reader.next(), let count = reader.next() {
            first &+= distance
            var shifts: [UInt32] = []
            for _ in 0..<count {
                guard let number = reader.next() else { return images }
                shifts.append(number >> 1 ^ (0 &- (number & 1)))
            }
            let stride = run & 1 + 1
            for index in 0..<(run >> 1) {
                let code = first &+ index &* stride
                images[code] = shifts.map { code &+ $0 }
            }
        }
        return images
    }

    /// Without diacritics, then without case, then again without diacritics, which case folding may have added.
    static func both(
        _ cases: [UInt32: [UInt32]],
        _ marks: [UInt32: [UInt32]]
    ) -> [UInt32: [UInt32]] {
        var images: [UInt32: [UInt32]] = [:]
        for code in Set(cases.keys).union(marks.keys) {
            let image = (marks[code] ?? [code])
                // Case folding of ASCII is not in the table.
                .flatMap { part in part &- 0x41 < 26 ? [part | 0x20] : cases[part] ?? [part] }
                .flatMap { marks[$0] ?? [$0] }
            if image != [code] { images[code] = image }
        }
        return images
    }
}

/// Numbers of seven bits a byte, the lowest first, in base64.
struct PackedNumbers {
    private var bytes: [UInt8] = []
    private var offset = 0

    init(_ text: StaticString) {
        let characters = unsafe UnsafeBufferPointer(
            start: text.utf8Start,
            count: text.utf8CodeUnitCount
        )
        var bits: UInt32 = 0
        var bitCount = 0
        for index in 0..<characters.count {
            let character = unsafe characters[index]
            let value: UInt32
            switch character {
            case 0x41...0x5A: value = UInt32(character) - 0x41
            case 0x61...0x7A: value = UInt32(character) - 0x61 + 26
            case 0x30...0x39: value = UInt32(character) - 0x30 + 52
            case 0x2B: value = 62
            case 0x2F: value = 63
            default: continue
            }
            bits = bits << 6 | value
            bitCount += 6
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
            }
        }
    }

    mutating func next() -> UInt32? {
        var number: UInt32 = 0
        var shift: UInt32 = 0
        while offset < bytes.count {
            let byte = bytes[offset]
            offset += 1
            number |= UInt32(byte & 0x7F) << shift
            if byte < 0x80 { return number }
            shift += 7
        }
        return nil
    }
}

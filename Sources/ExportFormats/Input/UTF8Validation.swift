/// Checks bytes for well-formed UTF-8 (Unicode 16, table 3-7), piece by piece.
enum UTF8Validation {
    /// What is left after a piece.
    enum Outcome: Equatable {
        /// All of it is well formed up to `completeCount`; the up to three bytes after that begin a
        /// character whose end must come with the next piece.
        case valid(completeCount: Int)
        /// The character that begins at `offset` is not well formed.
        case invalid(offset: Int)
    }

    /// Checks `bytes`, which must begin where a character begins.
    /// - Complexity: O(bytes), eight at a time where they are ASCII.
    static func check(_ bytes: UnsafeRawBufferPointer) -> Outcome {
        var offset = 0
        let count = bytes.count
        while offset < count {
            while offset + 8 <= count,
                unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                    & 0x8080_8080_8080_8080 == 0
            {
                offset += 8
            }
            guard offset < count else { break }
            let lead = unsafe bytes[offset]
            if lead < 0x80 {
                offset += 1
                continue
            }
            guard let (length, second) = shape(of: lead) else { return .invalid(offset: offset) }
            for place in 1..<length {
                guard offset + place < count else { return .valid(completeCount: offset) }
                let byte = unsafe bytes[offset + place]
                guard place == 1 ? second.contains(byte) : (0x80...0xBF).contains(byte) else {
                    return .invalid(offset: offset)
                }
            }
            offset += length
        }
        return .valid(completeCount: count)
    }

    /// How many bytes the well-formed character has that `bytes` begins with; nil where it begins with none.
    ///
    /// - Complexity: O(1).
    static func byteCount(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard let lead = bytes.first, lead >= 0x80 else { return bytes.isEmpty ? nil : 1 }
        guard let (count, second) = shape(of: lead), bytes.count >= count,
            second.contains(bytes[bytes.startIndex + 1])
        else { return nil }
        let rest = bytes[(bytes.startIndex + 2)..<(bytes.startIndex + count)]
        return rest.allSatisfy { (0x80...0xBF).contains($0) } ? count : nil
    }

    /// The length of a character that begins with `lead`, and what its second byte may be.
    private static func shape(of lead: UInt8) -> (length: Int, second: ClosedRange<UInt8>)? {
        switch lead {
        case 0xC2...0xDF: (2, 0x80...0xBF)
        case 0xE0: (3, 0xA0...0xBF)
        case 0xED: (3, 0x80...0x9F)
        case 0xE1...0xEF: (3, 0x80...0xBF)
        case 0xF0: (4, 0x90...0xBF)
        case 0xF1...0xF3: (4, 0x80...0xBF)
        case 0xF4: (4, 0x80...0x8F)
        default: nil
        }
    }
}

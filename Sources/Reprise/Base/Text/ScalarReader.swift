/// One scalar of UTF-8 text where it lies. A byte that begins none stands for itself, as a scalar that is never folded.
struct ScalarReader {
    let code: UInt32
    /// How many bytes it takes: one to four.
    let byteCount: Int

    /// What a byte that is not UTF-8 is read as: a code point that has no letter and never will.
    static let invalid = ScalarReader(code: 0x10FFFF, byteCount: 1)

    /// - Parameter offset: less than the number of bytes.
    @inline(__always)
    static func scalar(of text: UnsafeRawBufferPointer, at offset: Int) -> ScalarReader {
        let first = unsafe UInt32(text[offset])
        if first < 0x80 { return ScalarReader(code: first, byteCount: 1) }
        let left = text.count - offset
        @inline(__always) func next(_ index: Int) -> UInt32? {
            let byte = unsafe UInt32(text[offset + index])
            return byte & 0xC0 == 0x80 ? byte & 0x3F : nil
        }
        if first < 0xE0 {
            guard first >= 0xC2, left >= 2, let a = next(1) else { return invalid }
            return ScalarReader(code: (first & 0x1F) << 6 | a, byteCount: 2)
        }
        if first < 0xF0 {
            guard left >= 3, let a = next(1), let b = next(2) else { return invalid }
            let code = (first & 0x0F) << 12 | a << 6 | b
            guard code >= 0x800, code & 0xF800 != 0xD800 else { return invalid }
            return ScalarReader(code: code, byteCount: 3)
        }
        guard first < 0xF5, left >= 4, let a = next(1), let b = next(2), let c = next(3) else {
            return invalid
        }
        let code = (first & 0x07) << 18 | a << 12 | b << 6 | c
        guard code >= 0x10000, code < 0x110000 else { return invalid }
        return ScalarReader(code: code, byteCount: 4)
    }
}

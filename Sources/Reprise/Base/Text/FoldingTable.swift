/// What each code point becomes when text is folded: pages of code points, and a pool of bytes for their images.
///
/// Made once for each way to fold and kept for the life of the process, so its memory is never given back.
@safe
final class FoldingTable: Sendable {
    static let cases = FoldingTable(images: FoldingData.decode(FoldingData.cases))
    static let marks = FoldingTable(
        images: FoldingData.decode(FoldingData.marks),
        decomposesHangul: true
    )
    static let both = FoldingTable(
        images: FoldingData.both(
            FoldingData.decode(FoldingData.cases),
            FoldingData.decode(FoldingData.marks)
        ),
        decomposesHangul: true
    )

    /// No scalar has a longer image.
    static let imageByteCountMax = 12

    private static let pageBits = 7
    // Not isolated: all three point into constants of the program, which nobody writes.

    /// For each page of code points where its entries begin.
    private nonisolated(unsafe) let pages: UnsafePointer<UInt32>
    /// 0: the scalar itself. Otherwise bits 0-7 the number of bytes of the image + 1, from bit 8 where they are.
    private nonisolated(unsafe) let entries: UnsafePointer<UInt32>
    private nonisolated(unsafe) let pool: UnsafePointer<UInt8>
    private let foldsCase: Bool
    private let decomposesHangul: Bool

    init(images: [UInt32: [UInt32]], decomposesHangul: Bool = false) {
        let pageCount = 0x110000 >> Self.pageBits
        let pageSize = 1 << Self.pageBits
        var pages = [UInt32](repeating: 0, count: pageCount)
        // The first page is the one in which nothing changes.
        var entries = [UInt32](repeating: 0, count: pageSize)
        var pool: [UInt8] = []
        var foldsCase = false
        for (code, image) in images.sorted(by: { $0.key < $1.key }) where code < 0x110000 {
            let page = Int(code) >> Self.pageBits
            if pages[page] == 0 {
                pages[page] = UInt32(entries.count)
                entries += Array(repeating: 0, count: pageSize)
            }
            let start = pool.count
            for part in image {
                if let scalar = Unicode.Scalar(part) {
                    pool += UTF8.encode(scalar).map(Array.init) ?? []
                }
            }
            entries[Int(pages[page]) + Int(code) & (pageSize - 1)] =
                UInt32(start) << 8 | UInt32(pool.count - start + 1)
            if code == 0xC0 { foldsCase = image.first == 0xE0 || image.first == 0x61 }
        }
        self.foldsCase = foldsCase
        self.decomposesHangul = decomposesHangul
        unsafe self.pages = Self.keep(pages)
        unsafe self.entries = Self.keep(entries)
        unsafe self.pool = Self.keep(pool)
    }

    private static func keep<T: BitwiseCopyable>(_ values: [T]) -> UnsafePointer<T> {
        let kept = UnsafeMutablePointer<T>.allocate(capacity: max(1, values.count))
        for (index, value) in values.enumerated() { unsafe kept[index] = value }
        return unsafe UnsafePointer(kept)
    }

    /// Folds text from `offset` on into `room`, as much as fits, and moves `offset` behind what it took.
    ///
    /// - Parameter room: at least 16 bytes; up to 15 may be left unused.
    /// - Returns: the number of bytes written.
    func fold(
        _ text: UnsafeRawBufferPointer,
        from offset: inout Int,
        into room: UnsafeMutableRawBufferPointer
    ) -> Int {
        let last = room.count - 16
        var written = 0
        while offset < text.count, written <= last {
            if offset + 8 <= text.count {
                let word = unsafe text.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
                if word & 0x8080_8080_8080_8080 == 0 {
                    let plain = foldsCase ? Self.lowercased(word) : word
                    unsafe room.storeBytes(of: plain, toByteOffset: written, as: UInt64.self)
                    offset += 8
                    written += 8
                    continue
                }
            }
            let byte = unsafe text[offset]
            if byte < 0x80 {
                let isUpper = foldsCase && byte &- 0x41 < 26
                unsafe room[written] = isUpper ? byte | 0x20 : byte
                offset += 1
                written += 1
                continue
            }
            let scalar = unsafe ScalarReader.scalar(of: text, at: offset)
            unsafe written += write(text, offset, scalar, to: room, at: written)
            offset += scalar.byteCount
        }
        return written
    }

    /// Eight ASCII letters at once.
    @inline(__always)
    private static func lowercased(_ word: UInt64) -> UInt64 {
        let fromA = word &+ 0x3F3F_3F3F_3F3F_3F3F
        let beyondZ = word &+ 0x2525_2525_2525_2525
        return word | (fromA & ~beyondZ & 0x8080_8080_8080_8080) >> 2
    }

    private func write(
        _ text: UnsafeRawBufferPointer,
        _ offset: Int,
        _ scalar: ScalarReader,
        to room: UnsafeMutableRawBufferPointer,
        at written: Int
    ) -> Int {
        let code = Int(scalar.code)
        let page = unsafe Int(pages[code >> Self.pageBits])
        let entry = unsafe entries[page + code & ((1 << Self.pageBits) - 1)]
        if entry != 0 {
            let count = Int(entry & 0xFF) - 1
            for index in 0..<count {
                unsafe room[written + index] = pool[Int(entry >> 8) + index]
            }
            return count
        }
        if decomposesHangul, code >= 0xAC00, code < 0xD7A4 {
            return unsafe Self.writeHangul(code - 0xAC00, to: room, at: written)
        }
        for index in 0..<scalar.byteCount { unsafe room[written + index] = text[offset + index] }
        return scalar.byteCount
    }

    /// A syllable as its two or three letters, computed as The Unicode Standard says in section 3.12.
    private static func writeHangul(
        _ syllable: Int,
        to room: UnsafeMutableRawBufferPointer,
        at written: Int
    ) -> Int {
        func put(_ code: Int, _ at: Int) {
            unsafe room[at] = UInt8(0xE0 | code >> 12)
            unsafe room[at + 1] = UInt8(0x80 | code >> 6 & 0x3F)
            unsafe room[at + 2] = UInt8(0x80 | code & 0x3F)
        }
        put(0x1100 + syllable / 588, written)
        put(0x1161 + syllable % 588 / 28, written + 3)
        guard syllable % 28 != 0 else { return 6 }
        put(0x11A7 + syllable % 28, written + 6)
        return 9
    }
}

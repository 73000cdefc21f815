#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Bytes of an image, which must outlive this. Every access is checked.
@safe struct FileBytes {
    private let start: UnsafeRawPointer
    let count: Int

    init(start: UnsafeRawPointer, count: Int) {
        unsafe self.start = start
        self.count = count
    }

    /// A part of the bytes.
    func slice(at offset: Int, count: Int) throws(RealmFileError) -> FileBytes {
        guard offset >= 0, count >= 0, offset <= self.count, count <= self.count - offset else {
            throw RealmFileError(
                .truncated,
                "\(count) bytes reach beyond the end of the file, which has \(self.count).",
                at: offset
            )
        }
        return unsafe FileBytes(start: start + offset, count: count)
    }

    /// A little-endian number, wherever it lies.
    func load<T: FixedWidthInteger & BitwiseCopyable>(
        _ type: T.Type,
        at offset: Int
    ) throws(RealmFileError) -> T {
        guard offset >= 0, offset <= count - MemoryLayout<T>.size else {
            throw RealmFileError(.truncated, "The file ends in the middle of a number.", at: offset)
        }
        return T(littleEndian: unsafe start.loadUnaligned(fromByteOffset: offset, as: T.self))
    }

    /// A number at a place that the caller has compared with `count`.
    ///
    /// Reads zero, instead of what lies behind, should he have been wrong.
    @inline(__always)
    func number<T: FixedWidthInteger & BitwiseCopyable>(_ type: T.Type, at offset: Int) -> T {
        guard offset >= 0, offset <= count - MemoryLayout<T>.size else { return 0 }
        return T(littleEndian: unsafe start.loadUnaligned(fromByteOffset: offset, as: T.self))
    }

    /// The text, or nil where the bytes are no UTF-8.
    var text: String? {
        let bytes = unsafe UnsafeBufferPointer(
            start: start.assumingMemoryBound(to: UInt8.self),
            count: count
        )
        var text = unsafe String(unsafeUninitializedCapacity: count) { target in
            unsafe target.update(fromContentsOf: bytes)
        }
        if isASCII { return text }
        // What is no UTF-8 has been replaced by something else.
        let isWhole = text.withUTF8 { copy in
            guard let copied = copy.baseAddress else { return count == 0 }
            return unsafe copy.count == count && memcmp(copied, start, count) == 0
        }
        return isWhole ? text : nil
    }

    /// Whether all bytes are ASCII. Looks at eight at a time.
    var isASCII: Bool {
        var bits: UInt64 = 0
        var offset = 0
        while offset + 8 <= count {
            bits |= unsafe start.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            offset += 8
        }
        while offset < count {
            bits |= UInt64(unsafe start.load(fromByteOffset: offset, as: UInt8.self))
            offset += 1
        }
        return bits & 0x8080_8080_8080_8080 == 0
    }

    var array: [UInt8] { unsafe Array(UnsafeRawBufferPointer(start: start, count: count)) }
}

internal import RepriseLMDB
internal import RepriseLog

/// Reads records from a temporary file, from front to back: each is the count of its bytes, a 32-bit number, and these.
struct SpillRecords {
    private let file: SpillFile
    private let end: Int
    private var bytes: [UInt8]
    /// What of `bytes` is not handed out yet.
    private var unread = 0..<0
    private var offset: Int

    /// Where in the file the next record begins.
    var place: Int { offset - unread.count }

    /// - Parameters:
    ///   - offset: where in the file the first record begins.
    ///   - byteCount: how much is read at a time.
    init(_ file: SpillFile, from offset: Int = 0, byteCount: Int = 1 << 18) {
        self.file = file
        self.offset = offset
        end = file.byteCount
        bytes = [UInt8](repeating: 0, count: byteCount)
    }

    /// Decodes the next record; nil at the end.
    mutating func next<Value>(_ decode: (inout ByteReader) throws -> Value) throws -> Value? {
        if place == end { return nil }
        try read(atLeast: 4)
        let start = unread.lowerBound
        let byteCount = unsafe bytes.withUnsafeBytes {
            unsafe Int(UInt32(littleEndian: $0.loadUnaligned(fromByteOffset: start, as: UInt32.self)))
        }
        try read(atLeast: 4 + byteCount)
        let range = (unread.lowerBound + 4)..<(unread.lowerBound + 4 + byteCount)
        unread = range.upperBound..<unread.upperBound
        return try unsafe bytes.withUnsafeBytes {
            var reader = unsafe ByteReader(UnsafeRawBufferPointer(rebasing: $0[range]))
            return try decode(&reader)
        }
    }

    /// Sees to it that the next `count` bytes are in memory.
    private mutating func read(atLeast count: Int) throws {
        if unread.count >= count { return }
        let rest = unread.count
        bytes.replaceSubrange(0..<rest, with: Array(bytes[unread]))
        if bytes.count < count { bytes.append(contentsOf: repeatElement(0, count: count - bytes.count)) }
        let wanted = min(bytes.count - rest, end - offset)
        let (file, offset) = (file, offset)
        let found = try unsafe bytes.withUnsafeMutableBytes {
            try unsafe file.read(into: UnsafeMutableRawBufferPointer(rebasing: $0[rest..<(rest + wanted)]), at: offset)
        }
        self.offset += found
        unread = 0..<(rest + found)
        guard unread.count >= count else { throw StoreError.damage("A temporary file has lost its end.") }
    }
}

/// The first 32 bytes of a write-ahead log (https://www.sqlite.org/fileformat2.html#walformat).
///
/// SQLite ignores a log whose header is wrong, and with it everything that the app wrote since: here that is an error.
/// So is what it ignores of a log that is damaged before a transaction that was committed (``WriteAheadLogFrames``).
/// What follows the last whole transaction is ignored on purpose, as SQLite does: it was never committed.
enum WriteAheadLogHeader {
    private static let magic: UInt32 = 0x377F_0682

    static let byteCount = 32

    /// Checks the header.
    ///
    /// - Returns: how many bytes each frame has: a header of 24 and a page.
    /// - Throws: `.damaged` unless the header is one and its checksum is right.
    static func check(_ bytes: [UInt8], path: String) throws(SQLiteFileError) -> UInt64 {
        guard bytes.count == byteCount else { throw damaged(path) }
        let first = word(bytes, at: 0, bigEndian: true)
        guard first & ~1 == magic else { throw damaged(path) }
        var sum = WriteAheadLogSum(isBigEndian: isBigEndian(bytes))
        sum.add(bytes[..<24])
        let pageByteCount = word(bytes, at: 8, bigEndian: true)
        guard sum == checksum(bytes, at: 24), (512...65_536).contains(pageByteCount),
            pageByteCount & (pageByteCount - 1) == 0
        else {
            throw damaged(path)
        }
        return UInt64(pageByteCount) + frameHeaderByteCount
    }

    /// The size of what is before a frame's page.
    static let frameHeaderByteCount: UInt64 = 24

    /// The lowest bit of the magic number says how the words are read for checksums.
    static func isBigEndian(_ header: [UInt8]) -> Bool {
        word(header, at: 0, bigEndian: true) & 1 == 1
    }

    /// A checksum as it stands in a header.
    static func checksum(_ bytes: [UInt8], at place: Int) -> WriteAheadLogSum {
        var sum = WriteAheadLogSum(isBigEndian: isBigEndian(bytes))
        sum.first = word(bytes, at: place, bigEndian: true)
        sum.second = word(bytes, at: place + 4, bigEndian: true)
        return sum
    }

    /// Checks the beginning of a frame that does not end. What is left of an older use of the log may be cut anywhere;
    /// a frame of the current use is not.
    ///
    /// - Throws: `.truncated` where the frame has the salts of the header.
    static func checkTail(_ frame: [UInt8], _ header: [UInt8], path: String) throws(SQLiteFileError)
    {
        guard frame.count >= 16, frame[8..<16].elementsEqual(header[16..<24]) else { return }
        throw SQLiteFileError(.truncated, "The write-ahead log \(path) ends within a frame.")
    }

    static func word(_ bytes: [UInt8], at place: Int, bigEndian: Bool) -> UInt32 {
        var word: UInt32 = 0
        for index in 0..<4 {
            word = word << 8 | UInt32(bytes[place + (bigEndian ? index : 3 - index)])
        }
        return word
    }

    private static func damaged(_ path: String) -> SQLiteFileError {
        SQLiteFileError(.damaged, "The write-ahead log \(path) has no valid header.")
    }
}

/// The first 32 bytes of a write-ahead log (https://www.sqlite.org/fileformat2.html#walformat).
///
/// SQLite ignores a log whose header is wrong, and with it everything that the app wrote since: here that is an error.
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
        // The lowest bit of the magic number says how the words are read for the checksum.
        let isBigEndian = first & 1 == 1
        var sums: (UInt32, UInt32) = (0, 0)
        for place in stride(from: 0, to: 24, by: 8) {
            sums.0 &+= word(bytes, at: place, bigEndian: isBigEndian) &+ sums.1
            sums.1 &+= word(bytes, at: place + 4, bigEndian: isBigEndian) &+ sums.0
        }
        guard sums.0 == word(bytes, at: 24, bigEndian: true),
            sums.1 == word(bytes, at: 28, bigEndian: true)
        else {
            throw damaged(path)
        }
        return UInt64(word(bytes, at: 8, bigEndian: true)) + 24
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

    private static func word(_ bytes: [UInt8], at place: Int, bigEndian: Bool) -> UInt32 {
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

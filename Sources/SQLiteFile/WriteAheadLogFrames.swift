#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The running checksum of a write-ahead log: over the log's header, then over the beginning and the page of each
/// frame (https://www.sqlite.org/fileformat2.html#checksum_algorithm).
struct WriteAheadLogSum: Equatable {
    let isBigEndian: Bool
    var first: UInt32 = 0
    var second: UInt32 = 0

    init(isBigEndian: Bool) {
        self.isBigEndian = isBigEndian
    }

    /// Adds bytes, as many as are whole pairs of words.
    mutating func add(_ bytes: ArraySlice<UInt8>) {
        var (first, second) = (first, second)
        let isBigEndian = isBigEndian
        unsafe bytes.withUnsafeBytes { bytes in
            for place in stride(from: 0, to: bytes.count & ~7, by: 8) {
                let left = unsafe bytes.loadUnaligned(fromByteOffset: place, as: UInt32.self)
                let right = unsafe bytes.loadUnaligned(fromByteOffset: place + 4, as: UInt32.self)
                first &+=
                    (isBigEndian ? UInt32(bigEndian: left) : UInt32(littleEndian: left)) &+ second
                second &+=
                    (isBigEndian ? UInt32(bigEndian: right) : UInt32(littleEndian: right)) &+ first
            }
        }
        (self.first, self.second) = (first, second)
    }
}

/// The frames of a write-ahead log (https://www.sqlite.org/fileformat2.html#wal_file_format).
///
/// SQLite reads a log up to the first frame that is not sound: with another salt, or a wrong checksum. What follows is
/// as a rule what an earlier use of the log left behind, or the beginning of a transaction that was never committed.
/// Where a later frame of the same use ends a transaction, a damaged frame stands before it, and SQLite would leave
/// out, without a word, what the app had committed.
enum WriteAheadLogFrames {
    /// Walks through a log.
    ///
    /// - Parameters:
    ///   - copy: the log.
    ///   - header: its header, which is sound.
    ///   - count: how many frames there are at most.
    ///   - path: what the log is called in messages.
    ///   - progress: called with how much more was read, frame by frame; throwing ends the walk.
    /// - Throws: `.damaged`, and what `progress` throws.
    /// - Complexity: O(bytes); a frame at a time is in memory.
    static func check(
        _ copy: String,
        _ header: [UInt8],
        count: UInt64,
        path: String,
        _ progress: (UInt64) throws(SQLiteFileError) -> Void
    ) throws(SQLiteFileError) {
        let descriptor = unsafe open(copy, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SQLiteFileError(system: errno, path: path) }
        defer { _ = close(descriptor) }
        let pageByteCount = Int(WriteAheadLogHeader.word(header, at: 8, bigEndian: true))
        let headByteCount = Int(WriteAheadLogHeader.frameHeaderByteCount)
        var frame = [UInt8](repeating: 0, count: headByteCount + pageByteCount)
        var sum = WriteAheadLogHeader.checksum(header, at: 24)
        var damagedFrame: UInt64?
        for number in 0..<count {
            let offset = UInt64(header.count) + number * UInt64(frame.count)
            // Of what follows a frame that is not sound only the headers count.
            let wanted = damagedFrame == nil ? frame.count : headByteCount
            let got = unsafe frame.withUnsafeMutableBytes {
                unsafe pread(descriptor, $0.baseAddress, wanted, off_t(offset))
            }
            guard got >= 0 else { throw SQLiteFileError(system: errno, path: path) }
            guard got == wanted else { return }
            try progress(UInt64(wanted))
            let isOfThisUse = frame[8..<16].elementsEqual(header[16..<24])
            let endsTransaction = WriteAheadLogHeader.word(frame, at: 4, bigEndian: true) != 0
            if let damagedFrame {
                guard isOfThisUse, endsTransaction else { continue }
                throw SQLiteFileError(
                    .damaged,
                    "The write-ahead log \(path) is damaged at frame \(damagedFrame + 1), and has transactions "
                        + "after it that SQLite would leave out."
                )
            }
            sum.add(frame[..<8])
            sum.add(frame[headByteCount...])
            var stored = WriteAheadLogSum(isBigEndian: sum.isBigEndian)
            stored.first = WriteAheadLogHeader.word(frame, at: 16, bigEndian: true)
            stored.second = WriteAheadLogHeader.word(frame, at: 20, bigEndian: true)
            let isSound =
                isOfThisUse && stored == sum
                && WriteAheadLogHeader.word(frame, at: 0, bigEndian: true) != 0
            if !isSound { damagedFrame = number }
        }
    }
}

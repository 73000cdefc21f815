import CLMDB

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The state of an environment at one moment. Sizes are bytes.
package struct EnvironmentStatistics: Sendable, Equatable {
    /// A slot of the table of readers.
    package struct Reader: Sendable, Equatable {
        package var processID: Int32
        /// The commit that it sees; `nil` for a slot without a running transaction.
        package var transactionID: UInt64?
    }

    /// The length of the data file.
    package var fileByteCount: Int
    /// The address space reserved for it.
    package var mapByteCount: Int
    /// Up to the last page that was ever in use.
    package var usedByteCount: Int
    package var pageByteCount: Int
    /// Pages in the file that can be used again, some of them only when the oldest reader has
    /// ended.
    package var freePageCount: Int
    /// The number of the last commit.
    package var lastTransactionID: UInt64
    /// The slots of all processes, this call's own transaction left out.
    package var readers: [Reader]
    /// How many commits the oldest reader is behind; 0 without one.
    package var oldestReaderLag: UInt64
}

extension Environment {
    /// Measures the environment. O(commits whose pages are still free).
    ///
    /// - Throws: As ``beginRead()``, and what examining the file can meet.
    package func statistics() throws(LMDBError) -> EnvironmentStatistics {
        // Before this call's own reader takes a slot.
        try gate.enterRead()
        let readers = readerSlots()
        gate.leaveRead()

        let transaction = try beginRead()
        let (map, used) = extent
        var descriptor: Int32 = -1
        try unsafe checkSystem(mdb_env_get_fd(pointer, &descriptor), "examine", path: path)
        var status = stat()
        if unsafe fstat(descriptor, &status) != 0 { throw systemFailure("examine", path: path) }
        let last = transaction.transactionID
        let oldest = readers.compactMap(\.transactionID).min() ?? last
        return EnvironmentStatistics(
            fileByteCount: FileStatus(status).byteCount,
            mapByteCount: map,
            usedByteCount: used,
            pageByteCount: pageByteCount,
            freePageCount: try freePageCount(transaction),
            lastTransactionID: last,
            readers: readers,
            oldestReaderLag: last - min(last, oldest)
        )
    }

    /// Frees the slots of readers whose processes died. Returns how many there were.
    package func clearStaleReaders() throws(LMDBError) -> Int {
        try gate.enterRead()
        defer { gate.leaveRead() }
        var count: Int32 = 0
        try unsafe checkSystem(mdb_reader_check(pointer, &count), "clear stale readers", path: path)
        return Int(count)
    }

    /// Frees the slots of readers that died, where the file has grown since the last look or a second has passed
    /// (STO-61): pages that only such a reader sees can be used again. For the writer, before it begins.
    func clearStaleReadersNowAndThen() throws(LMDBError) {
        let now = ContinuousClock.now
        let used = extent.usedByteCount
        if let last = lastReaderCheck, used <= last.usedByteCount, now - last.time < .seconds(1) {
            return
        }
        lastReaderCheck = (now, used)
        try unsafe checkSystem(mdb_reader_check(pointer, nil), "clear stale readers", path: path)
    }

    /// Whether the file system has less room than a small commit takes.
    var hasFullDisk: Bool { Self.hasFullDisk(path) }

    /// As ``hasFullDisk`` for the file system of any file.
    static func hasFullDisk(_ path: String) -> Bool {
        var status = statvfs()
        let result = unsafe statvfs(path, &status)
        return result == 0 && UInt64(status.f_bavail) * UInt64(status.f_frsize) < 1 << 20
    }

    /// Whether the file system has room for `byteCount` bytes more, or does not say. A hint: others
    /// write too, and pages of the file that are free come on top.
    package func hasRoomOnDisk(for byteCount: Int) -> Bool {
        var status = statvfs()
        guard unsafe statvfs(path, &status) == 0 else { return true }
        let room = UInt64(status.f_bavail).multipliedFullWidth(by: UInt64(status.f_frsize))
        return room.high > 0 || room.low >= UInt64(max(0, byteCount))
    }

    /// Adds up the lists in LMDB's own table of free pages.
    private func freePageCount(_ transaction: borrowing ReadTransaction) throws(LMDBError) -> Int {
        let file = try dataFile()
        var walk = try StructureWalk(file, meta: transaction.meta)
        return try walk.countFreePages()
    }

    /// LMDB tells its readers only as lines of text: process, thread in hexadecimal, transaction or
    /// "-".
    private func readerSlots() -> [EnvironmentStatistics.Reader] {
        var text = ""
        unsafe withUnsafeMutablePointer(to: &text) { text in
            _ = unsafe mdb_reader_list(
                pointer,
                { line, context in
                    guard let line = unsafe line, let context = unsafe context else { return 0 }
                    let text = unsafe context.assumingMemoryBound(to: String.self)
                    unsafe text.pointee += String(cString: line)
                    return 0
                },
                text
            )
        }
        return text.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ")
            // Headings have no number in front.
            guard fields.count == 3, let process = Int32(fields[0]) else { return nil }
            return .init(processID: process, transactionID: UInt64(fields[2]))
        }
    }
}

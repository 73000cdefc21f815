extension Environment {
    /// How many bytes are read and written between two reports of a copy.
    private static let copiedTogetherByteCount = 1 << 20

    /// Copies the data file, as the last commit has left it, into the directory at `path`, which has none. What other
    /// transactions commit meanwhile is not in the copy. It is not made durable.
    ///
    /// A read transaction is open until it is done: no page that the commit needs is written over meanwhile. Both meta
    /// pages of the copy name the commit (Specs/format/files.md), the older one as of the commit before it.
    ///
    /// - Parameter progress: called about every mebibyte with the bytes so far and those of the copy. What it throws
    ///   ends the copy.
    /// - Throws: what reading and writing can meet, as `.diskFull`, and what `progress` throws. What was written stays.
    /// - Complexity: O(bytes of the file).
    package func copy(
        to path: String,
        progress: (_ doneByteCount: Int, _ byteCount: Int) throws -> Void
    ) throws {
        let transaction = try beginRead()
        let meta = transaction.meta
        let source = try descriptor()
        let target = try File(creating: StoreDirectory(path).dataPath)
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: Self.copiedTogetherByteCount,
            alignment: 16
        )
        defer { unsafe buffer.deallocate() }
        let end = meta.usedByteCount
        var done = 2 * pageByteCount
        while done < end {
            let rest = unsafe UnsafeMutableRawBufferPointer(
                rebasing: buffer[..<min(buffer.count, end - done)]
            )
            let count = try unsafe readFile(source, path: self.path, into: rest, at: done)
            // Pages at the end that a transaction took and gave back were never written.
            if count == 0 { break }
            try unsafe target.write(UnsafeRawBufferPointer(rebasing: rest[..<count]), at: done)
            done += count
            try progress(done, end)
        }
        try target.truncate(to: end)
        // Each page is of the commits with even numbers, or of the others; of a new file both are of number 0.
        for number: UInt64 in [0, 1] {
            let isNewest = meta.transactionID & 1 == number || meta.transactionID == 0
            let bytes = meta.encoded(
                number: number,
                transactionID: isNewest ? meta.transactionID : meta.transactionID - 1
            )
            try unsafe bytes.withUnsafeBytes {
                try unsafe target.write($0, at: Int(number) * pageByteCount)
            }
        }
        try transaction.checkUndisturbed()
        _ = consume transaction
    }
}

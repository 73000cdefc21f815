#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Both meta pages of a data file, read without mapping it.
struct MetaPair {
    let first: MetaPage
    let second: MetaPage

    var newest: MetaPage { first.transactionID >= second.transactionID ? first : second }

    /// The page that a commit has written, or nil where later ones have taken its place.
    func page(of transactionID: UInt64) -> MetaPage? {
        if newest.transactionID == transactionID { return newest }
        let older = first.transactionID >= second.transactionID ? second : first
        return older.transactionID == transactionID ? older : nil
    }

    /// - Throws: `.notAStore` for an empty or foreign file, `.truncated` for one that ends within
    ///   the meta pages, `.versionMismatch`, and `.corrupted` when only one page is damaged or the
    ///   two do not fit together.
    init(reading file: borrowing File) throws(LMDBError) {
        var attemptsLeft = 16
        while true {
            do throws(LMDBError) {
                self = try MetaPair(readingOnce: file)
                return
            } catch {
                // Another process may have committed between the reads of the two pages.
                attemptsLeft -= 1
                if error.code != .corrupted || attemptsLeft == 0 { throw error }
            }
        }
    }

    private init(readingOnce file: borrowing File) throws(LMDBError) {
        let path = file.path
        func refusal(_ code: LMDBError.Code, _ operation: String = "read the meta pages")
            -> LMDBError
        {
            LMDBError(code: code, operation: operation, path: path)
        }
        let buffer = UnsafeMutableRawBufferPointer.allocate(
            byteCount: MetaPage.byteCount,
            alignment: 16
        )
        defer { unsafe buffer.deallocate() }

        let fileByteCount = try file.status().byteCount
        func page(_ number: UInt64, at offset: Int) throws(LMDBError) -> Result<
            MetaPage, MetaPage.Fault
        > {
            let count = try unsafe file.read(into: buffer, at: offset)
            let bytes = unsafe UnsafeRawBufferPointer(rebasing: buffer[..<count])
            do throws(MetaPage.Fault) {
                return .success(try unsafe MetaPage(bytes, number: number))
            } catch {
                return .failure(error)
            }
        }
        /// A damaged first page does not tell the page size; the system's is what LMDB chose.
        let systemPageByteCount = Int(getpagesize())

        switch try page(0, at: 0) {
        case .success(let first):
            let end = 2 * first.pageByteCount
            if fileByteCount < end {
                throw refusal(.truncated(expected: first.usedByteCount, actual: fileByteCount))
            }
            switch try page(1, at: first.pageByteCount) {
            case .success(let second):
                // Commits alternate, so the older page is of the commit before.
                guard second.pageByteCount == first.pageByteCount,
                    max(first.transactionID, second.transactionID)
                        - min(first.transactionID, second.transactionID) <= 1
                else { throw refusal(.corrupted, "compare the meta pages") }
                self.first = first
                self.second = second
            case .failure(.otherVersion): throw refusal(.versionMismatch)
            case .failure: throw refusal(.corrupted, "read meta page 1")
            }
        case .failure(.otherVersion): throw refusal(.versionMismatch)
        case .failure(.implausible): throw refusal(.corrupted, "read meta page 0")
        case .failure(.notMeta):
            if case .success = try page(1, at: systemPageByteCount) {
                throw refusal(.corrupted, "read meta page 0")
            }
            throw refusal(.notAStore)
        }
    }
}

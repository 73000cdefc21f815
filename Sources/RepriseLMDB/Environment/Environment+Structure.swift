#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension Environment {
    /// Walks every page of the last commit by reading the file, and checks each node before
    /// anything trusts it. What passes does not make LMDB crash; the content of keys and values is
    /// not judged.
    ///
    /// Reads all branch and leaf pages. Writers go on meanwhile; the reader that holds the commit
    /// makes them grow the file.
    /// - Throws: `.corrupted` or `.truncated` with the page's number in `operation`; as
    ///   ``beginRead()``.
    package func checkStructure() throws(LMDBError) {
        let file = try File(opening: StoreDirectory(path).dataPath, flags: O_RDONLY)
        var attemptsLeft = 16
        while true {
            let transaction = try beginRead()
            let meta = try MetaPair(reading: file).newest
            // A commit between the two would leave the walk without a reader that protects its
            // pages.
            if meta.transactionID == transaction.transactionID {
                var walk = try StructureWalk(file, meta: meta)
                try walk.walkAll()
                return
            }
            attemptsLeft -= 1
            if attemptsLeft == 0 {
                throw LMDBError(
                    code: .other,
                    operation: "check the structure: commits are too fast"
                )
            }
        }
    }
}

import CLMDB

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
        for _ in 0..<Self.overtakenCountMax {
            let transaction = try beginRead()
            let file = try dataFile()
            // The page may be of a commit that came meanwhile, or is just being made; then the other one is that of the
            // reader, which protects its pages.
            let metas = try MetaPair(reading: file)
            if let meta = metas.page(of: transaction.transactionID) {
                var walk = try StructureWalk(file, meta: meta)
                return try walk.walkAll()
            }
        }
        throw LMDBError(code: .other, operation: "check the structure: commits are too fast")
    }

    /// The file that LMDB has open, which need not be at ``path`` any more.
    private func dataFile() throws(LMDBError) -> File {
        var descriptor: Int32 = -1
        try unsafe checkSystem(mdb_env_get_fd(pointer, &descriptor), "examine", path: path)
        return try File(duplicating: descriptor, path: StoreDirectory(path).dataPath)
    }

    /// Checks all pages, unless that was done before (STO-36).
    func makeStructureKnown() throws(LMDBError) {
        if isStructureKnown { return }
        try checkStructure()
        isStructureKnown = true
    }
}

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
        let transaction = try beginRead()
        let file = try dataFile()
        var walk = try StructureWalk(file, meta: transaction.meta)
        do throws(LMDBError) {
            try walk.walkAll()
        } catch {
            try transaction.checkUndisturbed()
            throw error
        }
    }

    /// The file that LMDB has open, which need not be at ``path`` any more.
    func dataFile() throws(LMDBError) -> File {
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

    /// As ``makeStructureKnown()`` for the writer, between LMDB's begin and its first change. No commit can come
    /// meanwhile, so that no reader is needed to hold the pages. Damage is remembered, and is the answer to every later
    /// attempt.
    ///
    /// - Parameter transactionID: The commit that the transaction begins from.
    func makeStructureKnown(of transactionID: UInt64) throws(LMDBError) {
        if isStructureKnown { return }
        if let structureFailure { throw structureFailure }
        do throws(LMDBError) {
            let file = try dataFile()
            guard let meta = try MetaPair(reading: file).page(of: transactionID) else {
                throw LMDBError(
                    code: .corrupted,
                    operation: "check the structure: the meta pages are of other commits",
                    path: path
                )
            }
            var walk = try StructureWalk(file, meta: meta)
            try walk.walkAll()
            isStructureKnown = true
        } catch {
            switch error.code {
            case .corrupted, .truncated: structureFailure = error
            default: break
            }
            throw error
        }
    }
}

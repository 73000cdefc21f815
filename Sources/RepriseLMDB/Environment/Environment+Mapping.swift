import CLMDB
import Synchronization

extension Environment {
    /// The pages for a new read transaction.
    func makeCommitPages() throws(LMDBError) -> UnsafeMutablePointer<CommitPages> {
        unsafe CommitPages.make(
            pageByteCount: pageByteCount,
            descriptor: try descriptor(),
            names: tableNames
        )
    }

    /// LMDB's own descriptor of the data file.
    func descriptor() throws(LMDBError) -> Int32 {
        var descriptor: Int32 = -1
        try unsafe checkSystem(mdb_env_get_fd(pointer, &descriptor), "examine", path: path)
        return descriptor
    }

    /// A meta page as it is in the map, or in the file while it is not known where the map is. `nil` when it is none,
    /// as it may seem while a commit changes it.
    func readMeta(_ number: UInt64) throws(LMDBError) -> MetaPage? {
        let offset = Int(number) * pageByteCount
        if let base = unsafe UnsafeRawPointer(bitPattern: mapAddress.load(ordering: .relaxed)) {
            return unsafe try? MetaPage(
                UnsafeRawBufferPointer(start: base + offset, count: MetaPage.byteCount),
                number: number
            )
        }
        let bytes = UnsafeMutableRawBufferPointer.allocate(
            byteCount: MetaPage.byteCount,
            alignment: 8
        )
        defer { unsafe bytes.deallocate() }
        let count = try unsafe readFile(descriptor(), path: path, into: bytes, at: offset)
        return unsafe try? MetaPage(
            UnsafeRawBufferPointer(rebasing: bytes[..<count]),
            number: number
        )
    }

    /// Where the map begins, as far as `meta` is the commit's; `nil` when the commit has no table, so that nothing can
    /// be read.
    ///
    /// LMDB 0.9 does not tell (`me_mapaddr` is what was asked for with `MDB_FIXEDMAP`). But it gives out keys where
    /// they lie in the map, and where in the file that is, the file says: the first key of the tree of tables is found
    /// in both. A second map would need the address space twice, and each page twice in the tables of the system.
    ///
    /// - Parameter transaction: LMDB's read transaction of the commit whose meta page is `meta`. While it is open the
    ///   map is not exchanged.
    func mapBase(
        _ transaction: OpaquePointer,
        _ meta: MetaPage
    ) throws(LMDBError) -> UnsafeRawPointer? {
        let known = mapAddress.load(ordering: .relaxed)
        if known != 0 { return unsafe UnsafeRawPointer(bitPattern: known) }
        guard let offset = try offsetOfFirstTableName(meta) else { return nil }
        let address = try unsafe addressOfFirstTableName(transaction)
        return unsafe UnsafeRawPointer(bitPattern: UInt(bitPattern: address) &- UInt(offset))
    }

    /// Keeps for later readers where the map begins. Written once for each map: threads share the word.
    func noteMap(_ start: UnsafeRawPointer) {
        if mapAddress.load(ordering: .relaxed) != 0 { return }
        mapAddress.store(UInt(bitPattern: start), ordering: .relaxed)
    }

    /// Where in the file the least name of a table lies; `nil` if there is none.
    private func offsetOfFirstTableName(_ meta: MetaPage) throws(LMDBError) -> Int? {
        if meta.mainTree.root == TreeRecord.noPage { return nil }
        var walk = try StructureWalk(descriptor(), path: path, meta: meta)
        return try walk.offsetOfFirstKey(in: meta.mainTree)
    }

    private func addressOfFirstTableName(
        _ transaction: OpaquePointer
    ) throws(LMDBError) -> UnsafeMutableRawPointer {
        let mainHandle: MDB_dbi = 1
        var opened: OpaquePointer?
        try unsafe checkSystem(
            mdb_cursor_open(transaction, mainHandle, &opened),
            "find the map",
            path: path
        )
        defer { unsafe mdb_cursor_close(opened) }
        var (key, value) = unsafe (MDB_val(), MDB_val())
        try unsafe checkSystem(
            mdb_cursor_get(opened, &key, &value, MDB_FIRST),
            "find the map",
            path: path
        )
        guard let address = unsafe key.mv_data else {
            throw LMDBError(code: .other, operation: "find the map", path: path)
        }
        return unsafe address
    }
}

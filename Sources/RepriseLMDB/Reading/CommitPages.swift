import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What a read transaction sees of the file: the pages in the map as of its commit.
///
/// LMDB holds the commit (its pages are not reused while the transaction is open), but does not read it: it would
/// follow whatever stands in a damaged page. This reads, and checks each page before it follows it, unless the whole
/// file was checked.
///
/// It lies in memory of its own, which goes from one transaction to the next together with LMDB's, and is used by one
/// thread at a time.
@safe
struct CommitPages {
    /// A table's record as of a commit.
    @safe
    struct TableRoot {
        /// The table's name in the tree of tables; the environment keeps it.
        let name: UnsafeRawBufferPointer
        /// The commit that the record is of.
        var transactionID = UInt64.max
        var record = TreeRecord.empty
    }

    /// The commit's meta page.
    private(set) var meta = MetaPage.empty
    /// The first page of the map.
    private(set) var base: UnsafeRawPointer
    let pageByteCount: Int
    /// The binary logarithm of ``pageByteCount``.
    let pageShift: UInt64
    /// Pages from here on are not touched before it was looked whether the file has them.
    private(set) var pageCount: UInt64 = 0
    /// As many pages the file was seen to have; it never gets shorter.
    private var filePageCount: UInt64 = 0
    /// Pages from here on are believed.
    private(set) var checkedCount: UInt64 = 0
    /// Which of the others were checked.
    private(set) var checkedEdges: UnsafeMutablePointer<Atomic<UInt64>>?
    /// As ``CheckedPages/mask``.
    private(set) var checkedMask: UInt64 = 0
    /// What made the transaction one that can only be given up.
    private var fault: PageFault?
    /// LMDB's own descriptor of the data file.
    private let descriptor: Int32
    /// By handle.
    let tables: UnsafeMutableBufferPointer<TableRoot>
    /// The way of a cursor that is gone, for the next one.
    var sparePath: UnsafeMutablePointer<TreeCursor.Level>?

    /// Memory for what a transaction sees, to be given back by ``destroy(_:)``.
    static func make(
        pageByteCount: Int,
        descriptor: Int32,
        names: TableNames
    ) -> UnsafeMutablePointer<CommitPages> {
        let tables = UnsafeMutableBufferPointer<TableRoot>.allocate(capacity: names.count)
        for handle in 0..<names.count {
            unsafe tables.initializeElement(at: handle, to: TableRoot(name: names[handle]))
        }
        let pages = UnsafeMutablePointer<CommitPages>.allocate(capacity: 1)
        unsafe pages.initialize(
            to: CommitPages(pageByteCount: pageByteCount, descriptor: descriptor, tables: tables)
        )
        return unsafe pages
    }

    static func destroy(_ pages: UnsafeMutablePointer<CommitPages>) {
        if let path = unsafe pages.pointee.sparePath { unsafe path.deallocate() }
        unsafe pages.pointee.tables.deallocate()
        unsafe pages.deallocate()
    }

    private init(
        pageByteCount: Int,
        descriptor: Int32,
        tables: UnsafeMutableBufferPointer<TableRoot>
    ) {
        self.pageByteCount = pageByteCount
        pageShift = UInt64(pageByteCount.trailingZeroBitCount)
        self.descriptor = descriptor
        unsafe self.tables = unsafe tables
        // Nothing is read before ``show(_:at:)``.
        unsafe base = UnsafeRawPointer(tables.baseAddress!)
    }

    /// Takes up a commit.
    ///
    /// - Parameters:
    ///   - base: Where the map begins, or `nil` where that is not known because there is no table to read.
    ///   - checked: What remembers the pages that were checked; `nil` when all were.
    mutating func show(_ meta: MetaPage, at base: UnsafeRawPointer?, _ checked: CheckedPages?) {
        self.meta = meta
        // Without a table no page is ever looked for: each way begins at the tree of tables.
        assert(unsafe base != nil || meta.mainTree.root == TreeRecord.noPage)
        if let base = unsafe base { unsafe self.base = unsafe base }
        pageCount = min(meta.lastPage + 1, filePageCount)
        checkedCount = checked?.count ?? 0
        unsafe checkedEdges = checked?.pointer
        checkedMask = checked?.mask ?? 0
    }

    /// Makes sure that the pages up to `number` may be touched: that the commit has them, and the file too.
    mutating func requirePages(upTo number: UInt64) throws(PageFault) {
        if number < pageCount { return }
        if let fault { throw fault }
        guard number <= meta.lastPage else {
            throw .damaged("a page number is out of range", page: number)
        }
        var status = stat()
        if unsafe fstat(descriptor, &status) != 0 {
            throw PageFault(kind: .unknown(errno), sentence: "examine the file", page: number)
        }
        filePageCount = UInt64(max(0, FileStatus(status).byteCount)) >> pageShift
        pageCount = min(meta.lastPage + 1, filePageCount)
        if number >= pageCount {
            throw PageFault(kind: .missing, sentence: "the file ends before it", page: number)
        }
    }

    /// Has every later search end with this fault: no page may be touched any more, and no table's record is known.
    mutating func giveUp(_ fault: PageFault) {
        self.fault = fault
        pageCount = 0
        for handle in unsafe tables.indices { unsafe tables[handle].transactionID = .max }
    }

    /// The error that a fault is to whoever reads.
    func error(for fault: PageFault, path: String) -> LMDBError {
        let place = fault.page == TreeRecord.noPage ? "" : " (page \(fault.page))"
        switch fault.kind {
        case .damaged:
            return LMDBError(
                code: .corrupted,
                operation: "check the structure: \(fault.sentence)\(place)",
                path: path
            )
        case .missing:
            return LMDBError(
                code: .truncated(
                    expected: meta.usedByteCount,
                    actual: Int(filePageCount) * pageByteCount
                ),
                operation: "read page \(fault.page)",
                path: path
            )
        case .unknown(let number):
            return LMDBError(
                code: .init(returnCode: number),
                rawCode: number,
                operation: "read page \(fault.page)",
                path: path
            )
        }
    }
}

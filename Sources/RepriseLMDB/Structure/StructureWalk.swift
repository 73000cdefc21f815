/// Walks the B-trees of a data file page by page, without mapping it, and believes nothing.
///
/// LMDB trusts its file: it follows page numbers and offsets as they are and crashes on wrong ones.
/// What passes this walk can be handed to it. The rules are in Specs/format/files.md; the page
/// layouts are those of LMDB 0.9 (`MDB_page`, `MDB_node`, `MDB_db`).
@safe
struct StructureWalk: ~Copyable {
    /// LMDB's cursors hold this many pages.
    static let depthMax = 32

    let meta: MetaPage
    let path: String
    let descriptor: Int32
    let fileByteCount: Int
    /// One page for every level of a tree: bounds point into the pages above.
    private let levels: UnsafeMutableRawBufferPointer
    /// Pages met so far, in use or free, as far as the file goes.
    private var met = MetPages()
    /// Free pages behind the end of the file.
    private var freePagesBeyondFile: [UInt64] = []
    /// How many pages the lists of the free tree have.
    private(set) var freePageCount = 0
    /// What the current tree turned out to have.
    var counts = TreeCounts()
    /// The records of the named tables.
    var tables: [TreeRecord] = []

    /// - Parameter file: Stays open while the walk lives.
    init(_ file: borrowing File, meta: MetaPage) throws(LMDBError) {
        try self.init(file.descriptor, path: file.path, meta: meta)
    }

    /// - Parameter descriptor: Of the data file. Stays open while the walk lives.
    init(_ descriptor: Int32, path: String, meta: MetaPage) throws(LMDBError) {
        self.meta = meta
        self.path = path
        self.descriptor = descriptor
        fileByteCount = try FileStatus(of: descriptor, path: path).byteCount
        unsafe levels = .allocate(
            byteCount: Self.depthMax * meta.pageByteCount,
            alignment: 16
        )
    }

    deinit { unsafe levels.deallocate() }

    /// Walks the tree of tables only, which opening reads: a few pages.
    mutating func walkMainTree() throws(LMDBError) {
        try walk(meta.mainTree, .main)
    }

    /// Walks everything: the tables, the tree of tables and the free pages.
    mutating func walkAll() throws(LMDBError) {
        try expectMany()
        try walk(meta.mainTree, .main)
        let found = tables
        for table in found { try walk(table, .table) }
        try walk(meta.freeTree, .free)
        try checkFreePagesBeyondFile()
    }

    mutating func walk(_ tree: TreeRecord, _ kind: TreeKind) throws(LMDBError) {
        counts = TreeCounts()
        if tree.root == TreeRecord.noPage {
            if tree.depth != 0 { throw damage("an empty tree has a depth") }
        } else {
            guard (1...Self.depthMax).contains(Int(tree.depth)) else {
                throw damage("a tree has an impossible depth", page: tree.root)
            }
            try unsafe walk(
                page: tree.root,
                level: 0,
                of: Int(tree.depth),
                kind,
                from: nil,
                below: nil
            )
        }
        guard counts.matches(tree) else {
            throw damage("a tree's counts differ from its pages", page: tree.root)
        }
    }

    /// Walks a page and what is under it. Keys must be at or after `from` and before `below`.
    private mutating func walk(
        page number: UInt64,
        level: Int,
        of depth: Int,
        _ kind: TreeKind,
        from: UnsafeRawBufferPointer?,
        below: UnsafeRawBufferPointer?
    ) throws(LMDBError) {
        let isLeaf = level == depth - 1
        let page = try unsafe readPage(number, level: level)
        let view: NodePage
        do throws(PageFault) {
            view = try unsafe NodePage(page, number: number, isLeaf: isLeaf, kind)
            try unsafe view.checkOrder(from: from, below: below)
        } catch {
            throw damage(error.sentence, page: error.page)
        }
        if isLeaf {
            counts.leafPages += 1
            counts.entries += UInt64(view.nodeCount)
            for index in 0..<view.nodeCount {
                try visit(view.node(index), of: kind, page: number)
            }
            return
        }
        counts.branchPages += 1
        for index in 0..<view.nodeCount {
            let lower = unsafe index == 0 ? from : view.key(index)
            let upper = unsafe index + 1 == view.nodeCount ? below : view.key(index + 1)
            try unsafe walk(
                page: view.child(index),
                level: level + 1,
                of: depth,
                kind,
                from: lower,
                below: upper
            )
        }
    }

    /// Follows what an entry refers to.
    private mutating func visit(
        _ node: LeafNode,
        of kind: TreeKind,
        page: UInt64
    ) throws(LMDBError) {
        switch node.content {
        case .inline(let bytes):
            if kind == .free {
                try unsafe visitFreeList(bytes, transactionID: node.freeKey, page: page)
            }
        case .table(let record):
            if record.flags != 0 || record.padding != 0 {
                throw damage("a table has options that are never used", page: page)
            }
            tables.append(record)
        case .overflow(let first, let byteCount):
            let runLength = try checkOverflowRun(first, valueByteCount: byteCount)
            counts.overflowPages += UInt64(runLength)
            if kind == .free {
                let buffer = UnsafeMutableRawBufferPointer.allocate(
                    byteCount: byteCount,
                    alignment: 8
                )
                defer { unsafe buffer.deallocate() }
                let start = Int(first) * meta.pageByteCount + MetaPage.headerByteCount
                try unsafe read(buffer, at: start, page: first)
                let bytes = UnsafeRawBufferPointer(buffer)
                try unsafe visitFreeList(bytes, transactionID: node.freeKey, page: page)
            }
        }
    }
}

extension StructureWalk {
    /// The first page of a value too large for a leaf tells how many pages it has. Returns that.
    private mutating func checkOverflowRun(
        _ first: UInt64,
        valueByteCount: Int
    ) throws(LMDBError) -> Int {
        try meet(first)
        let header = UnsafeMutableRawBufferPointer.allocate(
            byteCount: MetaPage.headerByteCount,
            alignment: 8
        )
        defer { unsafe header.deallocate() }
        try unsafe read(header, at: Int(first) * meta.pageByteCount, page: first)
        let bytes = UnsafeRawBufferPointer(header)
        let runLength = unsafe Int(bytes.u32(12))
        // A smaller value that replaced a larger one keeps its pages.
        let needed = (MetaPage.headerByteCount - 1 + valueByteCount) / meta.pageByteCount + 1
        guard unsafe bytes.u64(0) == first, unsafe bytes.u16(10) == PageFlags.overflow,
            runLength >= needed
        else { throw damage("a large value's first page is none", page: first) }
        for offset in 1..<max(runLength, 1) { try meet(first + UInt64(offset)) }
        return runLength
    }

    /// A list of pages that a commit freed: a count, then page numbers in descending order.
    private mutating func visitFreeList(
        _ bytes: UnsafeRawBufferPointer,
        transactionID: UInt64,
        page: UInt64
    ) throws(LMDBError) {
        guard bytes.count >= 8, transactionID >= 1, transactionID <= meta.transactionID else {
            throw damage("a list of free pages has no place", page: page)
        }
        let count = unsafe bytes.u64(0)
        guard count <= UInt64(bytes.count / 8 - 1) else {
            throw damage("a list of free pages is longer than its record", page: page)
        }
        freePageCount += Int(count)
        var previous = UInt64.max
        for index in 0..<Int(count) {
            let free = unsafe bytes.u64(8 + 8 * index)
            if free >= previous { throw damage("free pages are out of order", page: page) }
            previous = free
            try meetFree(free)
        }
    }

    mutating func readPage(
        _ number: UInt64,
        level: Int
    ) throws(LMDBError) -> UnsafeRawBufferPointer {
        try meet(number)
        let size = meta.pageByteCount
        let buffer = unsafe UnsafeMutableRawBufferPointer(
            rebasing: levels[level * size..<(level + 1) * size]
        )
        try unsafe read(buffer, at: Int(number) * size, page: number)
        return UnsafeRawBufferPointer(buffer)
    }

    private func read(
        _ buffer: UnsafeMutableRawBufferPointer,
        at offset: Int,
        page: UInt64
    ) throws(LMDBError) {
        let count = try unsafe readFile(descriptor, path: path, into: buffer, at: offset)
        if count < buffer.count { throw shortFile(page) }
    }

    /// Notes a page in use. It must exist, lie in the file and be met for the first time.
    private mutating func meet(_ number: UInt64) throws(LMDBError) {
        guard number >= 2, number <= meta.lastPage else {
            throw damage("a page number is out of range", page: number)
        }
        guard number < UInt64(fileByteCount / meta.pageByteCount) else { throw shortFile(number) }
        if !met.insert(number) { throw damage("a page is used twice", page: number) }
    }

    /// Notes a free page. LMDB does not write a page that a transaction took and gave back, so it
    /// may lie behind the end of the file.
    private mutating func meetFree(_ number: UInt64) throws(LMDBError) {
        guard number >= 2, number <= meta.lastPage else {
            throw damage("a free page's number is out of range", page: number)
        }
        if number >= UInt64(fileByteCount / meta.pageByteCount) {
            freePagesBeyondFile.append(number)
        } else if !met.insert(number) {
            throw damage("a free page is in use", page: number)
        }
    }

    /// Makes room to remember all pages of the file, before any is met.
    mutating func expectMany() throws(LMDBError) {
        let count = min(fileByteCount / meta.pageByteCount, Int(meta.lastPage) + 1)
        met = try MetPages(count: count, path: path)
    }

    /// What is missing behind the end of the file must be known to be free, all of it and once.
    private mutating func checkFreePagesBeyondFile() throws(LMDBError) {
        let pageCount = UInt64(fileByteCount / meta.pageByteCount)
        let missing = meta.lastPage + 1 > pageCount ? meta.lastPage + 1 - pageCount : 0
        freePagesBeyondFile.sort()
        for (one, next) in zip(freePagesBeyondFile, freePagesBeyondFile.dropFirst())
        where one == next {
            throw damage("a page is free twice", page: one)
        }
        if UInt64(freePagesBeyondFile.count) != missing { throw shortFile(meta.lastPage) }
    }

    private func shortFile(_ page: UInt64) -> LMDBError {
        LMDBError(
            code: .truncated(expected: meta.usedByteCount, actual: fileByteCount),
            operation: "read page \(page)",
            path: path
        )
    }

    func damage(_ sentence: StaticString, page: UInt64? = nil) -> LMDBError {
        let place = page.map { $0 == TreeRecord.noPage ? "" : " (page \($0))" } ?? ""
        return LMDBError(
            code: .corrupted,
            operation: "check the structure: \(sentence)\(place)",
            path: path
        )
    }
}

/// Which rules a tree follows.
enum TreeKind { case main, table, free }

/// What a tree has, to be compared with what its record says.
struct TreeCounts {
    var branchPages: UInt64 = 0
    var leafPages: UInt64 = 0
    var overflowPages: UInt64 = 0
    var entries: UInt64 = 0

    func matches(_ record: TreeRecord) -> Bool {
        branchPages == record.branchPageCount && leafPages == record.leafPageCount
            && overflowPages == record.overflowPageCount && entries == record.entryCount
    }
}

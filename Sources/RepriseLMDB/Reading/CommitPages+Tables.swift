extension CommitPages {
    /// A node and how it was reached.
    struct Found {
        let node: MappedNode
        let edge: CheckedPages.Edge
    }

    /// LMDB's handle of the tree of tables.
    private static let mainHandle: CheckedPages.Edge = 1

    /// The value of `key`, which is not empty, or `nil`.
    @inline(__always)
    mutating func get(
        _ table: Table,
        _ key: UnsafeRawBufferPointer
    ) throws(PageFault) -> UnsafeRawBufferPointer? {
        let (root, depth) = try root(of: table)
        let rootEdge = CheckedPages.Edge(table.handle)
        guard let found = try unsafe find(SearchKey(key), root: root, depth, rootEdge, .table)
        else { return nil }
        return try unsafe value(of: found.node, found.edge)
    }

    /// The root page and the depth of the table as of this commit.
    @inline(__always)
    mutating func root(of table: Table) throws(PageFault) -> (page: UInt64, depth: UInt16) {
        let handle = try knownHandle(of: table)
        let record = unsafe tables.baseAddress.unsafelyUnwrapped + handle
        return unsafe (record.pointee.record.root, record.pointee.record.depth)
    }

    /// The table's record as of this commit.
    mutating func record(of table: Table) throws(PageFault) -> TreeRecord {
        let handle = try knownHandle(of: table)
        return unsafe tables[handle].record
    }

    /// The handle of a table whose record has been looked up.
    @inline(__always)
    private mutating func knownHandle(of table: Table) throws(PageFault) -> Int {
        let handle = Int(table.handle)
        unsafe precondition(handle < tables.count, "The table does not belong to this environment.")
        let place = unsafe tables.baseAddress.unsafelyUnwrapped + handle
        if unsafe place.pointee.transactionID != meta.transactionID { try lookUp(handle) }
        return handle
    }

    /// Finds a table's record in the tree of tables.
    @inline(never)
    private mutating func lookUp(_ handle: Int) throws(PageFault) {
        let name = unsafe tables[handle].name
        unsafe precondition(!name.isEmpty, "The table does not belong to this environment.")
        let (main, key) = unsafe (meta.mainTree, SearchKey(name))
        guard
            let found = try find(key, root: main.root, main.depth, Self.mainHandle, .main),
            found.node.flags == LeafNode.tableFlag
        else { throw .damaged("a table has no record", page: main.root) }
        let bytes = unsafe UnsafeRawBufferPointer(
            start: found.node.valueStart,
            count: TreeRecord.byteCount
        )
        let record = unsafe TreeRecord(bytes, at: 0)
        guard record.isPlausible(lastPage: meta.lastPage, pageByteCount: pageByteCount) else {
            throw .damaged("a table's record is impossible", page: found.edge >> 16)
        }
        if record.depth == 1, record.root < checkedCount { try checkOnlyLeaf(record, handle) }
        unsafe tables[handle].record = record
        unsafe tables[handle].transactionID = meta.transactionID
    }

    /// A table's only leaf has all its entries, so that their count can be judged.
    private mutating func checkOnlyLeaf(_ record: TreeRecord, _ handle: Int) throws(PageFault) {
        let edge = CheckedPages.Edge(handle)
        if !isChecked(record.root, edge) {
            try check(record.root, edge, isLeaf: true, .table, from: nil, below: nil)
        }
        let page = try page(record.root, isLeaf: true)
        guard UInt64(page.nodeCount) == record.entryCount else {
            throw .damaged("a table's count differs from its page", page: record.root)
        }
    }

    /// Finds the node of a key. `edge` is the root's.
    @inline(__always)
    private mutating func find(
        _ key: SearchKey,
        root: UInt64,
        _ depth: UInt16,
        _ rootEdge: CheckedPages.Edge,
        _ kind: TreeKind
    ) throws(PageFault) -> Found? {
        if root == TreeRecord.noPage { return nil }
        var (number, edge, levelsBelow) = (root, rootEdge, depth)
        // The page's keys lie between the keys of these.
        var (from, below): (MappedNode?, MappedNode?)
        while levelsBelow > 1 {
            if !isChecked(number, edge) {
                try check(number, edge, isLeaf: false, kind, from: from, below: below)
            }
            let page = try page(number, isLeaf: false)
            let index = page.childIndex(key)
            let node = page.node(index)
            if index > 0 { from = node }
            if index + 1 < page.nodeCount { below = page.node(index + 1) }
            edge = CheckedPages.edge(number, index)
            number = node.child
            levelsBelow -= 1
        }
        if !isChecked(number, edge) {
            try check(number, edge, isLeaf: true, kind, from: from, below: below)
        }
        let page = try page(number, isLeaf: true)
        let (index, isEqual) = page.search(key, from: 0)
        if !isEqual { return nil }
        return Found(node: page.node(index), edge: CheckedPages.edge(number, index))
    }
}

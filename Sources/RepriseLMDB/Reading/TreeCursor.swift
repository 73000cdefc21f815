/// A place in one table of a ``CommitPages``, and the way there from the root.
///
/// It does not know where between the entries it is when it finds none: that is ``Cursor``'s matter. After a fault it
/// has no place, and only ``first()``, ``last()`` and the searches may be called.
@safe
struct TreeCursor {
    /// A page on the way, and the node in it that was taken.
    struct Level {
        var page: MappedPage
        var index: Int32
        var nodeCount: Int32
    }

    private let pages: UnsafeMutablePointer<CommitPages>
    private let levels: UnsafeMutablePointer<Level>
    private let root: UInt64
    private let rootEdge: CheckedPages.Edge
    /// The level of the leaves; -1 in an empty table.
    private let leafLevel: Int
    /// Whether the levels are a way to a leaf.
    private var hasWay = false

    init(
        _ table: Table,
        in pages: UnsafeMutablePointer<CommitPages>
    ) throws(PageFault) {
        let (page, depth) = try unsafe pages.pointee.root(of: table)
        root = page
        rootEdge = CheckedPages.Edge(table.handle)
        leafLevel = Int(depth) - 1
        unsafe self.pages = unsafe pages
        if let spare = unsafe pages.pointee.sparePath {
            unsafe levels = unsafe spare
            unsafe pages.pointee.sparePath = nil
        } else {
            unsafe levels = .allocate(capacity: StructureWalk.depthMax)
        }
    }

    /// Gives the memory back, to the pages while the transaction runs.
    func destroy(pagesLive: Bool) {
        if pagesLive, unsafe pages.pointee.sparePath == nil {
            unsafe pages.pointee.sparePath = levels
        } else {
            unsafe levels.deallocate()
        }
    }

    /// The current entry's key and value.
    @inline(__always)
    func entry() throws(PageFault) -> (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        let (page, index) = unsafe (levels[leafLevel].page, Int(levels[leafLevel].index))
        let node = page.node(index)
        let value = try unsafe pages.pointee.value(
            of: node,
            CheckedPages.edge(page.number, index)
        )
        return unsafe (node.key, value)
    }

    /// Goes to the first entry. Returns whether there is one, as every move does.
    mutating func first() throws(PageFault) -> Bool {
        if leafLevel < 0 { return false }
        hasWay = false
        try enter(level: 0, root, rootEdge)
        try descendFirst(below: 0)
        hasWay = true
        return true
    }

    /// Goes to the last entry.
    mutating func last() throws(PageFault) -> Bool {
        if leafLevel < 0 { return false }
        hasWay = false
        try enter(level: 0, root, rootEdge)
        unsafe levels[0].index = levels[0].nodeCount - 1
        try descendLast(below: 0)
        hasWay = true
        return true
    }

    /// Goes to the entry after the current one; stays where it is if there is none.
    @inline(__always)
    mutating func next() throws(PageFault) -> Bool {
        let index = unsafe levels[leafLevel].index + 1
        if unsafe index < levels[leafLevel].nodeCount {
            unsafe levels[leafLevel].index = index
            return true
        }
        return try nextLeaf()
    }

    /// Goes to the entry before the current one; stays where it is if there is none.
    @inline(__always)
    mutating func previous() throws(PageFault) -> Bool {
        let index = unsafe levels[leafLevel].index - 1
        if index >= 0 {
            unsafe levels[leafLevel].index = index
            return true
        }
        return try previousLeaf()
    }

    /// Goes to the entry with the least key that is not less than `key`, which is not empty. Without one its place is
    /// none.
    mutating func seek(atOrAfter key: UnsafeRawBufferPointer) throws(PageFault) -> Bool {
        if leafLevel < 0 { return false }
        _ = try unsafe descend(to: SearchKey(key))
        if unsafe levels[leafLevel].index < levels[leafLevel].nodeCount { return true }
        return try nextLeaf()
    }

    /// Goes to the entry with this key, which is not empty. Without one its place is none.
    mutating func seek(exactly key: UnsafeRawBufferPointer) throws(PageFault) -> Bool {
        if leafLevel < 0 { return false }
        return try unsafe descend(to: SearchKey(key))
    }

    /// Goes to the leaf where `key` belongs, and in it to the first key that is not less, which may be after the last.
    /// Returns whether it is the same.
    private mutating func descend(to key: SearchKey) throws(PageFault) -> Bool {
        if hasWay, let isEqual = searchCurrentLeaf(key) { return isEqual }
        hasWay = false
        var (number, edge) = (root, rootEdge)
        for level in 0..<leafLevel {
            let page = try enter(level: level, number, edge)
            let index = page.childIndex(key)
            unsafe levels[level].index = Int32(truncatingIfNeeded: index)
            edge = CheckedPages.edge(number, index)
            number = page.node(index).child
        }
        let (index, isEqual) = try enter(level: leafLevel, number, edge).search(key, from: 0)
        unsafe levels[leafLevel].index = Int32(truncatingIfNeeded: index)
        hasWay = true
        return isEqual
    }

    /// As ``descend(to:)`` for a key between those of the current leaf, which is what neighbouring searches are; `nil`
    /// for any other.
    private func searchCurrentLeaf(_ key: SearchKey) -> Bool? {
        let leaf = unsafe levels[leafLevel]
        if key.order(of: leaf.page.node(0)) > 0 { return nil }
        if key.order(of: leaf.page.node(Int(leaf.nodeCount) - 1)) < 0 { return nil }
        let (index, isEqual) = leaf.page.search(key, from: 0)
        unsafe levels[leafLevel].index = Int32(truncatingIfNeeded: index)
        return isEqual
    }

    @inline(never)
    private mutating func nextLeaf() throws(PageFault) -> Bool {
        var level = leafLevel - 1
        while level >= 0, unsafe levels[level].index + 1 >= levels[level].nodeCount { level -= 1 }
        if level < 0 { return false }
        hasWay = false
        unsafe levels[level].index += 1
        try descendFirst(below: level)
        hasWay = true
        return true
    }

    @inline(never)
    private mutating func previousLeaf() throws(PageFault) -> Bool {
        var level = leafLevel - 1
        while level >= 0, unsafe levels[level].index == 0 { level -= 1 }
        if level < 0 { return false }
        hasWay = false
        unsafe levels[level].index -= 1
        try descendLast(below: level)
        hasWay = true
        return true
    }

    /// From the current node of a level to the first entry under it.
    private func descendFirst(below level: Int) throws(PageFault) {
        for level in level..<leafLevel { _ = try enterChild(of: level) }
    }

    /// From the current node of a level to the last entry under it.
    private func descendLast(below level: Int) throws(PageFault) {
        for level in level..<leafLevel {
            _ = try enterChild(of: level)
            unsafe levels[level + 1].index = levels[level + 1].nodeCount - 1
        }
    }

    private func enterChild(of level: Int) throws(PageFault) -> MappedPage {
        let (page, index) = unsafe (levels[level].page, Int(levels[level].index))
        return try enter(
            level: level + 1,
            page.node(index).child,
            CheckedPages.edge(page.number, index)
        )
    }

    /// Makes a page the one of its level, at its first node. The levels above are the way to it.
    @inline(__always)
    @discardableResult
    private func enter(
        level: Int,
        _ number: UInt64,
        _ edge: CheckedPages.Edge
    ) throws(PageFault) -> MappedPage {
        if unsafe !pages.pointee.isChecked(number, edge) {
            try check(level: level, number, edge)
        }
        let page = try unsafe pages.pointee.page(number, isLeaf: level == leafLevel)
        let nodeCount = Int32(truncatingIfNeeded: page.nodeCount)
        unsafe levels[level] = Level(page: page, index: 0, nodeCount: nodeCount)
        return page
    }

    @inline(never)
    private func check(
        level: Int,
        _ number: UInt64,
        _ edge: CheckedPages.Edge
    ) throws(PageFault) {
        var (from, below): (MappedNode?, MappedNode?)
        for above in (0..<level).reversed() {
            let (page, index) = unsafe (levels[above].page, Int(levels[above].index))
            if from == nil, index > 0 { from = page.node(index) }
            if below == nil, unsafe index + 1 < levels[above].nodeCount {
                below = page.node(index + 1)
            }
        }
        try unsafe pages.pointee.check(
            number,
            edge,
            isLeaf: level == leafLevel,
            .table,
            from: from,
            below: below
        )
    }
}

import Synchronization

extension CommitPages {
    /// Whether a page may be followed from where `edge` says without another look. One load and two branches.
    @inline(__always)
    func isChecked(_ number: UInt64, _ edge: CheckedPages.Edge) -> Bool {
        if number >= pageCount { return false }
        if number >= checkedCount { return true }
        let word = unsafe checkedEdges.unsafelyUnwrapped + Int(number & checkedMask)
        return unsafe word.pointee.load(ordering: .relaxed) == edge
    }

    /// A page that ``isChecked(_:_:)``. Its kind is looked at each time: a page that is believed may be reached by a
    /// number that is wrong.
    @inline(__always)
    func page(_ number: UInt64, isLeaf: Bool) throws(PageFault) -> MappedPage {
        let page = unsafe MappedPage(start: base + Int(number << pageShift))
        if page.flags != (isLeaf ? PageFlags.leaf : PageFlags.branch) {
            throw .damaged("a page is not what refers to it says", page: number)
        }
        return page
    }

    /// Checks a page by all rules that it can be judged by alone and in its place, and remembers that.
    ///
    /// - Parameters:
    ///   - from: The nearest node above whose key is not greater than the page's keys.
    ///   - below: The nearest node above whose key is greater than they.
    @inline(never)
    mutating func check(
        _ number: UInt64,
        _ edge: CheckedPages.Edge,
        isLeaf: Bool,
        _ kind: TreeKind,
        from: MappedNode?,
        below: MappedNode?
    ) throws(PageFault) {
        try requirePages(upTo: number)
        if isChecked(number, edge) { return }
        guard number >= 2 else { throw .damaged("a page number is out of range", page: number) }
        let bytes = unsafe UnsafeRawBufferPointer(
            start: base + Int(number << pageShift),
            count: pageByteCount
        )
        let page = try unsafe NodePage(bytes, number: number, isLeaf: isLeaf, kind)
        try unsafe page.checkOrder(from: from?.key, below: below?.key)
        remember(number, edge)
    }

    private func remember(_ number: UInt64, _ edge: CheckedPages.Edge) {
        if checkedMask == 0 { return }
        unsafe checkedEdges.unsafelyUnwrapped[Int(number)].store(edge, ordering: .relaxed)
    }

    /// The value of a leaf's node, to which `edge` belongs.
    @inline(__always)
    mutating func value(
        of node: MappedNode,
        _ edge: @autoclosure () -> CheckedPages.Edge
    ) throws(PageFault) -> UnsafeRawBufferPointer {
        if node.flags == 0 {
            return unsafe UnsafeRawBufferPointer(
                start: node.valueStart,
                count: node.valueByteCount
            )
        }
        return try unsafe largeValue(of: node, edge())
    }

    /// A value that has pages of its own.
    @inline(never)
    private mutating func largeValue(
        of node: MappedNode,
        _ edge: CheckedPages.Edge
    ) throws(PageFault) -> UnsafeRawBufferPointer {
        let first = unsafe node.valueStart.loadUnaligned(as: UInt64.self)
        let byteCount = node.valueByteCount
        let needed = UInt64(MetaPage.headerByteCount - 1 + byteCount) >> pageShift + 1
        guard node.flags == LeafNode.overflowFlag, first >= 2, first <= meta.lastPage,
            needed <= meta.lastPage - first + 1
        else { throw .damaged("a large value's pages are out of range", page: edge >> 16) }
        try requirePages(upTo: first + needed - 1)
        let start = unsafe base + Int(first << pageShift)
        if !isChecked(first, edge) {
            let runLength = unsafe UInt64(start.loadUnaligned(fromByteOffset: 12, as: UInt32.self))
            let page = unsafe MappedPage(start: start)
            guard page.number == first, page.flags == PageFlags.overflow, runLength >= needed,
                runLength <= meta.lastPage - first + 1
            else { throw .damaged("a large value's first page is none", page: first) }
            remember(first, edge)
        }
        return unsafe UnsafeRawBufferPointer(
            start: start + MetaPage.headerByteCount,
            count: byteCount
        )
    }
}

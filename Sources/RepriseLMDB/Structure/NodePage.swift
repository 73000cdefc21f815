#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A branch or leaf page whose header and nodes have been checked to lie within it.
@safe
struct NodePage {
    private static let nodeHeaderByteCount = 8

    private let bytes: UnsafeRawBufferPointer
    private let number: UInt64
    private let kind: TreeKind
    private let isLeaf: Bool
    let nodeCount: Int

    /// - Throws: A fault when a node does not lie in the page, or is none that this tree can
    ///   have.
    init(
        _ bytes: UnsafeRawBufferPointer,
        number: UInt64,
        isLeaf: Bool,
        _ kind: TreeKind
    ) throws(PageFault) {
        unsafe self.bytes = bytes
        self.number = number
        self.kind = kind
        self.isLeaf = isLeaf
        let header = MetaPage.headerByteCount
        let (lower, upper) = unsafe (Int(bytes.u16(12)), Int(bytes.u16(14)))
        guard unsafe bytes.u64(0) == number,
            unsafe bytes.u16(10) == (isLeaf ? PageFlags.leaf : PageFlags.branch)
        else { throw .damaged("a page is not what refers to it says", page: number) }
        guard lower >= header, lower <= upper, upper <= bytes.count, lower % 2 == 0, upper % 2 == 0
        else { throw .damaged("a page's bounds are impossible", page: number) }
        nodeCount = (lower - header) / 2
        // LMDB takes a branch with one child for a fault of its own and aborts the process, except
        // in the free tree, which it may leave so while it rebalances.
        if nodeCount < (isLeaf || kind == .free ? 1 : 2) {
            throw .damaged("a page has too few nodes", page: number)
        }
        var nodeByteCount = 0
        for index in 0..<nodeCount {
            guard let size = checkedNodeByteCount(index, above: upper) else {
                throw .damaged("a node is impossible", page: number)
            }
            nodeByteCount += size
        }
        // Nodes are packed: together they fill the upper part, so no two overlap.
        if nodeByteCount != bytes.count - upper {
            throw .damaged("a page's nodes do not fill it", page: number)
        }
    }

    private var pageByteCount: Int { unsafe bytes.count }

    /// The bytes that a node takes, or `nil` when it is not one.
    private func checkedNodeByteCount(_ index: Int, above upper: Int) -> Int? {
        let offset = offset(index)
        guard offset >= upper, offset % 2 == 0, offset + Self.nodeHeaderByteCount <= pageByteCount
        else { return nil }
        let keyByteCount = unsafe Int(bytes.u16(offset + 6))
        var end = offset + Self.nodeHeaderByteCount + keyByteCount
        if isLeaf {
            let flags = unsafe bytes.u16(offset + 4)
            guard keyByteCount >= 1 else { return nil }
            switch flags {
            case 0: end += dataByteCount(index)
            case LeafNode.overflowFlag: end += 8
            case LeafNode.tableFlag:
                if kind != .main || dataByteCount(index) != TreeRecord.byteCount { return nil }
                end += TreeRecord.byteCount
            default: return nil
            }
        } else if keyByteCount == 0 && index != 0 {
            return nil
        }
        let isFirstOfBranch = !isLeaf && index == 0
        guard keyByteCount <= Table.keyByteCountMax, end <= pageByteCount,
            kind != .free || keyByteCount == 8 || (isFirstOfBranch && keyByteCount == 0)
        else { return nil }
        return (end - offset + 1) & ~1
    }

    /// Keys ascend within the page and stay within what the pages above promise. The first key of a
    /// branch is not looked at: LMDB does not either.
    func checkOrder(
        from: UnsafeRawBufferPointer?,
        below: UnsafeRawBufferPointer?
    ) throws(PageFault) {
        let start = isLeaf ? 0 : 1
        var isOrdered = true
        if let from = unsafe from, start < nodeCount {
            isOrdered = unsafe !isLess(key(start), from)
        }
        for index in start..<max(nodeCount - 1, start) {
            isOrdered = unsafe isOrdered && isLess(key(index), key(index + 1))
        }
        if let below = unsafe below, start < nodeCount {
            isOrdered = unsafe isOrdered && isLess(key(nodeCount - 1), below)
        }
        if !isOrdered { throw .damaged("keys are out of order", page: number) }
    }

    private func isLess(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        if kind == .free { return unsafe left.u64(0) < right.u64(0) }
        guard let leftStart = left.baseAddress, let rightStart = right.baseAddress else {
            return left.count < right.count
        }
        let order = unsafe memcmp(leftStart, rightStart, min(left.count, right.count))
        return order == 0 ? left.count < right.count : order < 0
    }

    private func offset(_ index: Int) -> Int {
        unsafe Int(bytes.u16(MetaPage.headerByteCount + 2 * index))
    }

    /// The size that a leaf's node gives for its value.
    private func dataByteCount(_ index: Int) -> Int {
        let offset = offset(index)
        return unsafe Int(bytes.u16(offset)) | Int(bytes.u16(offset + 2)) << 16
    }

    func key(_ index: Int) -> UnsafeRawBufferPointer {
        let offset = offset(index)
        let start = offset + Self.nodeHeaderByteCount
        return unsafe UnsafeRawBufferPointer(
            rebasing: bytes[start..<start + Int(bytes.u16(offset + 6))]
        )
    }

    /// Where in the page a key lies.
    func keyOffset(_ index: Int) -> Int { offset(index) + Self.nodeHeaderByteCount }

    /// The page under a branch's node: 48 bits in the fields that a leaf uses for size and flags.
    func child(_ index: Int) -> UInt64 {
        let offset = offset(index)
        return unsafe UInt64(bytes.u16(offset)) | UInt64(bytes.u16(offset + 2)) << 16
            | UInt64(bytes.u16(offset + 4)) << 32
    }

    func node(_ index: Int) -> LeafNode {
        let offset = offset(index)
        let key = unsafe key(index)
        let start = offset + Self.nodeHeaderByteCount + key.count
        let size = dataByteCount(index)
        let freeKey = unsafe kind == .free ? key.u64(0) : 0
        switch unsafe bytes.u16(offset + 4) {
        case LeafNode.overflowFlag:
            return LeafNode(
                freeKey: freeKey,
                content: .overflow(first: unsafe bytes.u64(start), byteCount: size)
            )
        case LeafNode.tableFlag:
            return LeafNode(
                freeKey: freeKey,
                content: .table(unsafe TreeRecord(bytes, at: start))
            )
        default:
            let value = unsafe UnsafeRawBufferPointer(rebasing: bytes[start..<start + size])
            return unsafe LeafNode(freeKey: freeKey, content: .inline(value))
        }
    }
}

/// An entry of a leaf page.
@safe
struct LeafNode {
    static let overflowFlag: UInt16 = 0x01
    static let tableFlag: UInt16 = 0x02

    @safe
    enum Content {
        case inline(UnsafeRawBufferPointer)
        case table(TreeRecord)
        case overflow(first: UInt64, byteCount: Int)
    }

    /// In the free tree, the transaction that freed the pages; elsewhere 0.
    let freeKey: UInt64
    let content: Content
}

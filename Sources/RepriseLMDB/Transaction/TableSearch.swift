import CLMDB

/// Finds keys of one table, as one commit left it, by reading LMDB's pages where they lie in the map.
///
/// In a file that is larger than the caches, LMDB's own search waits for memory at each key of a
/// leaf that it compares, one after the other. Here all keys of a leaf are asked for at once, so
/// that they arrive together.
///
/// It only ever says where a key is. What it does not find, and all that it does not understand, is
/// LMDB's to answer; it changes nothing, and no access leaves the pages that LMDB has given out.
/// Layout: Specs/format/files.md.
@safe
package struct TableSearch {
    /// Larger leaves hold small entries that lie close together.
    private static let gatheredCountMax = 48
    private static let nodeHeaderByteCount = 8

    private let map: UnsafeRawPointer
    private let pageByteCount: Int
    /// Pages from here on are not part of the file.
    private let pageCount: UInt64
    private let root: UInt64
    private let depth: UInt16
    /// The exchange of the map after which the addresses hold.
    private let mapGeneration: Int

    init(
        map: UnsafeRawPointer,
        pageByteCount: Int,
        pageCount: UInt64,
        tree: TreeRecord,
        mapGeneration: Int
    ) {
        unsafe self.map = map
        self.pageByteCount = pageByteCount
        self.pageCount = pageCount
        root = tree.root
        depth = tree.depth
        self.mapGeneration = mapGeneration
    }

    /// Whether this may be used in a transaction that sees the same commit as the one it was made in.
    package func isUsable(in transaction: borrowing ReadTransaction) -> Bool {
        transaction.mapGeneration == mapGeneration
    }

    /// The value of `key`, which is valid as long as the transaction; `nil` when LMDB is to be asked.
    ///
    /// - Complexity: O(log n), and O(entries of a page).
    package func find(_ key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard let wanted = key.baseAddress else { return nil }
        var number = root
        var level = depth
        while level > 1 {
            guard let page = page(number, PageFlags.branch),
                let child = unsafe Self.child(of: page, wanted, key.count)
            else { return nil }
            number = child
            level &-= 1
        }
        guard let leaf = page(number, PageFlags.leaf) else { return nil }
        return unsafe Self.value(in: leaf, wanted, key.count)
    }

    /// A page whose header says what it ought to.
    @inline(__always)
    private func page(_ number: UInt64, _ flags: UInt16) -> Page? {
        guard number < pageCount else { return nil }
        let start = unsafe map + Int(number) * pageByteCount
        let page = unsafe Page(start: start, byteCount: pageByteCount)
        guard page.flags == flags, page.nodeCount > 0 else { return nil }
        return page
    }

    // MARK: Within a page

    /// The page below `page` that the key belongs to. The first key of a branch stands for all that are less.
    @inline(__always)
    private static func child(
        of page: Page,
        _ wanted: UnsafeRawPointer,
        _ count: Int
    ) -> UInt64? {
        var low = 1
        var high = page.nodeCount
        while low < high {
            let middle = (low &+ high) &>> 1
            guard let node = page.node(middle) else { return nil }
            if unsafe order(node.key, node.keyCount, wanted, count) > 0 {
                high = middle
            } else {
                low = middle &+ 1
            }
        }
        return page.node(low &- 1)?.child
    }

    @inline(__always)
    private static func value(
        in page: Page,
        _ wanted: UnsafeRawPointer,
        _ count: Int
    ) -> UnsafeRawBufferPointer? {
        var low = 0
        var high = page.nodeCount
        if high <= gatheredCountMax, count >= 8 {
            guard let range = unsafe page.gather(word(wanted)) else { return nil }
            (low, high) = (range.lowerBound, range.upperBound)
        }
        while low < high {
            let middle = (low &+ high) &>> 1
            guard let node = page.node(middle) else { return nil }
            let order = unsafe order(node.key, node.keyCount, wanted, count)
            if order == 0 { return unsafe node.value }
            if order > 0 { high = middle } else { low = middle &+ 1 }
        }
        return nil
    }

    /// The first eight bytes as a number whose order is theirs.
    @inline(__always)
    private static func word(_ bytes: UnsafeRawPointer) -> UInt64 {
        unsafe UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
    }

    /// Less than, equal to or greater than 0: the order of two keys, as LMDB compares them.
    @inline(__always)
    private static func order(
        _ left: UnsafeRawPointer,
        _ leftCount: Int,
        _ right: UnsafeRawPointer,
        _ rightCount: Int
    ) -> Int {
        let common = min(leftCount, rightCount)
        var offset = 0
        while offset &+ 8 <= common {
            let (a, b) = unsafe (word(left + offset), word(right + offset))
            if a != b { return a < b ? -1 : 1 }
            offset &+= 8
        }
        while offset < common {
            let a = unsafe left.load(fromByteOffset: offset, as: UInt8.self)
            let b = unsafe right.load(fromByteOffset: offset, as: UInt8.self)
            if a != b { return a < b ? -1 : 1 }
            offset &+= 1
        }
        return leftCount &- rightCount
    }

    /// A page of nodes where it lies.
    @safe
    private struct Page {
        let start: UnsafeRawPointer
        let byteCount: Int
        let nodeCount: Int

        @inline(__always)
        init(start: UnsafeRawPointer, byteCount: Int) {
            unsafe self.start = start
            self.byteCount = byteCount
            let lower = Int(unsafe start.load(fromByteOffset: 12, as: UInt16.self))
            let isPossible = lower >= MetaPage.headerByteCount && lower <= byteCount
            nodeCount = isPossible ? (lower &- MetaPage.headerByteCount) &>> 1 : 0
        }

        var flags: UInt16 { unsafe start.load(fromByteOffset: 10, as: UInt16.self) }

        @inline(__always)
        private func offset(_ index: Int) -> Int {
            let place = MetaPage.headerByteCount &+ 2 &* index
            return Int(unsafe start.load(fromByteOffset: place, as: UInt16.self))
        }

        /// A node whose key lies in the page.
        @inline(__always)
        func node(_ index: Int) -> Node? {
            let offset = offset(index)
            guard offset &+ nodeHeaderByteCount <= byteCount else { return nil }
            let node = unsafe Node(start: start + offset, room: byteCount &- offset)
            return nodeHeaderByteCount &+ node.keyCount <= node.room ? node : nil
        }

        /// Looks at the first eight bytes of all keys, none of which waits for another.
        ///
        /// - Returns: where the nodes are whose keys begin with `wanted`; all, where some key is too short to tell;
        ///   `nil` when a node does not lie in the page.
        @inline(__always)
        func gather(_ wanted: UInt64) -> Range<Int>? {
            var less = 0
            var atMost = 0
            var shortest = Int.max
            for index in 0..<nodeCount {
                let offset = offset(index)
                guard offset &+ nodeHeaderByteCount &+ 8 <= byteCount else { return nil }
                let node = unsafe Node(start: start + offset, room: byteCount &- offset)
                shortest = min(shortest, node.keyCount)
                let word = unsafe TableSearch.word(node.key)
                less &+= word < wanted ? 1 : 0
                atMost &+= word <= wanted ? 1 : 0
            }
            return shortest < 8 ? 0..<nodeCount : less..<atMost
        }
    }

    /// A node where it lies, with the count of bytes from its beginning to the end of its page.
    @safe
    private struct Node {
        let start: UnsafeRawPointer
        let room: Int

        var keyCount: Int { Int(field(6)) }
        var key: UnsafeRawPointer { unsafe start + nodeHeaderByteCount }
        var child: UInt64 { UInt64(field(0)) | UInt64(field(2)) << 16 | UInt64(field(4)) << 32 }

        /// A value that lies in the page itself.
        var value: UnsafeRawBufferPointer? {
            let count = Int(field(0)) | Int(field(2)) << 16
            let offset = nodeHeaderByteCount + keyCount
            guard field(4) == 0, offset + count <= room else { return nil }
            return unsafe UnsafeRawBufferPointer(start: start + offset, count: count)
        }

        @inline(__always)
        private func field(_ offset: Int) -> UInt16 {
            unsafe start.loadUnaligned(fromByteOffset: offset, as: UInt16.self)
        }
    }
}

extension ReadTransaction {
    /// How often the map has been exchanged before this transaction; it is not while one runs.
    var mapGeneration: Int { environment.gate.mapGeneration }

    /// A search in a table as this transaction sees it; `nil` where pages cannot be read in place.
    ///
    /// Another transaction of the same commit can use it, as long as ``TableSearch/isUsable(in:)`` says so.
    /// - Complexity: O(log tables).
    package func search(_ table: Table) -> TableSearch? {
        let pageByteCount = environment.pageByteCount
        // The tree's record is a value of LMDB's main table, and lies in one of its leaves.
        guard let name = environment.name(of: table),
            let record = unsafe mainValue(name), record.count == TreeRecord.byteCount,
            let address = record.baseAddress,
            // The map begins at a page of the system's.
            pageByteCount <= Self.systemPageByteCount
        else { return nil }
        let inPage = Int(bitPattern: address) % pageByteCount
        let page = unsafe address - inPage
        let number = unsafe page.load(as: UInt64.self)
        let flags = unsafe page.load(fromByteOffset: 10, as: UInt16.self)
        let (mapByteCount, usedByteCount) = environment.extent
        let pageCount = UInt64(min(mapByteCount, usedByteCount) / pageByteCount)
        let tree = unsafe TreeRecord(record, at: 0)
        guard flags == PageFlags.leaf, number < pageCount,
            tree.flags == 0, tree.depth > 0, tree.depth < 32
        else { return nil }
        let map = unsafe page - Int(number) * pageByteCount
        guard Int(bitPattern: map) % Self.systemPageByteCount == 0 else { return nil }
        return unsafe TableSearch(
            map: map,
            pageByteCount: pageByteCount,
            pageCount: pageCount,
            tree: tree,
            mapGeneration: mapGeneration
        )
    }

    private func mainValue(_ name: String) -> UnsafeRawBufferPointer? {
        var name = name
        return name.withUTF8 { bytes in
            var keyValue = unsafe MDB_val(UnsafeRawBufferPointer(bytes))
            var value = unsafe MDB_val()
            let handle = environment.mainTable.handle
            let result = unsafe mdb_get(reader.pointer, handle, &keyValue, &value)
            return unsafe result == MDB_SUCCESS ? UnsafeRawBufferPointer(value) : nil
        }
    }
}

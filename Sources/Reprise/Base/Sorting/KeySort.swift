/// Sorts byte strings in the order of LMDB's keys.
///
/// Keys of one table share long beginnings (a model's number, "note-", the same kind), so comparing them from the
/// front reads the same bytes again and again, each time from another place in memory. Here a range of keys is sorted
/// by eight cached bytes that follow what all of it has in common; only keys that agree in those are looked at again,
/// eight bytes further on (multikey sorting with cached prefixes; Bentley & Sedgewick 1997, Ng & Kakehi 2007).
struct KeySort: ~Copyable {
    /// Longer keys, which no table takes, are sorted by what they begin with.
    static let keyByteCountMax = 1 << 24 - 1

    /// One key and what it stands for.
    @safe
    struct Item {
        var prefix: UInt64
        let key: UnsafeRawPointer
        /// The count of the key's bytes and, in the upper eight bits, the mark.
        private let counts: UInt32
        /// The index of what the key belongs to.
        let index: UInt32

        init(_ key: UnsafeRawPointer, count: Int, mark: UInt8, index: Int) {
            prefix = 0
            unsafe self.key = key
            counts = UInt32(min(count, keyByteCountMax)) | UInt32(mark) << 24
            self.index = UInt32(index)
        }

        var keyCount: Int { Int(counts & 0xFF_FFFF) }

        func hasSameKey(as other: Item) -> Bool {
            unsafe KeySort.bytes(of: self).hasSameBytes(as: KeySort.bytes(of: other))
        }
        /// Whatever its owner wants to remember of the item.
        var mark: UInt8 { UInt8(counts >> 24) }
    }

    private var items: [Item] = []
    /// How many bytes all keys have in common.
    private var common = 0

    init(capacity: Int) {
        items.reserveCapacity(capacity)
    }

    mutating func add(_ key: UnsafeRawPointer, count: Int, mark: UInt8 = 0, index: Int) {
        var item = unsafe Item(key, count: count, mark: mark, index: index)
        // Most likely the key is in the processor's cache now and will not be later.
        item.prefix = Self.prefix(of: item, at: 0)
        if items.isEmpty {
            common = item.keyCount
        } else if common > 0 {
            common = Self.commonByteCount(items[0], item, atMost: common)
        }
        items.append(item)
    }

    /// How many keys were added.
    var count: Int { items.count }

    /// How many keys there is room for.
    var capacity: Int { items.capacity }

    @inline(__always)
    var isFull: Bool { items.count == items.capacity }

    /// How many keys there is room for once another one is added, at the most.
    var capacityWithNext: Int {
        isFull ? Self.capacityMax(reserving: 2 * max(1, capacity)) : capacity
    }

    /// How much room there may be where so much was asked for: allocators round up to what they hand out.
    static func capacityMax(reserving capacity: Int) -> Int { capacity + capacity / 16 + 1 }

    /// Makes room for so many keys.
    mutating func reserve(_ capacity: Int) { items.reserveCapacity(capacity) }

    /// The indices in the order of their keys; those of equal keys ascend.
    consuming func sorted() -> [UInt32] {
        sortedItems().map(\.index)
    }

    /// The keys in order; equal ones in the order of their indices.
    ///
    /// - Parameter mayShare: whether a second thread may sort half of them, if they are many.
    consuming func sortedItems(mayShare: Bool = false) -> [Item] {
        if items.count > 1 {
            // Only ranges that are out of order and not small move through the spare room.
            let spare = UnsafeMutableBufferPointer<Item>.allocate(capacity: items.count)
            defer { unsafe spare.deallocate() }
            let depth = common
            unsafe items.withUnsafeMutableBufferPointer { items in
                if depth > 0 { unsafe Self.setPrefixes(of: items, at: depth) }
                let isShared = mayShare && items.count >= SharedKeySort.countMin
                if isShared, unsafe SharedKeySort.sort(items, spare, at: depth) { return }
                unsafe Self.sortByPrefix(items, spare, at: depth)
            }
        }
        return items
    }

    /// Sorts keys that have the first `depth` bytes in common.
    private static func sort(
        _ items: UnsafeMutableBufferPointer<Item>,
        _ spare: UnsafeMutableBufferPointer<Item>,
        from depth: Int
    ) {
        let depth = unsafe commonByteCount(items, from: depth)
        unsafe setPrefixes(of: items, at: depth)
        unsafe sortByPrefix(items, spare, at: depth)
    }

    private static func setPrefixes(of items: UnsafeMutableBufferPointer<Item>, at depth: Int) {
        for position in 0..<items.count {
            unsafe items[position].prefix = prefix(of: items[position], at: depth)
        }
    }

    /// Sorts keys that have the first `depth` bytes in common, and whose prefixes follow those.
    private static func sortByPrefix(
        _ items: UnsafeMutableBufferPointer<Item>,
        _ spare: UnsafeMutableBufferPointer<Item>,
        at depth: Int
    ) {
        unsafe PrefixSort.sort(items, spare)
        unsafe sortWithinPrefixes(items, spare, at: depth)
    }

    /// Sorts keys that are in the order of their prefixes, which follow the first `depth` bytes that all have in
    /// common.
    static func sortWithinPrefixes(
        _ items: UnsafeMutableBufferPointer<Item>,
        _ spare: UnsafeMutableBufferPointer<Item>,
        at depth: Int
    ) {
        var start = 0
        while start < items.count {
            var end = start + 1
            while end < items.count, unsafe items[end].prefix == items[start].prefix { end += 1 }
            if end - start > 1 {
                var run = unsafe UnsafeMutableBufferPointer(rebasing: items[start..<end])
                if unsafe run.contains(where: { $0.keyCount <= depth + 8 }) {
                    // Short keys are padded with zeros and may look like longer ones.
                    unsafe run.sort {
                        let order = unsafe bytes(of: $0).order(against: bytes(of: $1))
                        return order == 0 ? $0.index < $1.index : order < 0
                    }
                } else {
                    unsafe sort(run, spare, from: depth + 8)
                }
            }
            start = end
        }
    }

    /// How many bytes all keys have in common, given that they have the first `depth`.
    private static func commonByteCount(_ items: UnsafeMutableBufferPointer<Item>, from depth: Int)
        -> Int
    {
        let first = unsafe bytes(of: items[0])
        var common = first.count
        for position in 1..<items.count {
            let other = unsafe bytes(of: items[position])
            var count = depth
            let end = min(common, other.count)
            while count < end, unsafe first[count] == other[count] { count += 1 }
            common = count
            if common == depth { break }
        }
        return common
    }

    /// How many of the first `limit` bytes two keys have in common.
    @inline(__always)
    private static func commonByteCount(_ left: Item, _ right: Item, atMost limit: Int) -> Int {
        let end = min(limit, left.keyCount, right.keyCount)
        // Both prefixes are still those of the whole keys.
        let count = (left.prefix ^ right.prefix).leadingZeroBitCount / 8
        if count < 8 || end <= 8 { return min(count, end) }
        return (8..<end).first {
            unsafe left.key.load(fromByteOffset: $0, as: UInt8.self)
                != right.key.load(fromByteOffset: $0, as: UInt8.self)
        } ?? end
    }

    @inline(__always)
    private static func prefix(of item: Item, at depth: Int) -> UInt64 {
        unsafe bytes(of: item).bigEndianPrefix(at: depth)
    }

    @inline(__always)
    fileprivate static func bytes(of item: Item) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: item.key, count: item.keyCount)
    }
}

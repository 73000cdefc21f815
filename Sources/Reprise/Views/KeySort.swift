/// Sorts byte strings in the order of LMDB's keys.
///
/// Keys of one table share long beginnings (a model's number, "note-", the same kind), so comparing them from the
/// front reads the same bytes again and again, each time from another place in memory. Here a range of keys is sorted
/// by eight cached bytes that follow what all of it has in common; only keys that agree in those are looked at again,
/// eight bytes further on (multikey sorting with cached prefixes; Bentley & Sedgewick 1997, Ng & Kakehi 2007).
struct KeySort: ~Copyable {
    /// One key and what it stands for.
    @safe
    struct Item {
        var prefix: UInt64
        let key: UnsafeRawPointer
        let keyCount: UInt32
        /// The index of what the key belongs to.
        let index: UInt32
    }

    private var items: [Item] = []

    init(capacity: Int) {
        items.reserveCapacity(capacity)
    }

    mutating func add(_ key: UnsafeRawPointer, count: Int, index: Int) {
        items.append(
            unsafe Item(prefix: 0, key: key, keyCount: UInt32(count), index: UInt32(index))
        )
    }

    /// How many keys were added.
    var count: Int { items.count }

    /// The indices in the order of their keys; those of equal keys ascend.
    consuming func sorted() -> [UInt32] {
        sortedItems().map(\.index)
    }

    /// The keys in order; equal ones in the order of their indices.
    consuming func sortedItems() -> [Item] {
        unsafe items.withUnsafeMutableBufferPointer { unsafe Self.sort($0, from: 0) }
        return items
    }

    private static func sort(_ all: UnsafeMutableBufferPointer<Item>, from depth: Int) {
        var items = unsafe all
        guard items.count > 1 else { return }
        let depth = unsafe commonByteCount(items, from: depth)
        for position in 0..<items.count {
            unsafe items[position].prefix = prefix(of: items[position], at: depth)
        }
        unsafe items.sort { $0.prefix < $1.prefix }
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
                    unsafe sort(run, from: depth + 8)
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

    @inline(__always)
    private static func prefix(of item: Item, at depth: Int) -> UInt64 {
        let remaining = Int(item.keyCount) - depth
        if remaining >= 8 {
            return unsafe UInt64(bigEndian: (item.key + depth).loadUnaligned(as: UInt64.self))
        }
        var prefix: UInt64 = 0
        for offset in 0..<max(0, remaining) {
            let byte = unsafe item.key.load(fromByteOffset: depth + offset, as: UInt8.self)
            prefix |= UInt64(byte) << (56 - 8 * UInt64(offset))
        }
        return prefix
    }

    @inline(__always)
    private static func bytes(of item: Item) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: item.key, count: Int(item.keyCount))
    }
}

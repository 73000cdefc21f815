internal import RepriseLMDB

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Changes to one table, gathered in any order and applied in key order.
///
/// Random puts are what makes a B-tree slow; the same puts in key order touch each page once, and past the end of the
/// table they become appends. Adding is O(1), applying O(n log n) comparisons, most of them of one 64-bit prefix.
struct SortedRun: ~Copyable {
    @safe
    private struct Change {
        let bytes: UnsafeRawPointer
        let keyCount: UInt32
        /// `UInt32.max` marks a deletion.
        let valueCount: UInt32
    }

    private let arena = Arena()
    private var changes: [Change] = []

    var count: Int { changes.count }
    var byteCount: Int { arena.byteCount + changes.count * MemoryLayout<Change>.stride }

    mutating func put(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
        let bytes = unsafe arena.allocate(key.count + value.count)
        unsafe bytes.copyMemory(from: key.baseAddress.unsafelyUnwrapped, byteCount: key.count)
        if let source = value.baseAddress {
            unsafe (bytes + key.count).copyMemory(from: source, byteCount: value.count)
        }
        unsafe changes.append(
            Change(
                bytes: UnsafeRawPointer(bytes),
                keyCount: UInt32(key.count),
                valueCount: UInt32(value.count)
            )
        )
    }

    mutating func delete(key: UnsafeRawBufferPointer) {
        unsafe changes.append(
            Change(
                bytes: arena.copy(key),
                keyCount: UInt32(key.count),
                valueCount: .max
            )
        )
    }

    /// Writes all changes to `table` in key order and forgets them. No key may have been added twice.
    ///
    /// `tables` belongs to a write transaction, whose cursors can write.
    mutating func apply(to table: Table, in tables: TableReader) throws(LMDBError) {
        guard !changes.isEmpty else { return }
        let order = sortedOrder()
        var cursor = try tables.cursor(table)
        var appends = try AppendWatch(&cursor)
        for index in order {
            let change = changes[Int(index)]
            let key = unsafe UnsafeRawBufferPointer(
                start: change.bytes,
                count: Int(change.keyCount)
            )
            if change.valueCount == .max {
                if try unsafe cursor.seek(exactly: key) { try cursor.deleteCurrent() }
            } else {
                let value = unsafe UnsafeRawBufferPointer(
                    start: change.bytes + Int(change.keyCount),
                    count: Int(change.valueCount)
                )
                try unsafe cursor.put(key: key, value: value, append: appends.isPastEnd(key))
            }
        }
        changes.removeAll(keepingCapacity: true)
        arena.removeAll()
    }

    private func sortedOrder() -> [UInt32] {
        var sort = KeySort(capacity: changes.count)
        for index in 0..<changes.count {
            unsafe sort.add(changes[index].bytes, count: Int(changes[index].keyCount), index: index)
        }
        return sort.sorted()
    }
}

/// Tells for keys in ascending order from which one on they lie past the last key that a table had: those can be
/// appended.
struct AppendWatch {
    private var last: [UInt8]?
    private var isPast = false

    init(_ cursor: inout Cursor) throws(LMDBError) {
        if try cursor.last() {
            last = unsafe [UInt8](cursor.key)
        } else {
            isPast = true
        }
    }

    mutating func isPastEnd(_ key: UnsafeRawBufferPointer) -> Bool {
        if isPast { return true }
        guard let last else { return false }
        isPast = unsafe last.withUnsafeBytes { unsafe $0.precedes(key) }
        return isPast
    }
}

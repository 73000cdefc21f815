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
        let prefix: UInt64
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
                prefix: Self.prefix(of: key), bytes: UnsafeRawPointer(bytes),
                keyCount: UInt32(key.count), valueCount: UInt32(value.count)))
    }

    mutating func delete(key: UnsafeRawBufferPointer) {
        unsafe changes.append(
            Change(
                prefix: Self.prefix(of: key), bytes: arena.copy(key),
                keyCount: UInt32(key.count), valueCount: .max))
    }

    /// Writes all changes to `table` in key order and forgets them. No key may have been added twice.
    ///
    /// `tables` belongs to a write transaction, whose cursors can write.
    mutating func apply(to table: Table, in tables: TableReader) throws(LMDBError) {
        guard !changes.isEmpty else { return }
        changes.sort { Self.precedes($0, $1) }
        var cursor = try tables.cursor(table)
        var appends = try AppendWatch(&cursor)
        for change in changes {
            let key = unsafe UnsafeRawBufferPointer(start: change.bytes, count: Int(change.keyCount))
            if change.valueCount == .max {
                if try unsafe cursor.seek(exactly: key) { try cursor.deleteCurrent() }
            } else {
                let value = unsafe UnsafeRawBufferPointer(
                    start: change.bytes + Int(change.keyCount), count: Int(change.valueCount))
                try unsafe cursor.put(key: key, value: value, append: appends.isPastEnd(key))
            }
        }
        changes.removeAll(keepingCapacity: true)
        arena.removeAll()
    }

    private static func prefix(of key: UnsafeRawBufferPointer) -> UInt64 {
        if key.count >= 8 {
            return unsafe UInt64(bigEndian: key.loadUnaligned(as: UInt64.self))
        }
        var prefix: UInt64 = 0
        for index in 0..<key.count { prefix |= unsafe UInt64(key[index]) << (56 - 8 * UInt64(index)) }
        return prefix
    }

    @inline(__always)
    private static func precedes(_ left: Change, _ right: Change) -> Bool {
        if left.prefix != right.prefix { return left.prefix < right.prefix }
        let common = Int(min(left.keyCount, right.keyCount))
        let order = unsafe memcmp(left.bytes, right.bytes, common)
        return order != 0 ? order < 0 : left.keyCount < right.keyCount
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

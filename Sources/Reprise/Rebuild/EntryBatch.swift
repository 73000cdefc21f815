internal import RepriseLMDB

/// Entries of one table on their way to the thread that writes them.
///
/// Used by one thread at a time, which is why it may be handed over.
@safe
final class EntryBatch: @unchecked Sendable {
    static let byteCount = 1 << 18
    private static let headerByteCount = 8

    private var room = UnsafeMutableRawBufferPointer.allocate(
        byteCount: EntryBatch.byteCount,
        alignment: 8
    )
    private var end = 0
    /// The table that the entries belong to.
    private(set) var table: Table?

    deinit { unsafe room.deallocate() }

    var isEmpty: Bool { end == 0 }

    /// Adds an entry and gives out the room for its value; nil when the batch is full or of another table.
    func append(
        to table: Table,
        key: UnsafeRawBufferPointer,
        valueByteCount: Int
    ) -> UnsafeMutableRawBufferPointer? {
        let byteCount = Self.headerByteCount + key.count + valueByteCount
        if isEmpty {
            self.table = table
            if unsafe byteCount > room.count { grow(to: byteCount) }
        } else if self.table != table {
            return nil
        }
        let value = end + Self.headerByteCount + key.count
        guard unsafe value + valueByteCount <= room.count else { return nil }
        unsafe room.storeBytes(of: UInt32(key.count), toByteOffset: end, as: UInt32.self)
        unsafe room.storeBytes(of: UInt32(valueByteCount), toByteOffset: end + 4, as: UInt32.self)
        let keyRoom = unsafe room[(end + Self.headerByteCount)..<value]
        unsafe UnsafeMutableRawBufferPointer(rebasing: keyRoom).copyMemory(from: key)
        end = value + valueByteCount
        return unsafe UnsafeMutableRawBufferPointer(rebasing: room[value..<end])
    }

    /// One entry where it lies in the batch.
    @safe
    struct Entry {
        let key: UnsafeRawBufferPointer
        let value: UnsafeRawBufferPointer
        /// Where the entry after it begins.
        let end: Int
    }

    /// The entry that begins at `offset`, the first at 0; nil at the end. They come in the order in which they were
    /// added.
    func entry(at offset: Int) -> Entry? {
        guard offset < end else { return nil }
        let base = unsafe UnsafeRawPointer(room.baseAddress.unsafelyUnwrapped + offset)
        let keyCount = Int(unsafe base.loadUnaligned(as: UInt32.self))
        let valueCount = Int(unsafe (base + 4).loadUnaligned(as: UInt32.self))
        let key = unsafe base + Self.headerByteCount
        return unsafe Entry(
            key: UnsafeRawBufferPointer(start: key, count: keyCount),
            value: UnsafeRawBufferPointer(start: key + keyCount, count: valueCount),
            end: offset + Self.headerByteCount + keyCount + valueCount
        )
    }

    /// How many ordinary batches it counts for: as many as it is times as large, so that what waits is bounded in
    /// bytes.
    func weight(atMost limit: Int) -> Int {
        unsafe min(limit, max(1, room.count / Self.byteCount))
    }

    func removeAll() {
        end = 0
        table = nil
        if unsafe room.count > Self.byteCount {
            unsafe room.deallocate()
            unsafe room = .allocate(byteCount: Self.byteCount, alignment: 8)
        }
    }

    private func grow(to byteCount: Int) {
        unsafe room.deallocate()
        unsafe room = .allocate(byteCount: byteCount, alignment: 8)
    }
}

internal import RepriseLog

/// The rows that a transaction has changed and not yet written to the tables, by key.
///
/// An open-addressing table over records that point into an arena: no allocation and no reference counting per row, so
/// that a load of a million rows spends its time on the rows.
struct PendingRows: ~Copyable {
    @safe
    struct Record {
        let key: UnsafeRawPointer
        let keyCount: Int32
        /// Whether the views hold a row under this key.
        var isInViews: Bool
        /// Whether there is a row now; otherwise it was deleted by the transaction.
        var isLive: Bool
        var created: UInt64
        /// The position of the last event; for a deleted row that of the deletion, 0 when none shall be remembered.
        var revision: UInt64
        /// The position of the last event that changed the row itself; 0 when the views have it as it is.
        var contentPosition: UInt64
        var payload: UnsafeRawBufferPointer

        var keyBytes: UnsafeRawBufferPointer {
            unsafe UnsafeRawBufferPointer(start: key, count: Int(keyCount))
        }

        var row: RowView? {
            unsafe isLive ? RowView(created: created, revision: revision, payload: payload) : nil
        }
    }

    private let arena = Arena()
    private(set) var records: [Record] = []
    private var slots: [Int32] = []
    private var hashes: [UInt64] = []
    /// How many records there were when ``mark()`` was called; nil when there is nothing to go back to.
    private var markedCount: Int?
    /// What records from before the mark looked like, in the order of their changes.
    private var journal: [(index: Int, record: Record)] = []

    var count: Int { records.count }
    var byteCount: Int {
        arena.byteCount + records.count * (MemoryLayout<Record>.stride + 8) + slots.count * 4
    }

    /// The index into `records` of the row under `key`, if the transaction has changed it. O(1).
    func index(of key: UnsafeRawBufferPointer) -> Int? {
        guard !slots.isEmpty else { return nil }
        return unsafe find(key, hash: XXH64.hash(key, seed: 0)).record
    }

    subscript(index: Int) -> Record { records[index] }

    /// The hash of the key of a record: XXH64 with the seed 0.
    func hash(at index: Int) -> UInt64 { hashes[index] }

    /// As ``index(of:)``, for who knows the hash.
    func index(of key: UnsafeRawBufferPointer, hash: UInt64) -> Int? {
        guard !slots.isEmpty else { return nil }
        return unsafe find(key, hash: hash).record
    }

    /// Notes that the row under `key` now has this content. `payload` is copied.
    ///
    /// - Parameter contentPosition: nil when the last event changed the row itself.
    /// - Returns: the key and the copy of the content, which stay where they are until ``removeAll()``.
    @discardableResult
    mutating func put(
        key: UnsafeRawBufferPointer,
        isInViews: Bool,
        created: UInt64,
        revision: UInt64,
        contentPosition: UInt64? = nil,
        payload: UnsafeRawBufferPointer
    ) -> (key: UnsafeRawBufferPointer, payload: UnsafeRawBufferPointer) {
        let copy = unsafe UnsafeRawBufferPointer(start: arena.copy(payload), count: payload.count)
        let index = unsafe set(
            key: key,
            isInViews: isInViews,
            isLive: true,
            created: created,
            revision: revision,
            contentPosition: contentPosition ?? revision,
            payload: copy
        )
        return unsafe (records[index].keyBytes, copy)
    }

    /// Notes that the row under `key` is gone. `tombstone` is the position of its deletion, or 0.
    mutating func delete(key: UnsafeRawBufferPointer, isInViews: Bool, tombstone: UInt64) {
        _ = unsafe set(
            key: key,
            isInViews: isInViews,
            isLive: false,
            created: 0,
            revision: tombstone,
            contentPosition: tombstone,
            payload: UnsafeRawBufferPointer(start: nil, count: 0)
        )
    }

    /// Gives a pending row another revision.
    mutating func setRevision(_ revision: UInt64, at index: Int) {
        note(index)
        records[index].revision = revision
    }

    /// Notes whether the views hold a row under the record's key.
    mutating func setInViews(_ isInViews: Bool, at index: Int) {
        note(index)
        records[index].isInViews = isInViews
    }

    mutating func removeAll() {
        records.removeAll(keepingCapacity: true)
        hashes.removeAll(keepingCapacity: true)
        for index in slots.indices { slots[index] = -1 }
        arena.removeAll()
        unmark()
    }

    /// Indices of all records, in the order of their keys. O(n log n).
    func sortedIndices() -> [Int] {
        var sort = KeySort(capacity: records.count)
        for index in 0..<records.count {
            unsafe sort.add(records[index].key, count: Int(records[index].keyCount), index: index)
        }
        return sort.sorted().map { Int($0) }
    }

    private mutating func set(
        key: UnsafeRawBufferPointer,
        isInViews: Bool,
        isLive: Bool,
        created: UInt64,
        revision: UInt64,
        contentPosition: UInt64,
        payload: UnsafeRawBufferPointer
    ) -> Int {
        if (records.count + 1) * 2 > slots.count { grow() }
        let hash = unsafe XXH64.hash(key, seed: 0)
        let place = unsafe find(key, hash: hash)
        if let index = place.record {
            note(index)
            records[index].isLive = isLive
            records[index].created = created
            records[index].revision = revision
            records[index].contentPosition = contentPosition
            unsafe records[index].payload = payload
            return index
        }
        slots[place.slot] = Int32(records.count)
        hashes.append(hash)
        unsafe records.append(
            Record(
                key: arena.copy(key),
                keyCount: Int32(key.count),
                isInViews: isInViews,
                isLive: isLive,
                created: created,
                revision: revision,
                contentPosition: contentPosition,
                payload: payload
            )
        )
        return records.count - 1
    }

    @inline(__always)
    private func find(_ key: UnsafeRawBufferPointer, hash: UInt64) -> (slot: Int, record: Int?) {
        let mask = slots.count - 1
        var slot = Int(truncatingIfNeeded: hash) & mask
        while true {
            let index = Int(slots[slot])
            if index < 0 { return (slot, nil) }
            if hashes[index] == hash, unsafe records[index].keyBytes.hasSameBytes(as: key) {
                return (slot, index)
            }
            slot = (slot + 1) & mask
        }
    }

    private mutating func grow() {
        fillSlots(max(64, slots.count * 2))
    }

    private mutating func fillSlots(_ capacity: Int) {
        slots = [Int32](repeating: -1, count: capacity)
        let mask = capacity - 1
        for (index, hash) in hashes.enumerated() {
            var slot = Int(truncatingIfNeeded: hash) & mask
            while slots[slot] >= 0 { slot = (slot + 1) & mask }
            slots[slot] = Int32(index)
        }
    }
}

/// Going back.
extension PendingRows {
    /// From here on changes can be undone.
    mutating func mark() {
        journal.removeAll(keepingCapacity: true)
        markedCount = records.count
    }

    /// Changes so far stay.
    mutating func unmark() {
        markedCount = nil
        journal.removeAll(keepingCapacity: true)
    }

    /// Makes everything as it was at the mark. O(records); the bytes of what is undone stay in memory.
    mutating func undo() {
        guard let markedCount else { return }
        for (index, record) in journal.reversed() { records[index] = record }
        if records.count > markedCount {
            records.removeSubrange(markedCount...)
            hashes.removeSubrange(markedCount...)
            fillSlots(slots.count)
        }
        unmark()
    }

    private mutating func note(_ index: Int) {
        guard let markedCount, index < markedCount else { return }
        journal.append((index, records[index]))
    }
}

internal import RepriseLMDB

/// Gathers the entries that one thread makes in batches, one for each table, and hands over those that are full.
///
/// The entries of a table are handed over in the order in which they were appended; that of different tables means
/// nothing, because each is written by itself.
final class EntryOutput {
    private let idle: EntryBatchPool
    private let handOver: (EntryBatch) throws -> Void
    /// The batch that was appended to last.
    private var present: EntryBatch
    /// Those of other tables.
    private var others: [EntryBatch] = []

    /// - Parameters:
    ///   - idle: where empty batches are found.
    ///   - handOver: takes a batch for good.
    init(_ idle: EntryBatchPool, handOver: @escaping (EntryBatch) throws -> Void) {
        self.idle = idle
        self.handOver = handOver
        present = idle.take()
    }

    /// Appends an entry and gives out the room for its value, which must be written before the next call.
    func append(
        to table: Table,
        key: UnsafeRawBufferPointer,
        valueByteCount: Int
    ) throws -> UnsafeMutableRawBufferPointer {
        let room = unsafe present.append(to: table, key: key, valueByteCount: valueByteCount)
        if let room = unsafe room { return unsafe room }
        return try unsafe appendElsewhere(to: table, key: key, valueByteCount: valueByteCount)
    }

    /// The present batch is full or of another table.
    private func appendElsewhere(
        to table: Table,
        key: UnsafeRawBufferPointer,
        valueByteCount: Int
    ) throws -> UnsafeMutableRawBufferPointer {
        if present.table == table { try handOverPresent() } else { turn(to: table) }
        return try unsafe append(to: table, key: key, valueByteCount: valueByteCount)
    }

    /// Appends an entry.
    func append(
        to table: Table,
        key: UnsafeRawBufferPointer,
        value: UnsafeRawBufferPointer
    ) throws {
        let room = try unsafe append(to: table, key: key, valueByteCount: value.count)
        unsafe room.copyMemory(from: value)
    }

    /// Hands over what is left, full or not.
    func handOverAll() throws {
        if !present.isEmpty { try handOverPresent() }
        while let batch = others.popLast() { try handOver(batch) }
    }

    private func handOverPresent() throws {
        let full = present
        present = idle.take()
        try handOver(full)
    }

    private func turn(to table: Table) {
        let left = present
        if let place = others.firstIndex(where: { $0.table == table }) {
            present = others.remove(at: place)
        } else {
            present = idle.take()
        }
        others.append(left)
    }
}

/// Empty batches that go round between the threads that fill and the one that writes them.
final class EntryBatchPool: Sendable {
    private let batches = Guarded<[EntryBatch]>([])

    /// An empty batch.
    func take() -> EntryBatch {
        batches.withLock { $0.popLast() } ?? EntryBatch()
    }

    /// Gives back an empty batch.
    func put(_ batch: EntryBatch) {
        batches.withLock { $0.append(batch) }
    }
}

internal import RepriseLMDB

/// Has rows decoded on a thread of their own while the next ones are looked up.
///
/// Looking rows up is waiting for memory, decoding them is work, and both take about as long. The other thread never
/// calls LMDB: it reads bytes that the transaction keeps in their place, and is waited for before the transaction goes
/// on. It decodes the rows in their order, and nothing else is decoded meanwhile, so that results and errors are those
/// of one thread.
final class RowRelay {
    /// So many rows are decoded where they are found before another thread is worth its start.
    static let rowCountAlone = 512

    private let exchange: Exchange
    /// The piece that is being filled.
    private var batch: RowBatch
    /// How many were handed over.
    private var count = 0

    /// Starts the other thread; nil where the system has no processor or no thread to spare.
    ///
    /// - Parameter decode: is called on that thread until ``finish()`` has returned.
    init?(
        _ binding: ModelBinding,
        leavingOut leftOut: UnreadableRows? = nil,
        _ decode: @escaping RowDecoder
    ) {
        guard DecodingThreads.enter() else { return nil }
        let exchange = unsafe Exchange(binding, leftOut, decode)
        guard DetachedThread.startIfPossible({ exchange.run() }) else {
            DecodingThreads.leave()
            return nil
        }
        self.exchange = exchange
        batch = exchange.batch(0)
    }

    /// Hands a row over, whose payload stays where it is until ``finish()`` has returned. Returns whether to go on:
    /// not when a row could not be decoded.
    func add(_ hit: RowHit) -> Bool {
        batch.add(hit)
        return batch.isFull ? handOver() : true
    }

    /// Waits until all rows are decoded. Returns what was wrong with the first one that could not be.
    func finish() -> StoreError? {
        if !batch.isEmpty { _ = handOver() }
        // An empty piece ends the other thread.
        exchange.filled.raise()
        exchange.ended.wait()
        return exchange.failure.withLock { $0 }
    }

    private func handOver() -> Bool {
        exchange.filled.raise()
        count += 1
        batch = exchange.batch(count)
        exchange.emptied.wait()
        return exchange.failure.withLock { $0 == nil }
    }
}

/// What passes between the two threads.
///
/// The pieces go round: each belongs to one thread at a time, which the signals see to.
@safe
private final class Exchange: @unchecked Sendable {
    private static let batchCount = 16

    /// Raised for every piece to be decoded.
    let filled = Signal()
    /// Raised for every piece that may be filled again.
    let emptied = Signal()
    /// Raised when nothing is decoded any more.
    let ended = Signal()
    let failure = Guarded<StoreError?>(nil)

    private let batches: [RowBatch]
    private let binding: ModelBinding
    private let leftOut: UnreadableRows?
    /// Belongs to the other thread, which lets go of it before it ends: it was only lent.
    private var decode: RowDecoder?

    init(_ binding: ModelBinding, _ leftOut: UnreadableRows?, _ decode: @escaping RowDecoder) {
        self.binding = binding
        self.leftOut = leftOut
        unsafe self.decode = unsafe decode
        batches = (0..<Self.batchCount).map { _ in RowBatch() }
        // All but the one that is being filled.
        for _ in 1..<Self.batchCount { emptied.raise() }
    }

    func batch(_ number: Int) -> RowBatch { batches[number % Self.batchCount] }

    /// The other thread.
    func run() {
        var number = 0
        while true {
            filled.wait()
            let batch = batch(number)
            if batch.isEmpty { break }
            do throws(StoreError) {
                if let decode = unsafe decode, failure.withLock({ $0 == nil }) {
                    try unsafe batch.decode(binding, leftOut, decode)
                }
            } catch {
                failure.withLock { $0 = error }
            }
            batch.removeAll()
            number += 1
            emptied.raise()
        }
        unsafe decode = nil
        DecodingThreads.leave()
        ended.raise()
    }
}

/// Some rows on their way from one thread to the other.
@safe
private final class RowBatch {
    private struct Row {
        let view: RowView
        let keyStart: Int
        let keyCount: Int
        let isUnchecked: Bool
    }

    private static let rowCount = 128

    private var rows: [Row] = []
    /// The keys one after the other: where they were found, the next lookup overwrites them.
    private var keys: UnsafeMutableRawBufferPointer
    private var keysEnd = 0

    init() {
        rows.reserveCapacity(Self.rowCount)
        unsafe keys = .allocate(byteCount: Self.rowCount * Table.keyByteCountMax, alignment: 8)
    }

    deinit {
        unsafe keys.deallocate()
    }

    var isEmpty: Bool { rows.isEmpty }
    var isFull: Bool { rows.count == Self.rowCount }

    func add(_ hit: RowHit) {
        let key = unsafe hit.key
        // A log that was made by others may name entities whose keys no table would take.
        if unsafe keysEnd + key.count > keys.count { grow(for: key.count) }
        unsafe UnsafeMutableRawBufferPointer(rebasing: keys[keysEnd...]).copyMemory(from: key)
        rows.append(
            Row(
                view: hit.view,
                keyStart: keysEnd,
                keyCount: key.count,
                isUnchecked: hit.isUnchecked
            )
        )
        keysEnd += key.count
    }

    func removeAll() {
        rows.removeAll(keepingCapacity: true)
        keysEnd = 0
    }

    private func grow(for byteCount: Int) {
        let larger = UnsafeMutableRawBufferPointer.allocate(
            byteCount: unsafe max(keys.count * 2, keysEnd + byteCount),
            alignment: 8
        )
        unsafe larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: keys[..<keysEnd]))
        unsafe keys.deallocate()
        unsafe keys = larger
    }

    func decode(
        _ binding: ModelBinding,
        _ leftOut: UnreadableRows?,
        _ decode: RowDecoder
    ) throws(StoreError) {
        for row in rows {
            let end = row.keyStart + row.keyCount
            let key = unsafe UnsafeRawBufferPointer(rebasing: keys[row.keyStart..<end])
            if row.isUnchecked { try unsafe row.view.check(key: key) }
            let id = unsafe UnsafeRawBufferPointer(rebasing: key[2...])
            try unsafe binding.decode(row.view, id: id, leavingOut: leftOut, decode)
        }
    }
}

/// How many threads decode for others in this process: never so many that they would only wait for each other.
private enum DecodingThreads {
    private static let count = Guarded(0)

    static func enter() -> Bool {
        count.withLock { count in
            guard count + 1 < DetachedThread.processorCount else { return false }
            count += 1
            return true
        }
    }

    static func leave() {
        count.withLock { $0 -= 1 }
    }
}

internal import RepriseLMDB

/// Hands out the records of one ``ExternalSort`` or of several in order, by merging their runs.
///
/// The runs play a tournament: each node of a binary tree keeps who lost there, so that the next record of the run that
/// won last is compared once on each level of the tree (tree of losers; Knuth, The Art of Computer Programming, vol. 3,
/// 5.4.1).
@safe
struct SortedRecords: ~Copyable {
    /// The present record of a run.
    private struct Head {
        /// What its key begins with, which settles most comparisons. Two numbers and not one of 128 bits: that would be
        /// stored in halves and read whole at once, for which the processor waits until both are in its cache.
        var high: UInt64
        var low: UInt64
        /// Whether the run has no record any more.
        var isOver: Bool
    }

    private let runCount: Int
    private let readers: UnsafeMutablePointer<RunReader>
    private let heads: UnsafeMutablePointer<Head>
    /// The losers at the nodes from 1 on. The node above node n is n / 2; the runs come after the nodes.
    private let losers: UnsafeMutablePointer<Int>
    /// The run with the least record.
    private var winner = 0
    private var isStarted = false

    /// - Parameters:
    ///   - all: each in order; equal keys come in the order of the runs.
    ///   - memoryByteCount: about how much those that lie in files may take in memory together.
    init(_ all: [RecordRun], memoryByteCount: Int) throws(LMDBError) {
        let byteCount = Self.bufferByteCount(
            runCount: all.count { $0.isInFile },
            memoryByteCount: memoryByteCount
        )
        runCount = all.count
        unsafe readers = .allocate(capacity: all.count)
        unsafe heads = .allocate(capacity: all.count)
        unsafe losers = .allocate(capacity: all.count)
        for run in all.indices {
            let reader = RunReader(all[run], bufferByteCount: byteCount)
            unsafe (readers + run).initialize(to: reader)
            unsafe (heads + run).initialize(to: Head(high: 0, low: 0, isOver: true))
            unsafe (losers + run).initialize(to: 0)
        }
        for run in all.indices { try advance(run) }
        if runCount > 0 { winner = play(at: 1) }
    }

    deinit {
        unsafe readers.deinitialize(count: runCount)
        unsafe readers.deallocate()
        unsafe heads.deallocate()
        unsafe losers.deallocate()
    }

    /// How much of each run is in memory at a time: not too little to read, and together not more than was sorted.
    static func bufferByteCount(runCount: Int, memoryByteCount: Int) -> Int {
        min(RunReader.bufferByteCountMax, max(1 << 12, memoryByteCount / max(1, runCount)))
    }

    /// The record that ``next()`` went to. Valid until the next call of it.
    var key: UnsafeRawBufferPointer { unsafe readers[winner].key }
    var value: UnsafeRawBufferPointer { unsafe readers[winner].value }

    /// Goes to the next record. Returns whether there is one.
    mutating func next() throws(LMDBError) -> Bool {
        guard runCount > 0 else { return false }
        if isStarted {
            if unsafe heads[winner].isOver { return false }
            try advance(winner)
            replay()
        }
        isStarted = true
        return unsafe !heads[winner].isOver
    }

    /// Goes to a run's next record.
    @inline(__always)
    private func advance(_ run: Int) throws(LMDBError) {
        if try unsafe readers[run].next() {
            let key = unsafe readers[run].key
            unsafe heads[run] = Head(
                high: key.bigEndianPrefix(at: 0),
                low: key.bigEndianPrefix(at: 8),
                isOver: false
            )
        } else {
            unsafe heads[run] = Head(high: .max, low: .max, isOver: true)
        }
    }

    /// Has all runs below a node play, and returns who won.
    private func play(at node: Int) -> Int {
        if node >= runCount { return node - runCount }
        let left = play(at: 2 * node)
        let right = play(at: 2 * node + 1)
        let leftWins = unsafe Self.precedes(left, heads[left], right, heads, readers)
        unsafe losers[node] = leftWins ? right : left
        return leftWins ? left : right
    }

    /// Has the run that won last, with its next record, play against those who lost on its way up.
    ///
    /// With locals and without `self`, all of which would be copied for each record.
    @inline(__always)
    private mutating func replay() {
        let (readers, heads, losers) = unsafe (readers, heads, losers)
        var best = winner
        var head = unsafe heads[best]
        var node = (best + runCount) / 2
        while node > 0 {
            let other = unsafe losers[node]
            if unsafe !Self.precedes(best, head, other, heads, readers) {
                unsafe losers[node] = best
                best = other
                head = unsafe heads[best]
            }
            node /= 2
        }
        winner = best
    }

    /// Equal keys come in the order of the runs, which is the order in which they were added.
    ///
    /// - Parameter head: that of `left`, which plays on one level after the other.
    @inline(__always)
    private static func precedes(
        _ left: Int,
        _ head: Head,
        _ right: Int,
        _ heads: UnsafeMutablePointer<Head>,
        _ readers: UnsafeMutablePointer<RunReader>
    ) -> Bool {
        let (high, low) = unsafe (heads[right].high, heads[right].low)
        if head.high != high { return head.high < high }
        if head.low != low { return head.low < low }
        return unsafe precedesFarther(left, right, heads, readers)
    }

    /// As ``precedes(_:_:_:_:_:)``, for keys that begin with the same bytes.
    @inline(never)
    private static func precedesFarther(
        _ left: Int,
        _ right: Int,
        _ heads: UnsafeMutablePointer<Head>,
        _ readers: UnsafeMutablePointer<RunReader>
    ) -> Bool {
        if unsafe heads[left].isOver { return false }
        if unsafe heads[right].isOver { return true }
        let order = unsafe readers[left].key.order(against: readers[right].key)
        return order == 0 ? left < right : order < 0
    }
}

internal import RepriseLMDB

/// Hands out the records of one ``ExternalSort`` or of several in order, by merging their runs.
@safe
struct SortedRecords: ~Copyable {
    /// The present record of a run.
    private struct Head {
        /// What its key begins with, which settles most comparisons.
        var prefix: (UInt64, UInt64)
        let run: Int

        init(_ record: RecordRun, run: Int) {
            prefix = unsafe (
                record.key.bigEndianPrefix(at: 0), record.key.bigEndianPrefix(at: 8)
            )
            self.run = run
        }
    }

    private var runs: [RecordRun] = []
    /// A binary heap with the least key on top.
    private var heap: [Head] = []
    private var isStarted = false

    /// The record that ``next()`` went to. Valid until the next call of it.
    private(set) var key = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    private(set) var value = unsafe UnsafeRawBufferPointer(start: nil, count: 0)

    /// - Parameters:
    ///   - all: each in order; equal keys come in the order of the runs.
    ///   - memoryByteCount: about how much those that lie in files may take in memory together.
    init(_ all: [RecordRun], memoryByteCount: Int) throws(LMDBError) {
        let byteCount = Self.bufferByteCount(
            runCount: all.count { $0.isInFile },
            memoryByteCount: memoryByteCount
        )
        for run in all {
            run.bufferByteCount = byteCount
            if try run.next() { runs.append(run) }
        }
        heap = runs.indices.map { Head(runs[$0], run: $0) }
        for place in stride(from: heap.count / 2, through: 0, by: -1) { siftDown(place) }
    }

    /// How much of each run is in memory at a time: not too little to read, and together not more than was sorted.
    static func bufferByteCount(runCount: Int, memoryByteCount: Int) -> Int {
        min(RecordRun.bufferByteCountMax, max(1 << 12, memoryByteCount / max(1, runCount)))
    }

    /// Goes to the next record. Returns whether there is one.
    mutating func next() throws(LMDBError) -> Bool {
        if isStarted {
            guard let top = heap.first else { return false }
            let run = runs[top.run]
            if try run.next() {
                heap[0] = Head(run, run: top.run)
            } else {
                heap.swapAt(0, heap.count - 1)
                heap.removeLast()
            }
            siftDown(0)
        }
        isStarted = true
        guard let top = heap.first else { return false }
        let run = runs[top.run]
        unsafe key = run.key
        unsafe value = run.value
        return true
    }

    private mutating func siftDown(_ start: Int) {
        let count = heap.count
        guard start < count else { return }
        let sinking = heap[start]
        var place = start
        while true {
            var child = 2 * place + 1
            if child >= count { break }
            if child + 1 < count, precedes(heap[child + 1], heap[child]) { child += 1 }
            if !precedes(heap[child], sinking) { break }
            heap[place] = heap[child]
            place = child
        }
        heap[place] = sinking
    }

    /// Equal keys come in the order of the runs, which is the order in which they were added.
    private func precedes(_ left: Head, _ right: Head) -> Bool {
        if left.prefix.0 != right.prefix.0 { return left.prefix.0 < right.prefix.0 }
        if left.prefix.1 != right.prefix.1 { return left.prefix.1 < right.prefix.1 }
        let order = unsafe runs[left.run].key.order(against: runs[right.run].key)
        return order == 0 ? left.run < right.run : order < 0
    }
}

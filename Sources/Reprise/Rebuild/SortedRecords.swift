internal import RepriseLMDB

/// Hands out the records of an ``ExternalSort`` in order.
@safe
struct SortedRecords: ~Copyable {
    private let items: [KeySort.Item]
    /// Keeps the memory of the records alive.
    private let arena: Arena?
    private var nextItem = 0
    private var runs: [SpilledRun] = []
    /// Indices into `runs`, as a binary heap with the least key on top.
    private var heap: [Int] = []
    private var isStarted = false

    /// The record that ``next()`` went to. Valid until the next call of it.
    private(set) var key = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    private(set) var value = unsafe UnsafeRawBufferPointer(start: nil, count: 0)

    init(_ items: consuming [KeySort.Item], in arena: Arena) {
        self.items = items
        self.arena = arena
    }

    /// - Parameter memoryByteCount: about how much the runs may take in memory together.
    init(
        _ ranges: [Range<Int>],
        of file: SpillFile,
        memoryByteCount: Int
    ) throws(LMDBError) {
        items = []
        arena = nil
        let bufferByteCount = Self.bufferByteCount(
            runCount: ranges.count,
            memoryByteCount: memoryByteCount
        )
        for range in ranges {
            let run = SpilledRun(range, of: file, bufferByteCount: bufferByteCount)
            if try run.next() { runs.append(run) }
        }
        heap = Array(runs.indices)
        for place in stride(from: heap.count / 2, through: 0, by: -1) { siftDown(place) }
    }

    /// How much of each run is in memory at a time: not too little to read, and together not more than was sorted.
    static func bufferByteCount(runCount: Int, memoryByteCount: Int) -> Int {
        min(1 << 18, max(1 << 12, memoryByteCount / max(1, runCount)))
    }

    /// Goes to the next record. Returns whether there is one.
    mutating func next() throws(LMDBError) -> Bool {
        if arena != nil { return nextInMemory() }
        if isStarted, let top = heap.first {
            if try runs[top].next() {
                siftDown(0)
            } else {
                heap.swapAt(0, heap.count - 1)
                heap.removeLast()
                siftDown(0)
            }
        }
        isStarted = true
        guard let top = heap.first else { return false }
        unsafe key = runs[top].key
        unsafe value = runs[top].value
        return true
    }

    private func value(of item: KeySort.Item) -> UnsafeRawBufferPointer {
        let valueByteCount = unsafe (item.key - 4).loadUnaligned(as: UInt32.self)
        return unsafe UnsafeRawBufferPointer(
            start: item.key + item.keyCount,
            count: Int(valueByteCount)
        )
    }

    private mutating func nextInMemory() -> Bool {
        guard nextItem < items.count else { return false }
        let item = items[nextItem]
        nextItem += 1
        unsafe key = UnsafeRawBufferPointer(start: item.key, count: item.keyCount)
        unsafe value = value(of: item)
        return true
    }

    private mutating func siftDown(_ start: Int) {
        var place = start
        while true {
            var least = place
            for child in [2 * place + 1, 2 * place + 2] where child < heap.count {
                if precedes(heap[child], heap[least]) { least = child }
            }
            if least == place { return }
            heap.swapAt(place, least)
            place = least
        }
    }

    /// Equal keys come in the order of the runs, which is the order in which they were added.
    private func precedes(_ left: Int, _ right: Int) -> Bool {
        let order = unsafe runs[left].key.order(against: runs[right].key)
        return order == 0 ? left < right : order < 0
    }
}

/// Reads one run from its file, front to back.
@safe
private final class SpilledRun {
    private let file: SpillFile
    private var offset: Int
    private let end: Int
    private var buffer: UnsafeMutableRawBufferPointer
    /// The bytes of the buffer that are read and not handed out.
    private var unread = 0..<0
    private(set) var key = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    private(set) var value = unsafe UnsafeRawBufferPointer(start: nil, count: 0)

    init(_ range: Range<Int>, of file: SpillFile, bufferByteCount: Int) {
        self.file = file
        offset = range.lowerBound
        end = range.upperBound
        unsafe buffer = .allocate(byteCount: bufferByteCount, alignment: 16)
    }

    deinit { unsafe buffer.deallocate() }

    func next() throws(LMDBError) -> Bool {
        if unread.isEmpty, offset == end { return false }
        let headerByteCount = ExternalSort.headerByteCount
        try require(headerByteCount)
        let header = unsafe buffer.baseAddress.unsafelyUnwrapped + unread.lowerBound
        let keyCount = Int(unsafe header.loadUnaligned(as: UInt32.self))
        let valueCount = Int(unsafe (header + 4).loadUnaligned(as: UInt32.self))
        try require(headerByteCount + keyCount + valueCount)
        let start = unsafe UnsafeRawPointer(
            buffer.baseAddress.unsafelyUnwrapped + unread.lowerBound + headerByteCount
        )
        unsafe key = UnsafeRawBufferPointer(start: start, count: keyCount)
        unsafe value = UnsafeRawBufferPointer(start: start + keyCount, count: valueCount)
        unread = (unread.lowerBound + headerByteCount + keyCount + valueCount)..<unread.upperBound
        return true
    }

    /// Sees to it that the next `count` bytes are in the buffer.
    private func require(_ count: Int) throws(LMDBError) {
        if unread.count >= count { return }
        let rest = unread.count
        var target = unsafe buffer
        if unsafe count > buffer.count {
            unsafe target = .allocate(byteCount: max(count, buffer.count * 2), alignment: 16)
        }
        unsafe target.baseAddress.unsafelyUnwrapped.copyMemory(
            from: buffer.baseAddress.unsafelyUnwrapped + unread.lowerBound,
            byteCount: rest
        )
        if unsafe target.baseAddress != buffer.baseAddress {
            unsafe buffer.deallocate()
            unsafe buffer = target
        }
        let wanted = unsafe min(buffer.count - rest, end - offset)
        let room = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[rest..<(rest + wanted)])
        let read = try unsafe file.read(into: room, at: offset)
        offset += read
        unread = 0..<(rest + read)
        guard unread.count >= count else {
            throw LMDBError(code: .other, operation: "read back a temporary file")
        }
    }
}

internal import RepriseLMDB

/// Sorts any number of records by their keys within a bound of memory.
///
/// Records gather in memory; when they take more than they may, they are sorted and written to a file as one run, and
/// in the end the runs are merged (external merge sort; Knuth, The Art of Computer Programming, vol. 3, 5.4). Records
/// with the same key keep the order in which they were added.
struct ExternalSort: ~Copyable {
    /// How records lie in memory and in runs: the counts of key and value bytes as 32-bit numbers, key, value.
    static let headerByteCount = 8

    private let memoryByteCount: Int
    private let makeFile: () throws(LMDBError) -> SpillFile
    private let arena = Arena()
    private var sort = KeySort(capacity: 0)
    private var file: SpillFile?
    /// The runs in the file.
    private var ranges: [Range<Int>] = []

    /// - Parameters:
    ///   - memoryByteCount: how much the records may take in memory; at least one always fits.
    ///   - makeFile: makes the file for the runs, should it be needed.
    init(memoryByteCount: Int, makeFile: @escaping () throws(LMDBError) -> SpillFile) {
        self.memoryByteCount = memoryByteCount
        self.makeFile = makeFile
    }

    /// How many records were added.
    private(set) var count = 0

    /// Adds a record and gives out the room for its value, which must be written before the next call.
    mutating func add(
        key: UnsafeRawBufferPointer,
        valueByteCount: Int
    ) throws(LMDBError) -> UnsafeMutableRawPointer {
        guard key.count <= KeySort.keyByteCountMax else {
            throw LMDBError(code: .keyTooLong, operation: "sort")
        }
        let byteCount = Self.headerByteCount + key.count + valueByteCount
        if arena.byteCount + byteCount + (sort.count + 1) * MemoryLayout<KeySort.Item>.stride
            > memoryByteCount, sort.count > 0
        {
            try spill()
        }
        let record = unsafe arena.allocate(byteCount)
        unsafe record.storeBytes(of: UInt32(key.count), as: UInt32.self)
        unsafe record.storeBytes(of: UInt32(valueByteCount), toByteOffset: 4, as: UInt32.self)
        let keyBytes = unsafe record + Self.headerByteCount
        if let source = key.baseAddress {
            unsafe keyBytes.copyMemory(from: source, byteCount: key.count)
        }
        unsafe sort.add(UnsafeRawPointer(keyBytes), count: key.count, index: sort.count)
        count += 1
        return unsafe keyBytes + key.count
    }

    /// Adds a record.
    mutating func add(
        key: UnsafeRawBufferPointer,
        value: UnsafeRawBufferPointer
    ) throws(LMDBError) {
        let room = try unsafe add(key: key, valueByteCount: value.count)
        if let source = value.baseAddress {
            unsafe room.copyMemory(from: source, byteCount: value.count)
        }
    }

    /// All records in the order of their keys.
    consuming func sorted() throws(LMDBError) -> SortedRecords {
        let memoryByteCount = memoryByteCount
        return try SortedRecords(runs(), memoryByteCount: memoryByteCount)
    }

    /// All records in runs that are to be merged, equal keys in the order of the runs.
    consuming func runs() throws(LMDBError) -> [RecordRun] {
        // What is left may stay in memory where what is read of the files takes little.
        let readByteCount = ranges.count * RecordRun.bufferByteCountMax
        if file != nil, readByteCount > memoryByteCount / 4, sort.count > 0 { try spill() }
        var runs: [RecordRun] = []
        if let file { runs = ranges.map { RecordRun($0, of: file) } }
        var rest = KeySort(capacity: 0)
        swap(&rest, &sort)
        if rest.count > 0 { runs.append(RecordRun(rest.sortedItems(), in: arena)) }
        return runs
    }

    private mutating func spill() throws(LMDBError) {
        if self.file == nil { self.file = try makeFile() }
        guard let file else { preconditionFailure("The file was just made.") }
        let start = file.byteCount
        var full = KeySort(capacity: sort.count)
        swap(&full, &sort)
        var buffer = SpillBuffer(file)
        for item in full.sortedItems() {
            let record = unsafe item.key - Self.headerByteCount
            let byteCount =
                unsafe Self.headerByteCount + item.keyCount
                + Int((record + 4).loadUnaligned(as: UInt32.self))
            try unsafe buffer.append(UnsafeRawBufferPointer(start: record, count: byteCount))
        }
        try buffer.finish()
        ranges.append(start..<file.byteCount)
        arena.removeAll()
    }
}

/// Gathers small pieces on their way to a file.
@safe
private struct SpillBuffer: ~Copyable {
    private static let byteCount = 1 << 18

    private let file: SpillFile
    private let room: UnsafeMutableRawBufferPointer
    private var count = 0

    init(_ file: SpillFile) {
        self.file = file
        unsafe room = .allocate(byteCount: Self.byteCount, alignment: 16)
    }

    deinit { unsafe room.deallocate() }

    mutating func append(_ bytes: UnsafeRawBufferPointer) throws(LMDBError) {
        if unsafe count + bytes.count > room.count { try finish() }
        if unsafe bytes.count > room.count { return try unsafe file.append(bytes) }
        unsafe UnsafeMutableRawBufferPointer(rebasing: room[count...]).copyMemory(from: bytes)
        count += bytes.count
    }

    mutating func finish() throws(LMDBError) {
        try unsafe file.append(UnsafeRawBufferPointer(rebasing: room[..<count]))
        count = 0
    }
}

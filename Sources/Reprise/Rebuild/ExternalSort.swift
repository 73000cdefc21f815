internal import RepriseLMDB

/// Sorts any number of records by their keys within a bound of memory.
///
/// Records gather in memory and are sorted in pieces that a processor's cache holds. When the pieces take more memory
/// than they may, they are written to a file, each as one run, and so is every later one; in the end the runs are
/// merged (external merge sort; Knuth, The Art of Computer Programming, vol. 3, 5.4). Records with the same key keep
/// the order in which they were added.
struct ExternalSort: ~Copyable {
    /// How records lie in memory and in runs: the counts of key and value bytes as 32-bit numbers, key, value.
    static let headerByteCount = 8
    /// Pieces grow by as much again for so many that there are: what is read of each to merge them shares the memory.
    private static let growthCount = 32

    private let memoryByteCount: Int
    /// How large the first pieces are.
    private let pieceByteCount: Int
    private let makeFile: () throws(LMDBError) -> SpillFile
    /// The present piece.
    private var arena = Arena()
    private var sort = KeySort(capacity: 0)
    /// The pieces that are sorted and still in memory; none once there is a file.
    private var pieces: [RecordRun] = []
    private var piecesByteCount = 0
    private var file: SpillFile?
    /// The runs in the file.
    private var ranges: [Range<Int>] = []

    /// - Parameters:
    ///   - memoryByteCount: how much the records may take in memory; at least one always fits.
    ///   - pieceByteCount: how much of that is sorted at a time; what a processor's cache holds.
    ///   - makeFile: makes the file for the runs, should it be needed.
    init(
        memoryByteCount: Int,
        pieceByteCount: Int = 2 << 20,
        makeFile: @escaping () throws(LMDBError) -> SpillFile
    ) {
        self.memoryByteCount = memoryByteCount
        self.pieceByteCount = pieceByteCount
        self.makeFile = makeFile
        pieceByteCountMax = min(memoryByteCount, pieceByteCount)
    }

    /// How many records were added.
    private(set) var count = 0
    /// How much the present piece may take.
    private var pieceByteCountMax: Int

    /// Adds a record and gives out the room for its value, which must be written before the next call.
    mutating func add(
        key: UnsafeRawBufferPointer,
        valueByteCount: Int
    ) throws(LMDBError) -> UnsafeMutableRawPointer {
        guard key.count <= KeySort.keyByteCountMax else {
            throw LMDBError(code: .keyTooLong, operation: "sort")
        }
        let byteCount = Self.headerByteCount + key.count + valueByteCount
        if presentByteCount + byteCount + MemoryLayout<KeySort.Item>.stride > pieceByteCountMax,
            sort.count > 0
        {
            try endPiece(before: byteCount)
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
        let readByteCount = ranges.count * RunReader.bufferByteCountMax
        if file != nil, readByteCount > memoryByteCount / 4, sort.count > 0 { try spill() }
        var runs = pieces
        if let file { runs = ranges.map { RecordRun(place: .file(file, $0)) } }
        var rest = KeySort(capacity: 0)
        swap(&rest, &sort)
        if rest.count > 0 { runs.append(RecordRun(place: .memory(rest.sortedItems(), arena))) }
        return runs
    }

    /// How much the present piece takes.
    private var presentByteCount: Int {
        arena.byteCount + sort.count * MemoryLayout<KeySort.Item>.stride
    }

    /// Begins with the next piece, whose first record has so many bytes.
    private mutating func endPiece(before nextByteCount: Int) throws(LMDBError) {
        let byteCount = piecesByteCount + presentByteCount
        let pieceByteCount = max(pieceByteCountMax, nextByteCount)
        guard file == nil, byteCount + pieceByteCount <= memoryByteCount else {
            return try spill()
        }
        pieces.append(RecordRun(place: .memory(takePresent(), arena)))
        piecesByteCount = byteCount
        arena = Arena()
    }

    /// Writes all that is in memory to the file.
    private mutating func spill() throws(LMDBError) {
        if self.file == nil { self.file = try makeFile() }
        guard let file else { preconditionFailure("The file was just made.") }
        for piece in pieces {
            if case .memory(let items, _) = piece.place { try write(items, to: file) }
        }
        pieces = []
        piecesByteCount = 0
        try write(takePresent(), to: file)
        arena.removeAll()
        let growth = 1 + ranges.count / Self.growthCount
        pieceByteCountMax = min(memoryByteCount, pieceByteCount * growth)
    }

    /// The records of the present piece in order.
    private mutating func takePresent() -> [KeySort.Item] {
        var full = KeySort(capacity: sort.count)
        swap(&full, &sort)
        return full.sortedItems()
    }

    private mutating func write(_ items: [KeySort.Item], to file: SpillFile) throws(LMDBError) {
        let start = file.byteCount
        var buffer = SpillBuffer(file)
        var lookAhead = RecordLookAhead()
        for place in items.indices {
            lookAhead.look(at: items, from: place)
            let item = items[place]
            let record = unsafe item.key - Self.headerByteCount
            let byteCount =
                unsafe Self.headerByteCount + item.keyCount
                + Int((record + 4).loadUnaligned(as: UInt32.self))
            try unsafe buffer.append(UnsafeRawBufferPointer(start: record, count: byteCount))
        }
        try buffer.finish()
        ranges.append(start..<file.byteCount)
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

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
    private static let itemByteCount = MemoryLayout<KeySort.Item>.stride
    /// Pieces grow by as much again for so many that there are: what is read of each to merge them shares the memory.
    private static let growthCount = 32

    private let memoryByteCount: Int
    /// How large the first pieces are.
    private let pieceByteCount: Int
    private let makeFile: () throws(LMDBError) -> SpillFile
    /// The present piece.
    private var arena = Arena()
    private var sort = KeySort(capacity: 0)
    /// Not a local of what uses it: what it has seen would be forgotten there, and looking could be left out.
    private var lookAhead = RecordLookAhead()
    /// The pieces that are sorted and still in memory; none once there is a file.
    private var pieces: [RecordRun] = []
    private var piecesByteCount = 0
    private var file: SpillFile?
    /// The runs in the file.
    private var ranges: [Range<Int>] = []

    /// - Parameters:
    ///   - memoryByteCount: how much the records may take in memory, with the room that is kept for what points to
    ///     them; at least one always fits. While a piece is sorted, its part of that room is there twice.
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
        // A piece ends rather than that its array grows to more than there may be.
        let itemsByteCount = sort.capacityWithNext * Self.itemByteCount
        if arena.byteCount + byteCount + 7 + itemsByteCount > pieceByteCountMax, sort.count > 0 {
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
        // What is left may stay in memory where there is room for it beside what is read of the file.
        let readByteCount = ranges.count * RunReader.bufferByteCountMax
        if file != nil, readByteCount + presentByteCount > memoryByteCount, sort.count > 0 {
            try spill(before: 0)
        }
        var runs = pieces
        if let file { runs = ranges.map { RecordRun(place: .file(file, $0)) } }
        var rest = KeySort(capacity: 0)
        swap(&rest, &sort)
        if rest.count > 0 { runs.append(RecordRun(place: .memory(rest.sortedItems(), arena))) }
        return runs
    }

    /// How much the records in memory take, with the room that is kept for what points to them.
    var residentByteCount: Int { piecesByteCount + presentByteCount }

    /// How much the present piece takes.
    private var presentByteCount: Int {
        arena.byteCount + sort.capacity * Self.itemByteCount
    }

    /// Begins with the next piece, whose first record has so many bytes.
    private mutating func endPiece(before nextByteCount: Int) throws(LMDBError) {
        let byteCount = residentByteCount
        let leastByteCount = nextByteCount + 7 + 2 * Self.itemByteCount
        let pieceByteCount = max(pieceByteCountMax, leastByteCount)
        guard file == nil, byteCount + pieceByteCount <= memoryByteCount else {
            return try spill(before: nextByteCount)
        }
        let capacity = nextCapacity(before: nextByteCount)
        pieces.append(RecordRun(place: .memory(takePresent(nextCapacity: capacity), arena)))
        piecesByteCount = byteCount
        arena = Arena()
    }

    /// For how many records there is to be room in the next piece: as many as fit if they are as large as those of the
    /// present one.
    private func nextCapacity(before nextByteCount: Int) -> Int {
        guard sort.count > 0 else { return 0 }
        let recordByteCount = arena.byteCount / sort.count + Self.itemByteCount
        let wanted = pieceByteCountMax / recordByteCount
        let possible = max(0, pieceByteCountMax - nextByteCount - 7) / Self.itemByteCount
        // What an allocator may add to it is left out.
        let capacity = min(wanted, possible)
        return max(0, capacity - capacity / 16 - 1)
    }

    /// Writes all that is in memory to the file, and begins with a piece whose first record has so many bytes.
    private mutating func spill(before nextByteCount: Int) throws(LMDBError) {
        if self.file == nil { self.file = try makeFile() }
        guard let file else { preconditionFailure("The file was just made.") }
        for piece in pieces {
            if case .memory(let items, _) = piece.place { try write(items, to: file) }
        }
        pieces = []
        piecesByteCount = 0
        let growth = 1 + (ranges.count + 1) / Self.growthCount
        pieceByteCountMax = min(memoryByteCount, pieceByteCount * growth)
        let capacity = nextCapacity(before: nextByteCount)
        try write(takePresent(nextCapacity: capacity), to: file)
        // A record that is larger than a piece has the memory for itself.
        if nextByteCount > pieceByteCountMax { arena = Arena() } else { arena.removeAll() }
    }

    /// The records of the present piece in order.
    private mutating func takePresent(nextCapacity: Int) -> [KeySort.Item] {
        var full = KeySort(capacity: nextCapacity)
        swap(&full, &sort)
        return full.sortedItems()
    }

    private mutating func write(_ items: [KeySort.Item], to file: SpillFile) throws(LMDBError) {
        let start = file.byteCount
        var buffer = SpillBuffer(file)
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

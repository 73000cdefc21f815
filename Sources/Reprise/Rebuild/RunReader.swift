internal import RepriseLMDB

/// Goes through the records of one ``RecordRun``, once.
///
/// No object is reached and nothing counted from one record to the next, only for the next piece of a file.
@safe
struct RunReader: ~Copyable {
    /// Much of a file is read at a time because each call of the system costs something.
    static let bufferByteCountMax = 1 << 18

    /// Those in memory, and what keeps their bytes there.
    private let items: [KeySort.Item]
    private let arena: Arena?
    private var nextItem = 0
    private var lookAhead = RecordLookAhead()

    private let file: SpillFile?
    /// What of the file is not read yet.
    private var offset: Int
    private let end: Int
    private var buffer = unsafe UnsafeMutableRawBufferPointer(start: nil, count: 0)
    /// The bytes of the buffer that are read and not handed out.
    private var unread = 0..<0
    /// How much of the file is in memory at a time; more only for a record that is larger.
    private let bufferByteCount: Int

    /// The present record. Valid until the next one.
    private(set) var key = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    private(set) var value = unsafe UnsafeRawBufferPointer(start: nil, count: 0)

    init(_ run: RecordRun, bufferByteCount: Int = bufferByteCountMax) {
        self.bufferByteCount = bufferByteCount
        switch run.place {
        case .memory(let items, let arena):
            self.items = items
            self.arena = arena
            file = nil
            offset = 0
            end = 0
        case .file(let file, let range):
            items = []
            arena = nil
            self.file = file
            offset = range.lowerBound
            end = range.upperBound
        }
    }

    deinit { unsafe buffer.deallocate() }

    /// Goes to the next record. Returns whether there is one.
    @inline(__always)
    mutating func next() throws(LMDBError) -> Bool {
        if nextItem < items.count {
            nextInMemory()
            return true
        }
        if unread.isEmpty, offset == end { return false }
        try nextInFile()
        return true
    }

    @inline(__always)
    private mutating func nextInMemory() {
        lookAhead.look(at: items, from: nextItem)
        let item = items[nextItem]
        nextItem += 1
        let valueCount = Int(unsafe (item.key - 4).loadUnaligned(as: UInt32.self))
        unsafe key = UnsafeRawBufferPointer(start: item.key, count: item.keyCount)
        unsafe value = UnsafeRawBufferPointer(start: item.key + item.keyCount, count: valueCount)
    }

    @inline(__always)
    private mutating func nextInFile() throws(LMDBError) {
        let headerByteCount = ExternalSort.headerByteCount
        if unread.count < headerByteCount { try read(atLeast: headerByteCount) }
        let header = unsafe buffer.baseAddress.unsafelyUnwrapped + unread.lowerBound
        let keyCount = Int(unsafe header.loadUnaligned(as: UInt32.self))
        let valueCount = Int(unsafe (header + 4).loadUnaligned(as: UInt32.self))
        let byteCount = headerByteCount + keyCount + valueCount
        if unread.count < byteCount { try read(atLeast: byteCount) }
        let start = unsafe UnsafeRawPointer(
            buffer.baseAddress.unsafelyUnwrapped + unread.lowerBound + headerByteCount
        )
        unsafe key = UnsafeRawBufferPointer(start: start, count: keyCount)
        unsafe value = UnsafeRawBufferPointer(start: start + keyCount, count: valueCount)
        unread = (unread.lowerBound + byteCount)..<unread.upperBound
    }

    /// Sees to it that the next `count` bytes are in the buffer.
    @inline(never)
    private mutating func read(atLeast count: Int) throws(LMDBError) {
        guard let file else { preconditionFailure("What is in memory is not read.") }
        let rest = unread.count
        var target = unsafe buffer
        if unsafe count > buffer.count {
            let byteCount = unsafe max(count, buffer.count * 2, bufferByteCount)
            unsafe target = .allocate(byteCount: byteCount, alignment: 16)
        }
        if rest > 0 {
            unsafe target.baseAddress.unsafelyUnwrapped.copyMemory(
                from: buffer.baseAddress.unsafelyUnwrapped + unread.lowerBound,
                byteCount: rest
            )
        }
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

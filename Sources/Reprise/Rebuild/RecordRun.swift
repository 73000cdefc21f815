internal import RepriseLMDB

/// Some records of an ``ExternalSort`` in order, in a file or still in memory, to be gone through once.
@safe
final class RecordRun {
    static let bufferByteCountMax = 1 << 18

    /// Those in memory, and what keeps their bytes there.
    private let items: [KeySort.Item]
    private let arena: Arena?
    private var nextItem = 0

    private let file: SpillFile?
    private var offset: Int
    private let end: Int
    private var buffer = unsafe UnsafeMutableRawBufferPointer(start: nil, count: 0)
    /// The bytes of the buffer that are read and not handed out.
    private var unread = 0..<0
    /// How much of the file is in memory at a time; more only for a record that is larger.
    var bufferByteCount = bufferByteCountMax

    private(set) var key = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    private(set) var value = unsafe UnsafeRawBufferPointer(start: nil, count: 0)

    /// Records in memory.
    init(_ items: consuming [KeySort.Item], in arena: Arena) {
        self.items = items
        self.arena = arena
        file = nil
        offset = 0
        end = 0
    }

    /// Records in a part of a file.
    init(_ range: Range<Int>, of file: SpillFile) {
        items = []
        arena = nil
        self.file = file
        offset = range.lowerBound
        end = range.upperBound
    }

    deinit { unsafe buffer.deallocate() }

    var isInFile: Bool { file != nil }

    /// Goes to the next record. Returns whether there is one.
    func next() throws(LMDBError) -> Bool {
        guard let file else { return nextInMemory() }
        return try next(in: file)
    }

    private func nextInMemory() -> Bool {
        guard nextItem < items.count else { return false }
        let item = items[nextItem]
        nextItem += 1
        let valueCount = Int(unsafe (item.key - 4).loadUnaligned(as: UInt32.self))
        unsafe key = UnsafeRawBufferPointer(start: item.key, count: item.keyCount)
        unsafe value = UnsafeRawBufferPointer(start: item.key + item.keyCount, count: valueCount)
        return true
    }

    private func next(in file: SpillFile) throws(LMDBError) -> Bool {
        if unread.isEmpty, offset == end { return false }
        let headerByteCount = ExternalSort.headerByteCount
        try require(headerByteCount, of: file)
        let header = unsafe buffer.baseAddress.unsafelyUnwrapped + unread.lowerBound
        let keyCount = Int(unsafe header.loadUnaligned(as: UInt32.self))
        let valueCount = Int(unsafe (header + 4).loadUnaligned(as: UInt32.self))
        try require(headerByteCount + keyCount + valueCount, of: file)
        let start = unsafe UnsafeRawPointer(
            buffer.baseAddress.unsafelyUnwrapped + unread.lowerBound + headerByteCount
        )
        unsafe key = UnsafeRawBufferPointer(start: start, count: keyCount)
        unsafe value = UnsafeRawBufferPointer(start: start + keyCount, count: valueCount)
        unread = (unread.lowerBound + headerByteCount + keyCount + valueCount)..<unread.upperBound
        return true
    }

    /// Sees to it that the next `count` bytes are in the buffer.
    private func require(_ count: Int, of file: SpillFile) throws(LMDBError) {
        if unread.count >= count { return }
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

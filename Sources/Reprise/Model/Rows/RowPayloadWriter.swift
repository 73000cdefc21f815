/// Builds canonical row payloads in a raw buffer that grows and is used again: no allocation per row.
///
/// The place of the offset table is kept free at its widest; when the row ends, the table is
/// written directly in front of the values in the form that fits, so values never move (except in an
/// embedded row, which has to follow what is already written). See `Specs/format/rows.md`.
@safe
public struct RowPayloadWriter: ~Copyable {
    @usableFromInline var base: UnsafeMutableRawPointer
    @usableFromInline var capacity: Int
    /// Where the next byte goes.
    @usableFromInline var end = 0
    /// Where the finished payload begins.
    @usableFromInline var start = 0
    /// Whether a value failed to encode. Its bytes are incomplete then.
    @usableFromInline var hasFailed = false

    /// Creates a writer with room for `capacity` bytes, which grows when needed.
    public init(capacity: Int = 1024) {
        self.capacity = max(capacity, 64)
        unsafe base = .allocate(byteCount: self.capacity, alignment: 16)
    }

    deinit {
        unsafe base.deallocate()
    }

    /// What has been written: after `endRow` of the outermost row, the payload. Valid until the next change.
    @inlinable
    public var bytes: UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: base + start, count: end - start)
    }

    /// Forgets what was written and keeps the room.
    @inlinable
    public mutating func removeAll() {
        end = 0
        start = 0
        hasFailed = false
    }

    @inlinable
    @inline(__always)
    mutating func reserve(_ count: Int) {
        if capacity - end < count { grow(count) }
    }

    @usableFromInline
    @inline(never)
    mutating func grow(_ count: Int) {
        let newCapacity = max(capacity * 2, end + count)
        let newBase = UnsafeMutableRawPointer.allocate(byteCount: newCapacity, alignment: 16)
        unsafe newBase.copyMemory(from: base, byteCount: end)
        unsafe base.deallocate()
        unsafe base = newBase
        capacity = newCapacity
    }

    /// Appends an integer, least significant byte first.
    @inlinable
    public mutating func append<T: FixedWidthInteger & BitwiseCopyable>(_ value: T) {
        reserve(MemoryLayout<T>.size)
        unsafe (base + end).storeBytes(of: value.littleEndian, as: T.self)
        end += MemoryLayout<T>.size
    }

    /// Appends bytes as they are.
    @inlinable
    public mutating func append(bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        reserve(bytes.count)
        unsafe (base + end).copyMemory(from: source, byteCount: bytes.count)
        end += bytes.count
    }

    /// Appends text whose UTF-8 is not contiguous in memory (a bridged string).
    @usableFromInline
    mutating func append(bridged text: String) {
        for byte in text.utf8 { append(byte) }
    }

    /// Overwrites four bytes written earlier, such as a length that was not known then.
    @inlinable
    mutating func patch(_ value: UInt32, at offset: Int) {
        unsafe (base + offset).storeBytes(of: value.littleEndian, as: UInt32.self)
    }
}

/// Rows.
extension RowPayloadWriter {
    /// A row that is being written.
    public struct Row {
        @usableFromInline let headerStart: Int
        @usableFromInline let valueStart: Int
        @usableFromInline var slot = 0
        /// One more than the last slot that has a value.
        @usableFromInline var count = 0

        @inlinable
        init(headerStart: Int, valueStart: Int) {
            self.headerStart = headerStart
            self.valueStart = valueStart
        }
    }

    /// Begins a row of at most `slotCount` slots; an embedded row begins inside an open slot.
    @inlinable
    public mutating func beginRow(slotCount: Int) -> Row {
        let headerByteCount = 2 + 4 * slotCount
        reserve(headerByteCount)
        let row = Row(headerStart: end, valueStart: end + headerByteCount)
        end += headerByteCount
        return row
    }

    /// Ends the current slot, whose value is what was appended since the last one.
    @inlinable
    @inline(__always)
    public mutating func endSlot(_ row: inout Row) {
        let offset = UInt32(truncatingIfNeeded: end - row.valueStart)
        patch(offset, at: row.headerStart + 2 + 4 * row.slot)
        row.slot += 1
        row.count = row.slot
    }

    /// Leaves the current slot nil.
    @inlinable
    @inline(__always)
    public mutating func skipSlot(_ row: inout Row) {
        let offset = UInt32(truncatingIfNeeded: end - row.valueStart) | 0x8000_0000
        patch(offset, at: row.headerStart + 2 + 4 * row.slot)
        row.slot += 1
    }

    /// Writes a value into the current slot and ends it.
    @inlinable
    public mutating func write(_ value: borrowing some StoredValue, in row: inout Row) {
        if value.isNil {
            skipSlot(&row)
        } else {
            value.write(to: &self)
            endSlot(&row)
        }
    }

    /// Ends the outermost row; ``bytes`` is then its payload. Throws `tooLarge`, and `unencodable` where a value could
    /// not be written. O(slots).
    public mutating func endRow(_ row: consuming Row) throws(ValueError) {
        if hasFailed { throw ValueError(.unencodable) }
        start = writeTable(row)
        guard end - start <= rowByteCountMax else { throw ValueError(.tooLarge) }
    }

    /// Ends a row inside a slot of another: its bytes move down to follow what is before them.
    @usableFromInline
    mutating func endEmbeddedRow(_ row: consuming Row) {
        let headerStart = row.headerStart
        let from = writeTable(row)
        unsafe (base + headerStart).copyMemory(from: base + from, byteCount: end - from)
        end -= from - headerStart
    }

    /// Writes count and table right before the values; returns where the payload begins.
    private mutating func writeTable(_ row: consuming Row) -> Int {
        let count = row.count
        let wide = end - row.valueStart > RowPayload.narrowByteCountMax
        let begin = row.valueStart - 2 - count * (wide ? 4 : 2)
        // From the last slot to the first: a target never lies before its source, so no entry is
        // overwritten before it is read.
        for slot in stride(from: count - 1, through: 0, by: -1) {
            let entry = unsafe UInt32(
                littleEndian: (base + row.headerStart + 2 + 4 * slot)
                    .loadUnaligned(as: UInt32.self)
            )
            if wide {
                patch(entry, at: begin + 2 + 4 * slot)
            } else {
                let narrow = UInt16(truncatingIfNeeded: entry) | UInt16(entry >> 31) << 15
                unsafe (base + begin + 2 + 2 * slot)
                    .storeBytes(of: narrow.littleEndian, as: UInt16.self)
            }
        }
        let head = UInt16(truncatingIfNeeded: count) | (wide ? 0x8000 : 0)
        unsafe (base + begin).storeBytes(of: head.littleEndian, as: UInt16.self)
        return begin
    }
}

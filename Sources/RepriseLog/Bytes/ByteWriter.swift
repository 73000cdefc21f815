/// A growable raw buffer that bytes are appended to, little-endian, without alignment.
///
/// Owns its memory and frees it when it goes out of scope. Appending is amortised O(1) per byte;
/// nothing is allocated as long as the capacity suffices, so a writer that is kept and emptied with
/// `removeAll` costs nothing per use.
@safe
package struct ByteWriter: ~Copyable {
    @usableFromInline var base: UnsafeMutableRawPointer
    @usableFromInline var capacity: Int
    @usableFromInline var used: Int

    /// - Parameter capacity: bytes to make room for at once; more room is made when it is needed.
    package init(capacity: Int = 256) {
        let capacity = max(capacity, 16)
        unsafe base = .allocate(byteCount: capacity, alignment: 16)
        self.capacity = capacity
        used = 0
    }

    deinit {
        unsafe base.deallocate()
    }

    /// How many bytes have been written.
    @inlinable package var count: Int { used }

    /// The bytes written so far; valid until the next change of this writer.
    @inlinable package var bytes: UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: base, count: used)
    }

    /// Forgets every byte.
    ///
    /// - Parameter keepingCapacity: `false` also gives memory back that goes beyond the default
    ///   capacity.
    package mutating func removeAll(keepingCapacity: Bool = true) {
        used = 0
        guard !keepingCapacity, capacity > 256 else { return }
        unsafe base.deallocate()
        capacity = 256
        unsafe base = .allocate(byteCount: capacity, alignment: 16)
    }

    /// Forgets every byte from `count` on, which must not be larger than the present count.
    @inlinable
    package mutating func truncate(to count: Int) {
        precondition(
            count >= 0 && count <= used,
            "A writer cannot be truncated to more than it holds."
        )
        used = count
    }

    /// Makes sure that `additional` more bytes can be written without allocating.
    @inlinable @inline(__always)
    package mutating func makeRoom(for additional: Int) {
        if additional > capacity &- used { grow(by: additional) }
    }

    @usableFromInline @inline(never)
    mutating func grow(by additional: Int) {
        let grown = max(used + additional, capacity * 2)
        let moved = UnsafeMutableRawPointer.allocate(byteCount: grown, alignment: 16)
        unsafe moved.copyMemory(from: base, byteCount: used)
        unsafe base.deallocate()
        unsafe base = moved
        capacity = grown
    }
}

// MARK: - Appending

extension ByteWriter {
    @inlinable @inline(__always)
    mutating func appendBits<Bits: FixedWidthInteger & BitwiseCopyable>(_ bits: Bits) {
        let byteCount = MemoryLayout<Bits>.size
        makeRoom(for: byteCount)
        unsafe base.storeBytes(of: bits.littleEndian, toByteOffset: used, as: Bits.self)
        used &+= byteCount
    }

    /// Appends one byte.
    @inlinable @inline(__always)
    package mutating func u8(_ value: UInt8) { appendBits(value) }

    /// Appends two bytes, the least significant first.
    @inlinable @inline(__always)
    package mutating func u16(_ value: UInt16) { appendBits(value) }

    /// Appends four bytes, the least significant first.
    @inlinable @inline(__always)
    package mutating func u32(_ value: UInt32) { appendBits(value) }

    /// Appends eight bytes, the least significant first.
    @inlinable @inline(__always)
    package mutating func u64(_ value: UInt64) { appendBits(value) }

    /// Appends `value` as an unsigned LEB128 number in its shortest form, 1 to 10 bytes.
    @inlinable @inline(__always)
    package mutating func varint(_ value: UInt64) {
        makeRoom(for: Varint.byteCountMax)
        used &+= unsafe Varint.write(value, to: base + used)
    }

    /// Appends a copy of `source`.
    @inlinable @inline(__always)
    package mutating func bytes(_ source: UnsafeRawBufferPointer) {
        guard let start = source.baseAddress else { return }
        makeRoom(for: source.count)
        unsafe (base + used).copyMemory(from: start, byteCount: source.count)
        used &+= source.count
    }

    /// Appends the UTF-8 bytes of `text`, without its length.
    ///
    /// - Returns: how many bytes were appended.
    @discardableResult
    package mutating func string(_ text: String) -> Int {
        let start = used
        var text = text
        text.withUTF8 { utf8 in unsafe bytes(UnsafeRawBufferPointer(utf8)) }
        return used - start
    }

    /// Appends the length of `text` in UTF-8 bytes as a varint, then those bytes.
    package mutating func prefixedString(_ text: String) {
        var text = text
        text.withUTF8 { utf8 in
            varint(UInt64(utf8.count))
            unsafe bytes(UnsafeRawBufferPointer(utf8))
        }
    }

    /// Appends the length of `source` as a varint, then a copy of it.
    @inlinable
    package mutating func prefixedBytes(_ source: UnsafeRawBufferPointer) {
        varint(UInt64(source.count))
        unsafe bytes(source)
    }
}

// MARK: - Going back

extension ByteWriter {
    /// Appends `byteCount` zero bytes to be filled in later by `patch`.
    ///
    /// - Returns: the offset of the first of them.
    @inlinable
    package mutating func reserve(_ byteCount: Int) -> Int {
        makeRoom(for: byteCount)
        let offset = used
        unsafe UnsafeMutableRawBufferPointer(start: base + offset, count: byteCount)
            .initializeMemory(as: UInt8.self, repeating: 0)
        used &+= byteCount
        return offset
    }

    @inlinable @inline(__always)
    mutating func patchBits<Bits: FixedWidthInteger & BitwiseCopyable>(_ bits: Bits, at offset: Int)
    {
        precondition(
            offset >= 0 && offset <= used - MemoryLayout<Bits>.size,
            "Only bytes that have been written can be patched."
        )
        unsafe base.storeBytes(of: bits.littleEndian, toByteOffset: offset, as: Bits.self)
    }

    /// Overwrites one byte at `offset`.
    @inlinable package mutating func patch(u8 value: UInt8, at offset: Int) {
        patchBits(value, at: offset)
    }

    /// Overwrites two bytes at `offset`, the least significant first.
    @inlinable package mutating func patch(u16 value: UInt16, at offset: Int) {
        patchBits(value, at: offset)
    }

    /// Overwrites four bytes at `offset`, the least significant first.
    @inlinable package mutating func patch(u32 value: UInt32, at offset: Int) {
        patchBits(value, at: offset)
    }

    /// Overwrites eight bytes at `offset`, the least significant first.
    @inlinable package mutating func patch(u64 value: UInt64, at offset: Int) {
        patchBits(value, at: offset)
    }

    /// Overwrites `source.count` bytes at `offset`.
    package mutating func patch(bytes source: UnsafeRawBufferPointer, at offset: Int) {
        precondition(
            offset >= 0 && source.count <= used && offset <= used - source.count,
            "Only bytes that have been written can be patched."
        )
        guard let start = source.baseAddress else { return }
        unsafe (base + offset).copyMemory(from: start, byteCount: source.count)
    }

    /// Overwrites `byteCount` bytes at `offset` with a varint of exactly that size.
    @inline(__always)
    mutating func patch(varint value: UInt64, byteCount: Int, at offset: Int) {
        precondition(
            byteCount == Varint.byteCount(of: value) && offset >= 0 && offset <= used - byteCount,
            "Only bytes that have been written can be patched."
        )
        _ = unsafe Varint.write(value, to: base + offset)
    }

    /// Appends `byteCount` bytes that the caller will fill in before anyone reads them.
    @inline(__always)
    mutating func extend(by byteCount: Int) {
        makeRoom(for: byteCount)
        used &+= byteCount
    }

    /// Moves everything from `offset` on by `shift` bytes, towards the end when positive. The bytes
    /// of a gap keep what they held; the caller fills them.
    mutating func shift(from offset: Int, by shift: Int) {
        precondition(offset >= 0 && offset <= used && offset + shift >= 0)
        if shift > 0 { makeRoom(for: shift) }
        unsafe (base + offset + shift).copyMemory(from: base + offset, byteCount: used - offset)
        used += shift
    }
}

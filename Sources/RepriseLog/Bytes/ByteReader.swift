/// A bounds-checked cursor over bytes that may hold anything.
///
/// Every read throws `LogError` with the code `.corrupt` when the bytes end too early or are not in
/// the one valid form, and leaves the cursor where it was. No input makes it trap. The bytes must
/// outlive the reader and everything that was taken out of it.
@safe
package struct ByteReader {
    @usableFromInline let source: UnsafeRawBufferPointer
    @usableFromInline let end: Int
    @usableFromInline var position: Int

    /// Reads `bytes` from their beginning.
    @inlinable
    package init(_ bytes: UnsafeRawBufferPointer) {
        unsafe source = bytes
        end = bytes.count
        position = 0
    }

    /// How many bytes have been read.
    @inlinable package var offset: Int { position }

    /// How many bytes are left.
    @inlinable package var remaining: Int { end &- position }

    /// Whether every byte has been read.
    @inlinable package var isAtEnd: Bool { position == end }
}

extension ByteReader {
    @inlinable @inline(__always)
    mutating func takeBits<Bits: FixedWidthInteger & BitwiseCopyable>(
        _: Bits.Type
    ) throws(LogError) -> Bits {
        guard remaining >= MemoryLayout<Bits>.size else { throw .endOfBytes() }
        let bits = unsafe source.loadUnaligned(fromByteOffset: position, as: Bits.self)
        position &+= MemoryLayout<Bits>.size
        return Bits(littleEndian: bits)
    }

    /// Reads one byte.
    @inlinable @inline(__always)
    package mutating func u8() throws(LogError) -> UInt8 { try takeBits(UInt8.self) }

    /// Reads two bytes, the least significant first.
    @inlinable @inline(__always)
    package mutating func u16() throws(LogError) -> UInt16 { try takeBits(UInt16.self) }

    /// Reads four bytes, the least significant first.
    @inlinable @inline(__always)
    package mutating func u32() throws(LogError) -> UInt32 { try takeBits(UInt32.self) }

    /// Reads eight bytes, the least significant first.
    @inlinable @inline(__always)
    package mutating func u64() throws(LogError) -> UInt64 { try takeBits(UInt64.self) }

    /// Reads an unsigned LEB128 number.
    ///
    /// - Throws: `.corrupt` also when it is longer than its shortest form or larger than 64 bits.
    @inlinable @inline(__always)
    package mutating func varint() throws(LogError) -> UInt64 {
        if position < end {
            let byte = unsafe source[position]
            if byte < 0x80 {
                position &+= 1
                return UInt64(byte)
            }
        }
        return try longVarint()
    }

    @usableFromInline
    mutating func longVarint() throws(LogError) -> UInt64 {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        var index = position
        while index < end {
            let byte = unsafe source[index]
            index &+= 1
            if shift == 63, byte > 1 { throw .corrupt("a number does not fit into 64 bits") }
            value |= UInt64(byte & 0x7F) &<< shift
            if byte < 0x80 {
                if byte == 0, shift > 0 { throw .corrupt("a number is not in its shortest form") }
                position = index
                return value
            }
            shift &+= 7
        }
        throw .endOfBytes()
    }

    /// Reads a varint that must lie in `range`.
    @inlinable @inline(__always)
    package mutating func varint(in range: ClosedRange<UInt64>) throws(LogError) -> UInt64 {
        let start = position
        let value = try varint()
        guard range.contains(value) else {
            position = start
            throw .corrupt("a number lies outside its range")
        }
        return value
    }

    /// Reads `count` bytes in place, without copying.
    @inlinable @inline(__always)
    package mutating func bytes(_ count: Int) throws(LogError) -> UnsafeRawBufferPointer {
        guard count >= 0, count <= remaining else { throw .endOfBytes() }
        let slice = unsafe UnsafeRawBufferPointer(rebasing: source[position..<(position &+ count)])
        position &+= count
        return unsafe slice
    }

    /// Reads everything that is left, in place.
    @inlinable
    package mutating func rest() -> UnsafeRawBufferPointer {
        let slice = unsafe UnsafeRawBufferPointer(rebasing: source[position...])
        position = end
        return unsafe slice
    }

    /// Passes over `count` bytes.
    @inlinable
    package mutating func skip(_ count: Int) throws(LogError) {
        guard count >= 0, count <= remaining else { throw .endOfBytes() }
        position &+= count
    }

    /// Reads a varint and then as many bytes as it says, in place.
    @inlinable
    package mutating func prefixedBytes() throws(LogError) -> UnsafeRawBufferPointer {
        let start = position
        let count = try varint()
        guard count <= UInt64(remaining) else {
            position = start
            throw .endOfBytes()
        }
        return try unsafe bytes(Int(count))
    }

    /// Reads `byteCount` bytes of UTF-8.
    ///
    /// - Throws: `.corrupt` also when they are not valid UTF-8.
    package mutating func string(byteCount: Int) throws(LogError) -> String {
        let start = position
        let utf8 = try unsafe bytes(byteCount)
        guard let text = unsafe String(validating: utf8, as: UTF8.self) else {
            position = start
            throw .corrupt("a text is not valid UTF-8")
        }
        return text
    }

    /// Reads a varint and then as many bytes of UTF-8 as it says.
    ///
    /// - Parameter byteCountMax: a longer text is corrupt.
    package mutating func prefixedString(byteCountMax: Int = .max) throws(LogError) -> String {
        let start = position
        do throws(LogError) {
            let count = try varint()
            guard count <= UInt64(remaining) else { throw .endOfBytes() }
            guard Int(count) <= byteCountMax else { throw .corrupt("a text is too long") }
            return try string(byteCount: Int(count))
        } catch {
            position = start
            throw error
        }
    }
}

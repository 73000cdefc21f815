/// Unsigned LEB128: seven bits a byte, the least significant first, the top bit set on every byte
/// but the last.
///
/// Source: DWARF Debugging Information Format, version 5, section 7.6. Only the shortest form of a
/// number is valid here, so equal values are equal bytes.
@usableFromInline
enum Varint {
    /// The longest form of a 64-bit number.
    @usableFromInline static var byteCountMax: Int { @inlinable get { 10 } }

    /// How many bytes `value` takes, 1 to 10.
    @inlinable @inline(__always)
    static func byteCount(of value: UInt64) -> Int {
        let bitCount = 64 &- (value | 1).leadingZeroBitCount
        return (bitCount &+ 6) / 7
    }

    /// Writes `value` to `target`, which must have room for `byteCountMax` bytes, and returns how
    /// many were used.
    @inlinable @inline(__always)
    static func write(_ value: UInt64, to target: UnsafeMutableRawPointer) -> Int {
        var rest = value
        var count = 0
        while rest >= 0x80 {
            unsafe target.storeBytes(
                of: UInt8(truncatingIfNeeded: rest) | 0x80,
                toByteOffset: count,
                as: UInt8.self
            )
            rest &>>= 7
            count &+= 1
        }
        unsafe target.storeBytes(
            of: UInt8(truncatingIfNeeded: rest),
            toByteOffset: count,
            as: UInt8.self
        )
        return count &+ 1
    }
}

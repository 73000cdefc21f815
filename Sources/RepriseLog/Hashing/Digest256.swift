/// 256 bits: a SHA-256 hash, or a wrap-around sum of such hashes.
///
/// The bytes are four little-endian lanes of 64 bits, the least significant lane first, so the
/// whole is one 256-bit little-endian number. Sums do not depend on the order of their terms, and a
/// term can be taken out again.
package struct Digest256: Sendable, Hashable, BitwiseCopyable {
    /// The lanes, the least significant first.
    @usableFromInline var lane0, lane1, lane2, lane3: UInt64

    @inlinable
    init(_ lane0: UInt64, _ lane1: UInt64, _ lane2: UInt64, _ lane3: UInt64) {
        (self.lane0, self.lane1, self.lane2, self.lane3) = (lane0, lane1, lane2, lane3)
    }

    /// 32 zero bytes.
    @inlinable package static var zero: Digest256 { Digest256(0, 0, 0, 0) }

    /// How many bytes a digest has.
    @inlinable package static var byteCount: Int { 32 }

    /// - Parameter bytes: exactly 32 bytes, at any alignment.
    @inlinable
    package init(bytes: UnsafeRawBufferPointer) {
        precondition(bytes.count == Self.byteCount, "A digest has 32 bytes.")
        lane0 = unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self))
        lane1 = unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        lane2 = unsafe UInt64(
            littleEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self)
        )
        lane3 = unsafe UInt64(
            littleEndian: bytes.loadUnaligned(fromByteOffset: 24, as: UInt64.self)
        )
    }

    /// Writes the 32 bytes to the beginning of `target`.
    @inlinable
    package func write(into target: UnsafeMutableRawBufferPointer) {
        precondition(target.count >= Self.byteCount, "A digest needs room for 32 bytes.")
        unsafe target.storeBytes(of: lane0.littleEndian, toByteOffset: 0, as: UInt64.self)
        unsafe target.storeBytes(of: lane1.littleEndian, toByteOffset: 8, as: UInt64.self)
        unsafe target.storeBytes(of: lane2.littleEndian, toByteOffset: 16, as: UInt64.self)
        unsafe target.storeBytes(of: lane3.littleEndian, toByteOffset: 24, as: UInt64.self)
    }
}

// MARK: - Sums

extension Digest256 {
    /// The sum modulo 2^256.
    @inlinable
    package static func &+ (left: Digest256, right: Digest256) -> Digest256 {
        let (sum0, carry0) = left.lane0.addingReportingOverflow(right.lane0)
        let (sum1, carry1) = add(left.lane1, right.lane1, carry0)
        let (sum2, carry2) = add(left.lane2, right.lane2, carry1)
        let (sum3, _) = add(left.lane3, right.lane3, carry2)
        return Digest256(sum0, sum1, sum2, sum3)
    }

    /// The difference modulo 2^256, so that `a &+ b &- b == a`.
    @inlinable
    package static func &- (left: Digest256, right: Digest256) -> Digest256 {
        let (rest0, borrow0) = left.lane0.subtractingReportingOverflow(right.lane0)
        let (rest1, borrow1) = subtract(left.lane1, right.lane1, borrow0)
        let (rest2, borrow2) = subtract(left.lane2, right.lane2, borrow1)
        let (rest3, _) = subtract(left.lane3, right.lane3, borrow2)
        return Digest256(rest0, rest1, rest2, rest3)
    }

    /// Adds `right` in place, modulo 2^256.
    @inlinable
    package static func &+= (left: inout Digest256, right: Digest256) { left = left &+ right }

    /// Subtracts `right` in place, modulo 2^256.
    @inlinable
    package static func &-= (left: inout Digest256, right: Digest256) { left = left &- right }

    @inlinable @inline(__always)
    static func add(_ left: UInt64, _ right: UInt64, _ carry: Bool) -> (UInt64, Bool) {
        let (sum, overflow) = left.addingReportingOverflow(right)
        let (total, again) = sum.addingReportingOverflow(carry ? 1 : 0)
        return (total, overflow || again)
    }

    @inlinable @inline(__always)
    static func subtract(_ left: UInt64, _ right: UInt64, _ borrow: Bool) -> (UInt64, Bool) {
        let (rest, overflow) = left.subtractingReportingOverflow(right)
        let (total, again) = rest.subtractingReportingOverflow(borrow ? 1 : 0)
        return (total, overflow || again)
    }
}

// MARK: - Text

extension Digest256: CustomStringConvertible {
    /// The bytes in their order as 64 lower-case hexadecimal digits.
    package var hex: String {
        unsafe String(unsafeUninitializedCapacity: 64) { target in
            for (index, lane) in [lane0, lane1, lane2, lane3].enumerated() {
                for byte in 0..<8 {
                    let value = UInt8(truncatingIfNeeded: lane &>> UInt64(8 * byte))
                    unsafe target[16 * index + 2 * byte] = Self.digit(value >> 4)
                    unsafe target[16 * index + 2 * byte + 1] = Self.digit(value & 15)
                }
            }
            return 64
        }
    }

    package var description: String { hex }

    /// The 32 bytes in their order.
    package var bytes: [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: Self.byteCount) { target, count in
            unsafe write(into: UnsafeMutableRawBufferPointer(target))
            count = Self.byteCount
        }
    }

    /// The digest whose `hex` is `hex`, in lower or upper case; `nil` for any other text.
    package init?(hex: String) {
        guard hex.utf8.count == 2 * Self.byteCount else { return nil }
        var lanes: [UInt64] = [0, 0, 0, 0]
        for (index, character) in hex.utf8.enumerated() {
            guard let nibble = Self.nibble(character) else { return nil }
            let shift = 8 * (index / 2 % 8) + (index.isMultiple(of: 2) ? 4 : 0)
            lanes[index / 16] |= UInt64(nibble) << UInt64(shift)
        }
        self.init(lanes[0], lanes[1], lanes[2], lanes[3])
    }

    private static func digit(_ nibble: UInt8) -> UInt8 {
        nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") + nibble - 10
    }

    private static func nibble(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

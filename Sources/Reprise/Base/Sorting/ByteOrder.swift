#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

extension UnsafeRawBufferPointer {
    /// The order of the bytes, as LMDB orders keys: -1, 0 or 1.
    @inline(__always)
    func order(against other: UnsafeRawBufferPointer) -> Int {
        let common = Swift.min(count, other.count)
        if common > 0 {
            let order = unsafe memcmp(
                baseAddress.unsafelyUnwrapped,
                other.baseAddress.unsafelyUnwrapped,
                common
            )
            if order != 0 { return order < 0 ? -1 : 1 }
        }
        return count == other.count ? 0 : count < other.count ? -1 : 1
    }

    @inline(__always)
    func precedes(_ other: UnsafeRawBufferPointer) -> Bool {
        unsafe order(against: other) < 0
    }

    @inline(__always)
    func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
        guard count == other.count else { return false }
        guard count > 0 else { return true }
        return unsafe memcmp(
            baseAddress.unsafelyUnwrapped,
            other.baseAddress.unsafelyUnwrapped,
            count
        ) == 0
    }

    func begins(with prefix: [UInt8]) -> Bool {
        guard count >= prefix.count else { return false }
        let start = unsafe UnsafeRawBufferPointer(rebasing: self[..<prefix.count])
        return unsafe prefix.withUnsafeBytes { unsafe start.hasSameBytes(as: $0) }
    }

    /// Eight bytes from `depth` on as a number that has their order; zeros stand for those that are missing.
    @inline(__always)
    func bigEndianPrefix(at depth: Int) -> UInt64 {
        let remaining = count - depth
        guard remaining > 0 else { return 0 }
        let start = unsafe baseAddress.unsafelyUnwrapped + depth
        if remaining >= 8 { return unsafe UInt64(bigEndian: start.loadUnaligned(as: UInt64.self)) }
        var prefix: UInt64 = 0
        for offset in 0..<remaining {
            let byte = unsafe start.load(fromByteOffset: offset, as: UInt8.self)
            prefix |= UInt64(byte) << (56 - 8 * UInt64(offset))
        }
        return prefix
    }
}

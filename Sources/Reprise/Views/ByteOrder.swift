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
}

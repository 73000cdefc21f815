#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

extension UnsafeRawBufferPointer {
    /// Whether `part` occurs in these bytes.
    func contains(_ part: [UInt8]) -> Bool {
        unsafe part.withUnsafeBytes { unsafe contains($0) }
    }

    /// Whether `part` occurs in these bytes.
    ///
    /// Looks at eight places at a time for those where both the first and the last byte of the part stand, and only
    /// there at what is between (the "generic SIMD" algorithm of W. Muła, in 64-bit words). O(bytes), and O(bytes of
    /// the part) more for each place with the right ends.
    func contains(_ part: UnsafeRawBufferPointer) -> Bool {
        let length = part.count
        guard length > 0 else { return true }
        // The number of places where the part could begin.
        let places = count - length + 1
        guard places > 0, let base = baseAddress, let pattern = part.baseAddress
        else { return false }
        let first = unsafe part[0]
        let last = unsafe part[length - 1]
        if places < 8 {
            for place in 0..<places
            where unsafe base.load(fromByteOffset: place, as: UInt8.self) == first {
                if unsafe memcmp(base + place, pattern, length) == 0 { return true }
            }
            return false
        }
        let firsts = UInt64(first) &* 0x0101_0101_0101_0101
        let lasts = UInt64(last) &* 0x0101_0101_0101_0101
        var place = 0
        while true {
            let heads = unsafe base.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            let tails = unsafe base.loadUnaligned(
                fromByteOffset: place + length - 1,
                as: UInt64.self
            )
            // A byte of it is zero where both ends are right.
            let wrong =
                (UInt64(littleEndian: heads) ^ firsts) | (UInt64(littleEndian: tails) ^ lasts)
            var found = (wrong &- 0x0101_0101_0101_0101) & ~wrong & 0x8080_8080_8080_8080
            while found != 0 {
                let at = place + found.trailingZeroBitCount >> 3
                if unsafe memcmp(base + at, pattern, length) == 0 { return true }
                found &= found - 1
            }
            if place + 8 >= places { return false }
            // The last step looks at some places again rather than beyond the end.
            place = Swift.min(place + 8, places - 8)
        }
    }
}

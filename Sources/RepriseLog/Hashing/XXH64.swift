/// XXH64, a fast 64-bit checksum against accidental damage. It is no protection against forgery.
///
/// Source: xxHash fast digest algorithm, version 0.1.1,
/// https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md
package enum XXH64 {
    private static let prime1: UInt64 = 0x9E37_79B1_85EB_CA87
    private static let prime2: UInt64 = 0xC2B2_AE3D_27D4_EB4F
    private static let prime3: UInt64 = 0x1656_67B1_9E37_79F9
    private static let prime4: UInt64 = 0x85EB_CA77_C2B2_AE63
    private static let prime5: UInt64 = 0x27D4_EB2F_1656_67C5

    /// The checksum of `bytes`, with the seed 0. O(n).
    package static func hash(_ bytes: [UInt8]) -> UInt64 { unsafe bytes.withUnsafeBytes { unsafe hash($0) } }

    /// The checksum of `bytes`, at any alignment. O(n).
    package static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt64 = 0) -> UInt64 {
        guard let start = bytes.baseAddress else { return unsafe finish(seed &+ prime5, nil, 0) }
        guard bytes.count >= 32 else {
            let sum = seed &+ prime5 &+ UInt64(bytes.count)
            return unsafe finish(sum, start, bytes.count)
        }
        var lanes = Lanes(seed: seed)
        let striped = bytes.count & ~31
        unsafe lanes.add(start, byteCount: striped)
        let sum = lanes.merged &+ UInt64(bytes.count)
        return unsafe finish(sum, start + striped, bytes.count & 31)
    }

    /// The checksum of both pieces one after the other, without joining them. O(n).
    package static func hash(
        _ first: UnsafeRawBufferPointer,
        _ second: UnsafeRawBufferPointer,
        seed: UInt64 = 0
    ) -> UInt64 {
        guard let head = first.baseAddress, first.count > 0 else {
            return unsafe hash(second, seed: seed)
        }
        guard let tail = second.baseAddress, second.count > 0 else {
            return unsafe hash(first, seed: seed)
        }
        let total = first.count + second.count
        // The stripe of 32 bytes that straddles the seam is put together here; all others are read
        // in place.
        return unsafe withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { seam in
            let seam = unsafe UnsafeMutableRawPointer(seam.baseAddress.unsafelyUnwrapped)
            let kept = first.count & 31
            unsafe seam.copyMemory(from: head + (first.count - kept), byteCount: kept)
            guard total >= 32 else {
                unsafe (seam + kept).copyMemory(from: tail, byteCount: second.count)
                return unsafe finish(seed &+ prime5 &+ UInt64(total), seam, total)
            }
            var lanes = Lanes(seed: seed)
            unsafe lanes.add(head, byteCount: first.count - kept)
            guard kept + second.count >= 32 else {
                unsafe (seam + kept).copyMemory(from: tail, byteCount: second.count)
                return unsafe finish(lanes.merged &+ UInt64(total), seam, kept + second.count)
            }
            let borrowed = kept == 0 ? 0 : 32 - kept
            if borrowed > 0 {
                unsafe (seam + kept).copyMemory(from: tail, byteCount: borrowed)
                unsafe lanes.add(seam, byteCount: 32)
            }
            let striped = (second.count - borrowed) & ~31
            unsafe lanes.add(tail + borrowed, byteCount: striped)
            let left = second.count - borrowed - striped
            return unsafe finish(
                lanes.merged &+ UInt64(total),
                tail + borrowed + striped,
                left
            )
        }
    }
}

// MARK: - Steps of the specification

extension XXH64 {
    /// The four accumulators of steps 1 to 3.
    private struct Lanes {
        var lane1, lane2, lane3, lane4: UInt64

        @inline(__always)
        init(seed: UInt64) {
            lane1 = seed &+ prime1 &+ prime2
            lane2 = seed &+ prime2
            lane3 = seed
            lane4 = seed &- prime1
        }

        /// - Parameter byteCount: a multiple of 32.
        @inline(__always)
        mutating func add(_ start: UnsafeRawPointer, byteCount: Int) {
            var offset = 0
            while offset < byteCount {
                lane1 = unsafe round(lane1, word(start, offset))
                lane2 = unsafe round(lane2, word(start, offset &+ 8))
                lane3 = unsafe round(lane3, word(start, offset &+ 16))
                lane4 = unsafe round(lane4, word(start, offset &+ 24))
                offset &+= 32
            }
        }

        @inline(__always)
        var merged: UInt64 {
            var sum =
                rotated(lane1, 1) &+ rotated(lane2, 7) &+ rotated(lane3, 12) &+ rotated(lane4, 18)
            sum = merge(sum, lane1)
            sum = merge(sum, lane2)
            sum = merge(sum, lane3)
            return merge(sum, lane4)
        }

        @inline(__always)
        private func merge(_ sum: UInt64, _ lane: UInt64) -> UInt64 {
            (sum ^ round(0, lane)) &* prime1 &+ prime4
        }
    }

    /// Steps 5 and 6: takes in the last `byteCount` bytes, fewer than 32, and mixes the result.
    @inline(__always)
    private static func finish(_ sum: UInt64, _ tail: UnsafeRawPointer?, _ byteCount: Int) -> UInt64
    {
        var sum = sum
        if let tail = unsafe tail {
            var offset = 0
            while offset &+ 8 <= byteCount {
                sum ^= unsafe round(0, word(tail, offset))
                sum = rotated(sum, 27) &* prime1 &+ prime4
                offset &+= 8
            }
            if offset &+ 4 <= byteCount {
                let half = unsafe tail.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
                sum ^= UInt64(UInt32(littleEndian: half)) &* prime1
                sum = rotated(sum, 23) &* prime2 &+ prime3
                offset &+= 4
            }
            while offset < byteCount {
                let byte = unsafe tail.load(fromByteOffset: offset, as: UInt8.self)
                sum ^= UInt64(byte) &* prime5
                sum = rotated(sum, 11) &* prime1
                offset &+= 1
            }
        }
        sum ^= sum &>> 33
        sum = sum &* prime2
        sum ^= sum &>> 29
        sum = sum &* prime3
        return sum ^ (sum &>> 32)
    }

    @inline(__always)
    private static func round(_ lane: UInt64, _ word: UInt64) -> UInt64 {
        rotated(lane &+ word &* prime2, 31) &* prime1
    }

    @inline(__always)
    private static func rotated(_ value: UInt64, _ bitCount: UInt64) -> UInt64 {
        value &<< bitCount | value &>> (64 &- bitCount)
    }

    @inline(__always)
    private static func word(_ start: UnsafeRawPointer, _ offset: Int) -> UInt64 {
        unsafe UInt64(littleEndian: start.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}

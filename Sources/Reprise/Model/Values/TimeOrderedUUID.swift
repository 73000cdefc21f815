#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
internal import RepriseLMDB

/// Makes UUIDs of version 7 that ascend: RFC 9562, section 5.7, with the counter of section 6.2, method 1.
///
/// The first 48 bits are the milliseconds since 1970, the next 12 count the UUIDs of one millisecond, and 62 bits are
/// random. The counter begins below 2048, so that 2048 fit at least. Where more are made, or the clock goes back, the
/// time that is written runs ahead of the clock.
struct TimeOrderedUUID {
    private static let counterMax: UInt16 = 0xFFF
    private static let shared = Guarded(TimeOrderedUUID())

    private var milliseconds: UInt64 = 0
    private var counter: UInt16 = 0

    /// The next one of this process.
    static func next() -> UUID {
        let now = UInt64(max(0, Date().timeIntervalSince1970 * 1000))
        return shared.withLock { $0.next(at: now) }
    }

    /// - Parameter now: milliseconds since 1970.
    mutating func next(at now: UInt64) -> UUID {
        if now > milliseconds {
            milliseconds = now
            counter = .random(in: 0...Self.counterMax / 2)
        } else if counter < Self.counterMax {
            counter += 1
        } else {
            milliseconds += 1
            counter = .random(in: 0...Self.counterMax / 2)
        }
        let high = milliseconds << 16 | 0x7000 | UInt64(counter)
        let low = 1 << 63 | UInt64.random(in: 0..<(1 << 62))
        func byte(_ word: UInt64, _ place: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: word >> (56 - 8 * place)) }
        return UUID(
            uuid: (
                byte(high, 0), byte(high, 1), byte(high, 2), byte(high, 3),
                byte(high, 4), byte(high, 5), byte(high, 6), byte(high, 7),
                byte(low, 0), byte(low, 1), byte(low, 2), byte(low, 3),
                byte(low, 4), byte(low, 5), byte(low, 6), byte(low, 7)
            )
        )
    }
}

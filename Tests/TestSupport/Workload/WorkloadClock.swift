internal import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A clock that goes on by one second each time it is read: no two commits have the same time.
final class WorkloadClock: Sendable {
    /// 2024-01-01T00:00:00Z in seconds since 2001-01-01T00:00:00Z.
    private static let start = 725_760_000.0
    private let readings = Mutex<Double>(0)

    func now() -> Date {
        readings.withLock { count in
            count += 1
            return Date(timeIntervalSinceReferenceDate: Self.start + count)
        }
    }
}

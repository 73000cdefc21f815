internal import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A clock that tells the same times in every run of a test: each call a step after the one before.
///
/// ```swift
/// let clock = FixedClock()
/// let store = try Store.temporary(schema, configuration: .init(now: clock.now))
/// ```
public final class FixedClock: Sendable {
    private let next: Mutex<Date>
    private let step: Duration

    /// - Parameters:
    ///   - start: what the first call tells; the 14th of November 2023, 22:13:20 UTC, where nothing is said.
    ///   - step: how much later each call is than the one before.
    public init(
        from start: Date = Date(timeIntervalSince1970: 1_700_000_000),
        step: Duration = .seconds(1)
    ) {
        next = Mutex(start)
        self.step = step
    }

    /// The time. The next call tells a later one.
    @Sendable
    public func now() -> Date {
        next.withLock { next in
            defer { next.addTimeInterval(step / .seconds(1)) }
            return next
        }
    }
}

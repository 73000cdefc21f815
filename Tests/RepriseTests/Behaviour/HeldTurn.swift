import FaultSupport
import RepriseLMDB
import Testing

@testable import Reprise

/// A write that keeps the turn until it is let go of, so that others come to wait together.
final class HeldTurn: Sendable {
    private let store: Store
    private let mayEnd = Signal()
    private let hasEnded = Flag()
    private let failure = Guarded<(any Error)?>(nil)

    /// - Parameter body: what the write does before it waits.
    init(
        _ store: Store,
        _ body: @escaping @Sendable (inout Reprise.WriteTransaction) throws -> Void = { _ in }
    ) {
        self.store = store
        let hasBegun = Signal()
        DetachedThread.start { [self] in
            do {
                try store.write(CommitContext(intent: "leader")) { transaction in
                    hasBegun.raise()
                    mayEnd.wait()
                    try body(&transaction)
                }
            } catch { failure.withLock { $0 = error } }
            hasEnded.raise()
        }
        hasBegun.wait()
    }

    /// Waits until so many others wait for their turn.
    ///
    /// For long, if need be: on two cores, tests that block keep the threads that tasks share for minutes.
    func wait(for count: Int) async throws {
        let deadline = ContinuousClock.now + .seconds(900)
        while store.writer.waitingCount != count {
            try #require(ContinuousClock.now < deadline, "\(store.writer.waitingCount) wait")
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    func letGo() {
        mayEnd.raise()
    }

    /// Waits until the write has returned, and returns what it threw.
    func end() async throws -> (any Error)? {
        while !hasEnded.isRaised { try await Task.sleep(for: .milliseconds(1)) }
        return failure.withLock { $0 }
    }
}

/// Runs blocking work on a thread of its own, not on one of the few that tasks share.
func onThread<R: Sendable>(_ work: @escaping @Sendable () throws -> R) async throws -> R {
    try await withCheckedThrowingContinuation { continuation in
        DetachedThread.start { continuation.resume(with: Result { try work() }) }
    }
}

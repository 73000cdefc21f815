import FaultSupport
import RepriseLMDB
import Testing

@testable import Reprise

/// A write that keeps the turn until it is let go of, so that others come to wait together.
final class HeldTurn: Sendable {
    private let store: Store
    private let mayEnd = Signal()
    /// Raised on the thread of the write, after its return.
    let hasEnded = Flag()
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
    func wait(for count: Int) async throws {
        let deadline = ContinuousClock.now + .seconds(60)
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

/// Blocking work that begins at once on a thread of its own; a task would first wait for one of the few threads that
/// tasks share, and busy tests may keep those for minutes.
final class StartedWork<R: Sendable>: Sendable {
    private let result = Guarded<Result<R, any Error>?>(nil)
    private let hasEnded = Flag()

    init(_ work: @escaping @Sendable () throws -> R) {
        DetachedThread.start { [self] in
            let made = Result { try work() }
            result.withLock { $0 = made }
            hasEnded.raise()
        }
    }

    /// Waits for the end.
    var value: R {
        get async throws {
            while !hasEnded.isRaised { try await Task.sleep(for: .milliseconds(1)) }
            return try #require(result.withLock { $0 }).get()
        }
    }
}

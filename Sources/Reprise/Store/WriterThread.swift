internal import RepriseLMDB

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Lets one write after the other have its turn, in order of arrival.
///
/// LMDB binds a write transaction to the thread that began it, so write bodies are synchronous. Those of asynchronous
/// writes run on this thread. Those of synchronous writes run on their caller's: a closure that was formed on the main
/// actor may not run anywhere else. A turn that is free is taken without waking any thread.
final class WriterThread: Sendable {
    private enum Waiting: Sendable {
        /// A thread that waits for its turn.
        case thread(Signal)
        /// Work for this thread.
        case job(@Sendable () -> Void)
    }

    private struct Turns {
        /// Whether somebody has the turn.
        var isTaken = false
        /// Who comes next, in order of arrival.
        var queue: [Waiting] = []
        /// What this thread shall do now, having been given the turn.
        var job: (@Sendable () -> Void)?
        var isStopping = false
        /// The thread whose turn it is.
        var owner: pthread_t?
    }

    private let turns = Guarded(Turns())
    /// Raised when there is a job for this thread, and when it shall end.
    private let wake = Signal()

    init() {
        DetachedThread.start { self.run() }
    }

    /// Whether it is the turn of the calling thread.
    private var isCallersTurn: Bool {
        turns.withLock { turns in
            guard let owner = turns.owner else { return false }
            return pthread_equal(owner, pthread_self()) != 0
        }
    }

    /// Runs `job` on the calling thread when its turn has come.
    ///
    /// A write from inside a write is a programmer error: it would wait for itself.
    func perform<R>(_ job: () throws -> R) throws -> R {
        precondition(
            !isCallersTurn,
            "A write was started inside a write of the same store. Use the transaction that you were given."
        )
        let turn = Signal()
        let arrival = turns.withLock { turns -> Arrival in
            if turns.isStopping { return .refused }
            if turns.isTaken {
                turns.queue.append(.thread(turn))
                return .queued
            }
            turns.isTaken = true
            return .first
        }
        switch arrival {
        // The job finds the store closed.
        case .refused: return try job()
        case .queued: turn.wait()
        case .first: break
        }
        defer { passOn() }
        return try owned(job)
    }

    /// Runs `job` on this thread, without blocking the caller's.
    func perform<R: Sendable>(_ job: @escaping @Sendable () throws -> R) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            let work: @Sendable () -> Void = {
                continuation.resume(with: Result { try self.owned(job) })
            }
            let arrival = turns.withLock { turns -> Arrival in
                if turns.isStopping { return .refused }
                if turns.isTaken {
                    turns.queue.append(.job(work))
                    return .queued
                }
                turns.isTaken = true
                turns.job = work
                return .first
            }
            switch arrival {
            case .refused: continuation.resume(with: Result { try job() })
            case .queued: break
            case .first: wake.raise()
            }
        }
    }

    private enum Arrival {
        case first, queued, refused
    }

    /// Lets the thread end when those who wait have had their turn. Jobs that come later run where they are, and find
    /// the store closed.
    func stop() {
        turns.withLock { $0.isStopping = true }
        wake.raise()
    }

    /// Gives the turn to the next.
    private func passOn() {
        let (next, isOver) = turns.withLock { turns -> (Waiting?, Bool) in
            guard !turns.queue.isEmpty else {
                turns.isTaken = false
                return (nil, turns.isStopping)
            }
            let next = turns.queue.removeFirst()
            if case .job(let job) = next { turns.job = job }
            return (next, false)
        }
        switch next {
        case .thread(let turn): turn.raise()
        case .job: wake.raise()
        case nil: if isOver { wake.raise() }
        }
    }

    /// Runs `job` as the one whose turn it is.
    private func owned<R>(_ job: () throws -> R) rethrows -> R {
        turns.withLock { $0.owner = pthread_self() }
        defer { turns.withLock { $0.owner = nil } }
        return try job()
    }

    private func run() {
        while true {
            wake.wait()
            let (job, isOver) = turns.withLock { turns in
                let job = turns.job
                turns.job = nil
                return (job, turns.isStopping && !turns.isTaken)
            }
            if let job {
                job()
                passOn()
            } else if isOver {
                return
            }
        }
    }
}

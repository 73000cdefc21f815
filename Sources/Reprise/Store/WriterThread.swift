internal import Synchronization

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
/// actor may not run anywhere else, so the thread hands its turn over and waits.
final class WriterThread: Sendable {
    private struct Work {
        var jobs: [@Sendable () -> Void] = []
        var isStopping = false
        var hasEnded = false
        /// The thread whose turn it is.
        var owner: pthread_t?
    }

    private let work = Mutex(Work())
    private let signal = Signal()

    init() {
        DetachedThread.start { self.run() }
    }

    /// Whether it is the turn of the calling thread.
    private var isCallersTurn: Bool {
        work.withLock { work in
            guard let owner = work.owner else { return false }
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
        let isOver = Signal()
        let isAccepted = enqueue {
            turn.raise()
            isOver.wait()
        }
        if isAccepted { turn.wait() }
        defer { isOver.raise() }
        return try owned(job)
    }

    /// Runs `job` on this thread, without blocking the caller's.
    func perform<R: Sendable>(_ job: @escaping @Sendable () throws -> R) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            let work: @Sendable () -> Void = {
                continuation.resume(with: Result { try self.owned(job) })
            }
            if !enqueue(work) { work() }
        }
    }

    /// Lets the thread end when it has done what it was given. Jobs that come later run on the caller's thread, where
    /// they find the store closed.
    func stop() {
        work.withLock { $0.isStopping = true }
        signal.raise()
    }

    /// Takes a job in, unless the thread has been stopped.
    private func enqueue(_ job: @escaping @Sendable () -> Void) -> Bool {
        let isAccepted = work.withLock { work in
            if work.hasEnded || work.isStopping { return false }
            work.jobs.append(job)
            return true
        }
        if isAccepted { signal.raise() }
        return isAccepted
    }

    /// Runs `job` as the one whose turn it is.
    private func owned<R>(_ job: () throws -> R) rethrows -> R {
        let before = work.withLock { work in
            let before = work.owner
            work.owner = pthread_self()
            return before
        }
        defer { work.withLock { $0.owner = before } }
        return try job()
    }

    private func run() {
        while true {
            signal.wait()
            let (jobs, isOver) = work.withLock { work in
                let jobs = work.jobs
                work.jobs.removeAll(keepingCapacity: true)
                return (jobs, work.isStopping)
            }
            for job in jobs { job() }
            if isOver {
                let late = work.withLock { work in
                    work.hasEnded = true
                    let late = work.jobs
                    work.jobs = []
                    return late
                }
                for job in late { job() }
                return
            }
        }
    }
}

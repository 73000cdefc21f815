internal import Synchronization

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#else
internal import Darwin
#endif

/// The one thread on which all writing of a store happens, in order of arrival.
///
/// LMDB binds a write transaction to the thread that began it, so write bodies are synchronous and run here.
final class WriterThread: Sendable {
    private struct Work {
        var jobs: [@Sendable () -> Void] = []
        var isStopping = false
        var hasEnded = false
        var thread: pthread_t?
    }

    private let work = Mutex(Work())
    private let signal = Signal()

    init() {
        start()
    }

    /// Whether the caller already is on this thread.
    var isCurrent: Bool {
        work.withLock { work in
            guard let thread = work.thread else { return false }
            return pthread_equal(thread, pthread_self()) != 0
        }
    }

    /// Runs `job` on the thread and waits for it.
    ///
    /// A write from inside a write is a programmer error: it would wait for itself.
    func perform<R>(_ job: () throws -> R) throws -> R {
        precondition(
            !isCurrent,
            "A write was started inside a write of the same store. Use the transaction that you were given.")
        // The job outlives this call in no case: the caller waits until it has run.
        return try withoutActuallyEscaping(job) { job in
            let transfer = unsafe Transfer(job)
            let done = Signal()
            submit {
                unsafe transfer.run()
                done.raise()
            }
            done.wait()
            return try unsafe transfer.outcome.unsafelyUnwrapped.get()
        }
    }

    /// Runs `job` on the thread without blocking the caller's.
    func perform<R: Sendable>(_ job: @escaping @Sendable () throws -> R) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            submit { continuation.resume(with: Result { try job() }) }
        }
    }

    /// Lets the thread end when it has done what it was given. Jobs that come later run on the caller's thread, where
    /// they find the store closed.
    func stop() {
        work.withLock { $0.isStopping = true }
        signal.raise()
    }

    private func submit(_ job: @escaping @Sendable () -> Void) {
        let isAccepted = work.withLock { work in
            if work.hasEnded || work.isStopping { return false }
            work.jobs.append(job)
            return true
        }
        if isAccepted { signal.raise() } else { job() }
    }

    private func start() {
        let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
        defer { unsafe attributes.deallocate() }
        unsafe pthread_attr_init(attributes)
        unsafe pthread_attr_setstacksize(attributes, 8 << 20)
        let box = unsafe Unmanaged.passRetained(self)
        #if canImport(Darwin)
        var thread: pthread_t?
        #else
        var thread = pthread_t()
        #endif
        let code = unsafe pthread_create(
            &thread, attributes,
            { argument in
                #if canImport(Darwin)
                let raw = unsafe argument
                #else
                let raw = unsafe argument.unsafelyUnwrapped
                #endif
                unsafe Unmanaged<WriterThread>.fromOpaque(raw).takeRetainedValue().run()
                return nil
            }, box.toOpaque())
        precondition(code == 0, "The system cannot start another thread (error \(code)).")
        unsafe pthread_attr_destroy(attributes)
        let started = thread
        work.withLock { $0.thread = started }
        pthread_detach(started)
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
                    // The system may give the same name to another thread.
                    work.thread = nil
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

/// Carries a non-escaping job to the writer thread and its outcome back. Safe because the two threads take turns: the
/// caller waits on a ``Signal`` while the writer runs, and the writer lets go of the job before it raises it.
@unsafe
private final class Transfer<R>: @unchecked Sendable {
    private var job: (() throws -> R)?
    private(set) var outcome: Result<R, any Error>?

    init(_ job: @escaping () throws -> R) {
        unsafe self.job = job
    }

    func run() {
        guard let job = unsafe self.job else { return }
        unsafe self.job = nil
        unsafe outcome = Result { try job() }
    }
}

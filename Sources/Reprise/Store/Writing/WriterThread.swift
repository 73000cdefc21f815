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
/// Bodies of asynchronous writes run on this thread. Those of synchronous writes run on their caller's: a closure that
/// was formed on the main actor may not run anywhere else. A turn that is free is taken without waking any thread.
///
/// Who takes the turn leads a group: he begins the transaction, and when his body has run, those who wait have theirs
/// in it, one after the other, while he waits; then he commits for all (Specs/decisions/0015). LMDB binds a write
/// transaction to the thread that began it, but between beginning and end it only wants one user at a time.
final class WriterThread: Sendable {
    let turns = Guarded(Turns())
    /// Raised when there is a job for this thread, and when it shall end.
    let wake = Signal()

    init() {
        DetachedThread.start { self.run() }
    }

    /// How many wait for a turn.
    var waitingCount: Int { turns.withLock { $0.queue.count } }

    /// Whether it is the turn of the calling thread.
    var isCallersTurn: Bool {
        turns.withLock { $0.isCallersTurn }
    }

    /// Runs `job` on the calling thread when its turn has come, alone.
    ///
    /// A write from inside a write is a programmer error: it would wait for itself.
    func perform<R>(_ job: () throws -> R) throws -> R {
        let turn = try arrive(isAlone: true)
        defer { if turn.hasTurn { passOn() } }
        return try owned(if: turn.hasTurn, job)
    }

    /// Has a commit made on the calling thread when its turn has come, in a group of its own or in somebody else's.
    ///
    /// - Parameters:
    ///   - begin: begins a group.
    ///   - add: makes the commit in the group, on the calling thread.
    /// - Throws: what `begin` and `add` throw, and what the group's commit throws.
    func commit<R>(
        _ begin: () throws -> CommitGroup,
        _ add: (CommitGroup) throws -> R
    ) throws -> R {
        let turn = try arrive(isAlone: false)
        switch turn {
        case .member(let waiter, let group):
            let result = Result { try owned { try add(group) } }
            // Nobody tells one that was left out anything more.
            if group.hasLeftOut { return try result.get() }
            group.handedBack.raise()
            waiter.turn.wait()
            // What it saw of its neighbours is so only if they are on the disk.
            if let failure = waiter.failure { throw failure }
            return try result.get()
        case .leader, .refused:
            defer { if turn.hasTurn { passOn() } }
            let group = try owned(if: turn.hasTurn, begin)
            let result: R
            do {
                result = try owned(if: turn.hasTurn) { try add(group) }
            } catch {
                group.abort()
                throw error
            }
            let followers = turn.hasTurn ? gather(into: group, isOwnThread: false) : []
            try finish(group, followers, hasTurn: turn.hasTurn)
            return result
        }
    }

    /// Has a commit made on this thread, without blocking the caller's.
    func commit<R: Sendable>(
        _ begin: @escaping @Sendable () throws -> CommitGroup,
        _ add: @escaping @Sendable (CommitGroup) throws -> R
    ) async throws -> R {
        try await withCheckedThrowingContinuation { continuation in
            let work = WriteJob(begin: begin, add: add) { continuation.resume(with: $0) }
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
            // The job finds the store closed.
            case .refused: lead(work, hasTurn: false)
            // Who waits for a thread does not wait for those that continue elsewhere.
            case .queued, .awaited: break
            case .first: wake.raise()
            }
        }
    }

    /// Runs `job` while the calling thread may not have a turn: whoever has it waits for this thread (STO-51).
    func refusingTurns<R>(_ job: () throws -> R) rethrows -> R {
        let thread = pthread_self()
        turns.withLock { $0.awaited.append(thread) }
        defer {
            turns.withLock { turns in
                let place = turns.awaited.lastIndex { pthread_equal($0, thread) != 0 }
                if let place { turns.awaited.remove(at: place) }
            }
        }
        return try job()
    }

    /// Lets the thread end when those who wait have had their turn. Jobs that come later run where they are, and find
    /// the store closed.
    func stop() {
        turns.withLock { $0.isStopping = true }
        wake.raise()
    }
}

// MARK: - Turns

extension WriterThread {
    struct Turns {
        /// Whether somebody has the turn.
        var isTaken = false
        /// Who comes next, in order of arrival.
        var queue = WaitingLine()
        /// What this thread shall do now, having been given the turn.
        var job: WriteJob?
        /// What it shall do now in the group of somebody else.
        var errand: (job: WriteJob, group: CommitGroup)?
        /// What it has done there.
        var doneInGroup: [Waiting] = []
        /// How many followers the last group had, and how long its commit took.
        var lastCount = 0
        var lastDuration = Duration.zero
        var isStopping = false
        /// The thread whose turn it is.
        var owner: pthread_t?
        /// Threads that whoever has the turn waits for.
        var awaited: [pthread_t] = []

        var isCallersTurn: Bool {
            guard let owner else { return false }
            return pthread_equal(owner, pthread_self()) != 0
        }

        /// Whether the calling thread is one of those.
        var isCallerAwaited: Bool {
            // Nobody is, as a rule.
            awaited.contains { pthread_equal($0, pthread_self()) != 0 }
        }
    }

    private enum Arrival {
        case first, queued, refused
        /// The calling thread would wait for itself.
        case awaited
    }

    /// How a thread came to its turn.
    private enum Turn {
        case leader
        case member(WaitingThread, CommitGroup)
        /// It did not: the store is being closed, which the work will find.
        case refused

        var hasTurn: Bool { if case .leader = self { true } else { false } }
    }

    /// Waits until it is the calling thread's turn.
    private func arrive(isAlone: Bool) throws(StoreError) -> Turn {
        if isCallersTurn {
            fatalError("A write was started inside a write of the same store. Use the transaction that you were given.")
        }
        var waiter: WaitingThread?
        let arrival = turns.withLock { turns -> Arrival in
            if turns.isCallerAwaited { return .awaited }
            if turns.isStopping { return .refused }
            if turns.isTaken {
                let waiting = WaitingThread()
                waiter = waiting
                turns.queue.append(isAlone ? .alone(waiting) : .thread(waiting))
                return .queued
            }
            turns.isTaken = true
            return .first
        }
        if arrival == .awaited { throw .writeInCallback }
        if arrival == .refused { return .refused }
        guard let waiter else { return .leader }
        while true {
            waiter.turn.wait()
            switch turns.withLock({ _ in waiter.takeUp() }) {
            case .leader: return .leader
            case .invited(let group): return .member(waiter, group)
            // The invitation was taken back.
            case .inLine, .joined: break
            }
        }
    }

    /// Gives the turn to the next.
    func passOn() {
        let (next, isOver) = turns.withLock { turns -> (Waiting?, Bool) in
            guard let next = turns.queue.popFirst() else {
                turns.isTaken = false
                return (nil, turns.isStopping)
            }
            switch next {
            case .job(let job): turns.job = job
            case .thread(let waiter), .alone(let waiter): waiter.place = .leader
            }
            return (next, false)
        }
        switch next {
        case .thread(let waiter), .alone(let waiter): waiter.turn.raise()
        case .job: wake.raise()
        case nil: if isOver { wake.raise() }
        }
    }

    /// Runs `job` as the one whose turn it is, which one that was refused has not.
    func owned<R>(if hasTurn: Bool = true, _ job: () throws -> R) rethrows -> R {
        guard hasTurn else { return try job() }
        turns.withLock { $0.owner = pthread_self() }
        // One that was left out is the owner no more.
        defer { turns.withLock { if $0.isCallersTurn { $0.owner = nil } } }
        return try job()
    }

    private func run() {
        while true {
            wake.wait()
            let (job, errand, isOver) = turns.withLock { turns in
                let found = (turns.job, turns.errand, turns.isStopping && !turns.isTaken)
                turns.job = nil
                turns.errand = nil
                return found
            }
            if let job {
                lead(job, hasTurn: true)
            } else if let (job, group) = errand {
                run(job, in: group)
            } else if isOver {
                return
            }
        }
    }
}

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Counts this process's transactions in one environment and can hold them back.
///
/// LMDB may exchange the map only while the process has no transaction, and may be closed only
/// then. LMDB knows its transactions, but cannot wait for them; this can.
///
/// Sendable, unchecked, because its counts are only touched under its mutex.
@safe
final class TransactionGate: @unchecked Sendable {
    // A condition variable, which Synchronization does not have. Both live at a fixed address.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let changed: UnsafeMutablePointer<pthread_cond_t>

    // Guarded by the mutex.
    private var readerCount = 0
    private var writer: ThreadIdentity?
    /// Whether a thread waits to be alone, or is.
    private var isExclusive = false
    /// Whether it is.
    private var isMapExchanged = false
    private var isClosed = false
    private var isPoisonedNow = false
    /// Read transactions that are over and keep their slots for the next ones.
    @exclusivity(unchecked) private var idleReaders: [ReaderSlot] = []
    private let idleReaderCountMax: Int

    /// - Parameter idleReaderCountMax: how many read transactions may be kept when they are over.
    init(idleReaderCountMax: Int) {
        self.idleReaderCountMax = idleReaderCountMax
        unsafe mutex = .allocate(capacity: 1)
        unsafe changed = .allocate(capacity: 1)
        let mutexResult = unsafe pthread_mutex_init(mutex, nil)
        let conditionResult = unsafe pthread_cond_init(changed, nil)
        precondition(mutexResult == 0 && conditionResult == 0, "Locks need memory.")
    }

    deinit {
        unsafe pthread_cond_destroy(changed)
        unsafe pthread_mutex_destroy(mutex)
        unsafe changed.deallocate()
        unsafe mutex.deallocate()
    }

    /// Waits while the map is being exchanged, then counts a reader.
    func enterRead() throws(LMDBError) {
        lock()
        defer { unlock() }
        try countReader()
    }

    /// As ``enterRead()``, and takes a transaction to be renewed, if one is idle.
    func enterReadTakingIdle() throws(LMDBError) -> ReaderSlot? {
        lock()
        defer { unlock() }
        try countReader()
        return unsafe idleReaders.popLast()
    }

    private func countReader() throws(LMDBError) {
        while isExclusive && !isClosed { wait() }
        try checkUsable("begin a read transaction")
        readerCount += 1
    }

    /// Ends a reader whose transaction has been reset, and keeps that. Does nothing and returns
    /// `false` when enough are kept: then the caller aborts it before it leaves.
    func leaveRead(keeping slot: ReaderSlot) -> Bool {
        lock()
        defer { unlock() }
        if unsafe idleReaders.count >= idleReaderCountMax { return false }
        unsafe idleReaders.append(slot)
        readerCount -= 1
        if readerCount == 0 { wakeAll() }
        return true
    }

    /// Ends a reader whose transaction is gone.
    func leaveRead() {
        lock()
        readerCount -= 1
        if readerCount == 0 { wakeAll() }
        unlock()
    }

    /// Waits for this process's writer and for an exchange of the map, then becomes the writer.
    func enterWrite() throws(LMDBError) {
        lock()
        defer { unlock() }
        precondition(
            !isWriterThisThread,
            "This thread has a write transaction open and would wait for itself."
        )
        while (isExclusive || writer != nil) && !isClosed { wait() }
        try checkUsable("begin a write transaction")
        writer = .current
    }

    func leaveWrite() {
        lock()
        writer = nil
        wakeAll()
        unlock()
    }

    /// Runs `body` while this process has no transaction and none begins, if that happens within
    /// `limit`. New readers wait for it for some milliseconds at the most.
    ///
    /// The caller may be the writer between ``enterWrite()`` and LMDB's begin; a reader may not
    /// call it.
    /// - Returns: Whether it ran.
    /// - Throws: What `body` throws, and `.closed` or `.poisoned`, also when that comes about while it waits.
    func exclusively(
        within limit: Duration,
        _ body: () throws(LMDBError) -> Void
    ) throws(LMDBError) -> Bool {
        let deadline = ContinuousClock.now + limit
        guard try enterExclusive(until: deadline) else { return false }
        defer { leaveExclusive() }
        try body()
        return true
    }

    /// How long new readers are kept out at a time, for those that are open to end: short reads do, long ones are not
    /// waited for at others' expense (STO-10).
    private static let turnDuration: Duration = .milliseconds(5)
    /// How long readers come and go again before the next attempt.
    private static let restDuration: Duration = .milliseconds(20)

    private func enterExclusive(until deadline: ContinuousClock.Instant) throws(LMDBError) -> Bool {
        lock()
        defer { unlock() }
        while true {
            let turnEnd = ContinuousClock.now + Self.turnDuration
            if try enterExclusiveOnce(until: min(deadline, turnEnd)) { return true }
            if ContinuousClock.now >= deadline { return false }
            let restEnd = min(deadline, ContinuousClock.now + Self.restDuration)
            while wait(until: restEnd) { try checkUsable(Self.exchange) }
        }
    }

    private static let exchange = "exchange the map"

    private func enterExclusiveOnce(
        until deadline: ContinuousClock.Instant
    ) throws(LMDBError) -> Bool {
        try checkUsable(Self.exchange)
        while isExclusive {
            if !wait(until: deadline) { return false }
            try checkUsable(Self.exchange)
        }
        isExclusive = true
        do throws(LMDBError) {
            while readerCount > 0 || (writer != nil && !isWriterThisThread) {
                guard wait(until: deadline) else {
                    endExclusive()
                    return false
                }
                try checkUsable(Self.exchange)
            }
        } catch {
            endExclusive()
            throw error
        }
        isMapExchanged = true
        return true
    }

    private func leaveExclusive() {
        lock()
        isMapExchanged = false
        endExclusive()
        unlock()
    }

    private func endExclusive() {
        isExclusive = false
        wakeAll()
    }

    /// What `body` says, while nobody exchanges or gives up the map; `nil` without calling it where somebody does.
    /// It is short, and does not wait.
    func whileMapStays<Result>(_ body: () -> Result) -> Result? {
        lock()
        defer { unlock() }
        // A closed environment keeps its map as long as there are transactions.
        let isGone = isPoisonedNow || (isClosed && readerCount == 0 && writer == nil)
        return isMapExchanged || isGone ? nil : body()
    }

    /// Lets nothing begin any more and waits until everything has ended.
    /// - Returns: Whether this call was the first.
    func close() -> Bool {
        lock()
        defer { unlock() }
        precondition(!isWriterThisThread, "A write transaction ends before its environment closes.")
        if isClosed { return false }
        isClosed = true
        wakeAll()
        while readerCount > 0 || writer != nil || isExclusive { wait() }
        return true
    }

    /// The idle transactions, which are the caller's from now on.
    func takeIdleReaders() -> [ReaderSlot] {
        lock()
        defer { unlock() }
        let taken = unsafe idleReaders
        unsafe idleReaders = []
        return taken
    }

    /// Lets nothing begin any more after a commit of unknown outcome, or when the map is lost.
    func poison() {
        lock()
        isPoisonedNow = true
        wakeAll()
        unlock()
    }

    var isPoisoned: Bool {
        lock()
        defer { unlock() }
        return isPoisonedNow
    }

    private func checkUsable(_ operation: String) throws(LMDBError) {
        if isClosed { throw LMDBError(code: .closed, operation: operation) }
        if isPoisonedNow { throw LMDBError(code: .poisoned, operation: operation) }
    }

    private var isWriterThisThread: Bool { writer == .current }

    private func lock() { unsafe pthread_mutex_lock(mutex) }
    private func unlock() { unsafe pthread_mutex_unlock(mutex) }
    private func wait() { unsafe pthread_cond_wait(changed, mutex) }
    private func wakeAll() { unsafe pthread_cond_broadcast(changed) }

    /// Waits for a change. Returns `false` once the deadline has passed.
    private func wait(until deadline: ContinuousClock.Instant) -> Bool {
        let remaining = deadline - ContinuousClock.now
        if remaining <= .zero { return false }
        // Condition variables wait by the wall clock, which can be set: in short slices that does
        // little harm.
        let slice = min(remaining, .milliseconds(100)).components
        var until = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &until)
        let nanoseconds = until.tv_nsec + Int(slice.attoseconds / 1_000_000_000)
        until.tv_sec += Int(slice.seconds) + nanoseconds / 1_000_000_000
        until.tv_nsec = nanoseconds % 1_000_000_000
        unsafe pthread_cond_timedwait(changed, mutex, &until)
        return true
    }
}

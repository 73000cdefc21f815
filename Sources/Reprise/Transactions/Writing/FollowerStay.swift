#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Keeps the operations of a follower's body and the end of its group apart (STO-76).
///
/// The leader waits while a follower's body runs. That body may wait for the leader's thread, or for that of another
/// follower, which wait for the group. So a body that is quiet for a while is left out: the leader holds the lock that
/// each operation of a follower needs, undoes what the follower has changed, and commits for the others. No group takes
/// another follower after that.
///
/// Sendable, unchecked, because the properties are only touched under the mutex, and what points to it never changes.
@safe
final class FollowerStay: @unchecked Sendable {
    /// How often in a row the leader has to look and find nothing done before it leaves a body out, and how long it
    /// waits between: five seconds in all. Looks are counted and not time, since a process that was stopped has done
    /// nothing meanwhile.
    static let lookCountMax = 50
    static let lookInterval: Duration = .milliseconds(100)

    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    /// Whether a follower's body runs in the group.
    private var isRunning = false
    private var isLeftOut = false
    private var operationCount = 0

    init() {
        unsafe mutex = .allocate(capacity: 1)
        unsafe pthread_mutex_init(mutex, nil)
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    // MARK: By the follower

    /// Runs what comes before a body.
    func begin<R>(_ work: () throws -> R) rethrows -> R {
        lock()
        defer { unlock() }
        isRunning = true
        operationCount += 1
        return try work()
    }

    /// Begins an operation of the body.
    func enter() throws(StoreError) {
        if enterAgain() { return }
        leave()
        throw .writeStalled
    }

    /// Goes on with an operation. Returns whether there is still something to work on; ``leave()`` is due in any case.
    func enterAgain() -> Bool {
        lock()
        operationCount += 1
        return !isLeftOut
    }

    /// Ends what ``enter()`` or ``enterAgain()`` began.
    func leave() { unlock() }

    /// Reads what is harmless for one that was left out, too.
    func look<R>(_ work: () -> R) -> R {
        lock()
        defer { unlock() }
        return work()
    }

    /// Runs what comes after a body. It is not run for one that was left out, of which nothing is left.
    func end<R>(_ work: () throws -> R) throws -> R {
        try enter()
        defer { leave() }
        isRunning = false
        return try work()
    }

    /// Whether the body that has just ended was left out.
    var wasLeftOut: Bool { look { isLeftOut } }

    // MARK: By the leader

    /// Waits until the follower has raised the signal. Returns false where its body was left out: `undo` has been run,
    /// and the lock is held until ``release()``.
    ///
    /// - Parameter takesBack: takes the invitation back, if the follower has not begun.
    func wait(for handedBack: Signal, takesBack: () -> Bool, undo: () -> Void) -> Bool {
        var quietLookCount = 0
        var lastCount = -1
        while !handedBack.wait(for: Self.lookInterval) {
            // In the middle of an operation it is not quiet.
            guard unsafe pthread_mutex_trylock(mutex) == 0 else {
                quietLookCount = 0
                continue
            }
            quietLookCount = operationCount == lastCount ? quietLookCount + 1 : 0
            lastCount = operationCount
            if quietLookCount >= Self.lookCountMax {
                if isRunning {
                    isLeftOut = true
                    undo()
                    return false
                }
                if takesBack() {
                    unlock()
                    return false
                }
            }
            unlock()
        }
        return true
    }

    /// Lets a body that was left out learn so, when the group is over.
    func release() {
        if isLeftOut { unlock() }
    }

    private func lock() { unsafe pthread_mutex_lock(mutex) }
    private func unlock() { unsafe pthread_mutex_unlock(mutex) }
}

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A counting semaphore on a POSIX mutex and condition: what is raised before the wait is not lost.
///
/// Sendable, unchecked, because the count is only touched under the mutex, and what points to mutex and condition never
/// changes.
@safe
final class Signal: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var count = 0

    init() {
        unsafe mutex = .allocate(capacity: 1)
        unsafe condition = .allocate(capacity: 1)
        unsafe pthread_mutex_init(mutex, nil)
        unsafe pthread_cond_init(condition, nil)
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    func raise() {
        unsafe pthread_mutex_lock(mutex)
        count += 1
        // Signalled under the lock: the waiter may free this object as soon as it has the lock.
        unsafe pthread_cond_signal(condition)
        unsafe pthread_mutex_unlock(mutex)
    }

    func wait() {
        unsafe pthread_mutex_lock(mutex)
        while count == 0 { unsafe pthread_cond_wait(condition, mutex) }
        count -= 1
        unsafe pthread_mutex_unlock(mutex)
    }

    /// As ``wait()``, but no longer than about so long, below a second. Returns whether it was raised.
    func wait(for duration: Duration) -> Bool {
        // Condition variables wait by the wall clock: while that is set, a wait may be shorter or longer once.
        var until = timespec()
        unsafe clock_gettime(CLOCK_REALTIME, &until)
        let nanoseconds = until.tv_nsec + Int(duration.components.attoseconds / 1_000_000_000)
        until.tv_sec += nanoseconds / 1_000_000_000
        until.tv_nsec = nanoseconds % 1_000_000_000
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while count == 0 {
            if unsafe pthread_cond_timedwait(condition, mutex, &until) != 0 { break }
        }
        if count == 0 { return false }
        count -= 1
        return true
    }

    /// Whether it was raised, as far as waits have not used that up; then this uses it up as well.
    func wasRaised() -> Bool {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        if count == 0 { return false }
        count -= 1
        return true
    }
}

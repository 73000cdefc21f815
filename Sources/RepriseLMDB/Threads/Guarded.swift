#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A value that one thread uses at a time, guarded by a POSIX mutex.
///
/// Not `Synchronization.Mutex`: on Linux that is a futex which the thread sanitizer does not know, so that every use is
/// reported as a race, and a real one would not be seen among them.
///
/// Sendable, unchecked, because the value is only reached under the mutex; what `withLock` gives out must not be a way
/// around it.
@safe
package final class Guarded<Value>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    /// In memory of its own: a property's exclusive use would be checked once more at each access.
    private let value: UnsafeMutablePointer<Value>

    package init(_ value: Value) {
        unsafe self.value = .allocate(capacity: 1)
        unsafe self.value.initialize(to: value)
        unsafe mutex = .allocate(capacity: 1)
        let result = unsafe pthread_mutex_init(mutex, nil)
        precondition(result == 0, "Locks need memory.")
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
        unsafe value.deinitialize(count: 1)
        unsafe value.deallocate()
    }

    /// Runs `body` while no other thread has the value. Not to be called from inside `body`.
    package func withLock<R, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try unsafe body(&value.pointee)
    }
}

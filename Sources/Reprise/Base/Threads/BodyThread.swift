internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The thread on which the body of a write runs, if one does. Asking is a look at one number, without a lock.
///
/// The order of memory does not matter: a thread only asks for itself, and it is the one that has noted itself.
final class BodyThread: Sendable {
    private let thread = Atomic<UInt>(0)

    /// Whether it is the calling thread.
    var isCallers: Bool { thread.load(ordering: .relaxed) == Self.current }

    /// Notes the calling thread.
    func begin() { thread.store(Self.current, ordering: .relaxed) }

    /// Forgets the calling thread, unless another one has been noted since.
    func end() {
        _ = thread.compareExchange(expected: Self.current, desired: 0, ordering: .relaxed)
    }

    private static var current: UInt {
        #if canImport(Darwin)
            UInt(pthread_mach_thread_np(pthread_self()))
        #else
            UInt(pthread_self())
        #endif
    }
}

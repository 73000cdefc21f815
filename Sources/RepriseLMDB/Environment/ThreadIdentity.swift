#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Which thread of the process something belongs to. LMDB's write lock belongs to a thread.
struct ThreadIdentity: Hashable, Sendable {
    private let number: UInt

    static var current: ThreadIdentity {
        #if canImport(Darwin)
            ThreadIdentity(number: UInt(pthread_mach_thread_np(pthread_self())))
        #else
            ThreadIdentity(number: UInt(pthread_self()))
        #endif
    }
}

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Threads of the store's own, for what LMDB binds to one thread.
enum DetachedThread {
    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }

    /// Lets the calling thread rest for about so long.
    static func pause(microseconds: UInt32) {
        usleep(microseconds)
    }

    /// How many processors there are to run on, at least one.
    static let processorCount = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))

    /// Runs `body` on a new thread, which ends with it.
    static func start(_ body: @escaping @Sendable () -> Void) {
        let code = begin(body)
        precondition(code == 0, "The system cannot start another thread (error \(code)).")
    }

    /// As ``start(_:)``, for work that can be done otherwise. Returns whether the system had a thread.
    static func startIfPossible(_ body: @escaping @Sendable () -> Void) -> Bool {
        begin(body) == 0
    }

    private static func begin(_ body: @escaping @Sendable () -> Void) -> Int32 {
        let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
        defer { unsafe attributes.deallocate() }
        unsafe pthread_attr_init(attributes)
        unsafe pthread_attr_setstacksize(attributes, 8 << 20)
        #if canImport(Darwin)
            // Who starts it waits for it, and waiting gives it no urgency there.
            unsafe pthread_attr_set_qos_class_np(attributes, qos_class_self(), 0)
        #endif
        let box = unsafe Unmanaged.passRetained(Body(body))
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let code = unsafe pthread_create(
            &thread,
            attributes,
            { argument in
                #if canImport(Darwin)
                    let raw = unsafe argument
                #else
                    let raw = unsafe argument.unsafelyUnwrapped
                #endif
                unsafe Unmanaged<Body>.fromOpaque(raw).takeRetainedValue().run()
                return nil
            },
            box.toOpaque()
        )
        unsafe pthread_attr_destroy(attributes)
        guard code == 0 else {
            unsafe box.release()
            return code
        }
        #if canImport(Darwin)
            if let thread = unsafe thread { unsafe pthread_detach(thread) }
        #else
            pthread_detach(thread)
        #endif
        return 0
    }
}

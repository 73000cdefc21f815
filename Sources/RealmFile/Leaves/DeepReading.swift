#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Reads collections that lie deep in each other on a stack that is large enough.
///
/// They are read by recursion. A file decides how deep, a program on how small a stack: a hundred levels take 256 KB in
/// a release build and 1 MB in a debug build, and secondary threads often have 512 KB or less.
enum DeepReading {
    /// The level at which the reading goes on elsewhere. Fewer fit every stack.
    static let depth = 16
    private static let stackByteCount = 4 << 20

    /// What the thread is given and gives back. One of the two threads uses it at a time.
    private final class Work {
        let body: () -> Void
        init(_ body: @escaping () -> Void) { self.body = body }
    }

    /// Runs `body` on a thread of its own and waits for it.
    ///
    /// - Throws: what `body` throws; `.limitExceeded` where the system has no thread.
    static func run<R>(
        _ body: () throws(RealmFileError) -> R
    ) throws(RealmFileError) -> R {
        var result: Result<R, RealmFileError>?
        let isRun = withoutActuallyEscaping(body) { body in
            start {
                do throws(RealmFileError) {
                    result = .success(try body())
                } catch {
                    result = .failure(error)
                }
            }
        }
        guard isRun, let result else {
            throw RealmFileError(
                .limitExceeded,
                "Collections lie in each other more than \(depth) deep, and the system has no thread to read them on."
            )
        }
        return try result.get()
    }

    /// Returns when the thread has ended; false where none could be started.
    private static func start(_ body: () -> Void) -> Bool {
        withoutActuallyEscaping(body) { body in
            var attributes = pthread_attr_t()
            guard unsafe pthread_attr_init(&attributes) == 0 else { return false }
            defer { unsafe pthread_attr_destroy(&attributes) }
            guard unsafe pthread_attr_setstacksize(&attributes, stackByteCount) == 0 else {
                return false
            }
            let work = unsafe Unmanaged.passRetained(Work(body))
            #if canImport(Darwin)
                var thread: pthread_t?
            #else
                var thread = pthread_t()
            #endif
            let result = unsafe pthread_create(
                &thread,
                &attributes,
                DeepReading.main,
                work.toOpaque()
            )
            guard result == 0 else {
                unsafe work.release()
                return false
            }
            #if canImport(Darwin)
                guard let thread = unsafe thread else { return false }
                return unsafe pthread_join(thread, nil) == 0
            #else
                return pthread_join(thread, nil) == 0
            #endif
        }
    }

    #if canImport(Darwin)
        private static let main:
            @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = { work in
                unsafe Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body()
                return nil
            }
    #else
        private static let main:
            @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { work in
                guard let work = unsafe work else { return nil }
                unsafe Unmanaged<Work>.fromOpaque(work).takeRetainedValue().body()
                return nil
            }
    #endif
}

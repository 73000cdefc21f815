#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The program that is running, to be run once more.
enum OwnProgram {
    /// The path of the executable.
    static var path: String {
        #if os(Linux)
            // In the child `self` is the child, which still is this program when it looks this up.
            return "/proc/self/exe"
        #else
            var size: UInt32 = 0
            _ = unsafe _NSGetExecutablePath(nil, &size)
            var bytes = [CChar](repeating: 0, count: Int(size) + 1)
            _ = unsafe _NSGetExecutablePath(&bytes, &size)
            return String(
                decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)),
                as: UTF8.self
            )
        #endif
    }

    /// Forgoes a core file and a backtrace, for a process whose death is expected to happen.
    static func forgoCoreFile() {
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        #if canImport(Glibc)
            _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
        #else
            _ = unsafe setrlimit(RLIMIT_CORE, &limit)
        #endif
    }
}

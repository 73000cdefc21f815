#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// How several processes begin at the same moment.
enum Starting {
    private static let tickNanoseconds = 8_000_000

    /// Waits until a file is there, and then for the next tick of the clock, which is the same for all processes: none
    /// of them needs the processor for looking, and they begin closer together than they look.
    ///
    /// - Returns: Whether the file is there; not when the parent has ended before.
    static func wait(for path: String, whileChildOf parent: pid_t) -> Bool {
        while unsafe access(path, F_OK) != 0 {
            if getppid() != parent { return false }
            usleep(1000)
        }
        var now = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        usleep(UInt32((tickNanoseconds - now.tv_nsec % tickNanoseconds) / 1000))
        return true
    }
}

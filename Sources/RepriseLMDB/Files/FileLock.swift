#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A lock of a whole file or directory, as flock(2) gives it: it belongs to an open descriptor and ends with that,
/// however the process ends. Only programs that ask for it are kept out.
///
/// Some file systems of a network have no such locks, or only for writers. There every lock counts as free: LMDB's own
/// locks are all that there is, as it is for programs that know nothing of these.
enum FileLock: Equatable {
    /// Any number of descriptors have it at a time.
    case shared
    /// One descriptor has it, and no other has either.
    case exclusive

    /// Takes the lock for a descriptor, unless others have what forbids that. Returns whether it was taken.
    func take(_ descriptor: Int32, path: String) throws(LMDBError) -> Bool {
        let operation = self == .shared ? LOCK_SH : LOCK_EX
        while flock(descriptor, operation | LOCK_NB) != 0 {
            switch errno {
            case EINTR: continue
            case EWOULDBLOCK: return false
            case EBADF, ENOLCK, ENOSYS, ENOTSUP, EOPNOTSUPP: return true
            default: throw systemFailure("lock a file", path: path)
            }
        }
        return true
    }

    /// Takes the lock as soon as nobody has what forbids that. Returns whether it was taken before the deadline.
    func take(
        _ descriptor: Int32,
        path: String,
        until deadline: ContinuousClock.Instant
    ) throws(LMDBError) -> Bool {
        var pause = Pause()
        while try !take(descriptor, path: path) {
            if ContinuousClock.now >= deadline { return false }
            pause.wait()
        }
        return true
    }

    static func release(_ descriptor: Int32) { _ = flock(descriptor, LOCK_UN) }
}

/// The time between two looks at a lock that another process has: short at first, never longer than half a
/// millisecond.
///
/// Locks of files cannot be waited for with a limit of time.
struct Pause {
    private var microseconds: UInt32 = 20

    mutating func wait() {
        usleep(microseconds)
        microseconds = min(microseconds * 2, 500)
    }
}

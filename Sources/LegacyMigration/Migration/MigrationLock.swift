#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Keeps a second migration out of a store while one is made, in this process or in another one.
///
/// It is a lock on the store's directory, which ends with the process whatever that ends with; nothing is left on the
/// disk. Source: `flock(2)`.
struct MigrationLock: ~Copyable {
    private let descriptor: Int32

    /// - Parameter path: the store's directory.
    /// - Throws: ``MigrationError`` with `inProgress` where another migration has the lock.
    init(path: String) throws(MigrationError) {
        descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        // A file system that knows no such locks has none to respect.
        guard descriptor >= 0, flock(descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK
        else { return }
        throw .inProgress(path: path)
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }
}

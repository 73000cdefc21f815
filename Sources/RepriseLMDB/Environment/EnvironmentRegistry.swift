/// The environments that this process has open, by the identity of their data files and of their lock files.
///
/// POSIX record locks belong to a process: closing any descriptor of the lock file drops all of
/// them, so opening an environment twice would silently let another process reset the lock table.
enum EnvironmentRegistry {
    private static let open = Guarded<Set<FileIdentity>>([])

    static func claim(_ identity: FileIdentity, path: String) throws(LMDBError) {
        let isNew = open.withLock { $0.insert(identity).inserted }
        if !isNew { throw LMDBError(code: .alreadyOpen, operation: "open", path: path) }
    }

    /// Makes sure that the file does not belong to an environment that is open, before a descriptor of it is opened.
    static func requireClosed(_ identity: FileIdentity, path: String) throws(LMDBError) {
        if open.withLock({ $0.contains(identity) }) {
            throw LMDBError(code: .alreadyOpen, operation: "open", path: path)
        }
    }

    static func release(_ identity: FileIdentity) {
        open.withLock { _ = $0.remove(identity) }
    }

    /// Releases files that `close` closes. No other environment is opened meanwhile: once the files are closed, the
    /// system may give their numbers to new ones.
    static func release(_ identities: [FileIdentity], afterClosing close: () -> Void) {
        open.withLock { open in
            close()
            open.subtract(identities)
        }
    }
}

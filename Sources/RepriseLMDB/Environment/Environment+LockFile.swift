#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension Environment {
    /// How long an opening waits for others that open the same store, and for what LMDB's locks are held for.
    static let openingWait: Duration = .seconds(5)

    /// Lets one process after the other open the environment (STO-60): the lock of its directory.
    struct OpeningTurn: ~Copyable {
        private let file: File

        init(_ directory: StoreDirectory) throws(LMDBError) {
            let file = try File(openingDirectory: directory.path)
            let deadline = ContinuousClock.now + openingWait
            if try !FileLock.exclusive.take(file.descriptor, path: file.path, until: deadline) {
                throw LMDBError(
                    code: .inUse,
                    operation: "open: another process is opening the store and does not end it",
                    path: directory.path
                )
            }
            self.file = file
        }

        // A child that this process is starting may have the descriptor, too, for a moment.
        deinit { FileLock.release(file.descriptor) }
    }

    /// The lock file, fit to be mapped: as long as LMDB wants it, without holes, and sound where others use it. Called
    /// in an opening's turn (STO-60, STO-62).
    ///
    /// - Returns: `nil` where the environment is opened for reading only and the file may not be written: LMDB is then
    ///   opened without locks.
    /// - Throws: `.inUse` or `.lockFileUnusable` where the file would have to be made anew while others have the
    ///   environment open; `.diskFull`.
    static func prepareLockFile(
        _ directory: StoreDirectory,
        data: borrowing File,
        options: Options
    ) throws(LMDBError) -> LockFile? {
        let path = directory.lockPath
        let byteCount = StoreDirectory.lockByteCount(options.readerCountMax)
        do throws(LMDBError) {
            var isNew = false
            while true {
                if let lockFile = try openLockFile(path) {
                    if try lockFile.isHeldElsewhere {
                        try lockFile.checkShared(with: data)
                        return lockFile
                    }
                    // Also where the file is fit: the process that uses it may have lost its locks by closing the file.
                    try requireNobody(data, directory)
                    // A file that this has filled may seem to have holes, as on file systems that compress.
                    let hasHoles = try lockFile.hasHoles
                    if lockFile.byteCount >= byteCount, isNew || !hasHoles { return lockFile }
                    if unsafe unlink(path) != 0, errno != ENOENT {
                        throw systemFailure("replace a lock file", path: path)
                    }
                } else {
                    try requireNobody(data, directory)
                }
                try makeLockFile(directory, byteCount: byteCount)
                isNew = true
            }
        } catch {
            guard options.isReadOnly,
                [.permissionDenied, .readOnlyFileSystem, .diskFull].contains(error.code)
            else { throw error }
            try requireNobody(data, directory)
            return nil
        }
    }

    /// Makes sure that no other process has the environment open. Each that has keeps a shared lock of the data file.
    private static func requireNobody(
        _ data: borrowing File,
        _ directory: StoreDirectory
    ) throws(LMDBError) {
        // Another process may be asking the same.
        let deadline = ContinuousClock.now + .milliseconds(200)
        if try FileLock.exclusive.take(data.descriptor, path: data.path, until: deadline) {
            FileLock.release(data.descriptor)
            return
        }
        throw LMDBError(
            code: .inUse,
            operation: "open: another process has the store open, and its lock file cannot be shared",
            path: directory.path
        )
    }

    /// As ``requireNobody(_:_:)``, for an environment that is open without a mark of its own.
    func requireNobody() throws(LMDBError) {
        try gate.enterRead()
        defer { gate.leaveRead() }
        try Self.requireNobody(dataFile(), StoreDirectory(path))
    }

    private static func openLockFile(_ path: String) throws(LMDBError) -> LockFile? {
        guard let status = try FileStatus.ofLink(at: path) else { return nil }
        try EnvironmentRegistry.requireClosed(status.identity, path: path)
        guard status.kind == .regular else {
            throw LMDBError(code: .notAStore, operation: "open a lock file", path: path)
        }
        return try LockFile(File(opening: path, flags: O_RDWR))
    }

    /// Makes the lock file under another name and gives it its own when it is complete, so that no process ever opens
    /// one that is being filled. Does nothing where a file has that name already: programs that know nothing of
    /// openings' turns may have made one.
    private static func makeLockFile(
        _ directory: StoreDirectory,
        byteCount: Int
    ) throws(LMDBError) {
        let path = directory.lockPath
        // One that an opening has left which was cut off.
        let temporary = path + ".new"
        unsafe unlink(temporary)
        defer { unsafe unlink(temporary) }
        try File(creating: temporary).fill(byteCount)
        if unsafe link(temporary, path) == 0 || errno == EEXIST { return }
        // Some file systems know no second names.
        if [EPERM, ENOTSUP, EOPNOTSUPP, ENOSYS, EMLINK].contains(errno) {
            if unsafe rename(temporary, path) == 0 { return }
        }
        throw systemFailure("make a lock file", path: path)
    }
}

extension LockFile {
    /// Makes sure that LMDB can share the file with the processes that use it (STO-62).
    ///
    /// - Throws: `.lockFileUnusable`; `.diskFull` when the file has holes and they cannot be filled.
    fileprivate func checkShared(with data: borrowing File) throws(LMDBError) {
        if try hasHoles, Environment.hasFullDisk(path) {
            throw LMDBError(code: .diskFull, operation: "share a lock file with holes", path: path)
        }
        try checkContent(data, until: ContinuousClock.now + Environment.openingWait)
    }
}

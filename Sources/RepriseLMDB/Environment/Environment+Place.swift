import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension Environment {
    /// Makes sure that the files at the path are those that are open, so that nothing is acknowledged that later
    /// openings do not find, and no writer works beside one that has another lock file (STO-63). Two looks at the file
    /// system.
    ///
    /// - Throws: `.storeMoved`; what the system says when it cannot tell.
    func checkInPlace() throws(LMDBError) {
        guard let lockFile, !options.isPrivate else { return }
        let directory = StoreDirectory(path)
        if try FileStatus.existing(at: directory.dataPath)?.identity != identity {
            throw moved("the data file is not at its path any more")
        }
        let lock = try FileStatus.existing(at: directory.lockPath)
        if lock?.identity != lockFile.identity {
            throw moved("the lock file is not at its path any more")
        }
        if let lock, lock.byteCount < lockFile.byteCount {
            throw moved("the lock file has become shorter")
        }
    }

    /// Makes sure now and then that this process still has LMDB's locks (STO-79). Called inside the gate.
    func renewLocksNowAndThen() {
        guard hasLocks else { return }
        var time = timespec()
        #if os(Linux) || os(Android)
            unsafe clock_gettime(CLOCK_MONOTONIC_COARSE, &time)
        #else
            unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        #endif
        let now = Int64(time.tv_sec)
        if lastLockRenewal.exchange(now, ordering: .relaxed) != now { lockFile?.renewLocks() }
    }

    /// Makes sure that LMDB begins a write from the newest commit in the file (STO-64). It believes the number in the
    /// lock file, and would write over the newest commit's pages where that is another one.
    ///
    /// - Throws: `.lockFileUnusable`.
    func checkCommitNumber(_ transactionID: UInt64) throws(LMDBError) {
        var newest: UInt64 = 0
        for number: UInt64 in [0, 1] {
            guard let meta = try readMeta(number) else {
                throw LMDBError(
                    code: .corrupted,
                    operation: "read meta page \(number)",
                    path: path
                )
            }
            newest = max(newest, meta.transactionID)
        }
        if newest == transactionID { return }
        throw LMDBError(
            code: .lockFileUnusable,
            operation: "its last commit is \(transactionID), and that of the data file \(newest)",
            path: StoreDirectory(path).lockPath
        )
    }

    private func moved(_ sentence: String) -> LMDBError {
        LMDBError(code: .storeMoved, operation: sentence, path: path)
    }
}

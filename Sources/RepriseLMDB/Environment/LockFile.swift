#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// `lock.mdb` of an open environment, with a descriptor of its own beside LMDB's.
///
/// The kernel gives up all record locks that a process has on a file as soon as the process closes any descriptor of
/// it, LMDB's locks included. So the descriptor is closed after LMDB's environment, and nothing else opens the file.
///
/// Beside LMDB's own locks the file carries the writer's lock of this module, which can be waited for with a limit
/// and tells which process has it. Record locks may lie behind the end of a file.
final class LockFile: Sendable {
    private let file: File
    var path: String { file.path }
    let identity: FileIdentity
    /// The size that it had when it was opened, in bytes. LMDB maps as much, so it may not become shorter.
    let byteCount: Int

    init(_ file: consuming File) throws(LMDBError) {
        let status = try file.status()
        identity = status.identity
        byteCount = status.byteCount
        self.file = file
    }

    /// Whether another process has the environment open, as far as LMDB's lock tells. Every environment has at least a
    /// shared lock of the first byte. Source: `mdb_env_excl_lock` in `mdb.c` of LMDB 0.9.24.
    var isHeldElsewhere: Bool {
        get throws(LMDBError) { try holder(of: 0) != nil }
    }

    /// Whether the file system lacks room for a part of the file. Writing to a hole of a mapped file needs room, and
    /// ends the process where there is none (SIGBUS).
    var hasHoles: Bool {
        get throws(LMDBError) { try file.status().allocatedByteCount < byteCount }
    }

    /// Takes again what LMDB has locked, in case that this process has lost it by closing another descriptor of the
    /// file, as copying or reading it does.
    ///
    /// Source: `mdb_env_share_locks` and `mdb_reader_pid` in `mdb.c` of LMDB 0.9.24.
    func renewLocks() {
        for (type, offset) in [(F_RDLCK, 0), (F_WRLCK, off_t(getpid()))] {
            var lock = Self.recordLock(Int32(type), at: offset)
            while unsafe fcntl(file.descriptor, F_SETLK, &lock) != 0, errno == EINTR {}
        }
    }

    // MARK: The writer's lock

    /// Two bytes far behind those that LMDB locks, which are the first one and one for each process, by its number.
    private static let writerOffset: off_t = 1 << 62
    private static let queueOffset: off_t = writerOffset + 1

    /// Takes the writer's lock, which one process has at a time.
    ///
    /// A process that waits for it holds the queue's lock, so that the one that has just written does not come first
    /// again.
    ///
    /// - Parameter isKept: whether this process has it already, and only makes sure of that: closing another descriptor
    ///   of the file may have given it up.
    /// - Throws: `.writerBusy` when another process still has it after `limit`.
    func takeWriterLock(within limit: Duration, isKept: Bool = false) throws(LMDBError) {
        let deadline = ContinuousClock.now + limit
        // Whoever is next in the queue waits for this process.
        if !isKept { try take(Self.queueOffset, until: deadline) }
        defer { if !isKept { release(Self.queueOffset) } }
        try take(Self.writerOffset, until: deadline)
        do throws(LMDBError) {
            try waitUntilFree(.writer, until: deadline)
        } catch {
            release(Self.writerOffset)
            throw error
        }
    }

    func releaseWriterLock() { release(Self.writerOffset) }

    private func take(
        _ offset: off_t,
        until deadline: ContinuousClock.Instant
    ) throws(LMDBError) {
        var pause = Pause()
        while true {
            var lock = Self.recordLock(F_WRLCK, at: offset)
            if unsafe fcntl(file.descriptor, F_SETLK, &lock) == 0 { return }
            switch errno {
            case EINTR: continue
            case EACCES, EAGAIN: break
            default: throw systemFailure("lock for writing", path: file.path)
            }
            if ContinuousClock.now >= deadline {
                throw LMDBError(
                    code: .writerBusy(processID: try holder(of: Self.writerOffset)),
                    operation: "wait for the writer of another process",
                    path: file.path
                )
            }
            pause.wait()
        }
    }

    private func release(_ offset: off_t) {
        var lock = Self.recordLock(F_UNLCK, at: offset)
        while unsafe fcntl(file.descriptor, F_SETLK, &lock) != 0, errno == EINTR {}
    }

    /// The process that has a lock of the byte, or `nil`. A process of another container has the number 0.
    private func holder(of offset: off_t) throws(LMDBError) -> Int32? {
        var lock = Self.recordLock(F_WRLCK, at: offset)
        if unsafe fcntl(file.descriptor, F_GETLK, &lock) != 0 {
            throw systemFailure("examine a lock", path: file.path)
        }
        return Int32(lock.l_type) == Int32(F_UNLCK) ? nil : lock.l_pid
    }

    private static func recordLock(_ type: Int32, at offset: off_t) -> flock {
        var lock = flock()
        lock.l_type = Int16(type)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = offset
        lock.l_len = 1
        return lock
    }

    // MARK: The lock for long work

    func takeWorkLock() throws(LMDBError) -> Bool {
        try FileLock.exclusive.take(file.descriptor, path: file.path)
    }

    func releaseWorkLock() { FileLock.release(file.descriptor) }

    // MARK: What LMDB believes

    /// Refuses content that would make LMDB leave its map, wait for ever or begin from another commit than the newest.
    /// For a file that others have open, so that LMDB does not make its content anew.
    ///
    /// - Throws: `.lockFileUnusable`.
    func checkContent(
        _ data: borrowing File,
        until deadline: ContinuousClock.Instant
    ) throws(LMDBError) {
        guard byteCount >= LockLayout.readersOffset + LockLayout.slotByteCount else {
            throw refusal("it has \(byteCount) bytes")
        }
        guard let header = LockLayout.header else { return }
        // The process that opened the store first may be about to fill it.
        var pause = Pause()
        while try number(at: 0, UInt32.self) != header.magic {
            if ContinuousClock.now >= deadline { throw refusal("it is no lock file of LMDB") }
            pause.wait()
        }
        let count = try number(at: header.readerCountOffset, UInt32.self)
        let room = (byteCount - LockLayout.readersOffset) / LockLayout.slotByteCount
        if count > UInt32(clamping: room) {
            throw refusal("it has room for \(room) readers and counts \(count)")
        }
        // A commit is in the data file a moment before its number is here, or longer where its writer was killed then:
        // the next writer mends that.
        let disagreement = try CommitNumbers.disagreement { () throws(LMDBError) in
            try number(at: header.commitOffset, UInt64.self)
        } newest: { () throws(LMDBError) in
            try MetaPair(reading: data).newest.transactionID
        }
        if let (own, newest) = disagreement {
            throw refusal("its last commit is \(own), and that of the data file \(newest)")
        }
        try waitUntilFree(.readers, until: deadline)
    }

    /// LMDB's two locks of its own, which it waits for without a limit.
    private enum Mutex: String { case readers, writer }

    /// Waits until nobody has one of LMDB's locks. The system frees a lock whose owner has died.
    private func waitUntilFree(
        _ mutex: Mutex,
        until deadline: ContinuousClock.Instant
    ) throws(LMDBError) {
        guard let header = LockLayout.header else { return }
        let offset = mutex == .readers ? header.readerMutexOffset : header.writerMutexOffset
        var pause = Pause()
        while let owner = LockLayout.owner(ofMutexWord: try number(at: offset, UInt32.self)) {
            if ContinuousClock.now >= deadline {
                throw refusal("thread \(owner) has its \(mutex.rawValue)' lock and does not give it back")
            }
            pause.wait()
        }
    }

    func refusal(_ sentence: String) -> LMDBError {
        LMDBError(code: .lockFileUnusable, operation: sentence, path: file.path)
    }

    private func number<Number: FixedWidthInteger & BitwiseCopyable>(
        at offset: Int,
        _ type: Number.Type
    ) throws(LMDBError) -> Number {
        var value: Number = 0
        let count = try unsafe withUnsafeMutableBytes(of: &value) {
            buffer in Result { () throws(LMDBError) in
                try unsafe file.read(into: buffer, at: offset)
            }
        }.get()
        if count < MemoryLayout<Number>.size { throw refusal("it has become shorter") }
        return value
    }
}

/// The last commit as the lock file has it, and as the data file has it.
enum CommitNumbers {
    /// The two numbers where they contradict each other; nil where they do not.
    ///
    /// They are not read at the same moment: others may commit in between, more than once. So as long as the lock file
    /// goes on, both are read again.
    static func disagreement(
        own: () throws(LMDBError) -> UInt64,
        newest: () throws(LMDBError) -> UInt64
    ) throws(LMDBError) -> (own: UInt64, newest: UInt64)? {
        var before = try own()
        while true {
            let newest = try newest()
            if newest >= before, newest - before <= 1 { return nil }
            let now = try own()
            if now == before { return (before, newest) }
            before = now
        }
    }
}

/// Where LMDB 0.9 keeps in its lock file what is looked at here. Source: `MDB_txninfo` and `MDB_reader` in `mdb.c` of
/// LMDB 0.9.24: two parts, each a multiple of 64 bytes, then 64 bytes for each reader.
enum LockLayout {
    static let slotByteCount = 64

    struct Header {
        let magic: UInt32 = 0xBEEF_C0DE
        let readerMutexOffset: Int
        let commitOffset: Int
        let readerCountOffset: Int
        let writerMutexOffset: Int
    }

    #if os(Linux) || os(Android)
        /// Magic and format, the readers' mutex, the number of the last commit, the count of readers; then the writer's
        /// mutex.
        static let header: Header? = {
            let mutex = unsafe MemoryLayout<pthread_mutex_t>.size
            return Header(
                readerMutexOffset: 8,
                commitOffset: 8 + mutex,
                readerCountOffset: 8 + mutex + 8,
                writerMutexOffset: roundedUp(8 + mutex + 12)
            )
        }()
        static let readersOffset =
            unsafe roundedUp(8 + MemoryLayout<pthread_mutex_t>.size + 12)
            + roundedUp(MemoryLayout<pthread_mutex_t>.size)
    #else
        /// Apple's systems have named semaphores in the place of mutexes.
        static let header: Header? = nil
        static let readersOffset = 2 * slotByteCount
    #endif

    /// The thread that has a mutex, or `nil` when it is free or its owner has died.
    ///
    /// Source: nptl/pthread_mutex_lock.c of glibc 2.36 and the kernel's robust futexes: the first word of a robust
    /// mutex is its owner's thread, with a bit for waiting threads and one for an owner that died.
    static func owner(ofMutexWord word: UInt32) -> UInt32? {
        #if canImport(Glibc)
            let ownerDied: UInt32 = 0x4000_0000
            let thread = word & 0x3FFF_FFFF
            return thread == 0 || word & ownerDied != 0 ? nil : thread
        #else
            return nil
        #endif
    }

    private static func roundedUp(_ byteCount: Int) -> Int { (byteCount + 63) / 64 * 64 }
}

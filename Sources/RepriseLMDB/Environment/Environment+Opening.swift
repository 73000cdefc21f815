import CLMDB

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension Environment {
    /// Opens the environment in the directory at `path`.
    ///
    /// Nothing is mapped before the meta pages, the length of the file and the tree of tables have
    /// been checked, so that a foreign, truncated or damaged file is an error and not a crash.
    /// Slots of readers whose processes died are freed. Then all pages are checked, where they are not too many; of a
    /// larger file, each one is when a reader first meets it.
    ///
    /// - Parameters:
    ///   - tables: The names of the tables to use, all of which the environment has.
    ///   - isOwnWork: Whether this process has just made the file, so that nothing of it needs to be checked.
    /// - Throws: `.noSuchStore`, `.alreadyOpen`, `.notAStore` (a foreign or empty file, a symbolic
    ///   link, a missing table), `.truncated`, `.versionMismatch`, `.corrupted`,
    ///   `.permissionDenied`, and what the system says.
    package static func open(
        at path: String,
        tables: [String],
        options: Options = .init(),
        isOwnWork: Bool = false
    ) throws(LMDBError) -> Environment {
        try checkLibrary(path)
        let directory = try StoreDirectory(absolute: path)
        let file = try directory.openData(isReadOnly: options.isReadOnly)
        let status = try file.status()
        try EnvironmentRegistry.claim(status.identity, path: directory.path)
        let environment: Environment
        do throws(LMDBError) {
            try checkBeforeMapping(file)
            environment = try openInTurn(directory, file, tables: tables, options: options)
        } catch {
            EnvironmentRegistry.release(status.identity)
            throw error
        }
        if isOwnWork { environment.isStructureKnown = true }
        do throws(LMDBError) {
            try environment.checkInPlace()
            if status.byteCount <= options.checkedAtOpeningByteCountMax {
                try environment.makeStructureKnown()
            } else if !isOwnWork {
                environment.checkedPages = try CheckedPages(
                    count: status.byteCount / environment.pageByteCount,
                    path: directory.path
                )
            }
            return environment
        } catch {
            environment.close()
            throw error
        }
    }

    /// The part of an opening that processes do one after the other (STO-60).
    private static func openInTurn(
        _ directory: StoreDirectory,
        _ data: borrowing File,
        tables: [String],
        options: Options
    ) throws(LMDBError) -> Environment {
        let turn = options.isPrivate ? nil : Optional(try OpeningTurn(directory))
        let lockFile = try prepareLockFile(directory, data: data, options: options)
        let environment = try start(
            directory,
            identity: data.status().identity,
            lockFile: lockFile,
            tables: tables,
            options: options,
            isNew: false
        )
        _ = consume turn
        return environment
    }

    /// Makes sure that the library LMDB is one that reads files of version 0.9. Asked before a file is touched.
    static func checkLibrary(_ path: String) throws(LMDBError) {
        var (major, minor, patch): (Int32, Int32, Int32) = (0, 0, 0)
        unsafe mdb_version(&major, &minor, &patch)
        if let refusal = refusal(ofLibrary: major, minor, patch, path: path) { throw refusal }
    }

    /// Why a version of LMDB cannot be used, or `nil`. From 1.0 on, files have another format.
    static func refusal(
        ofLibrary major: Int32,
        _ minor: Int32,
        _ patch: Int32,
        path: String
    ) -> LMDBError? {
        if major == 0 { return nil }
        return LMDBError(
            code: .unsupportedLibrary,
            operation: "use LMDB \(major).\(minor).\(patch)",
            path: path
        )
    }

    /// Checks what LMDB will follow without asking.
    static func checkBeforeMapping(_ file: borrowing File) throws(LMDBError) {
        var attemptsLeft = 16
        while true {
            let metas = try MetaPair(reading: file)
            do throws(LMDBError) {
                var walk = try StructureWalk(file, meta: metas.newest)
                // LMDB does not write pages that a transaction took and gave back. At the end of
                // the file they make it shorter than its page count, which is no harm as long as no
                // page in use is missing: those pages get written before they are read.
                if walk.fileByteCount < metas.newest.usedByteCount {
                    try walk.walkAll()
                } else {
                    try walk.walkMainTree()
                }
                return
            } catch {
                // Another process may have committed and reused the pages meanwhile.
                attemptsLeft -= 1
                let now = try MetaPair(reading: file).newest.transactionID
                if attemptsLeft == 0 || now == metas.newest.transactionID { throw error }
            }
        }
    }

    /// Opens LMDB on files that are there. `isNew` makes an environment out of an empty data file.
    static func start(
        _ directory: StoreDirectory,
        identity: FileIdentity,
        lockFile: LockFile?,
        tables: [String],
        options: Options,
        isNew: Bool
    ) throws(LMDBError) -> Environment {
        precondition(options.readerCountMax > 0, "An environment needs a reader slot.")
        if let lockFile {
            try EnvironmentRegistry.claim(lockFile.identity, path: directory.path)
        }
        do throws(LMDBError) {
            return try startClaimed(
                directory,
                identity: identity,
                lockFile: lockFile,
                tables: tables,
                options: options,
                isNew: isNew
            )
        } catch {
            if let lockFile { EnvironmentRegistry.release(lockFile.identity) }
            throw error
        }
    }

    private static func startClaimed(
        _ directory: StoreDirectory,
        identity: FileIdentity,
        lockFile: LockFile?,
        tables: [String],
        options: Options,
        isNew: Bool
    ) throws(LMDBError) -> Environment {
        let pointer = try unsafe openWithLargestMap(
            directory,
            hasLocks: lockFile != nil,
            tableCount: tables.count,
            options: options
        )
        do throws(LMDBError) {
            try unsafe checkIdentity(pointer, identity, path: directory.path)
            if lockFile != nil { try unsafe markInUse(pointer, path: directory.path) }
            var deadReaderCount: Int32 = 0
            try unsafe checkSystem(
                mdb_reader_check(pointer, &deadReaderCount),
                "clear stale readers",
                path: directory.path
            )
            var statistics = MDB_stat()
            try unsafe checkSystem(
                mdb_env_stat(pointer, &statistics),
                "examine",
                path: directory.path
            )
            return unsafe Environment(
                path: directory.path,
                options: options,
                pointer: pointer,
                pageByteCount: Int(statistics.ms_psize),
                identity: identity,
                lockFile: lockFile,
                tables: isNew ? [:] : try openTables(tables, in: pointer, path: directory.path),
                isStructureKnown: isNew
            )
        } catch {
            unsafe mdb_env_close(pointer)
            throw error
        }
    }

    private static func openWithLargestMap(
        _ directory: StoreDirectory,
        hasLocks: Bool,
        tableCount: Int,
        options: Options
    ) throws(LMDBError) -> OpaquePointer {
        let pageByteCount = Int(getpagesize())
        precondition(options.mapByteCount >= 16 * pageByteCount, "A map has at least 16 pages.")
        var mapByteCount = options.mapByteCount / pageByteCount * pageByteCount
        let least = min(1 << 30, mapByteCount)
        while true {
            do throws(LMDBError) {
                return try unsafe openLMDB(
                    directory,
                    mapByteCount: mapByteCount,
                    hasLocks: hasLocks,
                    tableCount: tableCount,
                    options: options
                )
            } catch {
                // A limit on the address space.
                if error.rawCode != ENOMEM || mapByteCount <= least { throw error }
                mapByteCount = max(mapByteCount / 2 / pageByteCount * pageByteCount, least)
            }
        }
    }

    private static func openLMDB(
        _ directory: StoreDirectory,
        mapByteCount: Int,
        hasLocks: Bool,
        tableCount: Int,
        options: Options
    ) throws(LMDBError) -> OpaquePointer {
        let path = directory.path
        var created: OpaquePointer?
        try unsafe checkSystem(mdb_env_create(&created), "create an environment", path: path)
        guard let pointer = unsafe created else {
            throw LMDBError(code: .other, operation: "create an environment", path: path)
        }
        do throws(LMDBError) {
            let readerCount = UInt32(clamping: options.readerCountMax)
            try unsafe checkSystem(
                mdb_env_set_mapsize(pointer, mapByteCount),
                "size the map",
                path: path
            )
            try unsafe checkSystem(
                mdb_env_set_maxreaders(pointer, readerCount),
                "set the reader count",
                path: path
            )
            try unsafe checkSystem(
                mdb_env_set_maxdbs(pointer, UInt32(clamping: tableCount)),
                "set the table count",
                path: path
            )
            // Readers belong to transactions, not threads. No other flag for one that writes and is to be kept: each of
            // them would trade safety away.
            var flags = UInt32(MDB_NOTLS)
            if options.isReadOnly { flags |= UInt32(MDB_RDONLY) }
            if options.isScratch { flags |= UInt32(MDB_NOSYNC) }
            if !hasLocks { flags |= UInt32(MDB_NOLOCK) }
            if options.isSealed { flags |= UInt32(MDB_NOSUBDIR) }
            let result = unsafe mdb_env_open(pointer, path, flags, 0o600)
            // The data file has been looked at.
            if result == MDB_VERSION_MISMATCH {
                throw LMDBError(
                    code: .lockFileUnusable,
                    operation: "it is of another version of LMDB",
                    path: directory.lockPath
                )
            }
            try checkSystem(result, "open", path: path)
            return unsafe pointer
        } catch {
            unsafe mdb_env_close(pointer)
            throw error
        }
    }

    /// Makes sure that LMDB opened the file that was examined.
    private static func checkIdentity(
        _ pointer: OpaquePointer,
        _ identity: FileIdentity,
        path: String
    ) throws(LMDBError) {
        var descriptor: Int32 = -1
        try unsafe checkSystem(mdb_env_get_fd(pointer, &descriptor), "examine", path: path)
        var status = stat()
        if unsafe fstat(descriptor, &status) != 0 { throw systemFailure("examine", path: path) }
        if FileStatus(status).identity != identity {
            throw LMDBError(
                code: .inputOutput,
                operation: "open: the data file was exchanged meanwhile",
                path: path
            )
        }
    }

    /// Lets other processes know that the environment is open, until LMDB closes its descriptor of the data file.
    private static func markInUse(_ pointer: OpaquePointer, path: String) throws(LMDBError) {
        var descriptor: Int32 = -1
        try unsafe checkSystem(mdb_env_get_fd(pointer, &descriptor), "examine", path: path)
        // LMDB leaves it open in programs that this process starts; the mark would live as long as they do.
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        // Only an opening asks for more, and for a moment.
        let deadline = ContinuousClock.now + openingWait
        if try !FileLock.shared.take(descriptor, path: path, until: deadline) {
            throw LMDBError(code: .inUse, operation: "open: the data file is locked", path: path)
        }
    }

    private static func openTables(
        _ names: [String],
        in pointer: OpaquePointer,
        path: String
    ) throws(LMDBError) -> [String: Table] {
        var begun: OpaquePointer?
        try unsafe checkSystem(
            mdb_txn_begin(pointer, nil, UInt32(MDB_RDONLY), &begun),
            "open tables",
            path: path
        )
        guard let transaction = unsafe begun else {
            throw LMDBError(code: .other, operation: "open tables", path: path)
        }
        do throws(LMDBError) {
            let tables = try unsafe openTables(names, in: transaction, flags: 0, path: path)
            // Ending it with a commit is what keeps the handles.
            try unsafe checkSystem(mdb_txn_commit(transaction), "open tables", path: path)
            return tables
        } catch {
            unsafe mdb_txn_abort(transaction)
            throw error
        }
    }

    /// - Parameter flags: `MDB_CREATE` to make the tables.
    static func openTables(
        _ names: [String],
        in transaction: OpaquePointer,
        flags: UInt32,
        path: String
    ) throws(LMDBError) -> [String: Table] {
        var tables: [String: Table] = [:]
        for name in names {
            var handle: MDB_dbi = 0
            let result = unsafe mdb_dbi_open(transaction, name, flags, &handle)
            if result != MDB_SUCCESS {
                throw LMDBError(
                    code: .init(returnCode: result),
                    rawCode: result,
                    operation: "open the table \(name)",
                    path: path
                )
            }
            tables[name] = Table(handle: handle)
        }
        return tables
    }
}

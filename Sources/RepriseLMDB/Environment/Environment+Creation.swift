import CLMDB

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension Environment {
    /// Creates an environment in a new directory at `path`, fills it in one commit and opens it.
    ///
    /// It is made beside `path` under a temporary name and renamed when it is complete and durable:
    /// a crash leaves either nothing at `path` or everything. What it leaves beside, the next creation of a store of
    /// that name removes (STO-78). Directory and files are for their
    /// owner only, whatever the umask.
    ///
    /// - Parameters:
    ///   - path: Nothing, or an empty directory, is there. Its parent exists.
    ///   - tables: The names of the tables to make.
    ///   - populate: Writes the first content.
    ///   - complete: Goes on in transactions of its own, for content that is too much for one.
    /// - Throws: `.exists` and what creating and writing files can meet, and whatever `populate`
    ///   throws; then nothing is left behind. Only when the last step fails, making the new name
    ///   durable or opening it, the environment is at `path` and complete.
    package static func create(
        at path: String,
        tables: [String],
        options: Options = .init(),
        populate: (borrowing WriteTransaction, [String: Table]) throws -> Void,
        complete: (Environment) throws -> Void = { _ in }
    ) throws -> Environment {
        precondition(!options.isReadOnly, "A new environment is written to.")
        try checkLibrary(path)
        let target = try StoreDirectory(absolute: path)
        if let existing = try FileStatus.ofLink(at: target.path), existing.kind != .directory {
            throw LMDBError(code: .exists, operation: "create", path: target.path)
        }
        if try FileStatus.ofLink(at: target.dataPath) != nil {
            throw LMDBError(code: .exists, operation: "create", path: target.path)
        }
        let made = try Leftover.makeDirectory(
            in: target.parentPath,
            namePrefix: target.temporaryNamePrefix
        )
        do {
            let directory = StoreDirectory(made.path)
            try directory.makeFiles(readerCountMax: options.readerCountMax)
            try fill(directory, tables: tables, options: options, populate, complete)
            try directory.rename(to: target)
        } catch {
            made.remove()
            throw error
        }
        made.unlock()
        try StoreDirectory.synchronize(target.parentPath)
        return try open(at: target.path, tables: tables, options: options, isOwnWork: true)
    }

    private static func fill(
        _ directory: StoreDirectory,
        tables: [String],
        options: Options,
        _ populate: (borrowing WriteTransaction, [String: Table]) throws -> Void,
        _ complete: (Environment) throws -> Void
    ) throws {
        let data = try File(opening: directory.dataPath, flags: 0)
        let identity = try data.status().identity
        let environment = try start(
            directory,
            identity: identity,
            lockFile: LockFile(File(opening: directory.lockPath, flags: O_RDWR)),
            tables: tables,
            options: options,
            isNew: true
        )
        defer { environment.close() }
        let transaction = try environment.beginWrite()
        let handles = try unsafe openTables(
            tables,
            in: transaction.reader.pointer,
            flags: UInt32(MDB_CREATE),
            path: directory.path
        )
        environment.tableNames = TableNames(handles)
        try populate(transaction, handles)
        try transaction.commit()
        try complete(environment)
        if options.isScratch { return }
        // LMDB wrote its first meta pages without synchronizing them.
        try unsafe checkSystem(
            mdb_env_sync(environment.pointer, 1),
            "synchronize",
            path: directory.path
        )
        try StoreDirectory.synchronize(directory.path)
    }
}

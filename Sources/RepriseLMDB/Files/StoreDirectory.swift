#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The directory of one environment and the two files in it (Specs/format/files.md).
struct StoreDirectory {
    let path: String

    /// The path of the directory from the root, so that it stays the same when the process changes its working
    /// directory (STO-66).
    init(absolute path: String) throws(LMDBError) {
        if path.hasPrefix("/") {
            self.init(path)
            return
        }
        guard let current = unsafe getcwd(nil, 0) else {
            throw systemFailure("find the working directory", path: path)
        }
        defer { unsafe free(current) }
        self.init(unsafe String(cString: current) + "/" + path)
    }

    init(_ path: String) {
        // "store/" and "store" are the same directory, but have different parents by their text.
        var trimmed = path[...]
        while trimmed.count > 1 && trimmed.hasSuffix("/") { trimmed.removeLast() }
        self.path = String(trimmed)
    }

    var dataPath: String { path + "/data.mdb" }
    var lockPath: String { path + "/lock.mdb" }

    var parentPath: String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// What the name of a new directory begins with, beside this one on the same file system, before it is renamed.
    var temporaryNamePrefix: String {
        let name = path.split(separator: "/").last ?? "store"
        // File names hold 255 bytes; what is cut off is only for human eyes.
        let start = String(decoding: name.utf8.prefix(200), as: UTF8.self)
        return ".\(start).creating-"
    }

    /// Makes an empty data file and a lock file, for their owner only, whatever the umask.
    func makeFiles(readerCountMax: Int) throws(LMDBError) {
        _ = try File(creating: dataPath)
        try File(creating: lockPath).fill(Self.lockByteCount(readerCountMax))
    }

    /// Makes the names in the directory durable.
    static func synchronize(_ path: String) throws(LMDBError) {
        try File(openingDirectory: path).synchronize()
    }

    /// Gives the directory its final name, which must be free or belong to an empty directory.
    func rename(to target: StoreDirectory) throws(LMDBError) {
        guard Self.renameFile(path, target.path) != 0 else { return }
        var error = systemFailure("rename a new environment", path: target.path)
        // A file, or the parent's own name, in the place of the target.
        if [ENOTDIR, EBUSY, EINVAL].contains(error.rawCode) { error.code = .exists }
        throw error
    }

    static func renameFile(_ old: String, _ new: String) -> Int32 {
        #if canImport(Glibc)
            unsafe Glibc.rename(old, new)
        #elseif canImport(Musl)
            unsafe Musl.rename(old, new)
        #else
            unsafe Darwin.rename(old, new)
        #endif
    }

    /// Finds the data file and makes sure that opening it can follow no symbolic link.
    func openData(isReadOnly: Bool) throws(LMDBError) -> File {
        guard let data = try FileStatus.ofLink(at: dataPath) else {
            throw LMDBError(code: .noSuchStore, rawCode: ENOENT, operation: "open", path: path)
        }
        if data.kind != .regular {
            throw LMDBError(code: .notAStore, operation: "open a data file", path: dataPath)
        }
        // Reading and writing, so that a missing permission is told before LMDB maps the file.
        return try File(opening: dataPath, flags: isReadOnly ? O_RDONLY : O_RDWR)
    }

    /// The size that LMDB gives its lock file.
    ///
    /// LMDB makes a file with a hole of that size and maps it. On a full disk the first write to the
    /// hole ends the process (SIGBUS); a lock file that was written before is an error instead.
    static func lockByteCount(_ readerCountMax: Int) -> Int {
        LockLayout.readersOffset + readerCountMax * LockLayout.slotByteCount
    }
}

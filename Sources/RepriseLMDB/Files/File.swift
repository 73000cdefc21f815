#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// An open file descriptor, closed when destroyed.
struct File: ~Copyable {
    let descriptor: Int32
    let path: String

    /// Takes over a descriptor, which it closes.
    init(descriptor: Int32, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    /// Opens what is there, which must not be a symbolic link.
    init(opening path: String, flags: Int32) throws(LMDBError) {
        let descriptor = unsafe open(path, flags | O_CLOEXEC | O_NOFOLLOW)
        if descriptor < 0 { throw systemFailure("open a file", path: path) }
        self.descriptor = descriptor
        self.path = path
    }

    /// Creates a file that must not be there yet, readable and writable by its owner only, whatever
    /// the umask.
    init(creating path: String) throws(LMDBError) {
        let flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let descriptor = unsafe open(path, flags, 0o600)
        if descriptor < 0 { throw systemFailure("create a file", path: path) }
        if fchmod(descriptor, 0o600) != 0 {
            let error = systemFailure("set the permissions of a file", path: path)
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
        self.path = path
    }

    /// A descriptor of its own for a file that is open, wherever that has been moved to since.
    init(duplicating descriptor: Int32, path: String) throws(LMDBError) {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        if copy < 0 { throw systemFailure("examine a file", path: path) }
        self.descriptor = copy
        self.path = path
    }

    /// Opens a directory, to lock it or to make its names durable.
    init(openingDirectory path: String) throws(LMDBError) {
        let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if descriptor < 0 { throw systemFailure("open a directory", path: path) }
        self.descriptor = descriptor
        self.path = path
    }

    deinit { close(descriptor) }

    func status() throws(LMDBError) -> FileStatus { try FileStatus(of: descriptor, path: path) }

    func synchronize() throws(LMDBError) {
        if fsync(descriptor) != 0 { throw systemFailure("synchronize", path: path) }
    }

    /// Writes `byteCount` zeros to the start of the file, so that the file system has room for them.
    func fill(_ byteCount: Int) throws(LMDBError) {
        let zeros = [UInt8](repeating: 0, count: byteCount)
        let result = unsafe zeros.withUnsafeBytes { bytes in
            Result { () throws(LMDBError) in try unsafe write(bytes, at: 0) }
        }
        try result.get()
    }

    /// Writes `bytes` from `offset` on.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(LMDBError) {
        var count = 0
        while count < bytes.count {
            let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[count...])
            let result = unsafe pwrite(
                descriptor,
                rest.baseAddress,
                rest.count,
                off_t(offset + count)
            )
            if result < 0 {
                if errno == EINTR { continue }
                throw systemFailure("write a file", path: path)
            }
            count += result
        }
    }

    /// Makes the file as long as that; what it gets is zeros, for which the file system need not have room yet.
    func truncate(to byteCount: Int) throws(LMDBError) {
        if ftruncate(descriptor, off_t(byteCount)) != 0 {
            throw systemFailure("size a file", path: path)
        }
    }

    /// Fills `buffer` from `offset` on. Returns the bytes read, fewer only at the end of the file.
    func read(
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: Int
    ) throws(LMDBError) -> Int {
        try unsafe readFile(descriptor, path: path, into: buffer, at: offset)
    }
}

/// Fills `buffer` from `offset` on. Returns the bytes read, fewer only at the end of the file.
func readFile(
    _ descriptor: Int32,
    path: String,
    into buffer: UnsafeMutableRawBufferPointer,
    at offset: Int
) throws(LMDBError) -> Int {
    var count = 0
    while count < buffer.count {
        let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
        let result = unsafe pread(descriptor, rest.baseAddress, rest.count, off_t(offset + count))
        if result == 0 { break }
        if result < 0 {
            if errno == EINTR { continue }
            throw systemFailure("read a file", path: path)
        }
        count += result
    }
    return count
}

/// What this module asks about a file.
struct FileStatus {
    enum Kind { case regular, directory, symbolicLink, other }

    let kind: Kind
    let byteCount: Int
    /// For how much of it the file system has room already, in bytes.
    let allocatedByteCount: Int
    let identity: FileIdentity

    init(_ status: stat) {
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .directory
            case S_IFLNK: .symbolicLink
            default: .other
            }
        byteCount = Int(status.st_size)
        allocatedByteCount = Int(status.st_blocks) * 512
        identity = FileIdentity(
            device: UInt64(truncatingIfNeeded: status.st_dev),
            inode: UInt64(status.st_ino)
        )
    }

    /// The status of an open file. `path` is for the error.
    init(of descriptor: Int32, path: String) throws(LMDBError) {
        var status = stat()
        if unsafe fstat(descriptor, &status) != 0 {
            throw systemFailure("examine a file", path: path)
        }
        self.init(status)
    }

    /// The status of what is at `path` itself, a symbolic link included; `nil` if nothing is.
    static func ofLink(at path: String) throws(LMDBError) -> FileStatus? {
        var status = stat()
        if unsafe lstat(path, &status) == 0 { return FileStatus(status) }
        if errno == ENOENT { return nil }
        throw systemFailure("examine a file", path: path)
    }

    /// The status of what is at `path` itself; `nil` if nothing is, or if a directory on the way is gone.
    static func existing(at path: String) throws(LMDBError) -> FileStatus? {
        do throws(LMDBError) {
            return try ofLink(at: path)
        } catch {
            if error.rawCode == ENOTDIR { return nil }
            throw error
        }
    }
}

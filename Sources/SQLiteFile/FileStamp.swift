#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What tells two states of a file apart without reading it.
struct FileStamp: Sendable, Equatable {
    var device: UInt64
    var inode: UInt64
    var byteCount: UInt64
    var modifiedSeconds: Int
    var modifiedNanoseconds: Int

    /// The state of the regular file behind a descriptor.
    init(descriptor: Int32, path: String) throws(SQLiteFileError) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else {
            throw SQLiteFileError(system: errno, path: path)
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw SQLiteFileError(.notAFile, "\(path) is not a regular file.")
        }
        #if canImport(Darwin)
            let modified = status.st_mtimespec
        #else
            let modified = status.st_mtim
        #endif
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(truncatingIfNeeded: status.st_ino)
        byteCount = UInt64(max(0, status.st_size))
        modifiedSeconds = modified.tv_sec
        modifiedNanoseconds = modified.tv_nsec
    }
}

/// A regular file opened for reading. Closed when it goes away.
struct OriginalFile: ~Copyable {
    let path: String
    let stamp: FileStamp
    private let descriptor: Int32

    /// Opens a regular file; a pipe or a device is refused without waiting for it.
    init(path: String) throws(SQLiteFileError) {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw SQLiteFileError(system: errno, path: path) }
        do {
            stamp = try FileStamp(descriptor: descriptor, path: path)
        } catch {
            _ = close(descriptor)
            throw error
        }
        self.path = path
        self.descriptor = descriptor
    }

    deinit {
        _ = close(descriptor)
    }

    /// Writes what is left to read into a new file that only its owner may read.
    ///
    /// - Parameter progress: called with how much more there is, a few megabytes at a time; throwing ends the copying.
    func copy(
        to target: String,
        _ progress: (UInt64) throws(SQLiteFileError) -> Void
    ) throws(SQLiteFileError) {
        let output = unsafe open(
            target,
            O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
            0o600
        )
        guard output >= 0 else { throw SQLiteFileError(system: errno, path: target) }
        defer { _ = close(output) }
        let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { unsafe piece.deallocate() }
        var left = stamp.byteCount
        while left > 0 {
            let wanted = Int(min(left, UInt64(piece.count)))
            let count = unsafe System.read(descriptor, piece.baseAddress, wanted)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw SQLiteFileError(system: errno, path: path) }
            // Shorter than when it was opened: found out by the stamp.
            guard count > 0 else { return }
            var written = 0
            while written < count {
                let step = unsafe System.write(
                    output,
                    piece.baseAddress?.advanced(by: written),
                    count - written
                )
                if step < 0, errno == EINTR { continue }
                guard step > 0 else { throw SQLiteFileError(system: errno, path: target) }
                written += step
            }
            left -= UInt64(count)
            try progress(UInt64(count))
        }
    }

    /// Throws `.changedWhileReading` unless the path still leads to the file in the state in which it was opened.
    func checkUnchanged() throws(SQLiteFileError) {
        let now = try FileStamp(descriptor: descriptor, path: path)
        let again = try OriginalFile(path: path)
        guard now == stamp, again.stamp == stamp else {
            throw SQLiteFileError(
                .changedWhileReading,
                "\(path) was changed by another program while it was copied."
            )
        }
    }
}

/// The system's calls whose names are taken.
enum System {
    static func open(_ path: String, _ flags: Int32) -> Int32 {
        #if canImport(Glibc)
            unsafe Glibc.open(path, flags)
        #elseif canImport(Musl)
            unsafe Musl.open(path, flags)
        #else
            unsafe Darwin.open(path, flags)
        #endif
    }

    static func read(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
        #if canImport(Glibc)
            unsafe Glibc.read(descriptor, buffer, count)
        #elseif canImport(Musl)
            unsafe Musl.read(descriptor, buffer, count)
        #else
            unsafe Darwin.read(descriptor, buffer, count)
        #endif
    }

    static func write(_ descriptor: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
        #if canImport(Glibc)
            unsafe Glibc.write(descriptor, buffer, count)
        #elseif canImport(Musl)
            unsafe Musl.write(descriptor, buffer, count)
        #else
            unsafe Darwin.write(descriptor, buffer, count)
        #endif
    }
}

extension SQLiteFileError {
    /// A failure of the system.
    init(system code: Int32, path: String) {
        switch code {
        case ENOENT, ENOTDIR:
            self.init(.noSuchFile, "There is no file at \(path).")
        case EACCES, EPERM:
            self.init(.permissionDenied, "\(path) may not be read.")
        case ELOOP:
            self.init(.notAFile, "\(path) is a symbolic link that leads to no file but to itself.")
        case ENXIO, EISDIR, ENODEV:
            self.init(.notAFile, "\(path) is not a regular file.")
        case ENOSPC, EDQUOT:
            self.init(.noSpace, "There is no room for a private copy of the database at \(path).")
        default:
            self.init(
                .inputOutput,
                "\(path) could not be read or written (error \(code) of the system)."
            )
        }
    }
}

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A regular file opened for reading from its start to its end. Closed when it goes away.
package struct ExportFile: ~Copyable {
    /// What tells two states of a file apart without reading it.
    package struct Stamp: Sendable, Equatable {
        var device: UInt64
        var inode: UInt64
        package var byteCount: UInt64
        var modifiedSeconds: Int
        var modifiedNanoseconds: Int
    }

    /// The file's state when it was opened.
    package let stamp: Stamp
    private let path: String
    private let descriptor: Int32

    /// Opens a regular file; a pipe or a device is refused without waiting for it.
    ///
    /// - Throws: `.noSuchFile`, `.notAFile`, `.permissionDenied`, `.inputOutput`.
    package init(path: String) throws(LegacyError) {
        // O_NONBLOCK: the opening of a pipe without a writer would wait for ever. Regular files
        // ignore it.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        try self.init(descriptor, path: path)
    }

    /// Opens a regular file that an export names, in a folder that belongs to the export. A symbolic link is followed
    /// neither there nor for the folder and the one that holds it: an export from elsewhere could name any
    /// file that its reader may read.
    ///
    /// - Throws: `.noSuchFile`, `.notAFile` for a link as well, `.permissionDenied`, `.inputOutput`.
    package init(named name: String, inOwnFolder folder: String) throws(LegacyError) {
        let path = "\(folder)/\(name)"
        let directory = Self.openOwnFolder(folder)
        guard directory >= 0 else { throw Self.failure(errno, path: path) }
        let descriptor = unsafe openat(
            directory,
            name,
            O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW
        )
        let code = errno
        _ = close(directory)
        errno = code
        try self.init(descriptor, path: path)
    }

    /// Whether a folder of an export is there, and neither it nor the one that holds it is a link.
    package static func isOwnFolder(_ folder: String) -> Bool {
        let directory = openOwnFolder(folder)
        guard directory >= 0 else { return false }
        _ = close(directory)
        return true
    }

    private static func openOwnFolder(_ folder: String) -> Int32 {
        let names = folder.split(separator: "/", omittingEmptySubsequences: false)
        var directory = unsafe open(
            names.count > 2 ? names.dropLast(2).joined(separator: "/") + "/" : ".",
            O_RDONLY | O_CLOEXEC | O_DIRECTORY
        )
        for name in names.suffix(2) where directory >= 0 {
            let inner = unsafe openat(
                directory,
                String(name),
                O_RDONLY | O_CLOEXEC | O_DIRECTORY | O_NOFOLLOW
            )
            let code = errno
            _ = close(directory)
            errno = code
            directory = inner
        }
        return directory
    }

    /// Takes over what a call of `open` has returned.
    private init(_ descriptor: Int32, path: String) throws(LegacyError) {
        guard descriptor >= 0 else { throw Self.failure(errno, path: path) }
        do {
            stamp = try Self.stamp(of: descriptor, path: path)
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

    /// Reads up to `buffer.count` bytes; 0 at the end of the file.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(LegacyError) -> Int {
        while true {
            #if canImport(Glibc)
                let count = unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            #elseif canImport(Musl)
                let count = unsafe Musl.read(descriptor, buffer.baseAddress, buffer.count)
            #else
                let count = unsafe Darwin.read(descriptor, buffer.baseAddress, buffer.count)
            #endif
            if count >= 0 { return count }
            guard errno == EINTR else { throw Self.failure(errno, path: path) }
        }
    }

    /// Reads up to `buffer.count` bytes from a place on, without moving where `read(into:)` goes on; 0 at the end.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(LegacyError)
        -> Int
    {
        guard let place = off_t(exactly: offset) else { return 0 }
        while true {
            let count = unsafe pread(descriptor, buffer.baseAddress, buffer.count, place)
            if count >= 0 { return count }
            guard errno == EINTR else { throw Self.failure(errno, path: path) }
        }
    }

    /// Throws `.changedWhileReading` unless the file is still in the state `expected`.
    package func checkUnchanged(since expected: Stamp) throws(LegacyError) {
        guard try Self.stamp(of: descriptor, path: path) == expected else {
            throw LegacyError(
                .changedWhileReading,
                "\(path) was changed by another program while it was read.",
                advice: "Copy it to a place of its own and read the copy."
            )
        }
    }

    /// As ``checkUnchanged(since:)`` for what a path leads to now.
    package static func checkUnchanged(_ path: String, since expected: Stamp) throws(LegacyError) {
        try ExportFile(path: path).checkUnchanged(since: expected)
    }

    private static func stamp(of descriptor: Int32, path: String) throws(LegacyError) -> Stamp {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw failure(errno, path: path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw LegacyError(
                .notAFile,
                "\(path) is not a regular file.",
                advice: "Name the exported file itself."
            )
        }
        #if canImport(Darwin)
            let modified = status.st_mtimespec
        #else
            let modified = status.st_mtim
        #endif
        return Stamp(
            device: UInt64(truncatingIfNeeded: status.st_dev),
            inode: UInt64(truncatingIfNeeded: status.st_ino),
            byteCount: UInt64(max(0, status.st_size)),
            modifiedSeconds: modified.tv_sec,
            modifiedNanoseconds: modified.tv_nsec
        )
    }

    private static func failure(_ code: Int32, path: String) -> LegacyError {
        switch code {
        case ENOENT, ENOTDIR:
            LegacyError(
                .noSuchFile,
                "There is no file at \(path).",
                advice: "Check the path."
            )
        case EACCES, EPERM:
            LegacyError(
                .permissionDenied,
                "\(path) may not be read.",
                advice: "Give yourself permission to read it."
            )
        case ELOOP:
            LegacyError(
                .notAFile,
                "\(path) is a symbolic link that leads to no file but to itself.",
                advice: "Name the exported file itself."
            )
        case ENXIO, EISDIR, ENODEV:
            LegacyError(
                .notAFile,
                "\(path) is not a regular file.",
                advice: "Name the exported file itself."
            )
        default:
            LegacyError(
                .inputOutput,
                "\(path) could not be read (error \(code) of the system).",
                advice: "Check the disk, or copy the file elsewhere and try again."
            )
        }
    }
}

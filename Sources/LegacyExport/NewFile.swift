import RepriseLMDB

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A file that appears under its name only when it is complete.
///
/// It is written under another name in the same folder, made durable and then named, without ever replacing a file that
/// is there. Until then only its owner may read it. Unless it was published, it is removed when the value goes away;
/// only a process that is killed leaves one, whose name begins with `.reprise-export-`, and the next that makes one in
/// the same folder removes that (STO-78).
public final class NewFile {
    /// Where the file will be.
    public let path: String
    /// Where it is as long as it is written.
    let temporaryPath: String
    private let folder: String
    private let descriptor: Int32
    /// Tells others that the file has an owner.
    private let ownership: Leftover
    /// What the umask makes of a new file.
    private let mode: mode_t
    private var pending: [UInt8] = []
    private var isPublished = false
    private static let pieceByteCount = 1 << 16

    /// Makes the file, with nothing in it.
    ///
    /// - Parameter path: where it shall be; there must be nothing yet.
    /// - Throws: ``ExportError``: `fileExists`, `cannotCreate`, `noSpace`, `inputOutput`.
    public init(path: String) throws(ExportError) {
        guard !path.isEmpty, !path.hasSuffix("/") else {
            throw ExportError(.cannotCreate, "\"\(path)\" is no name of a file.")
        }
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let folder = slash.map { String(path[...$0]) } ?? "./"
        var status = stat()
        if unsafe lstat(path, &status) == 0 { throw Self.exists(path) }
        guard errno == ENOENT else { throw ExportError(system: errno, path: path) }
        Leftover.removeAll(in: folder, namePrefix: Self.namePrefix)
        while true {
            let number = String(UInt64.random(in: .min ... .max), radix: 16)
            let temporaryPath = folder + Self.namePrefix + number
            let descriptor = unsafe open(
                temporaryPath,
                O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
                0o666
            )
            guard descriptor >= 0 else { throw ExportError(system: errno, path: path) }
            let mode = unsafe fstat(descriptor, &status) == 0 ? status.st_mode & 0o777 : 0o600
            // While nothing is in it.
            _ = fchmod(descriptor, 0o600)
            guard let ownership = Leftover(at: temporaryPath) else {
                _ = close(descriptor)
                continue
            }
            self.path = path
            self.temporaryPath = temporaryPath
            self.folder = folder
            self.descriptor = descriptor
            self.ownership = ownership
            self.mode = mode
            return
        }
    }

    private static let namePrefix = ".reprise-export-"

    deinit {
        _ = close(descriptor)
        if !isPublished { _ = unsafe unlink(temporaryPath) }
    }

    /// Appends bytes. They are written in pieces of 64 kilobytes.
    ///
    /// - Throws: ``ExportError``: `noSpace`, `inputOutput`.
    public func write(_ bytes: [UInt8]) throws(ExportError) {
        pending.append(contentsOf: bytes)
        if pending.count >= Self.pieceByteCount { try flush() }
    }

    private func flush() throws(ExportError) {
        var done = 0
        while done < pending.count {
            let count = unsafe pending.withUnsafeBytes { buffer in
                unsafe Self.write(
                    descriptor,
                    buffer.baseAddress?.advanced(by: done),
                    buffer.count - done
                )
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw ExportError(system: count < 0 ? errno : EIO, path: path) }
            done += count
        }
        pending.removeAll(keepingCapacity: true)
    }

    /// Makes the content durable and gives the file its name.
    ///
    /// - Throws: ``ExportError``: `fileExists` where another program took the name meanwhile, `noSpace`, `inputOutput`.
    public func publish() throws(ExportError) {
        try flush()
        _ = fchmod(descriptor, mode)
        guard fsync(descriptor) == 0 else { throw ExportError(system: errno, path: path) }
        if unsafe link(temporaryPath, path) == 0 {
            _ = unsafe unlink(temporaryPath)
        } else if errno == EEXIST {
            throw Self.exists(path)
        } else {
            // Not every file system has links.
            var status = stat()
            if unsafe lstat(path, &status) == 0 { throw Self.exists(path) }
            guard unsafe rename(temporaryPath, path) == 0 else {
                throw ExportError(system: errno, path: path)
            }
        }
        isPublished = true
        let folder = unsafe open(folder, O_RDONLY | O_CLOEXEC)
        // A folder that may not be read cannot be made durable; the file is there all the same.
        guard folder >= 0 else { return }
        _ = fsync(folder)
        _ = close(folder)
    }

    /// Removes the file again after it was published: where another one that belongs to it could not be.
    public func withdraw() {
        if isPublished { _ = unsafe unlink(path) }
    }

    private static func exists(_ path: String) -> ExportError {
        ExportError(.fileExists, "There is something at \(path) already.")
    }

    private static func write(
        _ descriptor: Int32,
        _ buffer: UnsafeRawPointer?,
        _ count: Int
    ) -> Int {
        #if canImport(Glibc)
            unsafe Glibc.write(descriptor, buffer, count)
        #elseif canImport(Musl)
            unsafe Musl.write(descriptor, buffer, count)
        #else
            unsafe Darwin.write(descriptor, buffer, count)
        #endif
    }
}

extension ExportError {
    /// A failure of the system.
    init(system code: Int32, path: String) {
        switch code {
        case ENOENT, ENOTDIR:
            self.init(.cannotCreate, "There is no folder for \(path).")
        case EACCES, EPERM, EROFS:
            self.init(.cannotCreate, "\(path) may not be written.")
        case EISDIR, ENAMETOOLONG, ELOOP, EINVAL:
            self.init(.cannotCreate, "\(path) cannot be the name of a file.")
        case ENOSPC, EDQUOT, EFBIG:
            self.init(.noSpace, "There is no room for \(path).")
        default:
            self.init(
                .inputOutput,
                "\(path) could not be written (error \(code) of the system)."
            )
        }
    }
}

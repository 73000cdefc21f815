#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The content of a file in memory, as long as this lives: the file itself mapped, or what was decrypted from it.
@safe
final class FileImage: @unchecked Sendable {
    // Unchecked: the memory is written before `init` returns, and only read from then on.
    private let start: UnsafeMutableRawPointer
    let byteCount: Int
    private let isMapped: Bool

    /// Maps a regular file for reading. Nothing is written beside it.
    ///
    /// - Throws: `.noSuchFile`, `.notAFile`, `.permissionDenied`, `.inputOutput`, `.notARealm` for an empty file.
    init(path: String) throws(RealmFileError) {
        // O_NONBLOCK: the opening of a pipe without a writer would wait for ever. Regular files ignore it.
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else { throw Self.failure(errno, path) }
        defer { _ = close(descriptor) }
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw Self.failure(errno, path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw RealmFileError(.notAFile, "\(path) is not a regular file.")
        }
        guard status.st_size > 0 else { throw RealmFileError(.notARealm, "\(path) is empty.") }
        guard let byteCount = Int(exactly: status.st_size),
            let start = unsafe mmap(nil, byteCount, PROT_READ, MAP_PRIVATE, descriptor, 0),
            unsafe start != MAP_FAILED
        else { throw Self.failure(errno, path) }
        unsafe self.start = start
        self.byteCount = byteCount
        isMapped = true
    }

    /// Memory that `fill` writes. It is zero before.
    init<E: Error>(
        byteCount: Int,
        fill: (UnsafeMutableRawBufferPointer) throws(E) -> Void
    ) throws(E) {
        let start = UnsafeMutableRawPointer.allocate(byteCount: max(byteCount, 8), alignment: 8)
        let buffer = unsafe UnsafeMutableRawBufferPointer(start: start, count: byteCount)
        unsafe buffer.initializeMemory(as: UInt8.self, repeating: 0)
        unsafe self.start = start
        self.byteCount = byteCount
        isMapped = false
        try unsafe fill(buffer)
    }

    /// A copy of bytes.
    convenience init(bytes: [UInt8]) {
        unsafe self.init(byteCount: bytes.count) { buffer in
            for (place, byte) in bytes.enumerated() { unsafe buffer[place] = byte }
        }
    }

    deinit {
        if isMapped { unsafe munmap(start, byteCount) } else { unsafe start.deallocate() }
    }

    /// The content. Valid as long as the image lives.
    var bytes: FileBytes { unsafe FileBytes(start: UnsafeRawPointer(start), count: byteCount) }

    private static func failure(_ number: Int32, _ path: String) -> RealmFileError {
        switch number {
        case ENOENT, ENOTDIR: RealmFileError(.noSuchFile, "There is no file \(path).")
        case EACCES, EPERM: RealmFileError(.permissionDenied, "\(path) may not be read.")
        default: RealmFileError(.inputOutput, "\(path) cannot be read (error \(number)).")
        }
    }
}

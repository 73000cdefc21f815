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
    /// Places of pages that could not be decrypted, in ascending order. They read as zeros.
    let unreadable: [Int]

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
        unreadable = []
    }

    /// Memory that `fill` writes. It is zero before.
    ///
    /// - Parameter fill: returns the places of pages that cannot be read, in ascending order.
    init<E: Error>(
        byteCount: Int,
        fill: (UnsafeMutableRawBufferPointer) throws(E) -> [Int]
    ) throws(E) {
        let start = UnsafeMutableRawPointer.allocate(byteCount: max(byteCount, 8), alignment: 8)
        let buffer = unsafe UnsafeMutableRawBufferPointer(start: start, count: byteCount)
        unsafe buffer.initializeMemory(as: UInt8.self, repeating: 0)
        unsafe self.start = start
        self.byteCount = byteCount
        isMapped = false
        do throws(E) {
            unreadable = try unsafe fill(buffer)
        } catch {
            unsafe start.deallocate()
            throw error
        }
    }

    /// A copy of bytes.
    convenience init(bytes: [UInt8]) {
        unsafe self.init(byteCount: bytes.count) { buffer in
            unsafe buffer.copyBytes(from: bytes)
            return []
        }
    }

    deinit {
        if isMapped { unsafe munmap(start, byteCount) } else { unsafe start.deallocate() }
    }

    /// Whether one of the bytes could not be decrypted.
    func isUnreadable(from offset: Int, to end: Int) -> Bool {
        var low = 0
        var high = unreadable.count
        while low < high {
            let middle = (low + high) / 2
            if unreadable[middle] + EncryptedPages.pageByteCount > offset {
                high = middle
            } else {
                low = middle + 1
            }
        }
        return low < unreadable.count && unreadable[low] < end
    }

    /// The content. Valid as long as the image lives.
    var bytes: FileBytes { unsafe FileBytes(start: UnsafeRawPointer(start), count: byteCount) }

    private static func failure(_ number: Int32, _ path: String) -> RealmFileError {
        switch number {
        case ENOENT, ENOTDIR: RealmFileError(.noSuchFile, "There is no file \(path).")
        case EACCES, EPERM: RealmFileError(.permissionDenied, "\(path) may not be read.")
        case ELOOP:
            RealmFileError(.notAFile, "\(path) is a symbolic link that leads to no file but to itself.")
        default: RealmFileError(.inputOutput, "\(path) cannot be read (error \(number)).")
        }
    }
}

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A file without a name, for what does not fit into memory: written from front to back, read
/// anywhere.
///
/// Its name is taken away as soon as it is made, so that it is gone when it is not used any more,
/// however the process ends. Confined to one thread at a time.
package final class SpillFile {
    private let file: File
    /// How much has been written, in bytes.
    package private(set) var byteCount = 0

    fileprivate init(in directory: String) throws(LMDBError) {
        let name = "spill-" + String(UInt64.random(in: 0...UInt64.max), radix: 36)
        file = try File(creating: directory + "/" + name)
        if unsafe unlink(file.path) != 0 {
            throw systemFailure("remove the name of a temporary file", path: file.path)
        }
    }

    /// Writes `bytes` at the end. Throws `.diskFull` and what else writing can meet.
    package func append(_ bytes: UnsafeRawBufferPointer) throws(LMDBError) {
        var rest = unsafe bytes
        while let start = rest.baseAddress, unsafe !rest.isEmpty {
            let result = unsafe pwrite(file.descriptor, start, rest.count, off_t(byteCount))
            if result < 0 {
                if errno == EINTR { continue }
                throw systemFailure("write a temporary file", path: file.path)
            }
            byteCount += result
            unsafe rest = UnsafeRawBufferPointer(rebasing: rest[result...])
        }
    }

    /// Fills `buffer` from `offset` on. Returns the bytes read, fewer only at the end of the file.
    package func read(
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: Int
    ) throws(LMDBError) -> Int {
        try unsafe file.read(into: buffer, at: offset)
    }

    /// Maps what has been written so far, at least one byte.
    ///
    /// - Throws: `.outOfMemory`, mostly because of a limit on what the process may address.
    package func mapped() throws(LMDBError) -> MappedSpill {
        guard byteCount > 0,
            let start = unsafe mmap(nil, byteCount, PROT_READ, MAP_SHARED, file.descriptor, 0),
            unsafe start != MAP_FAILED
        else { throw systemFailure("map a temporary file", path: file.path) }
        return unsafe MappedSpill(start: start, byteCount: byteCount)
    }
}

/// The beginning of a temporary file, which any thread may read, also when the file itself is not used any more.
///
/// The system takes memory for what is read, and can have it back at any time. Nothing is written again where it has
/// been written, so threads need no turns.
@safe
package final class MappedSpill: @unchecked Sendable {
    private let start: UnsafeMutableRawPointer
    package let byteCount: Int

    fileprivate init(start: UnsafeMutableRawPointer, byteCount: Int) {
        unsafe self.start = start
        self.byteCount = byteCount
    }

    deinit { unsafe munmap(start, byteCount) }

    /// Gives the bytes, which are there as long as `body` runs.
    package func withBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try withExtendedLifetime(self) { try unsafe body(UnsafeRawBufferPointer(start: start, count: byteCount)) }
    }
}

extension Environment {
    /// A temporary file on the environment's own file system.
    package func makeSpillFile() throws(LMDBError) -> SpillFile {
        try SpillFile(in: path)
    }
}

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A file that is written from front to back, and gets its name when it is complete and on the disk.
///
/// Until then it lies beside that name under another one, which goes with this object. Readable and writable by its
/// owner only. Confined to one thread at a time.
package final class NewFile {
    private let path: String
    private let file: File
    /// How much has been written, in bytes.
    package private(set) var byteCount = 0

    /// - Parameter path: the name that it gets; nothing is there.
    /// - Throws: `.exists`, and what creating a file can meet.
    package init(at path: String) throws(LMDBError) {
        self.path = path
        guard try FileStatus.existing(at: path) == nil else { throw Self.exists(path) }
        let name = path.split(separator: "/", omittingEmptySubsequences: true).last ?? "file"
        // File names hold 255 bytes; what is cut off is only for human eyes.
        let start = String(decoding: name.utf8.prefix(200), as: UTF8.self)
        let number = String(UInt64.random(in: 0...UInt64.max), radix: 36)
        file = try File(creating: StoreDirectory(path).parentPath + "/.\(start).creating-\(number)")
    }

    deinit {
        // Whether it was finished or not: the name that it has got is another one.
        _ = unsafe unlink(file.path)
    }

    /// Writes `bytes` at the end. Throws `.diskFull` and what else writing can meet.
    package func append(_ bytes: UnsafeRawBufferPointer) throws(LMDBError) {
        try unsafe file.write(bytes, at: byteCount)
        byteCount += bytes.count
    }

    /// Gives the file its name, once all of it is on the disk.
    ///
    /// - Throws: `.exists` where something has come there meanwhile, which stays.
    package func finish() throws(LMDBError) {
        try file.synchronize()
        if unsafe link(file.path, path) != 0 {
            // Not every file system has links.
            guard errno != EEXIST, try FileStatus.existing(at: path) == nil else { throw Self.exists(path) }
            try StoreDirectory(file.path).rename(to: StoreDirectory(path))
        }
        try StoreDirectory.synchronize(StoreDirectory(path).parentPath)
    }

    private static func exists(_ path: String) -> LMDBError {
        LMDBError(code: .exists, rawCode: EEXIST, operation: "create a file", path: path)
    }
}

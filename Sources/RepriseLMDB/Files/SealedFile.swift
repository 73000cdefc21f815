#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A file that nobody changes any more, open for reading: a data file by itself, with bytes of its maker's own behind
/// its pages (Specs/format/checkpoints.md), or one without pages (Specs/format/changes.md).
package final class SealedFile: Sendable {
    /// Tells a file from another one that has come into its place, and from what it was before it was changed.
    package struct Stamp: Hashable, Sendable {
        private let identity: FileIdentity
        private let byteCount: Int
        private let seconds: Int
        private let nanoseconds: Int

        init(_ status: stat) {
            let found = FileStatus(status)
            identity = found.identity
            byteCount = found.byteCount
            #if canImport(Darwin)
                seconds = Int(status.st_ctimespec.tv_sec)
                nanoseconds = Int(status.st_ctimespec.tv_nsec)
            #else
                seconds = Int(status.st_ctim.tv_sec)
                nanoseconds = Int(status.st_ctim.tv_nsec)
            #endif
        }
    }

    /// How many bytes are read together.
    private static let pieceByteCount = 1 << 20

    let file: File
    /// The length of the file, pages and what is behind them.
    package let byteCount: Int
    package let stamp: Stamp
    package var path: String { file.path }

    /// Opens what is at a path. Nothing of it is looked at.
    ///
    /// - Parameter followsLink: whether a symbolic link may lead to the file: where a user names it.
    /// - Throws: `.notAStore` where that is no regular file; what opening a file can meet, as `.permissionDenied`.
    package convenience init(opening path: String, followsLink: Bool = false) throws(LMDBError) {
        // A pipe would wait for a writer.
        let flags = O_RDONLY | O_NONBLOCK
        if followsLink {
            let descriptor = unsafe open(path, flags | O_CLOEXEC)
            if descriptor < 0 { throw systemFailure("open a file", path: path) }
            try self.init(File(descriptor: descriptor, path: path))
        } else {
            try self.init(File(opening: path, flags: flags))
        }
    }

    private init(_ file: consuming File) throws(LMDBError) {
        var status = stat()
        if unsafe fstat(file.descriptor, &status) != 0 { throw systemFailure("examine a file", path: file.path) }
        let found = FileStatus(status)
        guard found.kind == .regular else {
            throw LMDBError(code: .notAStore, operation: "open a data file", path: file.path)
        }
        byteCount = found.byteCount
        stamp = Stamp(status)
        self.file = file
    }

    /// The last bytes of the file, or as many as there are.
    package func end(_ count: Int) throws(LMDBError) -> [UInt8] {
        let count = min(max(count, 0), byteCount)
        return try bytes(count, at: byteCount - count)
    }

    /// Bytes of the file, or as many of them as there are.
    ///
    /// - Parameters:
    ///   - count: at least 0; no more are made room for than the file has from there on.
    ///   - offset: from 0 to ``byteCount``.
    package func bytes(_ count: Int, at offset: Int) throws(LMDBError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: min(count, byteCount - offset))
        let result = unsafe bytes.withUnsafeMutableBytes { buffer in
            Result { () throws(LMDBError) in try unsafe file.read(into: buffer, at: offset) }
        }
        return Array(bytes.prefix(try result.get()))
    }

    /// Hands out the first bytes of the file in their order, piece by piece.
    ///
    /// - Throws: `.truncated` where the file has not so many; what reading can meet.
    /// - Complexity: O(count), in a mebibyte of memory.
    package func forEachPiece(
        ofFirst count: Int,
        _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(LMDBError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceByteCount, alignment: 64)
        defer { unsafe buffer.deallocate() }
        var offset = 0
        while offset < count {
            let piece = unsafe UnsafeMutableRawBufferPointer(
                rebasing: buffer[..<min(buffer.count, count - offset)]
            )
            let found = try unsafe file.read(into: piece, at: offset)
            guard found == piece.count else {
                throw LMDBError(
                    code: .truncated(expected: count, actual: offset + found),
                    operation: "read a file that has become shorter",
                    path: path
                )
            }
            unsafe body(UnsafeRawBufferPointer(piece))
            offset += found
        }
    }
}

// MARK: - Making

extension SealedFile {
    /// Takes the data file out of a directory, in which an environment was made and closed, and gives it a name of its
    /// own. The file is on the disk when this returns, with its name; before it is, nothing has the name.
    ///
    /// - Parameters:
    ///   - directory: what is left of it is of no use any more.
    ///   - path: on the same file system. What is there is replaced.
    ///   - record: what stands behind the pages, made of the file as it is without it.
    /// - Returns: how long the file is, in bytes.
    /// - Throws: what writing and renaming can meet, as `.diskFull`, and what `record` throws.
    /// - Complexity: O(pages that were not on the disk yet), and what `record` takes.
    package static func make(
        from directory: String,
        at path: String,
        record: (_ data: SealedFile) throws -> [UInt8]
    ) throws -> Int {
        let source = StoreDirectory(directory).dataPath
        let file = try File(opening: source, flags: O_RDWR)
        // Pages at the end that a transaction took and gave back were never written, or belong to nobody.
        let byteCount = try MetaPair(reading: file).newest.usedByteCount
        try file.truncate(to: byteCount)
        let bytes = try record(SealedFile(opening: source))
        try unsafe bytes.withUnsafeBytes { try unsafe file.write($0, at: byteCount) }
        try file.synchronize()
        if StoreDirectory.renameFile(source, path) != 0 { throw systemFailure("rename a file", path: path) }
        try StoreDirectory.synchronize(StoreDirectory(path).parentPath)
        return byteCount + bytes.count
    }

    /// Removes the file at a path, unless another one has come there, or it was changed.
    ///
    /// - Returns: whether the file was there.
    package static func remove(_ path: String, _ stamp: Stamp) throws(LMDBError) -> Bool {
        guard let found = try? SealedFile(opening: path), found.stamp == stamp else { return false }
        if unsafe unlink(path) != 0 {
            if errno == ENOENT { return false }
            throw systemFailure("remove a file", path: path)
        }
        return true
    }
}

import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A private copy of a database: the file, and its write-ahead log or rollback journal where there is one.
///
/// The original is only ever read, as bytes: SQLite itself opens the copy, so that nothing is created, recovered or
/// locked beside the original. The copy is in a directory of its own that only its owner may enter, below `TMPDIR` or
/// `/tmp`. Its name is taken away as soon as a ``SQLiteDatabase`` has opened it, which can be done once, or when the
/// value goes away: a process that ends, or is killed, while the database is read leaves nothing of the user's data.
/// What one leaves that is killed while it copies, the next copy removes.
///
/// A symbolic link is followed; the log is looked for beside the file that it leads to, as SQLite does.
public final class SQLiteCopy: Sendable {
    /// One of the original's files.
    public struct Original: Sendable, Equatable {
        /// The path.
        public let path: String
        /// The size in bytes.
        public let byteCount: UInt64
    }

    /// The original's files: the database, then its log where there is one that is not empty.
    public let originals: [Original]
    /// The resolved path of the original database.
    public let originalPath: String
    /// Whether the database is one that keeps changes in a write-ahead log, and none is beside it. An app that closed
    /// the database removes the log; a copy without it may lack the latest changes.
    public let lacksLog: Bool

    private let directory: PrivateDirectory
    private let isRemoved = Mutex(false)
    /// The copied database.
    var path: String { directory.databasePath }

    /// The first bytes of every database that is not encrypted
    /// (https://www.sqlite.org/fileformat.html#the_database_header).
    private static let magic = Array("SQLite format 3\0".utf8)
    /// What follows the name of a super-journal at the end of a rollback journal
    /// (https://www.sqlite.org/fileformat.html#the_rollback_journal).
    private static let journalMagic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]

    /// Whether a file that begins with `prefix` is a SQLite database; sixteen bytes are enough.
    public static func isDatabase(prefix: some Sequence<UInt8>) -> Bool {
        prefix.prefix(magic.count).elementsEqual(magic)
    }

    /// Copies a database.
    ///
    /// - Parameters:
    ///   - path: the database file.
    ///   - progress: called about every four megabytes with the bytes so far, of the database and then of its log, on
    ///     the caller's thread; returning false cancels, and nothing of the copy stays.
    /// - Throws: ``SQLiteFileError``: `changedWhileReading` where an app wrote to it meanwhile, `notADatabase` where it
    ///   does not begin like one.
    /// - Complexity: O(bytes).
    public init(
        of path: String,
        progress: (UInt64) -> Bool = { _ in true }
    ) throws(SQLiteFileError) {
        let resolved = try Self.resolve(path)
        let database = try OriginalFile(path: resolved)
        guard database.stamp.byteCount > 0 else {
            throw SQLiteFileError(.empty, "\(path) is empty.")
        }
        let parent = PrivateDirectory.parent
        PrivateDirectory.removeLeftBehind(in: parent)
        let directory = try PrivateDirectory(in: parent)
        var steps = Steps()
        func advance(_ count: UInt64, isCopied: Bool) throws(SQLiteFileError) {
            guard steps.mayGoOn(after: count, isCopied: isCopied, progress) else {
                throw .cancelled
            }
        }
        func copied(_ count: UInt64) throws(SQLiteFileError) {
            try advance(count, isCopied: true)
        }
        func checked(_ count: UInt64) throws(SQLiteFileError) {
            try advance(count, isCopied: false)
        }
        do {
            let copy = directory.databasePath
            var originals = [Original(path: resolved, byteCount: database.stamp.byteCount)]
            try database.copy(to: copy, copied)
            let header = try Self.header(of: copy, path: path)
            for suffix in ["-wal", "-journal"] {
                let byteCount = try Self.copyLog(
                    resolved + suffix,
                    to: copy + suffix,
                    copied,
                    checked
                )
                if byteCount > 0 {
                    originals.append(Original(path: resolved + suffix, byteCount: byteCount))
                }
            }
            try database.checkUnchanged()
            if originals.count == 1 { try header.checkSize(originals[0].byteCount, path: path) }
            self.originals = originals
            lacksLog = unsafe header.usesLog && access(resolved + "-wal", F_OK) != 0
            self.directory = directory
            originalPath = resolved
        } catch {
            directory.remove()
            throw error
        }
    }

    deinit {
        removeName()
    }

    /// Takes the copy's name away. What is open of it stays until it is closed.
    func removeName() {
        let isFirst = isRemoved.withLock { isRemoved in
            defer { isRemoved = true }
            return !isRemoved
        }
        if isFirst { directory.remove() }
    }

    /// When to say how far the copying is.
    private struct Steps {
        private static let stepByteCount: UInt64 = 4 << 20
        private var copiedCount: UInt64 = 0
        private var countSinceStep: UInt64 = 0

        /// Bytes of the log are looked at once more when they are copied, which is no further step.
        mutating func mayGoOn(
            after count: UInt64,
            isCopied: Bool,
            _ progress: (UInt64) -> Bool
        ) -> Bool {
            if isCopied { copiedCount += count }
            countSinceStep += count
            guard countSinceStep >= Self.stepByteCount else { return true }
            countSinceStep = 0
            return progress(copiedCount)
        }
    }

    private typealias Progress = (UInt64) throws(SQLiteFileError) -> Void

    /// Copies a log if there is one. Returns its size, 0 for none.
    private static func copyLog(
        _ path: String,
        to copy: String,
        _ copied: Progress,
        _ checked: Progress
    ) throws(SQLiteFileError) -> UInt64 {
        let byteCount: UInt64
        do throws(SQLiteFileError) {
            let log = try OriginalFile(path: path)
            byteCount = log.stamp.byteCount
            guard byteCount > 0 else { return 0 }
            try log.copy(to: copy, copied)
            try log.checkUnchanged()
        } catch  where error.code == .noSuchFile {
            return 0
        }
        // Such a journal makes SQLite open, and perhaps delete, files that it names.
        if path.hasSuffix("-journal"), byteCount >= 8,
            try bytes(of: copy, count: 8, at: Int64(byteCount - 8)) == journalMagic
        {
            throw SQLiteFileError(
                .unsupportedContent,
                "A transaction over several databases was interrupted in \(path).",
                advice: "Open the database once with the app that wrote it, and copy it again."
            )
        }
        if path.hasSuffix("-wal") {
            let header = try bytes(of: copy, count: WriteAheadLogHeader.byteCount, at: 0)
            let frameByteCount = try WriteAheadLogHeader.check(header, path: path)
            let tail = (byteCount - UInt64(header.count)) % frameByteCount
            if tail > 0 {
                let frame = try bytes(of: copy, count: 24, at: Int64(byteCount - tail))
                try WriteAheadLogHeader.checkTail(
                    Array(frame.prefix(Int(tail))),
                    header,
                    path: path
                )
            }
            try WriteAheadLogFrames.check(
                copy,
                header,
                count: byteCount / frameByteCount,
                path: path,
                checked
            )
        }
        return byteCount
    }

    private static func header(of copy: String, path: String) throws(SQLiteFileError)
        -> DatabaseHeader
    {
        let header = try bytes(of: copy, count: DatabaseHeader.byteCount, at: 0)
        guard isDatabase(prefix: header) else {
            throw SQLiteFileError(.notADatabase, "\(path) does not begin like a SQLite database.")
        }
        guard header.count == DatabaseHeader.byteCount else {
            throw SQLiteFileError(.truncated, "\(path) ends within its header.")
        }
        return DatabaseHeader(bytes: header)
    }

    /// Up to `count` bytes of a file, from an offset.
    private static func bytes(
        of path: String,
        count: Int,
        at offset: Int64
    ) throws(SQLiteFileError) -> [UInt8] {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SQLiteFileError(system: errno, path: path) }
        defer { _ = close(descriptor) }
        guard lseek(descriptor, off_t(offset), SEEK_SET) >= 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: count)
        let got = unsafe bytes.withUnsafeMutableBytes {
            unsafe System.read(descriptor, $0.baseAddress, $0.count)
        }
        guard got >= 0 else { throw SQLiteFileError(system: errno, path: path) }
        return Array(bytes.prefix(got))
    }

    private static func resolve(_ path: String) throws(SQLiteFileError) -> String {
        guard let resolved = unsafe realpath(path, nil) else {
            throw SQLiteFileError(system: errno, path: path)
        }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }
}

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A directory that only its owner may enter, for the private copy of a database or of a store.
///
/// Its owner holds a lock on it, which goes when the process does, however that ends. So a later run knows a directory
/// that was left behind by a process that was killed, and takes away the user's data in it.
package struct PrivateDirectory: Sendable {
    /// What such a directory is for.
    package struct Purpose: Sendable {
        /// What its name begins with.
        let namePrefix: String
        /// The only files that can be in it.
        let fileNames: [String]

        /// A SQLite database, with what SQLite keeps beside it.
        static let database = Purpose(
            namePrefix: "reprise-sqlite-",
            fileNames: ["", "-wal", "-shm", "-journal"].map { "database" + $0 }
        )
        /// A store of Reprise, whose directory it is itself.
        package static let store = Purpose(
            namePrefix: "reprise-store-",
            fileNames: ["data.mdb", "lock.mdb"]
        )
    }

    package let path: String
    private let purpose: Purpose
    /// What the lock is held by; -1 where the file system has none, and nobody takes the directory for left behind.
    private let descriptor: Int32

    /// A run that takes a new directory for one that was left behind, before it is locked, can hardly do so twice.
    private static let attemptCountMax = 8

    /// The copied database in it.
    var databasePath: String { path + "/database" }

    /// Below `TMPDIR` or `/tmp`.
    package static var parent: String {
        var parent = "/tmp"
        if let variable = unsafe getenv("TMPDIR") {
            let text = unsafe String(cString: variable)
            if text.hasPrefix("/") { parent = text }
        }
        while parent.count > 1, parent.hasSuffix("/") { parent.removeLast() }
        return parent
    }

    /// Makes a directory, and locks it.
    package init(
        in parent: String,
        for purpose: Purpose = .database
    ) throws(SQLiteFileError) {
        for _ in 0..<Self.attemptCountMax {
            let path = try Self.make(in: parent, for: purpose)
            guard let descriptor = Self.open(path) else { continue }
            let isLocked = flock(descriptor, LOCK_EX) == 0
            if isLocked, !Self.leads(path, to: descriptor) {
                _ = close(descriptor)
                continue
            }
            if !isLocked { _ = close(descriptor) }
            self.path = path
            self.purpose = purpose
            self.descriptor = isLocked ? descriptor : -1
            return
        }
        throw SQLiteFileError(
            .inputOutput,
            "A directory for a private copy cannot be kept at \(parent).",
            advice: "Set TMPDIR to a directory that no other program clears."
        )
    }

    /// Removes the directory and what is in it. To be called once.
    package func remove() {
        Self.remove(path, of: purpose)
        if descriptor >= 0 { _ = close(descriptor) }
    }

    /// Takes the names of its files away. What is open of them stays until it is closed.
    package func removeFiles() { Self.removeFiles(in: path, of: purpose) }

    /// How many bytes its file system has room for; nil where that is not known.
    package var roomByteCount: Int? {
        var status = statvfs()
        guard unsafe statvfs(path, &status) == 0 else { return nil }
        let (count, isTooMuch) = Int(clamping: status.f_bavail)
            .multipliedReportingOverflow(by: Int(clamping: status.f_frsize))
        return isTooMuch ? .max : count
    }

    /// Removes directories of this user whose owners do not live any more.
    package static func removeLeftBehind(in parent: String, for purpose: Purpose = .database) {
        for name in names(in: parent) where name.hasPrefix(purpose.namePrefix) {
            let path = parent + "/" + name
            guard let descriptor = open(path) else { continue }
            defer { _ = close(descriptor) }
            var status = stat()
            guard unsafe fstat(descriptor, &status) == 0, status.st_uid == geteuid(),
                status.st_mode & 0o777 == 0o700, flock(descriptor, LOCK_EX | LOCK_NB) == 0,
                leads(path, to: descriptor)
            else { continue }
            remove(path, of: purpose)
        }
    }

    private static func make(
        in parent: String,
        for purpose: Purpose
    ) throws(SQLiteFileError) -> String {
        var template = Array((parent + "/" + purpose.namePrefix + "XXXXXX").utf8CString)
        let made = unsafe template.withUnsafeMutableBufferPointer {
            unsafe mkdtemp($0.baseAddress!) != nil
        }
        guard made else {
            let code = errno
            guard code == ENOENT || code == ENOTDIR else {
                throw SQLiteFileError(system: code, path: parent)
            }
            throw SQLiteFileError(
                .inputOutput,
                "There is no directory for temporary files at \(parent), where a private copy would be made.",
                advice: "Set TMPDIR to a directory that exists."
            )
        }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// A descriptor of a directory that is no link; nil where there is none.
    private static func open(_ path: String) -> Int32? {
        let descriptor = System.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        return descriptor >= 0 ? descriptor : nil
    }

    /// Whether a path still leads to what was opened there.
    private static func leads(_ path: String, to descriptor: Int32) -> Bool {
        var opened = stat()
        var found = stat()
        return unsafe fstat(descriptor, &opened) == 0 && lstat(path, &found) == 0
            && opened.st_dev == found.st_dev && opened.st_ino == found.st_ino
    }

    private static func remove(_ path: String, of purpose: Purpose) {
        removeFiles(in: path, of: purpose)
        _ = unsafe rmdir(path)
    }

    private static func removeFiles(in path: String, of purpose: Purpose) {
        for name in purpose.fileNames { _ = unsafe unlink(path + "/" + name) }
    }

    private static func names(in directory: String) -> [String] {
        guard let stream = unsafe opendir(directory) else { return [] }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            names.append(name)
        }
        return names
    }
}

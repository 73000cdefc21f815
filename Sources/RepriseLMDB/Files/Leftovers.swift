#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A file or directory that its maker removes or renames when it is through, and that stays where the maker is killed.
///
/// Its owner, a process, holds a lock on it as long as it lives, however that ends. The next process that makes another
/// in the same folder tells by the lock which ones were left behind, and removes them (STO-78).
package final class Leftover: Sendable {
    package let path: String
    /// What the lock is held by; -1 where the file system has none, and nobody can take this for left behind.
    private let descriptor: Int32

    /// Locks what was just made at `path`; nil where another process took it for left behind, and removed it.
    package init?(at path: String) {
        let descriptor = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        var isLocked = flock(descriptor, LOCK_EX) == 0
        while !isLocked, errno == EINTR { isLocked = flock(descriptor, LOCK_EX) == 0 }
        guard Self.leads(path, to: descriptor) else {
            close(descriptor)
            return nil
        }
        if !isLocked { close(descriptor) }
        self.path = path
        self.descriptor = isLocked ? descriptor : -1
    }

    deinit {
        unlock()
        if descriptor >= 0 { close(descriptor) }
    }

    /// Gives up the lock, for what has got its name and is not to be removed any more.
    package func unlock() { if descriptor >= 0 { FileLock.release(descriptor) } }

    /// Makes a directory for its owner only, whatever the umask, after those that were left behind were removed.
    ///
    /// - Parameters:
    ///   - parent: the folder that it is made in.
    ///   - namePrefix: what its name begins with. A number follows.
    /// - Throws: what making a directory can meet.
    package static func makeDirectory(
        in parent: String,
        namePrefix: String
    ) throws(LMDBError) -> Leftover {
        removeAll(in: parent, namePrefix: namePrefix)
        while true {
            let number = String(UInt64.random(in: 0...UInt64.max), radix: 36)
            let path = parent + (parent.hasSuffix("/") ? "" : "/") + namePrefix + number
            if unsafe mkdir(path, 0o700) != 0 {
                throw systemFailure("create a directory", path: path)
            }
            if unsafe chmod(path, 0o700) != 0 {
                // Somebody took it for left behind before it was locked.
                if errno == ENOENT { continue }
                throw systemFailure("set the permissions of a directory", path: path)
            }
            if let made = Leftover(at: path) { return made }
        }
    }

    /// Removes it with all that is in it. Links are removed and not followed. Failures are not reported.
    package func remove() { Self.removeTree(path, in: AT_FDCWD) }

    /// Removes what processes that do not live any more have left behind in a folder: of this user, with a name that
    /// consists of the prefix and a number of up to 16 digits, and not locked. Failures are not reported.
    package static func removeAll(in folder: String, namePrefix: String) {
        let directory = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard directory >= 0 else { return }
        defer { close(directory) }
        for name in names(in: directory) where isNumbered(name, namePrefix) {
            let descriptor = unsafe openat(
                directory,
                name,
                O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
            )
            guard descriptor >= 0 else { continue }
            defer { close(descriptor) }
            var status = stat()
            guard unsafe fstat(descriptor, &status) == 0, status.st_uid == geteuid(),
                [S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT),
                flock(descriptor, LOCK_EX | LOCK_NB) == 0,
                leads("\(folder)/\(name)", to: descriptor)
            else { continue }
            removeTree(name, in: directory)
        }
    }

    private static func isNumbered(_ name: String, _ prefix: String) -> Bool {
        guard name.hasPrefix(prefix) else { return false }
        let number = name.utf8.dropFirst(prefix.utf8.count)
        return (1...16).contains(number.count)
            && number.allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0)
            }
    }

    /// Whether a path still leads to what was opened there.
    private static func leads(_ path: String, to descriptor: Int32) -> Bool {
        guard let opened = try? FileStatus(of: descriptor, path: path),
            let found = try? FileStatus.ofLink(at: path)
        else { return false }
        return opened.identity == found.identity
    }

    private static func removeTree(_ name: String, in directory: Int32) {
        if unsafe unlinkat(directory, name, 0) == 0 { return }
        let inner = unsafe openat(
            directory,
            name,
            O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        )
        guard inner >= 0 else { return }
        for name in names(in: inner) { removeTree(name, in: inner) }
        close(inner)
        _ = unsafe unlinkat(directory, name, AT_REMOVEDIR)
    }

    private static func names(in directory: Int32) -> [String] {
        let copy = unsafe openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0 else { return [] }
        guard let stream = unsafe fdopendir(copy) else {
            close(copy)
            return []
        }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while let entry = unsafe readdir(stream) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}

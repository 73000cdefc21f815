import Reprise
import RepriseLMDB

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Removes a store: one that was made for an export of which nothing came, or a branch that is dropped.
enum StoreRemoval {
    private static let names: Set<String> = ["data.mdb", "lock.mdb"]
    /// More than the two pages by which LMDB tells its last commit.
    private static let beginningByteCount = 64 << 10

    /// Closes a store, and removes it unless something has been written since, or another process has it open: what
    /// that has written or will write would be gone with the files.
    ///
    /// - Parameters:
    ///   - head: where the store was when it was made.
    ///   - keepsFolder: whether the directory was there before.
    /// - Returns: whether it was removed.
    @discardableResult
    static func remove(_ store: Store, unchangedSince head: Position, keepsFolder: Bool) -> Bool {
        let path = store.path
        let beginning = beginning(of: path)
        let isUnchanged = (try? store.statistics().head) == head
        store.close()
        guard isUnchanged else { return false }
        var isRemoved = false
        whileNobodyHasOpen(path) {
            // Somebody may have opened it, written and closed it before the lock was there.
            guard beginning != nil, Self.beginning(of: path) == beginning else { return }
            removeFiles(in: path, keepsFolder: keepsFolder)
            isRemoved = true
        }
        return isRemoved
    }

    /// The first bytes of the data, which each commit changes; nil where they cannot be read.
    private static func beginning(of path: String) -> [UInt8]? {
        let descriptor = unsafe open(path + "/data.mdb", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { _ = close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: beginningByteCount)
        let count = unsafe bytes.withUnsafeMutableBytes {
            unsafe read(descriptor, $0.baseAddress, $0.count)
        }
        return count > 0 ? Array(bytes.prefix(count)) : nil
    }

    private static func removeFiles(in path: String, keepsFolder: Bool) {
        let manager = FileManager.default
        var folder = path
        let content = try? manager.contentsOfDirectory(atPath: path)
        if !keepsFolder, let content, names.isSuperset(of: content) {
            // All at once: who waits for the lock must find no directory, not one without data.
            // Nobody owns what lies there: another removal was killed before it had removed it.
            let place = URL(filePath: path)
            Leftover.removeAll(
                in: place.deletingLastPathComponent().path(percentEncoded: false),
                namePrefix: place.lastPathComponent + ".removing-"
            )
            let aside = path + ".removing-" + String(UInt64.random(in: 0 ... .max), radix: 36)
            if (try? manager.moveItem(atPath: path, toPath: aside)) != nil { folder = aside }
        }
        for name in names.sorted() { try? manager.removeItem(atPath: "\(folder)/\(name)") }
        // Whatever else has come into the folder stays, and the folder with it.
        guard !keepsFolder, (try? manager.contentsOfDirectory(atPath: folder)) == [] else { return }
        try? manager.removeItem(atPath: folder)
    }

    /// Does something while no process can open a store; nothing where one has it open or that cannot be told. Each
    /// that has shares a lock on the first byte of `lock.mdb`, by which LMDB tells whether it is the first
    /// (`mdb_env_excl_lock`).
    ///
    /// - Parameter path: the store's directory. This process must not have it open: it would lose its share.
    private static func whileNobodyHasOpen(_ path: String, _ body: () -> Void) {
        let descriptor = unsafe open(path + "/lock.mdb", O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { _ = close(descriptor) }
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        lock.l_start = 0
        lock.l_len = 1
        guard unsafe fcntl(descriptor, F_SETLK, &lock) == 0 else { return }
        body()
    }
}

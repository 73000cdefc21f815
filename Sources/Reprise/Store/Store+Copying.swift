internal import RepriseLMDB

extension Store {
    /// Takes the lock for long work that only one may do at a time, such as a migration, in this process or another.
    /// It keeps nobody from reading or writing. Returns whether it was free.
    ///
    /// - Throws: ``StoreError`` with the code `closed`, and what the system says.
    package func takeWorkLock() throws -> Bool {
        do {
            return try environment.takeWorkLock()
        } catch {
            throw StoreError.wrapping(error)
        }
    }

    /// Gives the lock for long work back.
    package func releaseWorkLock() { environment.releaseWorkLock() }

    /// Copies the store, as its last commit has left it, into a directory that has no store, and opens the copy. It has
    /// the same log, the same views and the same actor; what is written to one of the two is not in the other. Nobody
    /// waits meanwhile, but for a map that has to grow, as during any read.
    ///
    /// It is meant for work of which nothing shall stay: the copy is not durable before its first commit, no other
    /// process may open it, and its files may lose their names. All its pages are checked when it is opened.
    ///
    /// - Parameters:
    ///   - directory: is there, and has room for the file. Removing it is the caller's part, where this throws, too.
    ///   - progress: called about every mebibyte with the bytes so far and those of the copy; what it throws ends the
    ///     copy. It must not write to the store.
    /// - Throws: ``StoreError``, as `diskFull`, `corrupted` and what else opening a store can meet, and what `progress`
    ///   throws.
    /// - Complexity: O(bytes of the store's file).
    package func copy(
        to directory: String,
        progress: (_ doneByteCount: Int, _ byteCount: Int) throws -> Void
    ) throws -> Store {
        do {
            try environment.copy(to: directory, progress: progress)
        } catch {
            throw StoreError.wrapping(error)
        }
        var configuration = Configuration(
            actor: configuration.actor,
            mapByteCount: configuration.mapByteCount,
            checkedAtOpeningByteCountMax: .max
        )
        configuration.isPrivate = true
        return try Store.open(existing: directory, configuration: configuration)
    }
}

extension Environment {
    /// Takes the lock for long work, such as a migration, that only one may do at a time. It keeps nobody from reading
    /// or writing. It is an flock(2) of the lock file, which closing another descriptor of the file does not give up.
    ///
    /// - Returns: whether it was free, in this process and in the others.
    /// - Throws: `.closed`; what the system says.
    package func takeWorkLock() throws(LMDBError) -> Bool {
        try gate.enterRead()
        defer { gate.leaveRead() }
        let isFirst = hasWorkLock.withLock { held in
            defer { held = true }
            return !held
        }
        guard isFirst else { return false }
        do throws(LMDBError) {
            if try lockFile?.takeWorkLock() ?? true { return true }
        } catch {
            hasWorkLock.withLock { $0 = false }
            throw error
        }
        hasWorkLock.withLock { $0 = false }
        return false
    }

    /// As ``takeWorkLock()``, and waits for those who have it.
    ///
    /// - Returns: whether it was taken before the deadline.
    package func takeWorkLock(until deadline: ContinuousClock.Instant) throws(LMDBError) -> Bool {
        var pause = Pause()
        while try !takeWorkLock() {
            if ContinuousClock.now >= deadline { return false }
            pause.wait()
        }
        return true
    }

    /// Gives the lock back to whom comes next. Closing the environment does so, too.
    package func releaseWorkLock() {
        hasWorkLock.withLock { $0 = false }
        guard (try? gate.enterRead()) != nil else { return }
        defer { gate.leaveRead() }
        lockFile?.releaseWorkLock()
    }

    /// Runs `body`, which may have any number of write transactions, while no other process writes.
    ///
    /// - Throws: as ``beginWrite(room:)``, and what `body` throws.
    package func keepingWritersOut<R>(_ body: () throws -> R) throws -> R {
        try gate.enterWrite()
        if keepsWritersOut {
            gate.leaveWrite()
            return try body()
        }
        do {
            try lockFile?.takeWriterLock(within: options.writerWait)
        } catch {
            gate.leaveWrite()
            throw error
        }
        keepsWritersOut = true
        // Closing the environment meanwhile closes the file, which gives the lock up.
        let release = { [weak lockFile] () -> Void in lockFile?.releaseWriterLock() }
        gate.leaveWrite()
        defer {
            if (try? gate.enterWrite()) != nil {
                keepsWritersOut = false
                leaveWrite()
            } else {
                release()
            }
        }
        return try body()
    }
}

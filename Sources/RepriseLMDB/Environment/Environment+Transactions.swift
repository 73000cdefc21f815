import CLMDB
import Synchronization

extension Environment {
    /// How often a transaction tries again when other processes grow the file or leave reader
    /// slots.
    private static let attemptCountMax = 4
    /// How often commits may overtake the beginning of one reader.
    static let overtakenCountMax = 1000

    /// Begins to read what the last commit left.
    ///
    /// Waits only while the map is being exchanged, at most for `readerWait`.
    /// - Throws: `.readersFull`, `.closed`, `.poisoned`; `.mapFullWhileReading` when another
    ///   process has grown the file beyond the map and this process's transactions stay open;
    ///   `.lockFileUnusable` when the file was replaced meanwhile; `.inUse` when the environment is read
    ///   without locks and another process has it open.
    package func beginRead() throws(LMDBError) -> ReadTransaction {
        if !hasLocks, !options.isSealed { try requireNobody() }
        var attemptsLeft = Self.attemptCountMax
        while true {
            let idle = try gate.enterReadTakingIdle()
            let result: Int32
            do throws(LMDBError) {
                switch try beginReadingAlone(idle) {
                case .success(let slot):
                    return ReadTransaction(TransactionState(slot, environment: self))
                case .failure(let refusal): result = refusal.returnCode
                }
            } catch {
                gate.leaveRead()
                throw error
            }
            gate.leaveRead()
            attemptsLeft -= 1
            if attemptsLeft == 0 { throw beginFailure(result, "begin a read transaction") }
            switch result {
            case MDB_MAP_RESIZED: try adoptGrowth()
            case MDB_READERS_FULL where try clearStaleReaders() > 0: continue
            default: throw beginFailure(result, "begin a read transaction")
            }
        }
    }

    /// What LMDB answers instead of beginning a transaction.
    private struct Refusal: Error { let returnCode: Int32 }

    /// Begins to read, and begins anew where commits came in between (STO-50).
    ///
    /// LMDB chooses the last commit, and copies from its meta page afterwards what the reader needs, as this does
    /// once more. A thread that is held up between the two, while another commit is made and the one after it is about
    /// to be, copies what that one has just put in the page's place: not durable yet, and newer than what the reader's
    /// number says. Source: `mdb_txn_renew0` and `mdb_env_write_meta` in `mdb.c` of LMDB 0.9.24.
    ///
    /// Each new attempt needs one more commit with its syncs. Many of them mean that the numbers which this process
    /// is given are no longer those of the file: somebody has replaced it, or the lock file beside it.
    private func beginReadingAlone(
        _ idle: ReaderSlot?
    ) throws(LMDBError) -> Result<ReaderSlot, Refusal> {
        renewLocksNowAndThen()
        // Asked before a commit is chosen: what was checked was that commit's, or was written to it since.
        let checked = isStructureKnown ? nil : checkedPages
        var begun: OpaquePointer?
        let pages: UnsafeMutablePointer<CommitPages>
        if let idle {
            unsafe (begun, pages) = unsafe (idle.transaction, idle.pages)
        } else {
            unsafe pages = try makeCommitPages()
        }
        for _ in 0..<Self.overtakenCountMax {
            let result = unsafe beginReading(&begun)
            guard result == MDB_SUCCESS, let transaction = unsafe begun else {
                unsafe CommitPages.destroy(pages)
                return .failure(Refusal(returnCode: result))
            }
            let slot = unsafe ReaderSlot(transaction: transaction, pages: pages)
            do throws(LMDBError) {
                if try take(slot, checked) { return .success(slot) }
            } catch {
                slot.destroy()
                throw error
            }
            unsafe mdb_txn_reset(transaction)
        }
        unsafe mdb_txn_abort(begun)
        unsafe CommitPages.destroy(pages)
        throw LMDBError(
            code: .lockFileUnusable,
            operation: "its last commit is none of the data file",
            path: StoreDirectory(path).lockPath
        )
    }

    /// Takes up the commit that the transaction sees. Returns `false` when commits may have overtaken that.
    private func take(_ slot: ReaderSlot, _ checked: CheckedPages?) throws(LMDBError) -> Bool {
        let own = unsafe commitNumber(of: slot.transaction)
        let meta = try readMeta(own & 1)
        // What was copied is read before the number that says whose it was.
        atomicMemoryFence(ordering: .acquiring)
        let newest = newestTransactionID
        guard let meta, meta.transactionID == own, meta.pageByteCount == pageByteCount else {
            return false
        }
        let base = unsafe Result { () throws(LMDBError) in
            try unsafe mapBase(slot.transaction, meta)
        }
        // The page is the commit's own until the second one after it is written, of which the number may come last.
        if newest > own, unsafe !isChosenAgain(slot.transaction) { return false }
        let start = try unsafe base.get()
        if let start = unsafe start { unsafe noteMap(start) }
        unsafe slot.pages.pointee.show(meta, at: start, checked)
        return true
    }

    /// Begins the reader anew. Returns whether LMDB chooses the same commit.
    ///
    /// Then the commit after it, though its meta page may be written, was not the last one yet for the next writer,
    /// which had not begun: nobody has written over the commit's own meta page before. Source: `mti_txnid` in `mdb.c`
    /// of LMDB 0.9.24.
    func isChosenAgain(_ transaction: OpaquePointer) -> Bool {
        let own = unsafe mdb_txn_id(transaction)
        unsafe mdb_txn_reset(transaction)
        // One that is not renewed is begun anew by the next attempt.
        let result = unsafe mdb_txn_renew(transaction)
        return unsafe result == MDB_SUCCESS && mdb_txn_id(transaction) == own
    }

    /// Renews an idle transaction, or begins one where there is none or it cannot be renewed.
    private func beginReading(_ transaction: inout OpaquePointer?) -> Int32 {
        if let idle = unsafe transaction {
            if unsafe mdb_txn_renew(idle) == MDB_SUCCESS { return MDB_SUCCESS }
            unsafe mdb_txn_abort(idle)
            unsafe transaction = nil
        }
        return unsafe mdb_txn_begin(pointer, nil, UInt32(MDB_RDONLY), &transaction)
    }

    /// Begins the one write transaction, after waiting for that of another thread or process.
    ///
    /// It stays on this thread until it ends. Beginning a second one on the thread traps. When the
    /// map has little room, it grows first, which waits for this process's readers only if it must. Before the first
    /// one all pages are checked: LMDB would follow damaged lists of free pages and write over pages in use.
    ///
    /// - Parameter byteCount: The room that the transaction will need, if more than the usual
    ///   headroom.
    /// - Throws: `.closed`, `.poisoned`, `.readOnly`, `.storeMoved`,
    ///   `.writerBusy` when another process writes for longer than `writerWait`, `.lockFileUnusable`, and as
    ///   ``checkStructure()``.
    /// - Complexity: O(pages of the file) the first time, otherwise O(1).
    package func beginWrite(room byteCount: Int = 0) throws(LMDBError) -> WriteTransaction {
        if options.isReadOnly {
            throw LMDBError(
                code: .readOnly,
                operation: "write to what was opened for reading",
                path: path
            )
        }
        try gate.enterWrite()
        do throws(LMDBError) {
            try checkInPlace()
            lockFile?.renewLocks()
            try lockFile?.takeWriterLock(within: options.writerWait, isKept: keepsWritersOut)
        } catch {
            gate.leaveWrite()
            throw error
        }
        do throws(LMDBError) {
            try clearStaleReadersNowAndThen()
            var attemptsLeft = Self.attemptCountMax
            while true {
                let growth = try growIfNeeded(room: byteCount)
                var begun: OpaquePointer?
                let result = unsafe mdb_txn_begin(pointer, nil, 0, &begun)
                if let transaction = unsafe begun, result == MDB_SUCCESS {
                    do throws(LMDBError) {
                        let last = unsafe commitNumber(of: transaction) &- 1
                        try checkCommitNumber(last)
                        try makeStructureKnown(of: last)
                    } catch {
                        unsafe mdb_txn_abort(transaction)
                        throw error
                    }
                    let state = unsafe TransactionState(
                        transaction,
                        kind: .write,
                        environment: self,
                        growthWasRefused: growth == .refusedByReaders
                    )
                    return WriteTransaction(state)
                }
                attemptsLeft -= 1
                if result != MDB_MAP_RESIZED || attemptsLeft == 0 {
                    throw beginFailure(result, "begin a write transaction")
                }
                try adoptGrowth()
            }
        } catch {
            leaveWrite()
            throw error
        }
    }

    /// Lets the next writer begin, of this process or another one.
    func leaveWrite() {
        // After a failed commit this process writes no more.
        if !keepsWritersOut || gate.isPoisoned { lockFile?.releaseWriterLock() }
        gate.leaveWrite()
    }

    private func beginFailure(_ result: Int32, _ operation: String) -> LMDBError {
        LMDBError(
            code: .init(returnCode: result),
            rawCode: result,
            operation: operation,
            path: path
        )
    }
}

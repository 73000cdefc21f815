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
    ///   `.corrupted` when the file or its lock file was replaced meanwhile.
    package func beginRead() throws(LMDBError) -> ReadTransaction {
        var attemptsLeft = Self.attemptCountMax
        while true {
            var begun = unsafe try gate.enterReadTakingIdle()
            let result = unsafe beginReadingAlone(&begun)
            if let transaction = unsafe begun, result == MDB_SUCCESS {
                return ReadTransaction(
                    unsafe TransactionState(transaction, kind: .read, environment: self)
                )
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

    /// Begins to read, and begins anew where commits came in between (STO-50).
    ///
    /// LMDB chooses the last commit, and copies from its meta page afterwards what the reader needs. A thread that is
    /// held up between the two, while another commit is made and the one after it is about to be, copies what that one
    /// has just put in the page's place: not durable yet, and newer than what the reader's number says. Source:
    /// `mdb_txn_renew0` and `mdb_env_write_meta` in `mdb.c` of LMDB 0.9.24.
    ///
    /// Each new attempt needs two more commits with their syncs. Many of them mean that the numbers which this process
    /// is given are no longer those of the file: somebody has replaced it, or the lock file beside it.
    private func beginReadingAlone(_ transaction: inout OpaquePointer?) -> Int32 {
        for _ in 0..<Self.overtakenCountMax {
            let result = unsafe beginReading(&transaction)
            guard result == MDB_SUCCESS, let begun = unsafe transaction else { return result }
            // What was copied is read before the number that says whose it was.
            atomicMemoryFence(ordering: .acquiring)
            let newest = newestTransactionID
            let own = UInt64(unsafe mdb_txn_id(begun))
            // The page is the commit's own until the second one after it, whose number is the last that is written.
            if newest <= own || newest - own == 1 { return result }
            unsafe mdb_txn_reset(begun)
        }
        unsafe mdb_txn_abort(transaction)
        unsafe transaction = nil
        return MDB_CORRUPTED
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
    /// - Throws: `.closed`, `.poisoned`, `.permissionDenied` when opened for reading only, and as
    ///   ``checkStructure()``.
    /// - Complexity: O(pages of the file) the first time, otherwise O(1).
    package func beginWrite(room byteCount: Int = 0) throws(LMDBError) -> WriteTransaction {
        if options.isReadOnly {
            throw LMDBError(
                code: .permissionDenied,
                operation: "write to what was opened for reading",
                path: path
            )
        }
        try gate.enterWrite()
        do throws(LMDBError) {
            try makeStructureKnown()
            var attemptsLeft = Self.attemptCountMax
            while true {
                let growth = try growIfNeeded(room: byteCount)
                var begun: OpaquePointer?
                let result = unsafe mdb_txn_begin(pointer, nil, 0, &begun)
                if let transaction = unsafe begun, result == MDB_SUCCESS {
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
            gate.leaveWrite()
            throw error
        }
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

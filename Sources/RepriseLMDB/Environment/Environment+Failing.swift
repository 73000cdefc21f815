import CLMDB

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension Environment {
    /// Decides what a failed commit leaves behind, on the writer's thread (STO-30, STO-31).
    ///
    /// - Parameter transactionID: the number that the commit would have had.
    func noteFailedCommit(_ result: Int32, _ transactionID: UInt64) {
        switch result {
        // Both come from recording the free pages, before the first byte is written.
        case MDB_MAP_FULL: noteFullMap()
        case MDB_TXN_FULL: break
        default: if !isRefusedByDisk(result) || !leftNoTrace(transactionID) { gate.poison() }
        }
    }

    /// Whether there was no room for what was to be written. LMDB calls a write that the disk took only a part of an
    /// I/O error.
    private func isRefusedByDisk(_ result: Int32) -> Bool {
        switch result {
        case ENOSPC, EDQUOT: true
        case EIO: hasFullDisk
        default: false
        }
    }

    /// Whether a failed commit has reached neither meta page, and LMDB goes on after it.
    ///
    /// LMDB writes a commit's pages, all of them free before, synchronizes them, and then names them in a meta page.
    /// What fails before that step changes nothing that any commit refers to; a failure of the step itself makes LMDB
    /// refuse everything that comes later. Source: `mdb_txn_commit` and `mdb_env_write_meta` in `mdb.c` of LMDB 0.9.24.
    private func leftNoTrace(_ transactionID: UInt64) -> Bool {
        for number: UInt64 in [0, 1] {
            guard let meta = try? readMeta(number), meta.transactionID < transactionID else {
                return false
            }
        }
        var probe: OpaquePointer?
        let result = unsafe mdb_txn_begin(pointer, nil, UInt32(MDB_RDONLY), &probe)
        if let probe = unsafe probe { unsafe mdb_txn_abort(probe) }
        return result != MDB_PANIC
    }
}

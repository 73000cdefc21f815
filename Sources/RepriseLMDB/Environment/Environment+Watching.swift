import CLMDB

extension Environment {
    /// The number of the last commit in the file. To be asked while a transaction is open.
    ///
    /// A commit of another process is in the file a moment before readers are given it: a reader that was begun in that
    /// moment has a smaller number.
    package var newestTransactionID: UInt64 {
        var info = unsafe MDB_envinfo()
        unsafe mdb_env_info(pointer, &info)
        return unsafe UInt64(UInt(bitPattern: info.me_last_txnid))
    }

    /// Watches the file that every commit writes.
    package func watch() throws(LMDBError) -> FileWatch {
        try FileWatch(path + "/data.mdb")
    }
}

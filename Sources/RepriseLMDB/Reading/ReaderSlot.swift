import CLMDB

/// LMDB's read transaction and what is seen through it, which are used again together.
@safe
struct ReaderSlot {
    let transaction: OpaquePointer
    let snapshot: UnsafeMutablePointer<Snapshot>

    /// Gives both back, for good.
    func destroy() {
        unsafe mdb_txn_abort(transaction)
        unsafe Snapshot.destroy(snapshot)
    }
}

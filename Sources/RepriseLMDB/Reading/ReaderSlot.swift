import CLMDB

/// LMDB's read transaction and what is seen through it, which are used again together.
@safe
struct ReaderSlot {
    let transaction: OpaquePointer
    let pages: UnsafeMutablePointer<CommitPages>

    /// Gives both back, for good.
    func destroy() {
        unsafe mdb_txn_abort(transaction)
        unsafe CommitPages.destroy(pages)
    }
}

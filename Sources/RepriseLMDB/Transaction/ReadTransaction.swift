import CLMDB

/// A consistent view of the environment as of one commit. Later commits do not change it.
///
/// It ends when it is destroyed. While it lives, pages that it may need are not reused, so a
/// long-lived reader makes the file grow.
@safe
package struct ReadTransaction: ~Copyable {
    package let reader: TableReader
    /// The number of the commit that this transaction sees, 0 before the first.
    package let transactionID: UInt64
    private let state: TransactionState

    init(_ state: TransactionState) {
        self.state = state
        self.reader = TableReader(state)
        self.transactionID = unsafe commitNumber(of: reader.pointer)
    }

    /// The commit's meta page.
    var meta: MetaPage {
        guard let pages = unsafe state.pages else {
            preconditionFailure("A read transaction sees pages.")
        }
        return unsafe pages.pointee.meta
    }

    /// Makes sure that what was read is of one commit, where no lock keeps others from writing over its pages (STO-68).
    /// For the end of a read.
    ///
    /// - Throws: `.inUse` when another process has written since the transaction began.
    package func checkUndisturbed() throws(LMDBError) {
        let environment = state.environment
        if environment.hasLocks || environment.newestTransactionID == transactionID { return }
        throw LMDBError(
            code: .inUse,
            operation: "another process has written while it was read without locks",
            path: environment.path
        )
    }

    deinit { state.abort() }
}

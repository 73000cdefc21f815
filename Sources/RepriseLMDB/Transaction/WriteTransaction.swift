import CLMDB

/// Another name for ``WriteTransaction``, for modules that have one of their own.
package typealias TableWriter = WriteTransaction

/// The one running change of the environment. Nothing of it is visible or durable before
/// ``commit()``; destroyed without a commit it leaves no trace.
///
/// It begins and ends on one thread; between, others may use it in turn. After a failed write (except
/// for keys out of order) it can only be given up: every later operation, `commit` included, throws
/// that failure again.
@safe
package struct WriteTransaction: ~Copyable {
    package let reader: TableReader
    /// The number that the commit will have.
    package let transactionID: UInt64
    private let state: TransactionState

    init(_ state: TransactionState) {
        self.state = state
        self.reader = TableReader(state)
        self.transactionID = unsafe commitNumber(of: reader.pointer)
    }

    deinit { state.abort() }

    /// Sets the value of `key`, replacing the one it had. No allocation by this module.
    ///
    /// - Throws: `.keyTooLong` for a key of 0 or more than ``Table/keyByteCountMax`` bytes,
    ///   `.mapFull`, `.transactionTooLarge`, and what writing a full transaction's pages early can
    ///   meet (`.diskFull`…).
    package func put(
        _ table: Table,
        key: UnsafeRawBufferPointer,
        value: UnsafeRawBufferPointer
    ) throws(LMDBError) {
        try unsafe put(table, key, value, flags: 0, "put")
    }

    /// As `put` for a key greater than every other in the table, which fills pages completely.
    ///
    /// - Throws: As `put`; `.other` with `MDB_KEYEXIST` for a key that is not greater, which
    ///   changes nothing.
    package func append(
        _ table: Table,
        key: UnsafeRawBufferPointer,
        value: UnsafeRawBufferPointer
    ) throws(LMDBError) {
        try unsafe put(table, key, value, flags: UInt32(MDB_APPEND), "append")
    }

    /// As `put` or `append`, but gives out the value's `byteCount` bytes to be written in place.
    ///
    /// All of them must be written before the next write in this transaction and before its end.
    package func reserve(
        _ table: Table,
        key: UnsafeRawBufferPointer,
        byteCount: Int,
        append: Bool
    ) throws(LMDBError) -> UnsafeMutableRawBufferPointer {
        precondition(byteCount >= 0, "A value has no negative size.")
        try unsafe checkSizes(key, valueByteCount: byteCount, "reserve")
        var keyValue = unsafe MDB_val(key)
        var value = unsafe MDB_val(mv_size: byteCount, mv_data: nil)
        let flags = UInt32(MDB_RESERVE) | (append ? UInt32(MDB_APPEND) : 0)
        let result = unsafe mdb_put(reader.pointer, table.handle, &keyValue, &value, flags)
        if result != MDB_SUCCESS { throw state.writeFailure(result, "reserve") }
        return unsafe UnsafeMutableRawBufferPointer(start: value.mv_data, count: byteCount)
    }

    /// Removes `key`. Returns whether it was there.
    @discardableResult
    package func delete(
        _ table: Table,
        key: UnsafeRawBufferPointer
    ) throws(LMDBError) -> Bool {
        if unsafe key.isEmpty { return false }
        var keyValue = unsafe MDB_val(key)
        let result = unsafe mdb_del(reader.pointer, table.handle, &keyValue, nil)
        if result == MDB_NOTFOUND { return false }
        if result != MDB_SUCCESS { throw state.writeFailure(result, "delete") }
        return true
    }

    /// Removes every entry of the table. O(pages).
    package func empty(_ table: Table) throws(LMDBError) {
        let result = unsafe mdb_drop(reader.pointer, table.handle, 0)
        if result != MDB_SUCCESS { throw state.writeFailure(result, "empty a table") }
    }

    /// A cursor that can also write, positioned nowhere. It is of no use after the transaction.
    package func cursor(_ table: Table) throws(LMDBError) -> Cursor {
        try reader.cursor(table)
    }

    /// Makes everything durable: when it returns, the changes survive a loss of power.
    ///
    /// - Throws: The transaction's first failed write, if there was one; `.mapFull` or
    ///   `.transactionTooLarge`, with nothing changed; otherwise whatever writing and syncing met.
    ///   In that last case the outcome is unknown until the environment is opened again, and it is
    ///   poisoned until then.
    package consuming func commit() throws(LMDBError) {
        try state.commit()
    }

    /// As ``commit()``, for a transaction that something else holds. It is of no use afterwards.
    package func commitInPlace() throws(LMDBError) {
        try state.commit()
    }

    /// Ends the transaction without a trace, on the thread that began it. Does nothing when it is over.
    package func abort() {
        state.abort()
    }

    /// Begins a part of this transaction that can be given up without the rest. Until it has ended only it may be
    /// used; its commit makes its changes part of this transaction.
    ///
    /// - Throws: `.other` when there is no memory; what this transaction failed with, if it has.
    package func beginNested() throws(LMDBError) -> WriteTransaction {
        if let failure = state.failure { throw failure }
        var begun: OpaquePointer?
        let result = unsafe mdb_txn_begin(state.environment.pointer, reader.pointer, 0, &begun)
        guard let nested = unsafe begun, result == MDB_SUCCESS else {
            throw state.readFailure(result, "begin a nested transaction")
        }
        return WriteTransaction(
            unsafe TransactionState(
                nested,
                kind: .nested,
                environment: state.environment,
                growthWasRefused: state.growthWasRefused
            )
        )
    }

    @inline(__always)
    private func put(
        _ table: Table,
        _ key: UnsafeRawBufferPointer,
        _ value: UnsafeRawBufferPointer,
        flags: UInt32,
        _ operation: StaticString
    ) throws(LMDBError) {
        try unsafe checkSizes(key, valueByteCount: value.count, operation)
        var keyValue = unsafe MDB_val(key)
        var valueValue = unsafe MDB_val(value)
        let result = unsafe mdb_put(reader.pointer, table.handle, &keyValue, &valueValue, flags)
        if result != MDB_SUCCESS { throw state.writeFailure(result, operation) }
    }
}

/// Refuses what LMDB would refuse or has faults with, before it sees it.
@inline(__always)
func checkSizes(
    _ key: UnsafeRawBufferPointer,
    valueByteCount: Int,
    _ operation: StaticString
) throws(LMDBError) {
    if unsafe key.isEmpty || key.count > Table.keyByteCountMax {
        throw LMDBError(code: .keyTooLong, operation: operation.description)
    }
    if valueByteCount > Table.valueByteCountMax {
        throw LMDBError(code: .transactionTooLarge, operation: operation.description)
    }
}

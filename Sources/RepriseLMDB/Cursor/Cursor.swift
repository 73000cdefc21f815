import CLMDB

/// A place in one table.
///
/// A cursor is either at an entry, before the first, after the last, or (when new, after a
/// failed exact search, and after a move that threw) nowhere. From nowhere `next` goes to the first entry and
/// `previous` to the last. After damage was met, by whatever in the transaction, each move throws that again.
///
/// It must not be used after its transaction: moving and writing trap, but ``key`` and ``value`` give out what was
/// there, which is not there any more. It may be destroyed after the transaction, in any order.
@safe
package struct Cursor: ~Copyable {
    enum Place {
        case nowhere, entry, beforeFirst, afterLast
        /// At the entry just put, whose bytes are looked up only when asked for.
        case putEntry
        /// Between the entries around the one just deleted.
        case deletedEntry
    }

    /// LMDB's cursor, in a write transaction.
    let pointer: OpaquePointer?
    /// What moves in its stead in a read transaction.
    var tree: TreeCursor?
    let state: TransactionState
    var place = Place.nowhere
    var keyValue = unsafe MDB_val()
    var valueValue = unsafe MDB_val()

    init(_ table: Table, state: TransactionState) throws(LMDBError) {
        guard let transaction = unsafe state.pointer else {
            preconditionFailure("A cursor needs a running transaction.")
        }
        if let pages = unsafe state.pages {
            let tree: TreeCursor
            do throws(PageFault) {
                tree = try unsafe TreeCursor(table, in: pages)
            } catch {
                throw state.readFailure(error)
            }
            unsafe self.init(nil, tree, state)
            return
        }
        var opened: OpaquePointer?
        let result = unsafe mdb_cursor_open(transaction, table.handle, &opened)
        if result != MDB_SUCCESS { throw state.readFailure(result, "open a cursor") }
        guard let pointer = unsafe opened else {
            throw LMDBError(code: .other, operation: "open a cursor")
        }
        unsafe self.init(pointer, nil, state)
    }

    private init(_ pointer: OpaquePointer?, _ tree: TreeCursor?, _ state: TransactionState) {
        unsafe self.pointer = unsafe pointer
        self.tree = tree
        self.state = state
    }

    deinit {
        let isRunning = state.isRunning
        tree?.destroy(pagesLive: isRunning)
        // The end of a write transaction has freed its cursors.
        if isRunning, let pointer = unsafe pointer { unsafe mdb_cursor_close(pointer) }
    }

    /// The current entry's key. Valid until the cursor moves, the transaction writes, or it ends; to ask for it
    /// after the end is a programming error that nothing detects.
    package var key: UnsafeRawBufferPointer {
        if place == .putEntry { return unsafe UnsafeRawBufferPointer(storedEntry().key) }
        precondition(place == .entry, "The cursor is not at an entry.")
        return unsafe UnsafeRawBufferPointer(keyValue)
    }

    /// The current entry's value. Valid as long as ``key``.
    package var value: UnsafeRawBufferPointer {
        if place == .putEntry { return unsafe UnsafeRawBufferPointer(storedEntry().value) }
        precondition(place == .entry, "The cursor is not at an entry.")
        return unsafe UnsafeRawBufferPointer(valueValue)
    }

    /// The entry as it lies in its page.
    private func storedEntry() -> (key: MDB_val, value: MDB_val) {
        precondition(state.isRunning, "The cursor's transaction is over.")
        var key = unsafe MDB_val()
        var value = unsafe MDB_val()
        let result = unsafe mdb_cursor_get(pointer, &key, &value, MDB_GET_CURRENT)
        precondition(result == MDB_SUCCESS, "The entry just put is gone.")
        return unsafe (key, value)
    }
}

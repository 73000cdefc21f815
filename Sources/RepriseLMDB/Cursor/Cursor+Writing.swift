import CLMDB

extension Cursor {
    /// Sets the value of `key` and leaves the cursor at that entry. Neighbouring keys cost less
    /// than `WriteTransaction.put`, because the search starts at the current page.
    ///
    /// Only in a write transaction; elsewhere it traps.
    /// - Parameter append: The key is greater than every other in the table.
    /// - Throws: As `WriteTransaction.put` and `append`.
    package mutating func put(
        key: UnsafeRawBufferPointer,
        value: UnsafeRawBufferPointer,
        append: Bool = false
    ) throws(LMDBError) {
        precondition(state.isRunning, "The cursor's transaction is over.")
        try unsafe checkSizes(key, valueByteCount: value.count, "put with a cursor")
        unsafe keyValue = MDB_val(key)
        unsafe valueValue = MDB_val(value)
        let flags = append ? UInt32(MDB_APPEND) : 0
        let result = unsafe mdb_cursor_put(pointer, &keyValue, &valueValue, flags)
        guard result == MDB_SUCCESS else {
            place = .nowhere
            throw state.writeFailure(result, "put with a cursor")
        }
        place = .putEntry
    }

    /// As `put`, but gives out the value's `byteCount` bytes to be written in place.
    ///
    /// All of them must be written before the next write in the transaction and before its end.
    package mutating func reserve(
        key: UnsafeRawBufferPointer,
        byteCount: Int,
        append: Bool = false
    ) throws(LMDBError) -> UnsafeMutableRawBufferPointer {
        precondition(state.isRunning, "The cursor's transaction is over.")
        precondition(byteCount >= 0, "A value has no negative size.")
        try unsafe checkSizes(key, valueByteCount: byteCount, "reserve with a cursor")
        unsafe keyValue = MDB_val(key)
        unsafe valueValue = MDB_val(mv_size: byteCount, mv_data: nil)
        let flags = UInt32(MDB_RESERVE) | (append ? UInt32(MDB_APPEND) : 0)
        let result = unsafe mdb_cursor_put(pointer, &keyValue, &valueValue, flags)
        guard result == MDB_SUCCESS else {
            place = .nowhere
            throw state.writeFailure(result, "reserve with a cursor")
        }
        place = .putEntry
        return unsafe UnsafeMutableRawBufferPointer(start: valueValue.mv_data, count: byteCount)
    }

    /// Removes the current entry. `next` and `previous` then go to the entries around it.
    ///
    /// Only in a write transaction and at an entry; elsewhere it traps.
    package mutating func deleteCurrent() throws(LMDBError) {
        precondition(state.isRunning, "The cursor's transaction is over.")
        precondition(place == .entry || place == .putEntry, "The cursor is not at an entry.")
        let result = unsafe mdb_cursor_del(pointer, 0)
        place = .deletedEntry
        if result != MDB_SUCCESS { throw state.writeFailure(result, "delete with a cursor") }
    }
}

import CLMDB

extension Cursor {
    /// Goes to the first entry. Returns whether there is one, as every move does.
    package mutating func first() throws(LMDBError) -> Bool {
        try move(MDB_FIRST, missed: .afterLast) { tree throws(PageFault) in try tree.first() }
    }

    /// Goes to the last entry.
    package mutating func last() throws(LMDBError) -> Bool {
        try move(MDB_LAST, missed: .beforeFirst) { tree throws(PageFault) in try tree.last() }
    }

    /// Goes to the entry after the current one; after ``deleteCurrent()`` to the one that followed
    /// it.
    package mutating func next() throws(LMDBError) -> Bool {
        switch place {
        case .entry, .putEntry, .deletedEntry:
            return try move(MDB_NEXT, missed: .afterLast) { tree throws(PageFault) in
                try tree.next()
            }
        case .nowhere, .beforeFirst: return try first()
        case .afterLast: return false
        }
    }

    /// Goes to the entry before the current one; after ``deleteCurrent()`` to the one that preceded
    /// it.
    package mutating func previous() throws(LMDBError) -> Bool {
        switch place {
        case .entry, .putEntry, .deletedEntry:
            return try move(MDB_PREV, missed: .beforeFirst) { tree throws(PageFault) in
                try tree.previous()
            }
        case .nowhere, .afterLast: return try last()
        case .beforeFirst: return false
        }
    }

    /// Goes to the entry with the least key that is not less than `key`. If there is none, the
    /// cursor is after the last entry, so that ``previous()`` finds the greatest key below `key` in
    /// either case. O(log n).
    package mutating func seek(
        atOrAfter key: UnsafeRawBufferPointer
    ) throws(LMDBError) -> Bool {
        // LMDB knows no empty key; every key is at or after it.
        if unsafe key.isEmpty { return try first() }
        unsafe keyValue = MDB_val(key)
        return try move(MDB_SET_RANGE, missed: .afterLast) { tree throws(PageFault) in
            try unsafe tree.seek(atOrAfter: key)
        }
    }

    /// Goes to the entry with this key. If there is none, the cursor is nowhere. O(log n).
    package mutating func seek(exactly key: UnsafeRawBufferPointer) throws(LMDBError) -> Bool {
        if unsafe key.isEmpty {
            place = .nowhere
            return false
        }
        unsafe keyValue = MDB_val(key)
        return try move(MDB_SET_KEY, missed: .nowhere) { tree throws(PageFault) in
            try unsafe tree.seek(exactly: key)
        }
    }

    /// Moves in the table's tree, or has LMDB do it in a write transaction, and records where that
    /// leads. `missed` is the place when there is no entry.
    @inline(__always)
    private mutating func move(
        _ operation: MDB_cursor_op,
        missed: Place,
        _ step: (inout TreeCursor) throws(PageFault) -> Bool
    ) throws(LMDBError) -> Bool {
        guard state.isSound else { throw state.rememberedFailure() }
        guard tree != nil else { return try moveByLMDB(operation, missed: missed) }
        do throws(PageFault) {
            guard try step(&tree!), let (key, value) = try unsafe tree?.entry() else {
                place = missed
                return false
            }
            unsafe keyValue = MDB_val(key)
            unsafe valueValue = MDB_val(value)
            place = .entry
            return true
        } catch {
            // The next move is not to say that there is no more.
            place = .nowhere
            throw state.readFailure(error)
        }
    }

    private mutating func moveByLMDB(
        _ operation: MDB_cursor_op,
        missed: Place
    ) throws(LMDBError) -> Bool {
        let result = unsafe mdb_cursor_get(pointer, &keyValue, &valueValue, operation)
        if result == MDB_SUCCESS {
            place = .entry
            return true
        }
        if result == MDB_NOTFOUND {
            place = missed
            return false
        }
        place = .nowhere
        throw state.readFailure(result, "move a cursor")
    }
}

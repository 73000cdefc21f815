import CLMDB

extension Cursor {
    /// Goes to the first entry. Returns whether there is one, as every move does.
    package mutating func first() throws(LMDBError) -> Bool {
        try move(MDB_FIRST, missed: .afterLast)
    }

    /// Goes to the last entry.
    package mutating func last() throws(LMDBError) -> Bool {
        try move(MDB_LAST, missed: .beforeFirst)
    }

    /// Goes to the entry after the current one; after ``deleteCurrent()`` to the one that followed
    /// it.
    package mutating func next() throws(LMDBError) -> Bool {
        switch place {
        case .entry, .putEntry, .deletedEntry: return try move(MDB_NEXT, missed: .afterLast)
        case .nowhere, .beforeFirst: return try first()
        case .afterLast: return false
        }
    }

    /// Goes to the entry before the current one; after ``deleteCurrent()`` to the one that preceded
    /// it.
    package mutating func previous() throws(LMDBError) -> Bool {
        switch place {
        case .entry, .putEntry, .deletedEntry: return try move(MDB_PREV, missed: .beforeFirst)
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
        return try move(MDB_SET_RANGE, missed: .afterLast)
    }

    /// Goes to the entry with this key. If there is none, the cursor is nowhere. O(log n).
    package mutating func seek(exactly key: UnsafeRawBufferPointer) throws(LMDBError) -> Bool {
        if unsafe key.isEmpty {
            place = .nowhere
            return false
        }
        unsafe keyValue = MDB_val(key)
        return try move(MDB_SET_KEY, missed: .nowhere)
    }
}

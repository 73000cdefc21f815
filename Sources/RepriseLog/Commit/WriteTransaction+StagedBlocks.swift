package import RepriseLMDB

extension WriteTransaction {
    /// Removes blocks that a commit which was begun and not finished has left behind the head of the log (LOG-09).
    ///
    /// - Parameters:
    ///   - head: the last position of the log.
    ///   - limit: how many blocks at most.
    /// - Returns: how many were removed; fewer than `limit` when none is left.
    /// - Throws: `.lmdb`.
    /// - Complexity: O(log n), and O(blocks removed).
    package borrowing func removeBlocks(
        of table: Table,
        behind head: UInt64,
        limit: Int = .max
    ) throws(LogError) -> Int {
        var count = 0
        do throws(LMDBError) {
            var cursor = try reader.cursor(table)
            while count < limit, try cursor.last(), try unsafe position(of: cursor.key) > head {
                try cursor.deleteCurrent()
                count += 1
            }
        } catch {
            throw LogError(error)
        }
        return count
    }

    /// 0, which is behind no head, for a key that is no position: the readers of the log tell of it.
    private func position(of key: UnsafeRawBufferPointer) throws(LMDBError) -> UInt64 {
        unsafe key.count == 8 ? UInt64(bigEndian: key.loadUnaligned(as: UInt64.self)) : 0
    }
}

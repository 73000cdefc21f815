package import RepriseLMDB

extension WriteTransaction {
    /// Removes blocks that a commit which was begun and not finished has left behind the head of the log (LOG-09).
    ///
    /// - Parameter head: the last position of the log.
    /// - Returns: how many were removed.
    /// - Throws: `.chainBroken` where they are no such blocks: then the head is not that of this log, and nothing is
    ///   removed; `.corruptBlock`, `.lmdb`.
    /// - Complexity: O(log n), and O(blocks removed).
    package borrowing func removeBlocks(of table: Table, behind head: UInt64) throws(LogError) -> Int {
        var count = 0
        do throws(LMDBError) {
            var cursor = try reader.cursor(table)
            while try cursor.last() {
                let key: UInt64
                do throws(LogError) {
                    key = try unsafe position(ofKey: cursor.key)
                    if key <= head { return count }
                    // The last one tells of all: it is of the commit behind the head, which does not end with it.
                    if count == 0 { try unsafe Self.check(cursor.value, storedAt: key, behind: head) }
                } catch {
                    throw LMDBError(code: .corrupted, operation: "remove blocks behind the log: \(error.sentence)")
                }
                try cursor.deleteCurrent()
                count += 1
            }
        } catch {
            throw LogError(error)
        }
        return count
    }

    private static func check(
        _ block: UnsafeRawBufferPointer,
        storedAt key: UInt64,
        behind head: UInt64
    ) throws(LogError) {
        let header = try unsafe BlockHeader(ofBlock: block, storedAt: key, verifiesHash: false)
        guard !header.isLastOfCommit, header.commitFirstPosition == head + 1 else {
            throw LogError(
                .chainBroken(key),
                position: key,
                detail: "the log goes on behind position \(head), where it should end"
            )
        }
    }
}

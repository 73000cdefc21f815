internal import RepriseLMDB

/// A cursor over the log's table that speaks of positions and of `LogError`. Blocks behind the head of the log are not
/// there for it (LOG-09).
struct BlockCursor: ~Copyable {
    private var cursor: Cursor
    private let head: UInt64
    private let verified: VerifiedBlocks?

    /// - Parameters:
    ///   - head: the last position of the log; `.max` for all that the table has.
    ///   - verified: remembers which blocks have been hashed; `nil` hashes every one again.
    init(
        _ reader: TableReader,
        _ table: Table,
        head: UInt64,
        verified: VerifiedBlocks?
    ) throws(LogError) {
        self.head = head
        do throws(LMDBError) {
            cursor = try reader.cursor(table)
        } catch {
            throw LogError(error)
        }
        self.verified = verified
    }

    /// Each moves and returns whether there is a block there.
    mutating func first() throws(LogError) -> Bool {
        let isThere: Bool
        do throws(LMDBError) { isThere = try cursor.first() } catch { throw LogError(error) }
        return isThere ? try isInLog() : false
    }

    mutating func last() throws(LogError) -> Bool {
        if head < .max { return try seek(atOrBefore: head) }
        do throws(LMDBError) { return try cursor.last() } catch { throw LogError(error) }
    }

    mutating func next() throws(LogError) -> Bool {
        let isThere: Bool
        do throws(LMDBError) { isThere = try cursor.next() } catch { throw LogError(error) }
        return isThere ? try isInLog() : false
    }

    private func isInLog() throws(LogError) -> Bool {
        if head == .max { return true }
        return try key() <= head
    }

    mutating func previous() throws(LogError) -> Bool {
        do throws(LMDBError) { return try cursor.previous() } catch { throw LogError(error) }
    }

    /// Moves to the block stored under exactly `position`.
    mutating func seek(exactly position: UInt64) throws(LogError) -> Bool {
        guard position <= head else { return false }
        do throws(LMDBError) {
            return try unsafe withPositionKey(position) { key throws(LMDBError) in
                try unsafe cursor.seek(exactly: key)
            }
        } catch { throw LogError(error, position: position) }
    }

    /// Moves to the last block that begins at or before `position`, which is where that position
    /// must be.
    ///
    /// - Returns: `false` when the log is empty.
    /// - Throws: `.missingPosition` when the log begins after `position`.
    mutating func seek(atOrBefore wanted: UInt64) throws(LogError) -> Bool {
        if head == 0 { return false }
        let position = min(wanted, head)
        let isAtOrAfter: Bool
        do throws(LMDBError) {
            isAtOrAfter = try unsafe withPositionKey(position) { key throws(LMDBError) in
                try unsafe cursor.seek(atOrAfter: key)
            }
        } catch { throw LogError(error, position: position) }
        guard isAtOrAfter else {
            do throws(LMDBError) { return try cursor.last() } catch { throw LogError(error) }
        }
        if try key() == position { return true }
        guard try previous() else { throw LogError(.missingPosition, position: position) }
        return true
    }

    /// The position under which the present block is stored.
    func key() throws(LogError) -> UInt64 { try unsafe position(ofKey: cursor.key) }

    /// The present block, checked as far as a block can be checked by itself.
    func block() throws(LogError) -> BlockView {
        let key = try key()
        guard let verified else { return try unsafe BlockView(cursor.value, storedAt: key) }
        return try unsafe verified.block(cursor.value, storedAt: key)
    }

    /// The present block without its hash being checked.
    func uncheckedBlock() throws(LogError) -> BlockView {
        try unsafe BlockView(cursor.value, storedAt: key(), verifiesHash: false)
    }
}

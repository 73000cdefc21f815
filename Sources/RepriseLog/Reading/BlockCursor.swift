internal import RepriseLMDB

/// A cursor over the log's table that speaks of positions and of `LogError`.
struct BlockCursor: ~Copyable {
    private var cursor: Cursor
    private let verified: VerifiedBlocks?

    /// - Parameter verified: remembers which blocks have been hashed; `nil` hashes every one again.
    init(_ reader: TableReader, _ table: Table, verified: VerifiedBlocks?) throws(LogError) {
        do throws(LMDBError) {
            cursor = try reader.cursor(table)
        } catch {
            throw LogError(error)
        }
        self.verified = verified
    }

    /// Each moves and returns whether there is a block there.
    mutating func first() throws(LogError) -> Bool {
        do throws(LMDBError) { return try cursor.first() } catch { throw LogError(error) }
    }

    mutating func last() throws(LogError) -> Bool {
        do throws(LMDBError) { return try cursor.last() } catch { throw LogError(error) }
    }

    mutating func next() throws(LogError) -> Bool {
        do throws(LMDBError) { return try cursor.next() } catch { throw LogError(error) }
    }

    mutating func previous() throws(LogError) -> Bool {
        do throws(LMDBError) { return try cursor.previous() } catch { throw LogError(error) }
    }

    /// Moves to the block stored under exactly `position`.
    mutating func seek(exactly position: UInt64) throws(LogError) -> Bool {
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
    mutating func seek(atOrBefore position: UInt64) throws(LogError) -> Bool {
        let isAtOrAfter: Bool
        do throws(LMDBError) {
            isAtOrAfter = try unsafe withPositionKey(position) { key throws(LMDBError) in
                try unsafe cursor.seek(atOrAfter: key)
            }
        } catch { throw LogError(error, position: position) }
        guard isAtOrAfter else { return try last() }
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

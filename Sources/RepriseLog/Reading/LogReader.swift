package import RepriseLMDB

/// Reads the log in place, within one transaction.
///
/// Every block that is handed out has been hashed, unless the caller sees to that, and what it says
/// about its place has been compared with where it lies. All views are valid until the transaction ends or, in a write
/// transaction, until the next write.
package struct LogReader {
    let reader: TableReader
    let table: Table
    /// The last position of the log. What the table has behind it is no part of the log (LOG-09).
    private let bound: UInt64
    private let verified: VerifiedBlocks

    /// - Parameters:
    ///   - reader: the transaction to read in.
    ///   - table: the log's table.
    ///   - head: the last position of the log, as the state of the store says; `.max` for who has just written it.
    ///   - isAnyOrder: whether events are read one by one from all over the log: then it remembers 16,384 blocks that
    ///     it has hashed, and otherwise 64.
    package init(_ reader: TableReader, table: Table, head: UInt64, isAnyOrder: Bool = false) {
        let verified = VerifiedBlocks(entryCountLog2: isAnyOrder ? 14 : 6)
        self.init(reader, table: table, head: head, verified: verified)
    }

    private init(_ reader: TableReader, table: Table, head: UInt64, verified: VerifiedBlocks) {
        bound = head
        self.reader = reader
        self.table = table
        self.verified = verified
    }

    /// The same log as the transaction has it now, without the blocks that have been hashed being hashed again.
    package func reading(_ reader: TableReader) -> LogReader {
        LogReader(reader, table: table, head: bound, verified: verified)
    }

    func cursor() throws(LogError) -> BlockCursor {
        try BlockCursor(reader, table, head: bound, verified: verified)
    }

    /// The block that holds `position`; `nil` for 0 and for positions after the last.
    ///
    /// - Throws: `.corruptBlock`, `.unsupportedVersion`, `.missingPosition` when the position lies
    ///   in a gap, `.lmdb`.
    /// - Complexity: O(log n), and O(block) for its hash the first time.
    package func block(holding position: UInt64) throws(LogError) -> BlockView? {
        var cursor = try cursor()
        return try block(holding: position, cursor: &cursor)
    }

    /// As above, and leaves the cursor at the block.
    func block(
        holding position: UInt64,
        cursor: inout BlockCursor
    ) throws(LogError) -> BlockView? {
        guard position > 0, try cursor.seek(atOrBefore: position) else { return nil }
        let block = try cursor.block()
        if position <= block.lastPosition { return block }
        if try cursor.next() { throw LogError(.missingPosition, position: position) }
        return nil
    }

    /// The event at `position`; `nil` for 0 and for positions after the last.
    ///
    /// - Throws: as `block(holding:)`.
    /// - Complexity: O(log n + events before it in its block), and O(block) for its hash the first
    ///   time.
    package func event(at position: UInt64) throws(LogError) -> EventView? {
        try block(holding: position)?.event(at: position)
    }
}

// MARK: - Going through blocks

extension LogReader {
    /// Hands out blocks in ascending order, beginning with the one that holds `position`.
    ///
    /// - Parameters:
    ///   - position: 0 stands for the beginning of the log.
    ///   - hashed: `false` for who has the hash of each block checked elsewhere, by
    ///     `BlockView.checkHash()`, and takes nothing for true before.
    ///   - body: returns `false` to stop.
    /// - Throws: what `body` throws; as `block(holding:)`; `.missingPosition` and `.chainBroken`
    ///   when a block does not continue the one before.
    package func forEachBlock(
        from position: UInt64,
        hashed: Bool = true,
        _ body: (BlockView) throws -> Bool
    ) throws {
        var cursor = try cursor()
        guard var block = try block(holding: max(position, 1), cursor: &cursor) else { return }
        while try body(block), try cursor.next() {
            let next = try hashed ? cursor.block() : cursor.uncheckedBlock()
            do throws(LogError) {
                try next.validate(follows: block)
            } catch {
                // What is wrong with its bytes comes before what is wrong with its place.
                if !hashed { try next.checkHash() }
                throw error
            }
            block = next
        }
    }

    /// Hands out blocks in descending order, beginning with the one that holds `position`, or with
    /// the last of the log when that is an earlier one.
    ///
    /// - Parameter body: returns `false` to stop.
    /// - Throws: as `forEachBlock`.
    package func forEachBlockReversed(
        from position: UInt64,
        _ body: (BlockView) throws -> Bool
    ) throws {
        var cursor = try cursor()
        guard position > 0, try cursor.seek(atOrBefore: position) else { return }
        var block = try cursor.block()
        if position > block.lastPosition, try cursor.next() {
            throw LogError(.missingPosition, position: position)
        }
        if position > block.lastPosition { _ = try cursor.last() }
        while try body(block) {
            guard try cursor.previous() else {
                if block.firstPosition > 1 {
                    throw LogError(.missingPosition, position: block.firstPosition - 1)
                }
                return
            }
            let previous = try cursor.block()
            try block.validate(follows: previous)
            block = previous
        }
    }
}

extension BlockView {
    /// Checks that this block continues `previous`.
    func validate(follows previous: BlockView) throws(LogError) {
        try validate(follows: previous.lastPosition, hash: previous.hash)
    }

    /// Checks that this block continues a log whose last position is `head` and whose last hash is
    /// `hash`.
    func validate(follows head: UInt64, hash: Digest256) throws(LogError) {
        guard firstPosition > head else {
            throw chainBroken("it begins before position \(head) where the block before it ends")
        }
        guard firstPosition == head + 1 else {
            throw LogError(
                .missingPosition,
                position: head + 1,
                detail: "the next block begins at position \(firstPosition)"
            )
        }
        guard previousHash == hash else {
            throw chainBroken("it names another hash than that of the block before it")
        }
    }

    func chainBroken(_ detail: String) -> LogError {
        LogError(.chainBroken(firstPosition), position: firstPosition, detail: detail)
    }
}

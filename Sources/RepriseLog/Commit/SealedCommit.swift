package import RepriseLMDB

/// A block that takes no further event. Owns its bytes; a class so that they are never copied.
final class ClosedBlock {
    private(set) var bytes: ByteWriter
    let firstPosition: UInt64
    let eventCount: UInt32
    private(set) var isSealed = false

    init(bytes: consuming ByteWriter, firstPosition: UInt64, eventCount: UInt32) {
        self.bytes = bytes
        self.firstPosition = firstPosition
        self.eventCount = eventCount
    }

    /// Writes header and hash, and returns the hash. O(bytes).
    func seal(_ header: BlockHeader) -> Digest256 {
        header.encode(into: &bytes)
        let hash = unsafe BlockHeader.hash(ofBlock: bytes.bytes)
        bytes.patch(digest: hash, at: LogFormat.Offset.hash)
        isSealed = true
        return hash
    }
}

/// The finished blocks of one commit, hashed and chained.
package struct SealedCommit: ~Copyable {
    private var blocks: [ClosedBlock]

    /// The state of the log after this commit.
    package let state: LogState

    init(blocks: [ClosedBlock], state: LogState) {
        self.blocks = blocks
        self.state = state
    }

    /// How many blocks the commit has; 0 when it has no events.
    package var blockCount: Int { blocks.count }

    /// Hands out every block in order with the position of its first event. The bytes are valid
    /// during the call.
    package func forEachBlock<Failure: Error>(
        _ body: (_ firstPosition: UInt64, _ bytes: UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        for block in blocks { try unsafe body(block.firstPosition, block.bytes.bytes) }
    }

    /// Appends the blocks to the log, and gives each one's memory back as soon as the table has it.
    ///
    /// - Throws: `.lmdb` when the table cannot take a block.
    package consuming func append(
        in transaction: borrowing WriteTransaction,
        table: Table
    ) throws(LogError) {
        blocks.reverse()
        while let block = blocks.popLast() {
            do throws(LMDBError) {
                try unsafe withPositionKey(block.firstPosition) { key throws(LMDBError) in
                    try unsafe transaction.append(table, key: key, value: block.bytes.bytes)
                }
            } catch {
                throw LogError(error, position: block.firstPosition)
            }
        }
    }
}

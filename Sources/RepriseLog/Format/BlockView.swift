/// One block, read in place; valid as long as its bytes, which is at most as long as the
/// transaction they are from.
@safe
package struct BlockView {
    let header: BlockHeader
    /// The whole block as it is stored, header included.
    package let bytes: UnsafeRawBufferPointer
    /// Where the events begin within `bytes`.
    private let eventsOffset: Int

    /// Checks a block's header and, unless told otherwise, its hash. Its events are checked as they
    /// are read.
    ///
    /// - Parameters:
    ///   - bytes: the whole block, anything may be in them.
    ///   - key: the position under which it is stored.
    ///   - verifiesHash: `false` when the caller knows the hash to be right.
    /// - Throws: `.corruptBlock(key)`, or `.unsupportedVersion` for an undamaged block of another
    ///   version.
    /// - Complexity: O(bytes) with, O(1) without the hash.
    package init(
        _ bytes: UnsafeRawBufferPointer,
        storedAt key: UInt64,
        verifiesHash: Bool = true
    ) throws(LogError) {
        header = try unsafe BlockHeader(ofBlock: bytes, storedAt: key, verifiesHash: verifiesHash)
        unsafe self.bytes = bytes
        var reader = unsafe Self.payloadReader(bytes)
        if header.isFirstOfCommit {
            do throws(LogError) {
                try CommitMetadata.skip(&reader, header: header)
            } catch {
                throw error.inBlock(key)
            }
        }
        eventsOffset = LogFormat.headerByteCount + reader.offset
    }

    /// Checks the hash, for who read the block without.
    ///
    /// - Throws: `.corruptBlock`.
    /// - Complexity: O(bytes).
    package func checkHash() throws(LogError) {
        _ = try unsafe BlockHeader(ofBlock: bytes, storedAt: firstPosition, verifiesHash: true)
    }

    private static func payloadReader(_ bytes: UnsafeRawBufferPointer) -> ByteReader {
        unsafe ByteReader(UnsafeRawBufferPointer(rebasing: bytes[LogFormat.headerByteCount...]))
    }
}

// MARK: - Header

extension BlockView {
    /// The position of the first event.
    package var firstPosition: UInt64 { header.firstPosition }
    /// The position of the last event.
    package var lastPosition: UInt64 { header.lastPosition }
    /// How many events the block holds, at least 1.
    package var eventCount: Int { Int(header.eventCount) }
    /// The position of the commit's first event.
    package var commitFirstPosition: UInt64 { header.commitFirstPosition }
    package var isFirstOfCommit: Bool { header.isFirstOfCommit }
    package var isLastOfCommit: Bool { header.isLastOfCommit }
    /// The time of the commit, in microseconds since 1970-01-01T00:00:00Z.
    package var timeMicroseconds: Int64 { header.timeMicroseconds }
    /// The number of the schema in force.
    package var schema: UInt32 { header.schema }
    /// The digest of the state after the commit; zero unless this is the commit's last block.
    package var digest: Digest256 { header.digest }
    /// The hash of the block before this one in the log; zero for the first.
    package var previousHash: Digest256 { header.previousHash }
    /// The hash of this block.
    package var hash: Digest256 { header.hash }
}

// MARK: - Content

extension BlockView {
    /// What the commit says about itself; `nil` unless this is the commit's first block.
    ///
    /// - Throws: `.corruptBlock` when a text is not valid.
    package func metadata() throws(LogError) -> CommitMetadata? {
        guard header.isFirstOfCommit else { return nil }
        var reader = unsafe Self.payloadReader(bytes)
        do throws(LogError) {
            return try CommitMetadata(decoding: &reader, header: header)
        } catch {
            throw error.inBlock(firstPosition)
        }
    }

    /// The events in ascending order.
    package func events() -> EventCursor {
        unsafe EventCursor(
            UnsafeRawBufferPointer(rebasing: bytes[eventsOffset...]),
            first: firstPosition,
            count: eventCount
        )
    }

    /// The event at `position`; `nil` when it is not in this block. O(events before it).
    package func event(at position: UInt64) throws(LogError) -> EventView? {
        guard position >= firstPosition, position <= lastPosition else { return nil }
        var cursor = events()
        try cursor.skip(Int(position - firstPosition))
        return try cursor.next()
    }
}

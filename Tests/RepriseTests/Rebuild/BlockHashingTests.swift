import RepriseLog
import Testing

@testable import Reprise

/// Blocks whose hashes are checked on another thread, and on this one where that does not keep up (STO-26).
struct BlockHashingTests {
    /// More than may wait, so that both threads have some to check.
    private static let blockCount = 1000

    @Test(arguments: [[], [1], [1000], [1, 2, 1000], [400, 500, 399], [64, 65, 66, 67, 68]])
    func `the first block that is damaged is the one that is named`(damaged: [UInt64]) throws {
        let blocks = unsafe try Self.blocks()
        defer {
            for place in unsafe blocks.indices { unsafe blocks[place].deallocate() }
        }
        for position in damaged {
            let block = unsafe blocks[Int(position) - 1]
            // In the event, so that only the hash tells.
            unsafe block[block.count - 1] ^= 1
        }
        let hashing = BlockHashing()
        var views: [BlockView] = []
        for place in unsafe blocks.indices {
            let bytes = unsafe UnsafeRawBufferPointer(blocks[place])
            let position = UInt64(place + 1)
            unsafe views.append(try BlockView(bytes, storedAt: position, verifiesHash: false))
        }
        for view in views { hashing.add(view) }
        var failure: LogError?
        do { try hashing.finish() } catch { failure = error as? LogError }
        #expect(failure?.code == damaged.min().map { .corruptBlock($0) })
    }

    /// Who stops reading for a reason of its own is not told of blocks that nobody wants any more (STO-26).
    @Test(arguments: [0, 1, 10, 1000])
    func `what is given up ends its thread and says nothing`(addedCount: Int) throws {
        let blocks = unsafe try Self.blocks()
        defer {
            for place in unsafe blocks.indices { unsafe blocks[place].deallocate() }
        }
        let hashing = BlockHashing()
        for place in 0..<addedCount {
            let block = unsafe blocks[place]
            unsafe block[block.count - 1] ^= 1
            let bytes = UnsafeRawBufferPointer(block)
            unsafe hashing.add(
                try BlockView(bytes, storedAt: UInt64(place + 1), verifiesHash: false)
            )
        }
        // The blocks are deallocated right after it: no thread may read them then.
        hashing.giveUp()
    }

    /// The blocks of as many commits, of one event each.
    private static func blocks() throws -> [UnsafeMutableRawBufferPointer] {
        var blocks: [UnsafeMutableRawBufferPointer] = unsafe []
        var state = LogState.empty
        for number in 0..<blockCount {
            var commit = CommitBuilder(after: state, metadata: CommitMetadata(timeMicroseconds: 0))
            unsafe try commit.append(
                type: .inserted,
                version: 1,
                model: 1,
                id: UnsafeRawBufferPointer(start: nil, count: 0),
                previous: 0,
                cause: 0
            ) { writer in
                for _ in 0..<(number % 50) { writer.varint(UInt64(number)) }
            }
            let sealed = commit.seal(digest: .zero)
            unsafe sealed.forEachBlock { _, bytes in
                let copy = UnsafeMutableRawBufferPointer.allocate(
                    byteCount: bytes.count,
                    alignment: 8
                )
                unsafe copy.copyMemory(from: bytes)
                unsafe blocks.append(copy)
            }
            state = sealed.state
        }
        return unsafe blocks
    }
}

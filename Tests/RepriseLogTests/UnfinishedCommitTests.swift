import RepriseLMDB
import RepriseLog
import Testing

/// LOG-09: blocks of a commit that was begun and not finished.
struct UnfinishedCommitTests {
    private let log: ScratchLog
    private let events = (0..<3000).map { _ in SampleEvent(body: [UInt8](repeating: 3, count: 100)) }

    init() throws {
        log = try ScratchLog()
        try log.commit([SampleEvent(), SampleEvent()])
        try log.commit([SampleEvent()])
    }

    /// Writes all but the last blocks of a commit.
    private func beginCommit() throws -> Int {
        var builder = CommitBuilder(after: log.state, metadata: CommitMetadata(timeMicroseconds: 9))
        for event in events { try builder.append(event) }
        let transaction = try log.environment.beginWrite()
        var count = 0
        try unsafe builder.stage { position, bytes in
            try unsafe withUnsafeBytes(of: position.bigEndian) { key in
                try unsafe transaction.append(log.table, key: key, value: bytes)
            }
            count += 1
        }
        #expect(builder.heldByteCount < 2 * 66_000 && builder.byteCount > 300_000)
        try transaction.commit()
        return count
    }

    @Test func `readers pass over them`() throws {
        #expect(try beginCommit() > 2)
        let transaction = try log.environment.beginRead()
        let reader = LogReader(transaction.reader, table: log.table, head: log.state.head)
        #expect(try reader.head() == 3)
        #expect(try reader.event(at: 3) != nil && reader.event(at: 4) == nil)
        #expect(try reader.commit(holding: 4) == nil)
        for start: UInt64 in [0, 2, 3] {
            var last: UInt64 = 0
            try reader.forEachBlock(from: start) { block in
                last = block.lastPosition
                return true
            }
            #expect(last == 3)
        }
        var positions: [UInt64] = []
        try reader.forEachBlockReversed(from: .max) { block in
            positions.append(block.firstPosition)
            return true
        }
        #expect(positions == [3, 1])
        let empty = LogReader(transaction.reader, table: log.table, head: 0)
        #expect(try empty.head() == 0 && empty.event(at: 1) == nil)
    }

    @Test func `they are no fault, unless the log shall end elsewhere`() throws {
        _ = try beginCommit()
        let state = log.state
        try log.read { reader in
            let found = try reader.verifyChain(head: state.head)
            #expect(found == state)
            for head in [2, nil] as [UInt64?] {
                let found = try? reader.verifyChain(head: head)
                #expect(found == nil)
            }
        }
    }

    @Test func `the next commit removes them`() throws {
        let count = try beginCommit()
        let blocks = try log.storedBlocks().count
        try log.commit([SampleEvent(body: [7])])
        #expect(try log.storedBlocks().count == blocks - count + 1)
        let state = log.state
        #expect(try log.read { try $0.verifyChain(head: state.head) } == state)
    }

    @Test func `a commit that is complete is no leftover, whatever head is said`() throws {
        var builder = CommitBuilder(
            after: LogState(head: 2, commitCount: 1, lastHash: .zero),
            metadata: CommitMetadata(timeMicroseconds: 9)
        )
        try builder.append(SampleEvent())
        let blocks = try log.storedBlocks().count
        let transaction = try log.environment.beginWrite()
        let outcome: LogState?
        do { outcome = try builder.finish(digest: .zero, in: transaction, table: log.table) } catch { outcome = nil }
        #expect(outcome == nil)
        try transaction.commit()
        #expect(try log.storedBlocks().count == blocks)
    }

    @Test func `a commit that was staged is the one that it would have been`() throws {
        let metadata = CommitMetadata(timeMicroseconds: 9)
        var staged = CommitBuilder(after: log.state, metadata: metadata)
        var whole = CommitBuilder(after: log.state, metadata: metadata)
        var blocks: [[UInt8]] = []
        for (number, event) in events.enumerated() {
            try staged.append(event)
            try whole.append(event)
            if number % 700 == 0 { unsafe staged.stage { _, bytes in blocks.append(unsafe [UInt8](bytes)) } }
        }
        let end = staged.seal(digest: .zero)
        let expected = whole.seal(digest: .zero)
        #expect(end.state == expected.state)
        unsafe end.forEachBlock { _, bytes in blocks.append(unsafe [UInt8](bytes)) }
        var all: [[UInt8]] = []
        unsafe expected.forEachBlock { _, bytes in all.append(unsafe [UInt8](bytes)) }
        #expect(blocks == all)
    }
}

import RepriseLog
import Testing

struct CommitBuilderTests {
    private let metadata = CommitMetadata(
        timeMicroseconds: 1,
        actor: "me",
        intent: "test",
        correlation: "c"
    )

    @Test func `an empty commit writes nothing`() throws {
        let log = try ScratchLog()
        try log.commit([])
        #expect(log.state == .empty)
        try log.commit([SampleEvent()])
        let state = log.state
        try log.commit([])
        #expect(log.state == state)
        #expect(try log.storedBlocks().count == 1)
    }

    @Test func `a large commit is cut into blocks of about 64 KiB that all belong to it`() throws {
        let events = (0..<3_000).map { _ in SampleEvent(body: [UInt8](repeating: 3, count: 100)) }
        let commit = try seal(events, after: .empty, metadata: metadata)
        let blocks = blocks(of: commit)
        #expect(blocks.count == (3_000 * 107 + 65_535) / 65_536)
        for (number, block) in blocks.enumerated() {
            let payloadByteCount = block.bytes.count - LogFormat.headerByteCount
            if number < blocks.count - 1 {
                #expect((65_536..<(65_536 + 107)).contains(payloadByteCount))
            }
            try unsafe block.bytes.withUnsafeBytes { raw in
                let view = try unsafe BlockView(raw, storedAt: block.position)
                #expect(view.isFirstOfCommit == (number == 0))
                #expect(view.isLastOfCommit == (number == blocks.count - 1))
                #expect(view.commitFirstPosition == 1)
                #expect(try view.metadata() == (number == 0 ? metadata : nil))
            }
        }
    }

    @Test func `counts follow what is appended`() throws {
        var builder = CommitBuilder(
            after: LogState(head: 41, commitCount: 3, lastHash: .zero),
            metadata: metadata
        )
        #expect(builder.eventCount == 0 && builder.byteCount == 0 && builder.nextPosition == 42)
        #expect(try builder.append(SampleEvent(body: [1, 2, 3])) == 42)
        #expect(builder.eventCount == 1 && builder.nextPosition == 43)
        let byteCount = builder.byteCount
        #expect(try builder.append(SampleEvent(body: [1, 2, 3])) == 43)
        #expect(builder.byteCount == byteCount + 10)
        let commit = builder.seal(digest: .zero)
        #expect(commit.state.head == 43 && commit.state.commitCount == 4)
        #expect(blocks(of: commit).map(\.bytes.count) == [byteCount + 10])
    }

    @Test func `length prefixes of every width are in their shortest form`() throws {
        let sizes = [
            0, 120, 121, 122, 123, 5, 16_376, 16_377, 16_378, 16_379, 0, 2_097_144, 2_097_146, 1,
            130, 1,
        ]
        let events = sizes.map { SampleEvent(body: [UInt8](repeating: 0xA5, count: $0)) }
        let commit = try seal(events, after: .empty, metadata: metadata)
        var found: [SampleEvent] = []
        for block in blocks(of: commit) {
            found += try decode(block.bytes, storedAt: block.position).events
        }
        #expect(found == events)
    }

    @Test func `an event that is too large is refused and leaves the commit as it was`() throws {
        let largest = LogFormat.eventByteCountMax - 6
        var builder = CommitBuilder(after: .empty, metadata: metadata)
        // The refused event comes when a full block has just been closed, and when one is open.
        for isFull in [true, false] {
            let body = [UInt8](repeating: 1, count: isFull ? 70_000 : 10)
            try builder.append(SampleEvent(body: body))
            let byteCount = builder.byteCount
            do {
                try builder.append(type: .inserted, bodyByteCount: largest + 1)
                Issue.record("not refused")
            } catch {
                #expect(error.code == .eventTooLarge && error.position == builder.nextPosition)
            }
            #expect(builder.byteCount == byteCount)
        }
        try builder.append(type: .inserted, bodyByteCount: largest)
        #expect(builder.eventCount == 3)
        let commit = builder.seal(digest: .zero)
        #expect(commit.blockCount == 2)
        for block in blocks(of: commit) { _ = try decode(block.bytes, storedAt: block.position) }
    }

    @Test func `a commit can end with a block that was full when an event was refused`() throws {
        var builder = CommitBuilder(after: .empty, metadata: metadata)
        try builder.append(SampleEvent(body: [UInt8](repeating: 1, count: 70_000)))
        #expect(throws: LogError.self) {
            try builder.append(type: .inserted, bodyByteCount: LogFormat.eventByteCountMax)
        }
        let commit = builder.seal(digest: .zero)
        let only = blocks(of: commit)
        #expect(only.count == 1)
        try unsafe only[0].bytes.withUnsafeBytes { raw in
            let block = try unsafe BlockView(raw, storedAt: 1)
            #expect(block.isFirstOfCommit && block.isLastOfCommit)
        }
    }

    @Test(arguments: 0..<3)
    func `texts can have 1024 bytes and no more`(_ number: Int) throws {
        let texts: [WritableKeyPath<CommitMetadata, String>] = [\.actor, \.intent, \.correlation]
        let text = texts[number]
        var metadata = metadata
        metadata[keyPath: text] = String(repeating: "ü", count: 512)
        let commit = try seal([SampleEvent()], after: .empty, metadata: metadata)
        #expect(try decode(blocks(of: commit)[0].bytes, storedAt: 1).metadata == metadata)
        metadata[keyPath: text] += "."
        do {
            _ = try seal([SampleEvent()], after: .empty, metadata: metadata)
            Issue.record("not refused")
        } catch {
            #expect(error.code == .textTooLong)
        }
    }

    @Test func `fields out of their range are refused`() throws {
        var builder = CommitBuilder(after: .empty, metadata: metadata)
        for event in [
            SampleEvent(type: 0), SampleEvent(version: 0), SampleEvent(previous: 1),
            SampleEvent(cause: 1),
        ] {
            do {
                try builder.append(event)
                Issue.record("not refused")
            } catch {
                #expect(error.code == .invalidEvent)
            }
        }
        #expect(builder.eventCount == 0)
    }

    @Test(arguments: [UInt64(Int64.max), UInt64(Int64.max) + 1, .max])
    func `positions that do not exist are refused`(_ head: UInt64) {
        let state = LogState(head: head, commitCount: 1, lastHash: .zero)
        var builder = CommitBuilder(after: state, metadata: metadata)
        #expect(builder.eventCount == 0)
        #expect(throws: LogError.self) { try builder.append(SampleEvent()) }
        #expect(builder.seal(digest: .zero).state == state)
    }

    @Test func `the state of a log comes back from its bytes, and impossible ones are refused`()
        throws
    {
        let hash = Digest256(hex: String(repeating: "7a", count: 32)) ?? .zero
        for state in [LogState.empty, LogState(head: 10, commitCount: 2, lastHash: hash)] {
            var writer = ByteWriter()
            state.encode(into: &writer)
            #expect(writer.count == LogState.byteCount)
            var reader = unsafe ByteReader(writer.bytes)
            #expect(try LogState(decoding: &reader) == state)
        }
        for state in [
            LogState(head: 0, commitCount: 1, lastHash: .zero),
            LogState(head: 2, commitCount: 3, lastHash: hash),
            LogState(head: 0, commitCount: 0, lastHash: hash),
            LogState(head: .max, commitCount: 3, lastHash: hash),
        ] {
            var writer = ByteWriter()
            state.encode(into: &writer)
            var reader = unsafe ByteReader(writer.bytes)
            #expect(throws: LogError.self) { try LogState(decoding: &reader) }
        }
    }
}

extension CommitBuilder {
    /// Appends an event with a body of zero bytes that is written where it belongs, not copied
    /// there.
    fileprivate mutating func append(type: EventType, bodyByteCount: Int) throws(LogError) {
        let none = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
        try unsafe append(type: type, version: 1, model: 0, id: none, previous: 0, cause: 0) {
            writer in
            _ = writer.reserve(bodyByteCount)
        }
    }
}

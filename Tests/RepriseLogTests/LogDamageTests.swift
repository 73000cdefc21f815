import RepriseLog
import Testing

struct LogDamageTests {
    /// A log of several commits, one of them of many blocks.
    private func log() throws -> ScratchLog {
        let log = try ScratchLog()
        try log.commitRandomly(6, eventCountMax: 20, seed: 21)
        try log.commitRandomly(1, eventCountMax: 4_000, seed: 22)
        try log.commitRandomly(6, eventCountMax: 20, seed: 23)
        return log
    }

    @Test func `a damaged block is found, with its position`() throws {
        let log = try log()
        let blocks = try log.storedBlocks()
        var random = SeededGenerator(seed: 1)
        for block in blocks {
            var damaged = block.bytes
            damaged[.random(in: 0..<damaged.count, using: &random)] ^=
                1 << UInt8.random(in: 0..<8, using: &random)
            try log.replaceBlock(at: block.position, with: damaged)
            #expect(try log.fault()?.code == .corruptBlock(block.position))
            #expect(throws: LogError.self) {
                try log.read { _ = try $0.block(holding: block.position) }
            }
            try log.replaceBlock(at: block.position, with: block.bytes)
        }
        #expect(try log.fault() == nil)
    }

    @Test func `a removed block is found, whether it is read past or verified`() throws {
        let log = try log()
        let blocks = try log.storedBlocks()
        #expect(blocks.count > 13)
        for block in blocks.dropLast() {
            try log.replaceBlock(at: block.position, with: nil)
            let fault = try #require(try log.fault())
            #expect(fault.code == .missingPosition && fault.position == block.position)
            for reversed in [false, true] {
                #expect(throws: LogError.self) {
                    try log.read {
                        try $0.forEachEvent(in: 1...log.state.head, reversed: reversed) { _, _ in
                            true
                        }
                    }
                }
            }
            #expect(throws: LogError.self) {
                try log.read { try $0.event(at: block.position) == nil }
            }
            try log.replaceBlock(at: block.position, with: block.bytes)
        }
        #expect(try log.fault() == nil)
    }

    @Test func `a removed last block leaves a state that is not the recorded one`() throws {
        let log = try log()
        let last = try #require(try log.storedBlocks().last)
        try log.replaceBlock(at: last.position, with: nil)
        let state = try log.read { try $0.verifyChain() }
        #expect(state != log.state)
        #expect(state.head == last.position - 1)
    }

    @Test func `a log that ends within a commit is found`() throws {
        let log = try ScratchLog()
        try log.commit((0..<5).map { _ in SampleEvent(body: [UInt8](repeating: 1, count: 40_000)) })
        let blocks = try log.storedBlocks()
        #expect(blocks.count == 3)
        try log.replaceBlock(at: blocks[2].position, with: nil)
        #expect(try log.fault()?.code == .chainBroken(blocks[1].position))
        #expect(throws: LogError.self) { try log.read { _ = try $0.commit(holding: 1) } }
    }

    @Test func `swapped blocks are found`() throws {
        let log = try log()
        let blocks = try log.storedBlocks()
        let (left, right) = (blocks[2], blocks[4])
        try log.replaceBlock(at: left.position, with: right.bytes)
        try log.replaceBlock(at: right.position, with: left.bytes)
        #expect(try log.fault()?.code == .corruptBlock(left.position))
        #expect(throws: LogError.self) { try log.read { _ = try $0.event(at: right.position) } }
    }

    @Test func `a block of another log is found, although it is sound in itself`() throws {
        let log = try log()
        let foreign = LogState(
            head: log.state.head,
            commitCount: log.state.commitCount,
            lastHash: .zero
        )
        let metadata = CommitMetadata(timeMicroseconds: 7)
        let commit = try seal([SampleEvent()], after: foreign, metadata: metadata)
        let block = blocks(of: commit)[0]
        try log.replaceBlock(at: block.position, with: block.bytes)
        #expect(try log.fault()?.code == .chainBroken(block.position))
        for reversed in [false, true] {
            #expect(throws: LogError.self) {
                try log.read {
                    try $0.forEachEvent(in: 1...UInt64.max, reversed: reversed) { _, _ in true }
                }
            }
        }
    }

    @Test func `a rewritten past is found by the chain, even with right hashes`() throws {
        let log = try log()
        let blocks = try log.storedBlocks()
        for number in 0..<(blocks.count - 1) {
            var forged = blocks[number].bytes
            forged[forged.count - 1] ^= 0x40
            rehash(&forged)
            try log.replaceBlock(at: blocks[number].position, with: forged)
            let fault = try #require(try log.fault())
            // The forged byte may also make the block's own events malformed.
            #expect(
                fault.code == .chainBroken(blocks[number + 1].position)
                    || fault.code == .corruptBlock(blocks[number].position)
            )
            try log.replaceBlock(at: blocks[number].position, with: blocks[number].bytes)
        }
    }

    @Test func `a block of a newer format is told from a damaged one`() throws {
        let log = try log()
        var block = try log.storedBlocks()[3]
        block.bytes[4] = 2
        try log.replaceBlock(at: block.position, with: block.bytes)
        #expect(try log.fault()?.code == .corruptBlock(block.position))
        rehash(&block.bytes)
        try log.replaceBlock(at: block.position, with: block.bytes)
        #expect(try log.fault()?.code == .unsupportedVersion(2))
    }
}

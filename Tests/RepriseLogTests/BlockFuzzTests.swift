import RepriseLog
import Testing

struct BlockFuzzTests {
    private static let mutantCount = 10_000

    private func block() throws -> [UInt8] {
        var random = SeededGenerator(seed: 4)
        let state = LogState(head: 999, commitCount: 3, lastHash: .zero)
        var events: [SampleEvent] = []
        for offset in 0..<12 {
            var event = SampleEvent.random(at: 1_000 + UInt64(offset), using: &random)
            event.body = Array(event.body.prefix(40))
            events.append(event)
        }
        let metadata = CommitMetadata(
            timeMicroseconds: 5,
            actor: "someone",
            intent: "fuzz",
            correlation: "x",
            causation: 3,
            schema: 2
        )
        return blocks(of: try seal(events, after: state, metadata: metadata))[0].bytes
    }

    @Test func `a changed block is always refused`() throws {
        var random = SeededGenerator(seed: 5)
        let original = try block()
        for number in 0..<Self.mutantCount {
            let mutant = mutate(original, using: &random)
            guard mutant != original else { continue }
            do {
                _ = try decode(mutant, storedAt: 1_000)
                Issue.record("mutant \(number) was accepted")
            } catch {
                #expect(error.code == .corruptBlock(1_000))
            }
        }
    }

    @Test func `a changed block with the right hash is refused or well-formed`() throws {
        var random = SeededGenerator(seed: 6)
        let original = try block()
        var acceptedCount = 0
        var refusedCount = 0
        for _ in 0..<Self.mutantCount {
            var mutant = mutate(original, using: &random)
            rehash(&mutant)
            do {
                let found = try decode(mutant, storedAt: 1_000)
                acceptedCount += 1
                expectWellFormed(found.metadata, found.events, in: mutant)
            } catch {
                refusedCount += 1
                guard error.code != .corruptBlock(1_000), case .unsupportedVersion = error.code
                else {
                    #expect(error.code == .corruptBlock(1_000))
                    continue
                }
            }
        }
        // Otherwise the mutations do not reach what they are meant to reach.
        #expect(acceptedCount > 500 && refusedCount > 500)
    }

    private func expectWellFormed(
        _ metadata: CommitMetadata?,
        _ events: [SampleEvent],
        in block: [UInt8]
    ) {
        if let metadata {
            #expect(metadata.causation < 1_000)
            #expect(metadata.actor.utf8.count <= LogFormat.textByteCountMax)
        }
        #expect(!events.isEmpty)
        #expect(events.reduce(0) { $0 + $1.id.count + $1.body.count } < block.count)
        for (offset, event) in events.enumerated() {
            #expect(event.type != 0 && event.version != 0)
            #expect(max(event.previous, event.cause) < 1_000 + UInt64(offset))
        }
    }

    /// One to four changes of the kinds that disks, bugs and enemies make.
    private func mutate(_ original: [UInt8], using random: inout SeededGenerator) -> [UInt8] {
        var bytes = original
        for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            let isInPayload = Bool.random(using: &random) && bytes.count > LogFormat.headerByteCount
            let target =
                isInPayload
                ? Int.random(in: LogFormat.headerByteCount..<bytes.count, using: &random) : place
            switch Int.random(in: 0..<10, using: &random) {
            case 0: bytes.removeLast(bytes.count - place)
            case 1: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: target)
            case 2: bytes.remove(at: target)
            case 3: bytes[target] = 0xFF
            case 4: bytes[target] = 0x80
            case 5: bytes[target] = 0
            case 6:
                for index in target..<min(target + 8, bytes.count) { bytes[index] = 0xFF }
            default: bytes[target] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            }
        }
        // Mostly let the stated length be right, so that more than that check is tried.
        if bytes.count >= LogFormat.headerByteCount, Int.random(in: 0..<8, using: &random) != 0 {
            let count = UInt32(bytes.count - LogFormat.headerByteCount)
            for index in 0..<4 {
                bytes[28 + index] = UInt8(truncatingIfNeeded: count >> UInt32(8 * index))
            }
        }
        return bytes
    }
}

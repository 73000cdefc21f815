import RepriseLog
import Testing

struct LogRoundTripTests {
    @Test(arguments: [1, 2, 3] as [UInt64])
    func `what was committed is read, in both directions and one by one`(_ seed: UInt64) throws {
        let log = try ScratchLog()
        try log.commitRandomly(40, eventCountMax: 60, seed: seed)
        try log.commitRandomly(2, eventCountMax: 2_000, seed: seed + 100)
        let head = log.state.head
        try log.read { reader in
            #expect(try reader.verifyChain() == log.state)
            #expect(try reader.head() == head)

            var ascending: [SampleEvent] = []
            try reader.forEachEvent(in: 0...UInt64.max) { event, block in
                ascending.append(SampleEvent(event))
                return event.position == UInt64(ascending.count)
                    && (block.firstPosition...block.lastPosition).contains(event.position)
            }
            #expect(ascending == log.events)

            var descending: [SampleEvent] = []
            var expected = head
            try reader.forEachEvent(in: 1...head, reversed: true) { event, _ in
                descending.append(SampleEvent(event))
                defer { expected -= 1 }
                return event.position == expected
            }
            #expect(descending == log.events.reversed())

            for position in 1...head {
                let event = try #require(try reader.event(at: position))
                if SampleEvent(event) != log.events[Int(position) - 1] {
                    Issue.record("event at position \(position)")
                }
            }
            #expect(try reader.event(at: 0) == nil)
            #expect(try reader.event(at: head + 1) == nil)
            #expect(try reader.event(at: .max) == nil)
        }
    }

    @Test func `any range gives its events, in both directions`() throws {
        let log = try ScratchLog()
        try log.commitRandomly(30, eventCountMax: 80, seed: 9)
        var random = SeededGenerator(seed: 10)
        let head = log.state.head
        try log.read { reader in
            for _ in 0..<200 {
                let lower = UInt64.random(in: 0...(head + 2), using: &random)
                let range = lower...UInt64.random(in: lower...(head + 5), using: &random)
                let expected = range.filter { $0 > 0 && $0 <= head }
                for reversed in [false, true] {
                    var positions: [UInt64] = []
                    try reader.forEachEvent(in: range, reversed: reversed) { event, _ in
                        positions.append(event.position)
                        return true
                    }
                    #expect(positions == (reversed ? expected.reversed() : expected))
                }
            }
        }
    }

    @Test func `commits tell what they are, from any of their positions`() throws {
        let log = try ScratchLog()
        try log.commitRandomly(25, eventCountMax: 400, seed: 5)
        try log.read { reader in
            for commit in log.commits {
                for position in [
                    commit.firstPosition, (commit.firstPosition + commit.lastPosition) / 2,
                    commit.lastPosition,
                ] {
                    #expect(try reader.commit(holding: position) == commit)
                }
            }
            #expect(try reader.commit(holding: 0) == nil)
            #expect(try reader.commit(holding: log.state.head + 1) == nil)

            for reversed in [false, true] {
                var found: [CommitView] = []
                try reader.forEachCommit(from: 0, to: .max, reversed: reversed) {
                    found.append($0)
                    return true
                }
                #expect(found == (reversed ? log.commits.reversed() : log.commits))

                found = []
                let from = log.commits[3].lastPosition
                let to = log.commits[7].firstPosition
                try reader.forEachCommit(from: from, to: to, reversed: reversed) {
                    found.append($0)
                    return true
                }
                #expect(
                    found == (reversed ? log.commits[3...7].reversed() : Array(log.commits[3...7]))
                )
            }
        }
    }

    @Test func `blocks come forwards and backwards, from any position`() throws {
        let log = try ScratchLog()
        try log.commitRandomly(10, eventCountMax: 900, seed: 77)
        let head = log.state.head
        try log.read { reader in
            var firsts: [UInt64] = []
            try reader.forEachBlock(from: 0) {
                firsts.append($0.firstPosition)
                return true
            }
            #expect(firsts.count > 10)
            for position in [1, 2, head / 2, head - 1, head, head + 1, .max] as [UInt64] {
                var up: [UInt64] = []
                try reader.forEachBlock(from: position) {
                    up.append($0.firstPosition)
                    return true
                }
                var down: [UInt64] = []
                try reader.forEachBlockReversed(from: position) {
                    down.append($0.firstPosition)
                    return true
                }
                let holding = firsts.last { $0 <= position }
                #expect(down == firsts.filter { $0 <= position }.reversed())
                let isBeyond = position > head
                #expect(up == (isBeyond ? [] : firsts.filter { $0 >= holding ?? 0 }))
            }
        }
    }

    @Test func `an empty log has nothing and is sound`() throws {
        let log = try ScratchLog()
        try log.read { reader in
            #expect(try reader.verifyChain() == .empty)
            #expect(try reader.head() == 0)
            #expect(try reader.event(at: 1) == nil)
            #expect(try reader.commit(holding: 1) == nil)
            try reader.forEachEvent(in: 0...UInt64.max) { _, _ in throw Cancelled() }
            try reader.forEachEvent(in: 0...UInt64.max, reversed: true) { _, _ in throw Cancelled()
            }
            try reader.forEachCommit(from: 0, to: .max) { _ in throw Cancelled() }
            try reader.forEachCommit(from: 0, to: .max, reversed: true) { _ in throw Cancelled() }
        }
    }

    @Test func `a body that stops or throws ends the reading`() throws {
        let log = try ScratchLog()
        try log.commitRandomly(5, eventCountMax: 50, seed: 3)
        try log.read { reader in
            for reversed in [false, true] {
                var count = 0
                try reader.forEachEvent(in: 1...log.state.head, reversed: reversed) { _, _ in
                    count += 1
                    return count < 3
                }
                #expect(count == 3)
            }
            var seen = 0
            #expect(throws: Cancelled.self) {
                _ = try reader.verifyChain { _ in
                    seen += 1
                    if seen == 2 { throw Cancelled() }
                }
            }
            #expect(seen == 2)
        }
    }
}

struct Cancelled: Error {}

import Testing

@testable import RepriseLMDB

@Suite struct GrowthTests {
    @Test func `a map of one MiB grows by itself`() throws {
        let environment = try Environment.scratch(Scratch(), options: .small())
        for number in 0..<200 {
            try environment.put(Array(number), Array(repeating: 1, count: 100_000))
        }
        #expect(try environment.statistics().mapByteCount >= 20_000_000)
        #expect(try environment.scan().byteCount > 20_000_000)
        try environment.checkStructure()
    }

    @Test func `the map grows while readers come and go`() async throws {
        let environment = try Environment.scratch(Scratch(), options: .small())
        @Sendable func countAndCheck() throws -> Int {
            let transaction = try environment.beginRead()
            let table = environment.table("a")
            let count = try transaction.reader.entryCount(table)
            if count > 0 {
                let value = try transaction.reader.value(table, Array(count - 1))
                #expect(value?.count == 100_000)
            }
            return count
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    var seen = 0
                    while seen < 60, !Task.isCancelled {
                        let count = try countAndCheck()
                        #expect(count >= seen)
                        seen = count
                        // Tests share a few threads, of which the writer needs one.
                        await Task.yield()
                    }
                }
            }
            group.addTask {
                for number in 0..<60 {
                    // Who says how much room it takes is waited for; else growing early is left to luck.
                    let transaction = try environment.beginWrite(room: 200_000)
                    try transaction.put(
                        environment.table("a"),
                        Array(number),
                        Array(repeating: 1, count: 100_000)
                    )
                    try transaction.commit()
                    await Task.yield()
                }
            }
            // The first that fails ends the others.
            while try await group.next() != nil {}
        }
        #expect(try environment.statistics().mapByteCount >= 6_000_000)
    }

    @Test func `a held reader stops growth with a typed error and loses nothing`() throws {
        let environment = try Environment.scratch(
            Scratch(),
            options: .small(wait: .milliseconds(20))
        )
        var written = 0
        do {
            let reader = try environment.beginRead()
            let outcome = code {
                while written < 100 {
                    try environment.put(Array(written), Array(repeating: 1, count: 50_000))
                    written += 1
                }
            }
            #expect(outcome == .mapFullWhileReading)
            // The room that there was has been used.
            #expect(written >= 10)
            #expect(try reader.reader.entryCount(environment.table("a")) == 0)
        }
        for number in written..<100 {
            try environment.put(Array(number), Array(repeating: 1, count: 50_000))
        }
        let transaction = try environment.beginRead()
        #expect(try transaction.reader.entryCount(environment.table("a")) == 100)
        try environment.checkStructure()
    }

    @Test func `a transaction larger than the map is refused, and fits after growing`() throws {
        let environment = try Environment.scratch(Scratch(), options: .small())
        func writeAll(room: Int) throws {
            let transaction = try environment.beginWrite(room: room)
            for number in 0..<100 {
                try transaction.put(
                    environment.table("a"),
                    Array(number),
                    Array(repeating: 1, count: 100_000)
                )
            }
            try transaction.commit()
        }
        var codes: [LMDBError.Code?] = []
        repeat { codes.append(code { try writeAll(room: 0) }) } while codes.last != .some(nil)
        #expect(codes.count <= 6)
        #expect(codes.dropLast().allSatisfy { $0 == .mapFull })
        #expect(!environment.isPoisoned)

        let other = try Environment.scratch(Scratch(), options: .small())
        let transaction = try other.beginWrite(room: 12_000_000)
        for number in 0..<100 {
            try transaction.put(
                other.table("a"),
                Array(number),
                Array(repeating: 1, count: 100_000)
            )
        }
        try transaction.commit()
    }

    @Test func `a transaction in which a write failed cannot commit`() throws {
        let environment = try Environment.scratch(Scratch(), options: .small())
        let table = environment.table("a")
        let transaction = try environment.beginWrite()
        try transaction.put(table, [1], [1])
        #expect(
            code { try transaction.put(table, [2], Array(repeating: 1, count: 4 << 20)) }
                == .mapFull
        )
        #expect(code { _ = try transaction.reader.value(table, [1]) } == .mapFull)
        #expect(code { try transaction.put(table, [3], [1]) } == .mapFull)
        do {
            try transaction.commit()
            Issue.record("The commit succeeded.")
        } catch {
            #expect(error.code == .mapFull)
        }
        #expect(try environment.value([1]) == nil)
        try environment.put([2], Array(repeating: 1, count: 1 << 19))
    }

    @Test func `what another process has grown is adopted`() async throws {
        let scratch = Scratch()
        let environment = try Environment.scratch(scratch, options: .small())
        await #expect(processExitsWith: .success) { [store = scratch.store as String] in
            let other = try Environment.open(at: store, tables: ["a"], options: .small(32))
            for number in 0..<100 {
                try other.put(Array(number), Array(repeating: 1, count: 100_000))
            }
            other.close()
        }
        #expect(try environment.value(Array(99))?.count == 100_000)
        try environment.put(Array(100), [1])
        #expect(try environment.scan().byteCount > 10_000_000)
    }
}

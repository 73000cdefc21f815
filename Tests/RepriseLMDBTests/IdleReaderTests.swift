import Testing

@testable import RepriseLMDB

/// Read transactions that are over keep their slots for the next ones.
@Suite struct IdleReaderTests {
    @Test func `a reader in a kept slot sees the last commit, and the ones before keep theirs`()
        throws
    {
        let environment = try Environment.scratch(Scratch())
        for step in 0..<20 {
            try environment.put([1], [UInt8(step)])
            let first = try environment.beginRead()
            try environment.put([1], [UInt8(step + 100)])
            #expect(try environment.value([1]) == [UInt8(step + 100)])
            #expect(
                try first.reader.value(environment.table("a"), [1]) == [UInt8(step)]
            )
        }
    }

    @Test func `kept slots are few, hold no pages and close with the environment`() throws {
        let scratch = Scratch()
        let environment = try Environment.scratch(scratch)
        try environment.put([1], [1])
        try withReaders(20, of: environment)
        try environment.put([1], [2])
        let statistics = try environment.statistics()
        #expect(statistics.readers.compactMap(\.transactionID).isEmpty)
        #expect((1...8).contains(statistics.readers.count))
        #expect(statistics.oldestReaderLag == 0)
        environment.close()
        #expect(code { _ = try environment.beginRead() } == .closed)
        #expect(try Environment.reopen(scratch).value([1]) == [2])
    }

    @Test func `the map grows beside kept slots, and they serve the larger one`() throws {
        let environment = try Environment.scratch(
            Scratch(),
            options: .small(1, wait: .milliseconds(200))
        )
        for step in 0..<40 {
            try withReaders(3, of: environment)
            try environment.put([UInt8(step)], Array(repeating: UInt8(step), count: 100_000))
            #expect(try environment.value([UInt8(step)])?.count == 100_000)
        }
        #expect(try environment.statistics().mapByteCount > 1 << 20)
    }

    /// Has as many readers open at the same time.
    private func withReaders(_ count: Int, of environment: Environment) throws {
        guard count > 0 else { return }
        let reader = try environment.beginRead()
        try withReaders(count - 1, of: environment)
        #expect(reader.transactionID > 0)
    }
}

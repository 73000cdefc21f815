import Testing

@testable import RepriseLMDB

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Faults of the world. Limits belong to a process, so each of these runs in one of its own.
@Suite struct FaultTests {
    @Test func `a commit that cannot be written poisons the environment and loses nothing older`()
        async
    {
        await #expect(processExitsWith: .success) {
            let scratch = Scratch()
            let environment = try Environment.scratch(scratch)
            try environment.put([1], [1])
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit()
            unsafe getrlimit(.init(RLIMIT_FSIZE.rawValue), &limit)
            let unlimited = limit
            limit.rlim_cur = 1 << 20
            #expect(unsafe setrlimit(.init(RLIMIT_FSIZE.rawValue), &limit) == 0)

            let failure = code { try environment.put([2], Array(repeating: 1, count: 2 << 20)) }
            // LMDB tells a write cut short by the limit as an I/O error.
            #expect(failure == .inputOutput)
            #expect(environment.isPoisoned)
            #expect(code { _ = try environment.beginRead() } == .poisoned)
            #expect(code { try environment.put([3], [3]) } == .poisoned)
            environment.close()

            limit = unlimited
            #expect(unsafe setrlimit(.init(RLIMIT_FSIZE.rawValue), &limit) == 0)
            let again = try Environment.reopen(scratch)
            #expect(try again.value([1]) == [1])
            #expect(try again.value([2]) == nil)
            try again.put([2], [2])
            try again.checkStructure()
        }
    }

    @Test func `the last reader slot is the last reader`() throws {
        var options = Environment.Options.small(64)
        options.readerCountMax = 3
        let environment = try Environment.scratch(Scratch(), options: options)
        do {
            let first = try environment.beginRead()
            let second = try environment.beginRead()
            let third = try environment.beginRead()
            #expect(code { _ = try environment.beginRead() } == .readersFull)
            #expect(first.transactionID == second.transactionID)
            #expect(second.transactionID == third.transactionID)
        }
        #expect(try environment.value([1]) == nil)
    }

    @Test func `a reader that died gives its slot back`() async throws {
        let scratch = Scratch()
        let environment = try Environment.scratch(scratch)
        try environment.put([1], [1])
        await #expect(processExitsWith: .signal(SIGKILL)) { [store = scratch.store as String] in
            let other = try Environment.open(at: store, tables: ["a"], options: .small(64))
            let transaction = try other.beginRead()
            kill(getpid(), SIGKILL)
            _ = transaction.transactionID
        }
        #expect(try environment.statistics().readers.compactMap(\.transactionID).count == 1)
        #expect(try environment.clearStaleReaders() == 1)
        #expect(try environment.statistics().readers.compactMap(\.transactionID).isEmpty)
        #expect(try environment.clearStaleReaders() == 0)
    }

    @Test func `a writer that died in the middle leaves the last commit`() async throws {
        let scratch = Scratch()
        let environment = try Environment.scratch(scratch)
        try environment.put([1], [1])
        await #expect(processExitsWith: .signal(SIGKILL)) { [store = scratch.store as String] in
            let other = try Environment.open(at: store, tables: ["a"], options: .small(64))
            let transaction = try other.beginWrite()
            try transaction.put(other.table("a"), [1], [2])
            kill(getpid(), SIGKILL)
            try transaction.commit()
        }
        #expect(try environment.value([1]) == [1])
        try environment.put([1], [3])
        #expect(try environment.value([1]) == [3])
        try environment.checkStructure()
    }
}

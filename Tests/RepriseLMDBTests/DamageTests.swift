import Dispatch
import Foundation
import Testing

@testable import RepriseLMDB

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

@Suite struct DamageTests {
    private static let pageByteCount = Int(getpagesize())

    /// The bytes of a store with branch pages, large values, free pages and two tables.
    private static func sample() throws -> [UInt8] {
        let scratch = Scratch()
        let environment = try Environment.scratch(scratch)
        for round in 0..<4 {
            let transaction = try environment.beginWrite()
            for number in 0..<160 {
                try transaction.put(
                    environment.table("a"),
                    Array(number * 7919 % 1009 + round),
                    Array(repeating: UInt8(round), count: number)
                )
                if number % 40 == 0 {
                    try transaction.put(
                        environment.table("b"),
                        Array(number),
                        Array(repeating: 1, count: 2500 * round + 10)
                    )
                }
            }
            try transaction.delete(environment.table("a"), Array(round * 31))
            try transaction.commit()
        }
        environment.close()
        return Array(try Data(contentsOf: URL(filePath: scratch.data)))
    }

    /// A store directory with these bytes as its data file.
    private static func place(_ bytes: [UInt8], in scratch: Scratch) throws {
        unsafe mkdir(scratch.store, 0o700)
        try Data(bytes).write(to: URL(filePath: scratch.data))
    }

    private static func outcome(of bytes: [UInt8]) throws -> LMDBError.Code? {
        let scratch = Scratch()
        try place(bytes, in: scratch)
        return code { try Environment.reopen(scratch).close() }
    }

    @Test func `what is no store is refused by its right name`() throws {
        let missing = Scratch()
        #expect(code { _ = try Environment.reopen(missing) } == .noSuchStore)
        unsafe mkdir(missing.store, 0o700)
        #expect(code { _ = try Environment.reopen(missing) } == .noSuchStore)
        #expect(try FileManager.default.contentsOfDirectory(atPath: missing.store) == [])

        #expect(try Self.outcome(of: []) == .notAStore)
        #expect(try Self.outcome(of: [1]) == .notAStore)
        #expect(try Self.outcome(of: Array(repeating: 0, count: 65536)) == .notAStore)
        #expect(
            try Self.outcome(of: Array("SQLite format 3\0".utf8) + Array(repeating: 0, count: 9000))
                == .notAStore
        )

        let linked = Scratch()
        try Environment.scratch(linked).close()
        #expect(unsafe rename(linked.data, linked.path + "/elsewhere") == 0)
        #expect(unsafe symlink("../elsewhere", linked.data) == 0)
        #expect(code { _ = try Environment.reopen(linked) } == .notAStore)

        let file = Scratch()
        #expect(FileManager.default.createFile(atPath: file.store, contents: Data([1])))
        #expect(code { _ = try Environment.reopen(file) } == .notAStore)

        let lock = Scratch()
        try Environment.scratch(lock).close()
        #expect(unsafe unlink(lock.store + "/lock.mdb") == 0)
        #expect(unsafe symlink("/dev/null", lock.store + "/lock.mdb") == 0)
        #expect(code { _ = try Environment.reopen(lock) } == .notAStore)
    }

    @Test func `a store without a table that is asked for is none of ours`() throws {
        let scratch = Scratch()
        try Environment.scratch(scratch).close()
        let outcome = code { _ = try Environment.open(at: scratch.store, tables: ["a", "c"]) }
        #expect(outcome == .notAStore)
        _ = try Environment.reopen(scratch)
    }

    @Test func `a file of another format version is refused`() throws {
        var bytes = try Self.sample()
        for page in 0..<2 { bytes[page * Self.pageByteCount + 20] = 2 }
        #expect(try Self.outcome(of: bytes) == .versionMismatch)
    }

    @Test func `one damaged meta page is damage, not a foreign file`() throws {
        let sample = try Self.sample()
        for page in 0..<2 {
            var bytes = sample
            bytes[page * Self.pageByteCount + 16] ^= 1
            #expect(try Self.outcome(of: bytes) == .corrupted)
        }
    }

    @Test func `a file cut anywhere is refused or has lost nothing`() throws {
        let sample = try Self.sample()
        let whole = Scratch()
        try Self.place(sample, in: whole)
        let expected = try Environment.reopen(whole).scan()
        var refusedCount = 0
        for length in stride(from: 100, to: sample.count, by: 1500) {
            let scratch = Scratch()
            try Self.place(Array(sample[..<length]), in: scratch)
            do throws(LMDBError) {
                let environment = try Environment.reopen(scratch)
                #expect(throws: Never.self) {
                    try environment.checkStructure()
                    #expect(try environment.scan() == expected)
                }
            } catch {
                refusedCount += 1
                switch error.code {
                case .truncated(_, let actual): #expect(actual == length)
                case .notAStore: #expect(length < MetaPage.byteCount)
                default: Issue.record("A cut at \(length) is \(error).")
                }
            }
        }
        #expect(refusedCount > 10)
    }

    @Test func `a healthy file that ends before pages given back is accepted`() throws {
        let scratch = Scratch()
        let environment = try Environment.scratch(scratch)
        // Older free pages, which LMDB takes up and to which it adds the ones given back.
        for _ in 0..<8 { try environment.put([1], [1]) }
        let transaction = try environment.beginWrite()
        let table = environment.table("a")
        for number in 0..<400 {
            try transaction.put(table, Array(number), Array(repeating: 1, count: 9000))
        }
        for number in (0..<400).reversed() { try transaction.delete(table, Array(number)) }
        try transaction.commit()
        let statistics = try environment.statistics()
        // This is the case: otherwise the test proves nothing.
        try #require(statistics.fileByteCount < statistics.usedByteCount)
        environment.close()

        let again = try Environment.reopen(scratch)
        try again.checkStructure()
        #expect(try again.value([1]) == [1])
        for number in 0..<300 {
            try again.put(Array(number), Array(repeating: 2, count: 1500))
        }
        try again.checkStructure()
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `no flipped byte that passes the check makes reading or writing crash`(
        seed: UInt64
    ) throws {
        let sample = try Self.sample()
        var random = Random(state: seed)
        var (refused, passed) = (0, 0)
        for _ in 0..<250 {
            var bytes = sample
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Self.target(in: bytes.count, &random)] = UInt8.random(
                    in: 0...255,
                    using: &random
                )
            }
            let scratch = Scratch()
            defer { scratch.remove() }
            try Self.place(bytes, in: scratch)
            do throws(LMDBError) {
                let environment = try Environment.reopen(scratch)
                try environment.checkStructure()
                passed += 1
                try Self.useEverything(environment)
            } catch {
                refused += 1
            }
        }
        #expect(refused > 20)
        #expect(passed > 50)
    }

    @Test func `nothing is written over damage that only the pages show (STO-36)`() throws {
        let sample = try Self.sample()
        var random = Random(state: 36)
        var refusedCount = 0
        for _ in 0..<300 {
            var bytes = sample
            let bit = UInt8(1) << UInt8.random(in: 0..<8, using: &random)
            bytes[Self.target(in: bytes.count, &random)] ^= bit
            let scratch = Scratch()
            defer { scratch.remove() }
            try Self.place(bytes, in: scratch)
            // Opening looks at the tree of tables only.
            guard let environment = try? Environment.reopen(scratch) else { continue }
            guard code(of: { try environment.checkStructure() }) != nil else { continue }
            refusedCount += 1
            for _ in 0..<2 {
                #expect(code { try environment.put([1], [1]) } == .corrupted)
            }
            environment.close()
            #expect(try Array(Data(contentsOf: URL(filePath: scratch.data))) == bytes)
            // And a file of this size may be checked at once; it can be opened again after that.
            var options = Environment.Options()
            options.checkedAtOpeningByteCountMax = bytes.count
            #expect(
                code { _ = try Environment.reopen(scratch, options: options) } == .corrupted
            )
            _ = try Environment.reopen(scratch)
        }
        #expect(refusedCount > 20)
    }

    @Test func `the check before the first write needs no slot of a reader (STO-36)`() throws {
        let scratch = Scratch()
        try Self.place(Self.sample(), in: scratch)
        var options = Environment.Options.small(64)
        options.readerCountMax = 1
        let environment = try Environment.reopen(scratch, options: options)
        let reader = try environment.beginRead()
        #expect(code { _ = try environment.beginRead() } == .readersFull)
        try environment.put([1], [1])
        #expect(reader.transactionID < 6)
    }

    @Test func `damage that a write met is not looked for again (STO-36)`() throws {
        let sample = try Self.sample()
        var bytes = sample
        for start in stride(from: 0, to: bytes.count, by: Self.pageByteCount)
        where bytes[start + 10] == UInt8(PageFlags.branch) {
            bytes[start + 12] ^= 1
        }
        let scratch = Scratch()
        try Self.place(bytes, in: scratch)
        let environment = try Environment.reopen(scratch)
        #expect(code { try environment.put([1], [1]) } == .corrupted)
        let file = try FileHandle(forWritingTo: URL(filePath: scratch.data))
        try file.write(contentsOf: Data(sample))
        try file.close()
        #expect(code { try environment.checkStructure() } == nil)
        #expect(code { try environment.put([1], [1]) } == .corrupted)
        environment.close()
        try Environment.reopen(scratch).put([1], [1])
    }

    @Test func `pages are checked while commits come as fast as they can (STO-36)`() throws {
        let scratch = Scratch()
        let environment = try Environment.scratch(scratch)
        let failure = Guarded<(any Error)?>(nil)
        let isOver = DispatchSemaphore(value: 0)
        // A thread of its own: the ones that tests share may all be busy checking.
        let writer = Thread {
            do {
                for number in 0..<200 {
                    try environment.put(Array(number % 90), Array(repeating: 7, count: number * 4))
                }
            } catch {
                failure.withLock { $0 = error }
            }
            isOver.signal()
        }
        writer.start()
        repeat {
            try environment.checkStructure()
        } while isOver.wait(timeout: .now()) == .timedOut
        #expect(failure.withLock { $0 } == nil)
    }

    /// Half of the flips hit what LMDB follows: headers and the offsets behind them.
    private static func target(in byteCount: Int, _ random: inout Random) -> Int {
        if Bool.random(using: &random) { return Int.random(in: 0..<byteCount, using: &random) }
        let page = Int.random(in: 0..<byteCount / pageByteCount, using: &random)
        return page * pageByteCount + Int.random(in: 0..<160, using: &random)
    }

    /// Reads everything and writes in every way. Errors are fine; only crashes are not.
    private static func useEverything(_ environment: Environment) throws(LMDBError) {
        do {
            _ = try environment.scan()
            let transaction = try environment.beginWrite()
            for number in 0..<40 {
                try transaction.put(
                    environment.table("a"),
                    Array(number * 13),
                    Array(repeating: 1, count: number * 90)
                )
                try transaction.delete(environment.table("a"), Array(number * 29))
            }
            try transaction.empty(environment.table("b"))
            try transaction.commit()
            _ = try environment.statistics()
            try environment.checkStructure()
        } catch let error as LMDBError {
            throw error
        } catch {
            preconditionFailure("Only storage errors are thrown here.")
        }
    }
}

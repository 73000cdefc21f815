import CLMDB
import Testing

@testable import RepriseLMDB

@Suite struct TransactionTests {
    @Test func `a reader sees the commit it began with`() throws {
        let environment = try Environment.scratch(Scratch())
        try environment.put([1], [1])
        let old = try environment.beginRead()
        try environment.put([1], [2])
        #expect(try old.reader.value(environment.table("a"), [1]) == [1])
        #expect(try environment.value([1]) == [2])
        let new = try environment.beginRead()
        #expect(new.transactionID == old.transactionID + 1)
    }

    @Test func `a transaction without commit leaves no trace`() throws {
        let environment = try Environment.scratch(Scratch())
        do {
            let transaction = try environment.beginWrite()
            try transaction.put(environment.table("a"), [1], [1])
        }
        #expect(try environment.value([1]) == nil)
    }

    @Test func `keys have 1 to 511 bytes`() throws {
        let environment = try Environment.scratch(Scratch())
        let table = environment.table("a")
        let longest = Array(repeating: UInt8(7), count: Table.keyByteCountMax)
        let transaction = try environment.beginWrite()
        try transaction.put(table, longest, [])
        #expect(try transaction.reader.value(table, longest) == [])
        for key in [[], longest + [7]] {
            #expect(code { try transaction.put(table, key, [1]) } == .keyTooLong)
            #expect(try transaction.reader.value(table, key) == nil)
            #expect(try transaction.delete(table, key) == false)
        }
        try transaction.commit()
    }

    @Test func `appending out of order is refused and harms nothing`() throws {
        let environment = try Environment.scratch(Scratch())
        let table = environment.table("a")
        let transaction = try environment.beginWrite()
        for number in 1...1000 { try transaction.append(table, Array(number), [1]) }
        #expect(throws: LMDBError.self) { try transaction.append(table, Array(1000), [2]) }
        #expect(throws: LMDBError.self) { try transaction.append(table, Array(5), [2]) }
        do throws(LMDBError) {
            try transaction.append(table, Array(5), [2])
        } catch {
            #expect(error.rawCode == MDB_KEYEXIST)
        }
        try transaction.commit()
        #expect(try environment.value(Array(1000)) == [1])
        try environment.checkStructure()
    }

    @Test func `cursors outlive their transactions without harm`() throws {
        let environment = try Environment.scratch(Scratch())
        try environment.put([1], [1])
        for _ in 0..<100 {
            let transaction = try environment.beginWrite()
            var first = try transaction.cursor(environment.table("a"))
            var second = try transaction.cursor(environment.table("b"))
            #expect(try first.next())
            #expect(try second.next() == false)
            try transaction.commit()
        }
        for _ in 0..<100 {
            let cursor = try {
                let transaction = try environment.beginRead()
                return try transaction.reader.cursor(environment.table("a"))
            }()
            _ = cursor
        }
        #expect(try environment.statistics().readers.compactMap(\.transactionID).isEmpty)
    }

    @Test func `a cursor used after its transaction traps`() async {
        await #expect(processExitsWith: .failure) { [store = Scratch().store as String] in
            let environment = try Environment.create(at: store, tables: ["a"]) { _, _ in }
            let transaction = try environment.beginWrite()
            var cursor = try transaction.cursor(environment.table("a"))
            try transaction.commit()
            _ = try cursor.next()
        }
    }

    @Test func `a second write transaction on one thread traps instead of hanging`() async {
        await #expect(processExitsWith: .failure) { [store = Scratch().store as String] in
            let environment = try Environment.create(at: store, tables: ["a"]) { _, _ in }
            let first = try environment.beginWrite()
            let second = try environment.beginWrite()
            try first.commit()
            try second.commit()
        }
    }

    @Test func `writers of several threads take turns`() async throws {
        let environment = try Environment.scratch(Scratch())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<4 {
                group.addTask {
                    for step in 0..<25 {
                        let transaction = try environment.beginWrite()
                        let table = environment.table("a")
                        let count = try transaction.reader.entryCount(table)
                        try transaction.put(table, Array(count), Array(task * 100 + step))
                        try transaction.commit()
                    }
                }
            }
            try await group.waitForAll()
        }
        let transaction = try environment.beginRead()
        #expect(try transaction.reader.entryCount(environment.table("a")) == 100)
    }

    @Test func `statistics tell sizes, readers and how far the oldest is behind`() throws {
        let environment = try Environment.scratch(Scratch())
        try environment.put([1], Array(repeating: 1, count: 100_000))
        let reader = try environment.beginRead()
        try environment.put([1], [1])
        try environment.put([1], [2])
        let statistics = try environment.statistics()
        #expect(statistics.oldestReaderLag == 2)
        #expect(statistics.lastTransactionID == reader.transactionID + 2)
        #expect(statistics.readers.contains { $0.transactionID == reader.transactionID })
        #expect(statistics.freePageCount >= 25)
        #expect(statistics.mapByteCount == 64 << 20)
        #expect(statistics.fileByteCount >= 100_000)
        #expect(statistics.usedByteCount >= statistics.fileByteCount)
    }
}

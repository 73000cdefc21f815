import FaultSupport
import Reprise
import Testing

/// Many tasks on one store. Each suite is meant to be run under the thread sanitizer as well.
@Suite(.serialized) struct ConcurrencyTests {
    private static let accountCount = 16
    private static let total = accountCount * 100

    private static func makeStore(_ scratch: Scratch) throws -> Store {
        let store = try Store.open(at: scratch("store"), schema: FaultModels.schema)
        try store.write { transaction in
            try transaction.insert(Shelf(id: "s", title: "S"))
            for number in 0..<accountCount {
                try transaction.insert(
                    Item(id: Item.ID("account-\(number)"), name: "Name", amount: 100)
                )
            }
        }
        return store
    }

    /// Moves an amount from one account to another: the sum stays.
    private static func transfer(_ seed: Int, on store: Store) async throws {
        try await store.write(CommitContext(intent: "transfer")) { transaction in
            var generator = SeededGenerator(seed: UInt64(seed))
            let from = Item.ID("account-\(generator.below(accountCount))")
            let to = Item.ID("account-\(generator.below(accountCount))")
            try transaction.update(Item.self, id: from) { $0.amount -= 7 }
            try transaction.update(Item.self, id: to) { $0.amount += 7 }
            try transaction.link(Shelf.picks, from: "s", to: to, at: .first)
        }
    }

    /// A state that a reader sees is one that some commit made.
    private static func look(_ store: Store) async throws {
        try await store.read { transaction in
            let accounts = try transaction.fetch(
                FetchDescriptor<Item>().where { $0.name == "Name" }
            )
            #expect(accounts.count == accountCount)
            #expect(accounts.reduce(0) { $0 + $1.amount } == total)
            let count = try transaction.count(FetchDescriptor<Item>())
            #expect(try transaction.fetch(FetchDescriptor<Item>()).count == count)
            _ = try transaction.entries(Shelf.picks, of: "s")
        }
    }

    @Test func `64 tasks read and write`() async throws {
        let scratch = try Scratch(inMemory: true)
        let store = try Self.makeStore(scratch)
        defer { store.close() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<64 {
                group.addTask {
                    for round in 0..<6 {
                        if (task + round) % 3 == 0 {
                            try await Self.transfer(task * 100 + round, on: store)
                        } else {
                            try await Self.look(store)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        try Self.check(store)
    }

    @Test func `readers look on while a bulk load, replays and rollbacks go on`() async throws {
        let scratch = try Scratch(inMemory: true)
        let store = try Self.makeStore(scratch)
        defer { store.close() }
        let isOver = Flag()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    while !isOver.isRaised {
                        try await Self.look(store)
                        _ = try store.statistics()
                        await Task.yield()
                    }
                }
            }
            group.addTask {
                for number in 0..<20 { try await Self.transfer(number, on: store) }
            }
            group.addTask {
                defer { isOver.raise() }
                try Self.work(store)
            }
            try await group.waitForAll()
        }
        try Self.check(store)
    }

    private static func work(_ store: Store) throws {
        let before = try store.createSnapshot(named: "before")
        try store.bulkLoad(memoryByteCount: 20_000) { loader in
            for batch in 0..<10 {
                try loader.batch { transaction in
                    for number in 0..<20 {
                        try transaction.insert(
                            Item(id: Item.ID("\(batch)-\(number)"), name: "Other")
                        )
                    }
                }
                if batch % 4 == 3 { try loader.publish() }
            }
        }
        for _ in 0..<3 { try store.replay() }
        #expect(try store.read(asOf: .snapshot("before")) { $0.digest } == before.digest)
        #expect(try store.rollback(to: .snapshot("before")).digest == before.digest)
        _ = try store.verify()
    }

    private static func check(_ store: Store) throws {
        #expect(try store.verify().faults == [])
    }

    @Test func `closing waits for reads, and everything later is told that the store is closed`()
        async throws
    {
        for _ in 0..<5 {
            let scratch = try Scratch(inMemory: true)
            let store = try Self.makeStore(scratch)
            await withTaskGroup(of: Void.self) { group in
                for task in 0..<16 {
                    group.addTask {
                        do {
                            while true {
                                if task % 4 == 0 {
                                    try await Self.transfer(task, on: store)
                                } else {
                                    try await Self.look(store)
                                }
                                // A read never suspends: without this nobody would come to close the store.
                                await Task.yield()
                            }
                        } catch let error as StoreError {
                            #expect(error.code == .closed)
                        } catch { Issue.record("An error of another type: \(error)") }
                    }
                }
                group.addTask {
                    try? await Task.sleep(for: .milliseconds(20))
                    store.close()
                }
            }
            let again = try Store.open(existing: scratch("store"))
            defer { again.close() }
            try Self.check(again)
        }
    }

    @Test func `a store that is let go of is closed`() throws {
        let scratch = try Scratch(inMemory: true)
        for _ in 0..<20 {
            let store = try Store.open(at: scratch("store"), schema: FaultModels.schema)
            try store.write {
                try $0.insert(Shelf(id: Shelf.ID("\(UInt64.random(in: 0 ... .max))"), title: ""))
            }
        }
        let store = try Store.open(existing: scratch("store"))
        defer { store.close() }
        #expect(try store.count(FetchDescriptor<Shelf>()) == 20)
    }
}

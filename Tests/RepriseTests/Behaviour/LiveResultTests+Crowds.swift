import FaultSupport
import Observation
import RepriseLMDB
import Testing

@testable import Reprise

/// Many changes, many observers, and what hands them on.
extension LiveResultTests {
    @Test(arguments: [1, 2, 3] as [UInt64])
    func `differences lead from one result to the next, whatever happens`(seed: UInt64)
        async throws
    {
        let scratch = try Scratch(inMemory: true)
        let store = try Self.makeStore(scratch)
        defer { store.close() }
        var generator = SeededGenerator(seed: seed)
        let descriptor = FetchDescriptor<Item>().where { $0.amount < 70 }.sorted(by: \.amount)
            .offset(2).limit(20)
        var updates = store.observe(descriptor).makeAsyncIterator()
        var shown = try #require(try await updates.next()).results
        for round in 0..<60 {
            try Self.shuffle(&generator, round, store)
            let expected = try await store.read { try $0.fetch(descriptor) }
            if expected == shown { continue }
            let update = try #require(try await updates.next())
            #expect(update.results == expected)
            update.difference.apply(to: &shown, from: update.results)
            #expect(shown == expected)
        }
    }

    static func shuffle(
        _ generator: inout SeededGenerator,
        _ round: Int,
        _ store: Store
    ) throws {
        let count = 1 + generator.below(6)
        try store.write { transaction in
            for number in 0..<count {
                let items = try transaction.fetch(FetchDescriptor<Item>())
                let kind = items.count < 30 ? 0 : generator.below(4)
                if kind == 0 {
                    let id = Item.ID("\(generator.below(1000))-\(round)-\(number)")
                    let amount = generator.below(100)
                    try transaction.insert(Item(id: id, name: "Name", amount: amount))
                } else {
                    let id = items[generator.below(items.count)].id
                    if kind == 1 {
                        try transaction.delete(Item.self, id: id)
                    } else {
                        let amount = generator.below(100)
                        try transaction.update(Item.self, id: id) { $0.amount = amount }
                    }
                }
            }
        }
    }

    @Test func `many observe while many write`() async throws {
        let scratch = try Scratch(inMemory: true)
        let store = try Self.makeStore(scratch)
        defer { store.close() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    var shown: [Item] = []
                    for try await update in store.observe(FetchDescriptor<Item>()) {
                        update.difference.apply(to: &shown, from: update.results)
                        #expect(shown == update.results)
                        if shown.count == 160 { return }
                    }
                }
            }
            for task in 0..<8 {
                group.addTask {
                    for number in 0..<20 {
                        let item = Item(id: Item.ID("\(task)-\(number)"), name: "Name")
                        try await store.write { try $0.insert(item) }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(store.live.observationCount == 0)
    }

    @Test @MainActor func `a property follows the store`() async throws {
        let scratch = try Scratch(inMemory: true)
        let store = try Self.makeStore(scratch)
        defer { store.close() }
        try Self.insert(["a"], store)
        var query: LiveQuery<Item>? = LiveQuery(Self.byAmount, in: store)
        let isTold = Flag()
        withObservationTracking {
            _ = query?.results
        } onChange: {
            isTold.raise()
        }
        while query?.isLoaded == false { try await Task.sleep(for: .milliseconds(1)) }
        #expect(isTold.isRaised)
        #expect(query?.results.map(\.id) == ["a"])
        try Self.insert(["b"], amount: -1, store)
        while query?.results.count == 1 { try await Task.sleep(for: .milliseconds(1)) }
        #expect(query?.results.map(\.id) == ["b", "a"])
        #expect(query?.difference.inserted == [0])
        query = nil
        while store.live.observationCount > 0 { try await Task.sleep(for: .milliseconds(1)) }
    }

    @Test func `a bulk load is seen when it is published, and a replay changes nothing`()
        async throws
    {
        let scratch = try Scratch(inMemory: true)
        let counter = LookCounter()
        let store = try Self.makeStore(scratch, counter)
        defer { store.close() }
        var updates = store.observe(FetchDescriptor<Item>()).makeAsyncIterator()
        _ = try await updates.next()
        try Self.load(store)
        #expect(try await updates.next()?.results.count == 500)
        try store.replay()
        try await Self.settle()
        try Self.insert(["a"], store)
        #expect(try await updates.next()?.difference.inserted == [500])
        #expect(counter.count == 3)
    }

    static func load(_ store: Store) throws {
        try store.bulkLoad { loader in
            for batch in 0..<5 {
                try loader.batch { transaction in
                    for number in 0..<100 {
                        let id = Item.ID("\(batch)-\(number)")
                        try transaction.insert(Item(id: id, name: "Name"))
                    }
                }
            }
        }
    }
}

import FaultSupport
import Logging
import Observation
import RepriseLMDB
import Testing

@testable import Reprise

/// Live results (LIV-01 to LIV-11). Meant to be run under the thread sanitizer as well.
@Suite(.serialized, .timeLimit(.minutes(10))) struct LiveResultTests {
    private static func makeStore(_ scratch: Scratch, _ counter: LookCounter? = nil) throws -> Store {
        var configuration = Store.Configuration()
        configuration.logger = counter?.logger
        return try Store.open(
            at: scratch("store"),
            schema: FaultModels.schema,
            configuration: configuration
        )
    }

    private static func insert(_ ids: [String], amount: Int = 0, _ store: Store) throws {
        try store.write { transaction in
            for id in ids {
                try transaction.insert(Item(id: Item.ID(id), name: "Name", amount: amount))
            }
        }
    }

    private static func insertShelf(_ id: String, title: String, _ store: Store) throws {
        try store.write { try $0.insert(Shelf(id: Shelf.ID(id), title: title)) }
    }

    private static func rename(_ shelf: String, to title: String, _ store: Store) throws {
        try store.write { _ = try $0.update(Shelf.self, id: Shelf.ID(shelf)) { $0.title = title } }
    }

    private static let byAmount = FetchDescriptor<Item>().sorted(by: \.amount)

    /// LIV-04: what was about to be shown for the first time had concerned nobody yet.
    @Test func `a commit in the middle of a look is not missed`() async throws {
        let scratch = try Scratch(inMemory: true)
        let store = try Self.makeStore(scratch)
        defer { store.close() }
        try Self.insert(["a"], store)
        let query = Self.byAmount.query
        let looks = LiveSequence<Int>(store) {
            var count = 0
            return { transaction in
                count += 1
                let ids = try transaction.fetchIDs(query)
                if count == 2 {
                    // Another thread takes away what this look has just seen, and the events are dispatched.
                    let isDone = Signal()
                    DetachedThread.start {
                        try? store.write { _ = try $0.delete(Item.self, id: "new") }
                        DetachedThread.pause(microseconds: 300_000)
                        isDone.raise()
                    }
                    isDone.wait()
                }
                let region = try LiveRegion(
                    query,
                    members: Set(ids.map { Array($0.utf8) }),
                    in: transaction.access.workspace.schema
                )
                return (ids.count, region)
            }
        }
        var counts = looks.makeAsyncIterator()
        #expect(try await counts.next() == 1)
        try Self.insert(["new"], store)
        #expect(try await counts.next() == 2)
        #expect(try await counts.next() == 1)
    }

    @Test func `the first result comes at once, and one for each commit that changes it`()
        async throws
    {
        let scratch = try Scratch(inMemory: true)
        let store = try Self.makeStore(scratch)
        defer { store.close() }
        try Self.insert(["a", "b"], store)
        var updates = store.observe(Self.byAmount).makeAsyncIterator()
        let first = try #require(try await updates.next())
        #expect(first.results.map(\.id) == ["a", "b"])
        #expect(first.difference.inserted == [0, 1])
        #expect(first.position.rawValue == 3)

        try Self.insert(["c"], amount: -1, store)
        let second = try #require(try await updates.next())
        #expect(second.results.map(\.id) == ["c", "a", "b"])
        #expect(second.difference.inserted == [0])

        try Self.change("a", store) { $0.amount = 5 }
        let third = try #require(try await updates.next())
        #expect(third.results.map(\.id) == ["c", "b", "a"])
        #expect(third.difference.moved.count == 1)
        #expect(third.difference.updated == [.init(from: 1, to: 2)])
        #expect(third.results[2].amount == 5)

        try Self.delete("b", store)
        let fourth = try #require(try await updates.next())
        #expect(fourth.difference.removed == [1])
        #expect(fourth.results.map(\.id) == ["c", "a"])

        try store.rollback(to: .position(first.position))
        let fifth = try #require(try await updates.next())
        #expect(fifth.results == first.results)
    }

    private static func change(_ id: String, _ store: Store, _ body: (inout Item) -> Void) throws {
        try store.write { _ = try $0.update(Item.self, id: Item.ID(id), body) }
    }

    private static func delete(_ id: String, _ store: Store) throws {
        try store.write { _ = try $0.delete(Item.self, id: Item.ID(id)) }
    }

    /// Waits until the dispatcher has read all that is in the log.
    private static func settle() async throws {
        try await Task.sleep(for: .milliseconds(80))
    }

    @Test func `commits that do not touch what is shown run no query`() async throws {
        let scratch = try Scratch(inMemory: true)
        let counter = LookCounter()
        let store = try Self.makeStore(scratch, counter)
        defer { store.close() }
        try Self.insert(["a", "b"], store)
        try Self.insertShelf("s", title: "S", store)
        let descriptor = FetchDescriptor<Item>().where { $0.amount > 3 }
        let task = Task {
            var seen: [[Item.ID]] = []
            for try await update in store.observe(descriptor) { seen.append(update.results.map(\.id)) }
            return seen
        }
        try await counter.wait(for: 1)
        try Self.writeElsewhere(store)
        try await Self.settle()
        // LIV-05
        #expect(counter.count == 1)
        try Self.change("a", store) { $0.amount = 2 }
        try await counter.wait(for: 2)
        try await Self.settle()
        // It might have been shown, and is not: looked at, but nobody is told.
        #expect(counter.count == 2)
        try Self.change("a", store) { $0.amount = 4 }
        try await counter.wait(for: 3)
        try await Self.settle()
        try Self.change("a", store) { $0.note = "shown, so every attribute counts" }
        try await counter.wait(for: 4)
        try await Self.settle()
        task.cancel()
        #expect(try await task.value == [[], ["a"], ["a"]])
    }

    private static func writeElsewhere(_ store: Store) throws {
        for number in 0..<10 {
            try store.write { transaction in
                try transaction.insert(Shelf(id: Shelf.ID("\(number)"), title: "T"))
                try transaction.link(Shelf.picks, from: "s", to: "a")
                try transaction.update(Item.self, id: "b") { $0.note = "\(number)" }
                try transaction.annotate(name: "n", key: "k", payload: [])
            }
        }
        try store.createSnapshot(named: "snapshot")
    }

    @Test func `what a path leads to is observed, and nothing else there`() async throws {
        let scratch = try Scratch(inMemory: true)
        let counter = LookCounter()
        let store = try Self.makeStore(scratch, counter)
        defer { store.close() }
        try Self.insertShelf("s", title: "S", store)
        try Self.insert(["a"], store)
        try Self.change("a", store) { $0.shelf = "s" }
        let query = RecordQuery(
            model: "item",
            filter: .compare(["shelf", "title"], .equal, .string("T"))
        )
        let ids = Guarded<[[String]]>([])
        let task = Task {
            for try await update in store.observe(query) {
                ids.withLock { $0.append(update.results.map(\.id)) }
            }
        }
        try await counter.wait(for: 1)
        try await Self.settle()
        try Self.rename("s", to: "T", store)
        try await counter.wait(for: 2)
        try Self.insertShelf("t", title: "T", store)
        try await Self.settle()
        #expect(counter.count == 2)
        task.cancel()
        try await task.value
        #expect(ids.withLock { $0 } == [[], ["a"]])
    }

    @Test func `bursts run together, and who is slow sees the newest`() async throws {
        let scratch = try Scratch(inMemory: true)
        let counter = LookCounter()
        let store = try Self.makeStore(scratch, counter)
        defer { store.close() }
        try Self.insert(["a"], store)
        var updates = store.observe(Self.byAmount).makeAsyncIterator()
        _ = try await updates.next()
        for number in 1...100 { try Self.change("a", store) { $0.amount = number } }
        try await Self.settle()
        // LIV-06
        let update = try #require(try await updates.next())
        #expect(update.results.map(\.amount) == [100])
        #expect(update.difference.updated == [.init(from: 0, to: 0)])
        #expect(counter.count == 2)
        try Self.insert(["b"], amount: 101, store)
        #expect(try await updates.next()?.results.map(\.amount) == [100, 101])
    }

    @Test func `it ends with its task, with the store, and frees what it took`() async throws {
        let scratch = try Scratch(inMemory: true)
        let store = try Self.makeStore(scratch)
        try Self.insert(["a"], store)
        let begun = Guarded(0)
        func observer() -> Task<Int, any Error> {
            Task {
                var count = 0
                for try await _ in store.observe(Self.byAmount) {
                    count += 1
                    begun.withLock { $0 += 1 }
                }
                return count
            }
        }
        let cancelled = observer()
        let closed = observer()
        while begun.withLock({ $0 }) < 2 { try await Task.sleep(for: .milliseconds(1)) }
        cancelled.cancel()
        #expect(try await cancelled.value == 1)
        try Self.insert(["b"], store)
        while begun.withLock({ $0 }) < 3 { try await Task.sleep(for: .milliseconds(1)) }
        store.close()
        #expect(try await closed.value == 2)
        var late = store.observe(Self.byAmount).makeAsyncIterator()
        #expect(try await late.next() == nil)
        #expect(try await late.next() == nil)
        #expect(store.live.observationCount == 0)
    }

    @Test func `a query that is wrong throws, and that is its end`() async throws {
        let scratch = try Scratch(inMemory: true)
        let store = try Self.makeStore(scratch)
        defer { store.close() }
        var updates = store.observe(RecordQuery(model: "nothing")).makeAsyncIterator()
        do {
            _ = try await updates.next()
            Issue.record("The model is not there.")
        } catch let error as StoreError { #expect(error.code == .unknownModel) }
        #expect(try await updates.next() == nil)
    }

    @Test func `one entity and a count can be observed`() async throws {
        let scratch = try Scratch(inMemory: true)
        let store = try Self.makeStore(scratch)
        defer { store.close() }
        var item = store.observe(Item.self, id: "a").makeAsyncIterator()
        var count = store.observeCount(FetchDescriptor<Item>().where { $0.amount > 0 })
            .makeAsyncIterator()
        #expect(try await item.next() == .some(nil))
        #expect(try await count.next() == 0)
        try Self.insert(["a", "b"], store)
        #expect(try await item.next()??.amount == 0)
        try Self.change("a", store) { $0.amount = 7 }
        #expect(try await item.next()??.amount == 7)
        #expect(try await count.next() == 1)
        try Self.delete("a", store)
        #expect(try await item.next() == .some(nil))
        #expect(try await count.next() == 0)
    }

    @Test func `lists of records are observed with their places`() async throws {
        let scratch = try Scratch(inMemory: true)
        let store = try Self.makeStore(scratch)
        defer { store.close() }
        try Self.insert(["a", "b"], store)
        try Self.insertShelf("s", title: "S", store)
        var shelves = store.observe(RecordQuery(model: "shelf"), lists: true).makeAsyncIterator()
        func list(_ name: String, _ update: LiveUpdate<Record>?) -> [String]? {
            update?.results.first?.lists.first { $0.name == name }?.targets
        }
        #expect(list("picks", try await shelves.next()) == [])
        try Self.link(store)
        #expect(list("picks", try await shelves.next()) == ["b", "a"])
        try Self.change("b", store) { $0.shelf = "s" }
        #expect(list("items", try await shelves.next()) == ["b"])
    }

    private static func link(_ store: Store) throws {
        try store.write { transaction in
            try transaction.link(Shelf.picks, from: "s", to: "a")
            try transaction.link(Shelf.picks, from: "s", to: "b", at: .first)
        }
    }

    @Test func `commits of another process arrive`() async throws {
        let scratch = try Scratch()
        let store = try Self.makeStore(scratch)
        defer { store.close() }
        let file = AcknowledgementFile(path: scratch("acknowledgements"))
        var updates = store.observe(FetchDescriptor<Item>()).makeAsyncIterator()
        #expect(try await updates.next()?.results == [])
        let neighbour = ChildProcess(
            ChildProcess.builtExecutable("FaultWorker"),
            [
                "do=insert", "path=" + scratch("store"), "acknowledgements=" + file.path,
                "count=40",
            ],
            output: scratch("output")
        )
        // LIV-09
        var shown: [Item] = []
        while shown.count < 40 {
            let update = try #require(try await updates.next())
            #expect(update.results.count > shown.count)
            update.difference.apply(to: &shown, from: update.results)
            #expect(shown == update.results)
        }
        #expect(await neighbour.end() == .exit(0))
    }

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

    private static func shuffle(
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

    private static func load(_ store: Store) throws {
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

/// Counts the queries that observations run: each is told to the store's logger.
private final class LookCounter: Sendable {
    private let looks = Guarded(0)

    var count: Int { looks.withLock { $0 } }

    func wait(for count: Int) async throws {
        while self.count < count { try await Task.sleep(for: .milliseconds(1)) }
    }

    var logger: Logger {
        var logger = Logger(label: "looks") { _ in Handler(counter: self) }
        logger.logLevel = .trace
        return logger
    }

    private struct Handler: LogHandler {
        let counter: LookCounter
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            if event.message == "An observed query is run." { counter.looks.withLock { $0 += 1 } }
        }
    }
}

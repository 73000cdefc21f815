import FaultSupport
import Logging
import Observation
import RepriseLMDB
import Testing

@testable import Reprise

/// Live results (LIV-01 to LIV-11). Meant to be run under the thread sanitizer as well.
@Suite(.serialized, .timeLimit(.minutes(10))) struct LiveResultTests {
    static func makeStore(_ scratch: Scratch, _ counter: LookCounter? = nil) throws -> Store {
        var configuration = Store.Configuration()
        configuration.logger = counter?.logger
        return try Store.open(
            at: scratch("store"),
            schema: FaultModels.schema,
            configuration: configuration
        )
    }

    static func insert(_ ids: [String], amount: Int = 0, _ store: Store) throws {
        try store.write { transaction in
            for id in ids {
                try transaction.insert(Item(id: Item.ID(id), name: "Name", amount: amount))
            }
        }
    }

    static func insertShelf(_ id: String, title: String, _ store: Store) throws {
        try store.write { try $0.insert(Shelf(id: Shelf.ID(id), title: title)) }
    }

    static func rename(_ shelf: String, to title: String, _ store: Store) throws {
        try store.write { _ = try $0.update(Shelf.self, id: Shelf.ID(shelf)) { $0.title = title } }
    }

    static let byAmount = FetchDescriptor<Item>().sorted(by: \.amount)

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

    static func change(_ id: String, _ store: Store, _ body: (inout Item) -> Void) throws {
        try store.write { _ = try $0.update(Item.self, id: Item.ID(id), body) }
    }

    static func delete(_ id: String, _ store: Store) throws {
        try store.write { _ = try $0.delete(Item.self, id: Item.ID(id)) }
    }

    /// Waits until the dispatcher has read all that is in the log.
    static func settle() async throws {
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
            for try await update in store.observe(descriptor) {
                seen.append(update.results.map(\.id))
            }
            return seen
        }
        try await counter.wait(for: 1)
        // What is committed during the first look may make another one.
        try await Self.settle()
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

    static func writeElsewhere(_ store: Store) throws {
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
        // What comes while it looks makes it look once more, whatever it is.
        try await Self.settle()
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

    static func link(_ store: Store) throws {
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
}

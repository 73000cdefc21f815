import FaultSupport
import RepriseLMDB
import Testing

@testable import Reprise

/// Writes that wait together (STO-40 to STO-45). Meant to be run under the thread sanitizer as well.
@Suite(.serialized, .timeLimit(.minutes(10))) struct GroupCommitTests {
    private struct Refusal: Error {}

    private static func makeStore(_ scratch: Scratch) throws -> Store {
        let store = try Store.open(at: scratch("store"), schema: FaultModels.schema)
        try store.write { transaction in
            try transaction.insert(Shelf(id: "s", title: "S"))
            try transaction.insert(Item(id: "sum", name: "Sum"))
        }
        return store
    }

    private static func intents(_ store: Store) throws -> [String] {
        var intents: [String] = []
        try store.read { transaction in
            try transaction.forEachCommit {
                intents.append($0.intent)
                return true
            }
        }
        return intents
    }

    private static func transactionID(_ store: Store) throws -> UInt64 {
        try store.environment.beginRead().transactionID
    }

    @Test(arguments: [false, true])
    func `writes that wait together share one transaction and stay commits of their own`(
        isOnThreads: Bool
    ) async throws {
        let scratch = try Scratch(inMemory: true)
        let store = try Self.makeStore(scratch)
        defer { store.close() }
        let before = try Self.transactionID(store)
        let leader = HeldTurn(store) { try $0.insert(Item(id: "leader", name: "Name")) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                group.addTask {
                    let context = CommitContext(intent: "\(number)")
                    if isOnThreads || number % 4 == 0 {
                        try await onThread {
                            try store.write(context) {
                                try $0.insert(Item(id: Item.ID("\(number)"), name: "Name"))
                            }
                        }
                    } else {
                        try await store.write(context) {
                            try $0.insert(Item(id: Item.ID("\(number)"), name: "Name"))
                        }
                    }
                }
            }
            try await leader.wait(for: 40)
            leader.letGo()
            try await group.waitForAll()
        }
        #expect(try await leader.end() == nil)
        // STO-40; a group that takes long is closed before all have joined.
        #expect(try Self.transactionID(store) - before <= 20)
        #expect(try store.count(FetchDescriptor<Item>()) == 42)
        #expect(Set(try Self.intents(store).suffix(40)) == Set((0..<40).map { "\($0)" }))
        #expect(try store.verify().faults == [])
    }

    @Test func `the log has them in the order in which they came`() async throws {
        let scratch = try Scratch(inMemory: true)
        let store = try Self.makeStore(scratch)
        defer { store.close() }
        let leader = HeldTurn(store)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<60 {
                group.addTask {
                    let context = CommitContext(intent: "\(number)")
                    if number % 5 < 2 {
                        try await onThread {
                            try store.write(context) {
                                _ = try $0.update(Item.self, id: "sum") { $0.amount += 1 }
                            }
                        }
                    } else {
                        try await store.write(context) {
                            _ = try $0.update(Item.self, id: "sum") { $0.amount += 1 }
                        }
                    }
                }
                try await leader.wait(for: number + 1)
            }
            leader.letGo()
            try await group.waitForAll()
        }
        // STO-43
        #expect(try Self.intents(store).suffix(60) == (0..<60).map { "\($0)" })
        #expect(try store.fetch(Item.self, id: "sum")?.amount == 60)
    }

    /// A body that changes what its neighbours change too, asks in between, and may throw at its end.
    private static func work(
        _ number: Int,
        _ seed: UInt64,
        _ transaction: inout Reprise.WriteTransaction
    ) throws {
        var generator = SeededGenerator(seed: seed &+ UInt64(number))
        let id = Item.ID("item-\(number)")
        try transaction.update(Item.self, id: "sum") { $0.amount += 1 }
        let count = try transaction.count(FetchDescriptor<Item>())
        if generator.below(3) == 0 {
            let all = try transaction.fetch(FetchDescriptor<Item>().where { $0.name == "Name" })
            #expect(all.count == count - 1)
        }
        try transaction.insert(
            Item(id: id, name: "Name", amount: number, code: number, shelf: "s")
        )
        if generator.below(2) == 0 {
            // A query makes the changes go to the tables before the body is through.
            let same = FetchDescriptor<Item>().where { $0.amount == number && $0.name == "Name" }
            #expect(try transaction.fetch(same).map(\.id) == [id])
            try transaction.update(Item.self, id: id) { $0.note = "asked" }
            #expect(try transaction.count(FetchDescriptor<Item>()) == count + 1)
        }
        try transaction.link(Shelf.picks, from: "s", to: id, at: .first)
        try transaction.annotate(name: "note", key: "\(number)", payload: [1])
        if generator.below(4) == 0 {
            _ = try? transaction.insert(Item(id: id, name: "Again"))
            #expect(try transaction.annotations(named: "note").count >= 1)
        }
        if generator.below(3) == 0 { throw Refusal() }
    }

    /// STO-41
    private static func check(_ store: Store, holds done: Set<Int>) throws {
        #expect(done.count > 20 && done.count < 80)
        #expect(try store.fetch(Item.self, id: "sum")?.amount == done.count)
        try store.read { transaction in
            let items = try transaction.fetch(FetchDescriptor<Item>().where { $0.name == "Name" })
            #expect(Set(items.map(\.amount)) == done)
            #expect(items.count == done.count)
            let ids = Set(done.map { Item.ID("item-\($0)") })
            #expect(Set(try transaction.entries(Shelf.picks, of: "s").map(\.target)) == ids)
            #expect(Set(try transaction.entries(Shelf.items, of: "s").map(\.target)) == ids)
            let notes = try transaction.annotations(named: "note").map(\.key)
            #expect(Set(notes) == Set(done.map { "\($0)" }))
        }
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `one that throws leaves no trace, and its neighbours stay`(seed: UInt64) async throws {
        let scratch = try Scratch(inMemory: true)
        let store = try Self.makeStore(scratch)
        defer { store.close() }
        let leader = HeldTurn(store) { _ = try $0.update(Item.self, id: "sum") { $0.note = "led" } }
        var done: Set<Int> = []
        try await withThrowingTaskGroup(of: Int?.self) { group in
            for number in 0..<80 {
                group.addTask {
                    do {
                        if number % 3 == 0 {
                            try await onThread {
                                try store.write { try Self.work(number, seed * 1000, &$0) }
                            }
                        } else {
                            try await store.write { try Self.work(number, seed * 1000, &$0) }
                        }
                        return number
                    } catch is Refusal { return nil }
                }
            }
            try await leader.wait(for: 80)
            leader.letGo()
            for try await number in group { if let number { done.insert(number) } }
        }
        try Self.check(store, holds: done)
        #expect(try store.verify().faults == [])
        let digest = try store.statistics().digest
        #expect(try store.replay().digest == digest)
    }

    @Test func `a leader that throws does not hurt those who wait`() async throws {
        let scratch = try Scratch(inMemory: true)
        let store = try Self.makeStore(scratch)
        defer { store.close() }
        let leader = HeldTurn(store) { transaction in
            try transaction.insert(Item(id: "leader", name: "Name", code: 7))
            #expect(try transaction.count(FetchDescriptor<Item>()) == 2)
            throw Refusal()
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<10 {
                group.addTask {
                    try await store.write {
                        try $0.insert(Item(id: Item.ID("\(number)"), name: "N", code: number))
                    }
                }
            }
            try await leader.wait(for: 10)
            leader.letGo()
            try await group.waitForAll()
        }
        #expect(try await leader.end() is Refusal)
        #expect(try store.count(FetchDescriptor<Item>()) == 11)
        #expect(try store.verify().faults == [])
    }

    @MainActor private static func insertOnMainActor(_ number: Int, _ store: Store) throws -> [Int]
    {
        var seen: [Int] = []
        try store.write { transaction in
            MainActor.assertIsolated()
            try transaction.insert(Item(id: Item.ID("\(number)"), name: "N"))
            let numbers = [number, number + 1]
            seen.append(numbers.first { $0 == number } ?? -1)
        }
        return seen
    }

    @Test @MainActor func `a closure formed on the main actor runs there, in a group as well`()
        async throws
    {
        let scratch = try Scratch(inMemory: true)
        let store = try Self.makeStore(scratch)
        defer { store.close() }
        let isOver = Flag()
        let crowd = Task {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        while !isOver.isRaised {
                            try await store.write {
                                _ = try $0.update(Item.self, id: "sum") { $0.amount += 1 }
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        var seen: [Int] = []
        for number in 0..<50 {
            seen += try Self.insertOnMainActor(number, store)
            await Task.yield()
        }
        isOver.raise()
        try await crowd.value
        #expect(seen == Array(0..<50))
        #expect(try store.count(FetchDescriptor<Item>()) == 51)
    }

    @Test func `a group ends though others keep coming`() async throws {
        let scratch = try Scratch(inMemory: true)
        let store = try Self.makeStore(scratch)
        defer { store.close() }
        let isOver = Flag()
        try await withThrowingTaskGroup(of: Int.self) { group in
            for task in 0..<6 {
                group.addTask {
                    var count = 0
                    while !isOver.isRaised {
                        count += 1
                        let id = Item.ID("\(task)-\(count)")
                        if task < 3 {
                            try await onThread {
                                try store.write { try $0.insert(Item(id: id, name: "N")) }
                            }
                        } else {
                            try await store.write { try $0.insert(Item(id: id, name: "N")) }
                        }
                    }
                    return count
                }
            }
            // STO-44: each of these would wait for ever for a group that takes everybody in.
            for _ in 0..<100 {
                try await store.write {
                    _ = try $0.update(Item.self, id: "sum") { $0.amount += 1 }
                }
            }
            isOver.raise()
            var total = 0
            for try await count in group {
                #expect(count > 5)
                total += count
            }
            #expect(try store.count(FetchDescriptor<Item>()) == total + 1)
        }
        #expect(try store.fetch(Item.self, id: "sum")?.amount == 100)
    }

    @Test func `work that needs the store for itself keeps its place`() async throws {
        let scratch = try Scratch(inMemory: true)
        let store = try Self.makeStore(scratch)
        defer { store.close() }
        let leader = HeldTurn(store)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<30 {
                group.addTask {
                    try await onThread {
                        switch number % 10 {
                        case 3: try store.createSnapshot(named: "snapshot-\(number)")
                        case 6: try store.replay()
                        case 8:
                            try store.bulkLoad { loader in
                                try loader.batch {
                                    try $0.insert(Item(id: Item.ID("\(number)"), name: "N"))
                                }
                            }
                        case 9: try store.rollback(to: .snapshot("snapshot-\(number - 6)"))
                        default:
                            try store.write {
                                try $0.insert(Item(id: Item.ID("\(number)"), name: "N"))
                            }
                        }
                    }
                }
                try await leader.wait(for: number + 1)
            }
            leader.letGo()
            try await group.waitForAll()
        }
        // Of each ten, what came before the snapshot is left.
        let ids = try store.fetch(FetchDescriptor<Item>()).map(\.id.rawValue)
        #expect(Set(ids) == ["sum", "0", "1", "2", "10", "11", "12", "20", "21", "22"])
        #expect(try store.verify().faults == [])
    }

    @Test func `closing tells those who wait, and keeps what was acknowledged`() async throws {
        for round in 0..<6 {
            let scratch = try Scratch(inMemory: true)
            let store = try Self.makeStore(scratch)
            let leader = HeldTurn(store)
            var done: Set<String> = ["sum"]
            try await withThrowingTaskGroup(of: String?.self) { group in
                for number in 0..<20 {
                    group.addTask {
                        let item = Item(id: Item.ID("\(number)"), name: "N")
                        do {
                            if number % 2 == 0 {
                                try await onThread { try store.write { try $0.insert(item) } }
                            } else {
                                try await store.write { try $0.insert(item) }
                            }
                            return item.id.rawValue
                        } catch let error as StoreError {
                            #expect(error.code == .closed)
                            return nil
                        }
                    }
                }
                try await leader.wait(for: 20)
                if round % 2 == 0 { leader.letGo() }
                group.addTask {
                    try await onThread { store.close() }
                    return nil
                }
                try await Task.sleep(for: .milliseconds(round))
                leader.letGo()
                for try await id in group { if let id { done.insert(id) } }
            }
            let again = try Store.open(existing: scratch("store"))
            defer { again.close() }
            #expect(Set(try again.fetch(FetchDescriptor<Item>()).map(\.id.rawValue)) == done)
        }
    }
}

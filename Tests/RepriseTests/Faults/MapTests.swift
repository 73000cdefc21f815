import FaultSupport
import Reprise
import TestSupport
import Testing

/// A reservation of address space that is much too small.
@Suite(.serialized) struct MapTests {
    private static let small = Store.Configuration(mapByteCount: 1 << 20)

    private static func item(_ number: Int) -> Item {
        Item(
            id: Item.ID("item-\(number)"),
            name: "Name \(number % 30)",
            amount: number,
            note: longText("x", count: 50_000)
        )
    }

    @Test func `a store outgrows its reservation while it is read`() async throws {
        let scratch = try Scratch(inMemory: true)
        let store = try Store.open(
            at: scratch("store"),
            schema: FaultModels.schema,
            configuration: Self.small
        )
        defer { store.close() }
        let isOver = Flag()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    var least = 0
                    while !isOver.isRaised {
                        let count = try await store.read { transaction in
                            _ = try transaction.fetch(FetchDescriptor<Item>().limit(3))
                            return try transaction.count(FetchDescriptor<Item>())
                        }
                        #expect(count >= least)
                        least = count
                        await Task.yield()
                    }
                }
            }
            defer { isOver.raise() }
            for number in 0..<500 { try await Self.insertPair(number, into: store) }
            isOver.raise()
            try await group.waitForAll()
        }
        try Self.check(store, count: 1000)
    }

    /// A write may find the last room too small while readers hold early growth up; the next one insists.
    private static func insertPair(_ number: Int, into store: Store) async throws {
        for attempt in 0... {
            do {
                return try await store.write { transaction in
                    try transaction.insert(item(2 * number))
                    try transaction.insert(item(2 * number + 1))
                }
            } catch let error as StoreError where error.code == .mapFull && attempt < 3 {}
        }
    }

    private static func check(_ store: Store, count: Int) throws {
        let items = try store.fetch(FetchDescriptor<Item>().sorted(by: \.amount))
        #expect(items == (0..<count).map(item))
        #expect(try store.verify().faults == [])
    }

    @Test func `a read that stays open holds growth up, which is told and loses nothing`() throws {
        let scratch = try Scratch(inMemory: true)
        let store = try Store.open(
            at: scratch("store"),
            schema: FaultModels.schema,
            configuration: Self.small
        )
        defer { store.close() }
        var count = 0
        var refusal: StoreError.Code?
        let seen = try store.read { transaction in
            while count < 100, refusal == nil {
                refusal = code { try store.write { try $0.insert(Self.item(count)) } }
                if refusal == nil { count += 1 }
            }
            return try transaction.count(FetchDescriptor<Item>())
        }
        // The open read sees what it saw.
        #expect(seen == 0)
        #expect(refusal == .mapFull)
        for number in count..<100 { try store.write { try $0.insert(Self.item(number)) } }
        try Self.check(store, count: 100)
    }

    @Test func `a commit larger than the reservation goes through in the end`() throws {
        let scratch = try Scratch(inMemory: true)
        let store = try Store.open(
            at: scratch("store"),
            schema: FaultModels.schema,
            configuration: Self.small
        )
        defer { store.close() }
        let digest = try store.read { $0.digest }
        var refusals = 0
        while refusals < 12 {
            let refusal = code {
                try store.write { for number in 0..<200 { try $0.insert(Self.item(number)) } }
            }
            if refusal == nil { break }
            #expect(refusal == .mapFull)
            #expect(try store.read { $0.digest } == digest)
            refusals += 1
        }
        #expect(refusals < 12)
        try Self.check(store, count: 200)
    }
}

import FaultSupport
import Reprise
import Testing

/// What short reads keep for the next one is never older than what the next one shall see.
@Suite struct KeptContextTests {
    private static func amount(_ store: Store) throws -> Int? {
        try store.fetch(Item.self, id: "i")?.amount
    }

    @Test func `a read sees the last commit, and one that is open keeps seeing its own`() throws {
        let scratch = try Scratch(inMemory: true)
        let store = try Store.open(at: scratch("store"), schema: FaultModels.schema)
        defer { store.close() }
        try store.write { try $0.insert(Item(id: "i", name: "Name", amount: 0)) }
        for step in 1..<30 {
            #expect(try Self.amount(store) == step - 1)
            try store.read { before in
                _ = try store.write { try $0.update(Item.self, id: "i") { $0.amount = step } }
                #expect(try Self.amount(store) == step)
                #expect(try before.fetch(Item.self, id: "i")?.amount == step - 1)
                #expect(try store.read { $0.position } > before.position)
            }
            if step % 5 == 0 { try store.replay() }
            let count = try store.count(FetchDescriptor<Item>())
            #expect(count == 1)
        }
    }

    @Test func `a read of the past leaves nothing behind for reads of the present`() throws {
        let scratch = try Scratch(inMemory: true)
        let store = try Store.open(at: scratch("store"), schema: FaultModels.schema)
        defer { store.close() }
        try store.write { try $0.insert(Item(id: "i", name: "Name", amount: 1)) }
        let past = try store.read { $0.position }
        _ = try store.write { try $0.update(Item.self, id: "i") { $0.amount = 2 } }
        for _ in 0..<3 {
            let then = try store.read(asOf: .position(past)) {
                try $0.fetch(Item.self, id: "i")?.amount
            }
            #expect(then == 1)
            #expect(try Self.amount(store) == 2)
        }
    }

    @Test func `reads inside reads have what they need to themselves`() throws {
        let scratch = try Scratch(inMemory: true)
        let store = try Store.open(at: scratch("store"), schema: FaultModels.schema)
        defer { store.close() }
        try store.write { transaction in
            for number in 0..<12 {
                try transaction.insert(
                    Item(id: Item.ID("\(number)"), name: "N\(number)", amount: number)
                )
            }
        }
        func descend(_ level: Int) throws -> Int {
            guard level < 12 else { return 0 }
            return try store.read { transaction in
                let below = try descend(level + 1)
                return try below
                    + (transaction.fetch(Item.self, id: Item.ID("\(level)"))?.amount ?? 0)
            }
        }
        for _ in 0..<3 { #expect(try descend(0) == 66) }
    }
}

import FaultSupport
import Reprise
import Testing

/// Programmer's errors stop the process with a sentence.
@Suite struct MisuseTests {
    /// The sentence is printed by debug builds only.
    private static func says(_ words: String, _ result: ExitTest.Result?) -> Bool {
        #if DEBUG
            let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
            return text.contains(words)
        #else
            return true
        #endif
    }

    /// The directory is the caller's: a process that is stopped removes nothing.
    private static func withStore(at path: String, _ body: (Store) throws -> Void) throws {
        let store = try Store.open(at: path, schema: FaultModels.schema)
        try body(store)
        store.close()
    }

    @Test func `a write inside a write stops the process`() async throws {
        let scratch = try Scratch(inMemory: true)
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) { [path = scratch("store") as String] in
            try Self.withStore(at: path) { store in
                try store.write { _ in try store.write { _ in } }
            }
        }
        #expect(Self.says("A write was started inside a write of the same store.", result))
    }

    @Test func `a write inside a write that shares another's transaction stops the process`()
        async throws
    {
        let scratch = try Scratch(inMemory: true)
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) { [path = scratch("store") as String] in
            let store = try Store.open(at: path, schema: FaultModels.schema)
            let leader = HeldTurn(store)
            async let follower: Void = onThread {
                try store.write { _ in try store.write { _ in } }
            }
            try await leader.wait(for: 1)
            leader.letGo()
            try await follower
        }
        #expect(Self.says("A write was started inside a write of the same store.", result))
    }

    /// STO-105
    @Test func `reading the store inside a write stops the process`() async throws {
        let scratch = try Scratch(inMemory: true)
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) { [path = scratch("store") as String] in
            try Self.withStore(at: path) { store in
                try store.write { _ in _ = try store.fetch(Item.self) }
            }
        }
        #expect(Self.says("The store was read inside a write of the same store.", result))
        let batch = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) { [path = scratch("other") as String] in
            try Self.withStore(at: path) { store in
                try store.bulkLoad { try $0.batch { _ in _ = try store.count(Item.self) } }
            }
        }
        #expect(Self.says("The store was read inside a write of the same store.", batch))
    }

    /// STO-105
    @Test func `inside a write the past, other stores and other threads are read`() async throws {
        let scratch = try Scratch(inMemory: true)
        try Self.withStore(at: scratch("store")) { store in
            try Self.withStore(at: scratch("other")) { other in
                try store.write { transaction in
                    let here = transaction.position
                    let past = try store.read(asOf: .position(here)) { try $0.count(Item.self) }
                    let beyond = try other.write { _ in try other.read(asOf: .head) { $0.position } }
                    #expect(past == 0 && beyond == here)
                    #expect(try other.count(Item.self) == 0)
                }
                try store.bulkLoad { loader in
                    try loader.batch { _ in }
                    #expect(try store.count(Item.self) == 0)
                }
            }
            _ = try? store.write { _ in throw StoreError(.cancelled, "", advice: "") }
            #expect(try store.count(Item.self) == 0)
        }
        let store = try Store.open(at: scratch("third"), schema: FaultModels.schema)
        let leader = HeldTurn(store)
        let follower = StartedWork { try store.write { try $0.count(Item.self) } }
        try await leader.wait(for: 1)
        #expect(try store.count(Item.self) == 0)
        leader.letGo()
        #expect(try await follower.value == 0)
        store.close()
    }

    @Test func `closing inside a write that shares another's transaction stops the process`()
        async throws
    {
        let scratch = try Scratch(inMemory: true)
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) { [path = scratch("store") as String] in
            let store = try Store.open(at: path, schema: FaultModels.schema)
            let leader = HeldTurn(store)
            async let follower: Void = onThread { try store.write { _ in store.close() } }
            try await leader.wait(for: 1)
            leader.letGo()
            try await follower
        }
        #expect(Self.says("The store was closed inside a write of the same store.", result))
    }

    @Test func `a rollback inside a bulk load stops the process`() async throws {
        let scratch = try Scratch(inMemory: true)
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) { [path = scratch("store") as String] in
            try Self.withStore(at: path) { store in
                try store.bulkLoad { _ in _ = try store.rollback(to: .head) }
            }
        }
        #expect(Self.says("A write was started inside a write of the same store.", result))
    }

    @Test func `closing inside a write stops the process`() async throws {
        let scratch = try Scratch(inMemory: true)
        let result = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) { [path = scratch("store") as String] in
            try Self.withStore(at: path) { store in try store.write { _ in store.close() } }
        }
        #expect(Self.says("The store was closed inside a write of the same store.", result))
    }

    @Test func `a property that the schema does not declare cannot be queried`() async throws {
        let scratch = try Scratch(inMemory: true)
        let filtered = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) { [path = scratch("store") as String] in
            try Self.withStore(at: path) { store in
                _ = try store.fetch(FetchDescriptor<Item>().where { $0.shoutedName == "A" })
            }
        }
        #expect(Self.says("that its schema does not declare", filtered))
        // The first process was stopped with the store open; its lock is gone with it.
        let sorted = await #expect(
            processExitsWith: .failure,
            observing: [\.standardErrorContent]
        ) { [path = scratch("store") as String] in
            try Self.withStore(at: path) { store in
                _ = try store.fetch(FetchDescriptor<Item>().sorted(by: \.shoutedName))
            }
        }
        #expect(Self.says("that its schema does not declare", sorted))
    }

    @Test func `reading and writing inside a read is allowed`() throws {
        let scratch = try Scratch(inMemory: true)
        try Self.withStore(at: scratch("store")) { store in
            try store.write { transaction in
                try transaction.insert(Item(id: "a", name: "A"))
                let count = try transaction.count(FetchDescriptor<Item>())
                #expect(count == 1)
            }
            let counts = try store.read { outer in
                try store.write { try $0.insert(Item(id: "b", name: "B")) }
                let inner = try store.read { try $0.count(FetchDescriptor<Item>()) }
                return (try outer.count(FetchDescriptor<Item>()), inner)
            }
            #expect(counts == (1, 2))
        }
    }
}

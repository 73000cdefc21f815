import Testing

@testable import Reprise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The rules of `Specs/behaviour/store.md` that can be seen from one process.
struct StoreRuleTests {
    private struct Stop: Error {}

    private let place: ScratchPlace
    private let schema = Schema(ExampleFolder.self, ExampleNote.self)

    init() throws {
        place = try ScratchPlace()
    }

    private func open() throws -> Store { try Store.open(at: place("store"), schema: schema) }

    private func note(_ id: String) -> ExampleNote {
        ExampleNote(id: ExampleNote.ID(id), title: id)
    }

    private func count(_ store: Store) throws -> Int {
        try store.count(FetchDescriptor<ExampleNote>())
    }

    private func code(_ body: () throws -> Void) -> StoreError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? StoreError)?.code
        }
    }

    /// STO-01, STO-02
    @Test func `a new store is whole and private`() throws {
        let store = try open()
        store.close()
        for (name, mode) in [
            ("store", 0o700), ("store/data.mdb", 0o600), ("store/lock.mdb", 0o600),
        ] {
            let attributes = try FileManager.default.attributesOfItem(atPath: place(name))
            #expect(attributes[.posixPermissions].map { "\($0)" } == "\(mode)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.path) == ["store"])
    }

    /// STO-03
    @Test func `what is no store is left as it is`() throws {
        try FileManager.default.createDirectory(
            atPath: place("store"),
            withIntermediateDirectories: false
        )
        try Data(repeating: 7, count: 9000).write(to: URL(filePath: place("store/data.mdb")))
        #expect(code { _ = try open() } == .notAStore)
        #expect(
            FileManager.default.contents(atPath: place("store/data.mdb"))
                == Data(repeating: 7, count: 9000)
        )
        #expect(code { _ = try Store.open(existing: place("nothing")) } == .storeNotFound)
    }

    /// STO-04, STO-05, STO-06, STO-32
    @Test func `a store is opened once, with the schema that it has`() throws {
        let store = try open()
        #expect(code { _ = try open() } == .alreadyOpen)
        store.close()
        #expect(code { _ = try count(store) } == .closed)
        #expect(code { try store.write { try $0.insert(note("a")) } } == .closed)
        #expect(
            code { _ = try Store.open(at: place("store"), schema: GoldenModels.schema) }
                == .schemaMismatch
        )
        let reordered = try Store.open(
            at: place("store"),
            schema: Schema(ExampleNote.self, ExampleFolder.self)
        )
        try reordered.write { try $0.insert(note("a")) }
        reordered.close()
        let existing = try Store.open(existing: place("store"))
        #expect(try existing.schema.models.map(\.name) == ["folder", "note"])
        existing.close()
    }

    /// STO-10, STO-13, STO-16
    @Test func `a read sees one state, whatever is written meanwhile`() throws {
        let store = try open()
        defer { store.close() }
        try store.write { try $0.insert(note("a")) }
        let kept = try store.read { transaction in
            let before = transaction.digest
            try store.write { try $0.insert(note("b")) }
            #expect(try transaction.count(FetchDescriptor<ExampleNote>()) == 1)
            #expect(transaction.digest == before)
            return try transaction.fetch(ExampleNote.self, id: "a")
        }
        #expect(kept?.title == "a")
        #expect(try count(store) == 2)
    }

    /// STO-11, STO-12
    @Test func `writes of many tasks are all there afterwards`() async throws {
        let store = try open()
        defer { store.close() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask {
                    try await store.write {
                        try $0.insert(ExampleNote(id: ExampleNote.ID("\(number)"), title: "x"))
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try count(store) == 20)
        #expect(try store.head().rawValue == 21)
    }

    /// STO-14, STO-15, STO-35
    @Test func `errors leave no trace`() throws {
        let store = try open()
        defer { store.close() }
        try store.write { try $0.insert(note("a")) }
        #expect(throws: Stop.self) {
            try store.write { transaction in
                try transaction.insert(note("b"))
                _ = try transaction.count(FetchDescriptor<ExampleNote>())
                throw Stop()
            }
        }
        #expect(try store.head().rawValue == 2)
        try store.write { transaction in
            try transaction.checkRulesAtOnce()
            #expect(code { try transaction.insert(note("a")) } == .entityExists)
            #expect(
                code { try transaction.insert(ExampleNote(id: "c", title: "", folder: "none")) }
                    == .targetMissing
            )
            #expect(
                code { try transaction.insert(note(String(repeating: "\0", count: 121))) }
                    == .invalidIdentifier
            )
            #expect(
                code { _ = try transaction.delete(ExampleNote.self, id: "z") } == .entityMissing
            )
            try transaction.insert(note(String(repeating: "\0", count: 120)))
        }
        #expect(try store.head().rawValue == 3)
        #expect(
            try store.fetch(
                ExampleNote.self,
                id: ExampleNote.ID(String(repeating: "i", count: 300))
            ) == nil
        )
        #expect(try store.verify().faults == [])
    }

    /// STO-51
    @Test(.timeLimit(.minutes(1)))
    func `a write on a thread that the write before it waits for is refused, whatever it is`()
        async throws
    {
        let store = try open()
        defer { store.close() }
        var other: StartedWork<Void>?
        let refusal = StoreError.Code.writeInCallback
        try store.refusingWrites { () throws in
            #expect(code { try store.write { try $0.insert(note("a")) } } == refusal)
            #expect(code { try store.bulkLoad { _ in } } == refusal)
            #expect(code { _ = try store.createSnapshot(named: "s") } == refusal)
            #expect(code { try store.rollback(to: .head) } == refusal)
            // Reading is no matter, and neither is one of these in the other.
            #expect(try count(store) == 0)
            store.refusingWrites {}
            #expect(code { try store.write { _ in } } == refusal)
            // Others may write.
            other = StartedWork {
                try store.write { try $0.insert(ExampleNote(id: "b", title: "b")) }
            }
        }
        try await other?.value
        // And so may this one from now on.
        #expect(code { try store.write { try $0.insert(note("c")) } } == nil)
        #expect(try count(store) == 2)
    }

    /// STO-07, STO-20, STO-21, STO-22, STO-23
    @Test func `a bulk load keeps its batches and lets readers wait for the views`() throws {
        let store = try open()
        defer { store.close() }
        #expect(throws: Stop.self) {
            try store.bulkLoad { loader in
                try loader.batch { try $0.insert(note("a")) }
                #expect(try count(store) == 0)
                try loader.publish()
                #expect(try count(store) == 1)
                try loader.batch { transaction in
                    try transaction.insert(note("b"))
                    #expect(try transaction.fetch(ExampleNote.self, id: "a") != nil)
                }
                try loader.batch { transaction in
                    try transaction.insert(note("c"))
                    throw Stop()
                }
            }
        }
        #expect(try count(store) == 2)
        #expect(try store.verify().faults == [])
    }
}

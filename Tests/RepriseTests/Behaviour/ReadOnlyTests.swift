import FaultSupport
import Reprise
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Stores that are opened for reading only (STO-68, STO-69).
@Suite struct ReadOnlyTests {
    private func makeStore(_ scratch: Scratch) throws -> String {
        let path = scratch("store")
        let store = try Store.open(at: path, schema: FaultModels.schema)
        try store.write { transaction in
            for number in 0..<10 {
                try transaction.insert(Item(id: Item.ID("item-\(number)"), name: "Name", amount: number))
            }
        }
        store.close()
        return path
    }

    private func write(_ item: Item, to path: String) throws -> Store {
        let store = try Store.open(at: path, schema: FaultModels.schema)
        try store.write { try $0.insert(item) }
        return store
    }

    @Test func `a store that is only read refuses every write and stays as it is`() throws {
        let scratch = try Scratch(inMemory: true)
        let path = try makeStore(scratch)
        let before = contents(ofFile: path + "/data.mdb")
        let store = try Store.open(
            at: path,
            schema: FaultModels.schema,
            configuration: .readOnly
        )
        #expect(try store.count(FetchDescriptor<Item>().where { $0.amount > 4 }) == 5)
        #expect(code { try store.write { try $0.insert(Item(id: "x", name: "")) } } == .readOnly)
        #expect(code { try store.createSnapshot(named: "x") } == .readOnly)
        #expect(code { try store.replay() } == .readOnly)
        #expect(throws: Never.self) { try store.replay(into: scratch("copy")) }
        #expect(code { try store.rollback(to: .position(Position(rawValue: 2))) } == .readOnly)
        let loading = code {
            try store.bulkLoad { loader in
                try loader.batch { try $0.insert(Item(id: "x", name: "")) }
            }
        }
        #expect(loading == .readOnly)
        #expect(try store.verify().faults == [])
        store.close()
        #expect(contents(ofFile: path + "/data.mdb") == before)
    }

    @Test func `a store that is only read is not made, and its schema must agree`() throws {
        let scratch = try Scratch(inMemory: true)
        func open(_ name: String, _ schema: Schema) throws {
            try Store.open(at: scratch(name), schema: schema, configuration: .readOnly).close()
        }
        #expect(code { try open("none", FaultModels.schema) } == .storeNotFound)
        #expect(!FileManager.default.fileExists(atPath: scratch("none")))
        _ = try makeStore(scratch)
        #expect(code { try open("store", Schema(Alone.self)) } == .schemaMismatch)
        try open("store", FaultModels.schema)
    }

    private struct Alone: Model {
        var id: ID
        static let schema = ModelSchema("alone", Self.init, .id("id", \.id))
    }

    @Test func `views that an interrupted load has left behind catch up in memory`() throws {
        let scratch = try Scratch(inMemory: true)
        let path = try makeStore(scratch)
        let copy = scratch("copy")
        let whole = try Store.open(at: path, schema: FaultModels.schema)
        try whole.bulkLoad { loader in
            try loader.batch { transaction in
                for number in 10..<2000 {
                    try transaction.insert(
                        Item(id: Item.ID("item-\(number)"), name: "Late", amount: number)
                    )
                }
            }
            try FileManager.default.copyItem(atPath: path, toPath: copy)
        }
        defer { whole.close() }
        let before = contents(ofFile: copy + "/data.mdb")
        let store = try Store.open(
            at: copy,
            schema: FaultModels.schema,
            configuration: .readOnly
        )
        defer { store.close() }
        for _ in 0..<2 {
            #expect(try store.count(FetchDescriptor<Item>()) == 2000)
            #expect(try store.count(FetchDescriptor<Item>().where { $0.name == "Late" }) == 1990)
            #expect(
                try store.fetch(FetchDescriptor<Item>().sorted(by: \.amount))
                    == whole.fetch(FetchDescriptor<Item>().sorted(by: \.amount))
            )
            #expect(try store.read { $0.digest } == whole.read { $0.digest })
            #expect(try store.read { $0.head } == whole.read { $0.head })
        }
        let loaded = try store.read(asOf: .position(Position(rawValue: 11))) { try $0.count(FetchDescriptor<Item>()) }
        #expect(loaded == 10)
        #expect(contents(ofFile: copy + "/data.mdb") == before)
    }

    @Test func `reads of a store that is only read see what others commit`() async throws {
        let scratch = try Scratch()
        let path = try makeStore(scratch)
        let store = try Store.open(
            at: path,
            schema: FaultModels.schema,
            configuration: .readOnly
        )
        defer { store.close() }
        let file = AcknowledgementFile(path: scratch("acknowledgements"))
        let neighbour = ChildProcess(
            ChildProcess.builtExecutable("FaultWorker"),
            ["do=insert", "path=" + path, "acknowledgements=" + file.path, "count=5"],
            output: scratch("output")
        )
        #expect(await neighbour.end() == .exit(0))
        #expect(try store.count(FetchDescriptor<Item>()) == 15)
    }

    @Test(.enabled(if: getuid() == 0, "Only root gives files to another user."))
    func `the store of another user is read without locks while nobody has it open`() async throws
    {
        let scratch = try Scratch()
        let path = try makeStore(scratch)
        unsafe chmod(scratch.path, 0o755)
        unsafe chmod(path, 0o755)
        for name in ["data.mdb", "lock.mdb"] { unsafe chmod("\(path)/\(name)", 0o644) }
        let outside = try Scratch()
        unsafe chmod(outside.path, 0o777)

        func worker(_ name: String) -> (ChildProcess, AcknowledgementFile) {
            let results = AcknowledgementFile(path: outside(name))
            return (
                ChildProcess(
                    ChildProcess.builtExecutable("FaultWorker"),
                    [
                        "do=foreign", "path=" + path, "results=" + results.path,
                        "go=" + outside("go"),
                    ],
                    output: scratch("output")
                ), results
            )
        }

        let owner = try Store.open(at: path, schema: FaultModels.schema)
        let (refused, refusal) = worker("refused")
        #expect(await refused.end() == .exit(0))
        #expect(refusal.lines == ["refused storeInUse"])
        owner.close()

        let (reader, results) = worker("results")
        let deadline = ContinuousClock.now + .seconds(60)
        while results.lines.count < 2, ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(2))
        }
        #expect(results.lines == ["read 10", "reading"])
        let again = try write(Item(id: "later", name: "Name"), to: path)
        replaceContents(ofFile: outside("go"), with: [])
        #expect(await reader.end() == .exit(0))
        again.close()
        #expect(results.lines.suffix(3) == ["disturbed storeInUse", "copied storeInUse", "later storeInUse"])
    }
}

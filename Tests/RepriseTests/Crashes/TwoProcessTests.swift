import FaultSupport
import Reprise
import RepriseLMDB
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite(.serialized) struct TwoProcessTests {
    @Test func `two processes write one store, and neither loses anything`() async throws {
        let scratch = try Scratch()
        let path = scratch("store")
        let store = try Store.open(at: path, schema: FaultModels.schema)
        defer { store.close() }
        let file = AcknowledgementFile(path: scratch("acknowledgements"))
        let neighbour = ChildProcess(
            ChildProcess.builtExecutable("FaultWorker"),
            ["do=insert", "path=" + path, "acknowledgements=" + file.path, "count=60"],
            output: scratch("output")
        )
        let own = try Self.write(store, until: file, has: 60)
        #expect(await neighbour.end() == .exit(0))
        try Self.check(store, itemCount: own + 60)
    }

    /// Writes until the neighbour is through. Returns how many items that made.
    private static func write(
        _ store: Store,
        until file: AcknowledgementFile,
        has count: Int
    ) throws -> Int {
        var own = 0
        while file.lines.count < count, own < 2000 {
            try store.write { transaction in
                try transaction.insert(Item(id: Item.ID("own-\(own)"), name: "Name \(own % 30)"))
            }
            own += 1
            // What the neighbour has acknowledged is there at once.
            if let last = file.lines.last {
                #expect(try store.fetch(Item.self, id: Item.ID(last)) != nil)
            }
            if own % 10 == 0 {
                try store.bulkLoad { loader in
                    for _ in 0..<3 {
                        try loader.batch {
                            try $0.insert(Item(id: Item.ID("own-\(own)"), name: "Name 7"))
                        }
                        own += 1
                    }
                }
            }
            if own % 17 == 0 { try store.replay() }
        }
        return own
    }

    private static func check(_ store: Store, itemCount: Int) throws {
        #expect(try store.count(FetchDescriptor<Item>()) == itemCount)
        #expect(try store.read { try Content($0).items.count } == itemCount)
        #expect(try store.verify().faults == [])
    }

    @Test func `two processes replay one store at the same time`() async throws {
        let scratch = try Scratch()
        let path = scratch("store")
        let store = try Store.open(at: path, schema: FaultModels.schema)
        defer { store.close() }
        let state = try Self.fill(store)
        let file = AcknowledgementFile(path: scratch("acknowledgements"))
        let neighbour = ChildProcess(
            ChildProcess.builtExecutable("FaultWorker"),
            ["do=rebuild", "path=" + path, "acknowledgements=" + file.path, "count=30"],
            output: scratch("output")
        )
        try Self.replay(store, until: file, has: 30)
        let ending = await neighbour.end()
        let output = String(decoding: contents(ofFile: scratch("output")), as: UTF8.self)
        #expect(ending == .exit(0), "\(output)")
        #expect(try Self.isSound(store, state))
    }

    private static func fill(_ store: Store) throws -> ModelState {
        var workload = Workload(seed: 5, hasHistory: true)
        for _ in 0..<40 { try workload.next().run(on: store) }
        return workload.state
    }

    private static func replay(
        _ store: Store,
        until file: AcknowledgementFile,
        has count: Int
    ) throws {
        let digest = try store.statistics().digest
        var number = 0
        while file.lines.count < count, number < 2000 {
            #expect(try store.replay().digest == digest)
            try store.bulkLoad { loader in
                try loader.batch { try $0.insert(Shelf(id: "passing", title: "")) }
                try loader.batch { _ = try $0.delete(Shelf.self, id: "passing") }
            }
            number += 1
        }
    }

    private static func isSound(_ store: Store, _ state: ModelState) throws -> Bool {
        try store.holds(state) && store.verify().faults == []
    }

    /// HIS-28
    @Test func `rollbacks that build views begin anew when another process writes`() async throws {
        let scratch = try Scratch()
        let path = scratch("store")
        // Asked once for each attempt, and once for the commit.
        let clockCalls = Guarded(0)
        var configuration = Store.Configuration(now: {
            clockCalls.withLock { $0 += 1 }
            return Date()
        })
        configuration.travelEventCountMax = 0
        let store = try Store.open(at: path, schema: FaultModels.schema, configuration: configuration)
        defer { store.close() }
        let then = try Self.fillWithLarge(store)
        let file = AcknowledgementFile(path: scratch("acknowledgements"))
        let neighbour = ChildProcess(
            ChildProcess.builtExecutable("FaultWorker"),
            ["do=insert", "path=" + path, "acknowledgements=" + file.path, "count=30"],
            output: scratch("output")
        )
        let before = clockCalls.withLock { $0 }
        var doneCount = 0
        repeat {
            try Self.insert("own", store)
            let report = try store.rollback(to: .position(then.head))
            #expect(report.digest == then.digest && report.to == then.head)
            doneCount += 1
        } while file.lines.count < 30 && doneCount < 500
        #expect(await neighbour.end() == .exit(0))
        #expect(clockCalls.withLock { $0 } - before > 2 * doneCount, "No rollback has begun anew.")
        #expect(store.builtStateCount == doneCount)
        #expect(try store.rollback(to: .position(then.head)).digest == then.digest)
        #expect(try store.count(FetchDescriptor<Item>()) == 600)
        #expect(try store.verify().faults == [])
    }

    private static func insert(_ id: String, _ store: Store) throws {
        try store.write { try $0.insert(Item(id: Item.ID(id), name: "Name 1")) }
    }

    /// Enough for several transactions of a rebuild.
    private static func fillWithLarge(_ store: Store) throws -> StoreStatistics {
        try store.write { transaction in
            for number in 0..<600 {
                let note = String(repeating: "\(number) ", count: 70_000 / ("\(number)".count + 1))
                try transaction.insert(Item(id: Item.ID("large-\(number)"), name: "Name 1", note: note))
            }
        }
        return try store.statistics()
    }

    @Test func `a store is opened once in a process`() throws {
        let scratch = try Scratch(inMemory: true)
        let store = try Store.open(at: scratch("store"), schema: FaultModels.schema)
        #expect(throws: StoreError.self) {
            try Store.open(at: scratch("store/"), schema: FaultModels.schema)
        }
        #expect(code { try Store.open(existing: scratch("store")) } == .alreadyOpen)
        store.close()
        let again = try Store.open(existing: scratch("store"))
        again.close()
        #expect(code { try again.read { $0.head } } == .closed)
        #expect(code { try again.write { _ in } } == .closed)
    }

    @Test func `two processes make one store at the same time`() async throws {
        for _ in 0..<5 {
            let scratch = try Scratch()
            let workers = (0..<2).map { number in
                ChildProcess(
                    ChildProcess.builtExecutable("FaultWorker"),
                    [
                        "do=insert", "path=" + scratch("store"), "count=0",
                        "acknowledgements=" + scratch("acknowledgements-\(number)"),
                    ],
                    output: scratch("output")
                )
            }
            for worker in workers {
                let ending = await worker.end()
                let output = String(decoding: contents(ofFile: scratch("output")), as: UTF8.self)
                #expect(ending == .exit(0), "\(output)")
            }
            let store = try Store.open(at: scratch("store"), schema: FaultModels.schema)
            defer { store.close() }
            #expect(try store.statistics().commitCount == 1)
            try Self.check(store, itemCount: 0)
        }
    }
}

/// The code of the store's error that `body` throws, or nil when it throws none.
func code<R>(_ body: () throws -> R) -> StoreError.Code? {
    do {
        _ = try body()
        return nil
    } catch let error as StoreError {
        return error.code
    } catch {
        Issue.record("An error of another type: \(error)")
        return nil
    }
}

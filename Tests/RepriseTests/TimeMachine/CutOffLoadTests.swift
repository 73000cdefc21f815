import FaultSupport
import Reprise
import Testing

/// A store that is open while a bulk load of another process is cut off: its views are behind the log.
@Suite(.serialized) struct CutOffLoadTests {
    /// HIS-28, STO-26
    @Test(arguments: [0, Int.max], [1, 65_536])
    func `a rollback and a write let views catch up that a killed load has left behind`(
        bound: Int,
        stepEventCount: Int
    ) async throws {
        var configuration = TwinStores.configuration(bound: bound)
        configuration.catchUpEventCountMax = stepEventCount
        for writesBefore in [false, true] { try await Self.load(configuration, writesBefore: writesBefore) }
    }

    /// HIS-113, STO-26
    @Test func `a revert in steps lets views catch up first that a killed load has left behind`() async throws {
        var configuration = TwinStores.configuration(bound: .max)
        configuration.stepwiseChangeCountMin = 1
        configuration.viewStepByteCount = 4096
        try await Self.cutOffLoad(configuration) { store, acknowledged in
            let last = try #require(acknowledged.last)
            let report = try store.revert(commits: [Position(rawValue: last.head)])
            #expect(report.isDone)
            #expect(store.stepwiseCommitCount == 1)
            #expect(try store.read { $0.digest.description } == acknowledged[acknowledged.count - 2].digest)
            let statistics = try store.statistics()
            #expect(statistics.viewsPosition == statistics.head)
            #expect(try store.verify().faults == [])
        }
    }

    private static func load(_ configuration: Store.Configuration, writesBefore: Bool) async throws {
        try await cutOffLoad(configuration) { store, acknowledged in
            if writesBefore { try write(store) }
            try check(store, acknowledged)
        }
    }

    /// - Parameter body: gets a store whose views are behind, and what the load has acknowledged.
    private static func cutOffLoad(
        _ configuration: Store.Configuration,
        _ body: (Store, [Acknowledgement]) throws -> Void
    ) async throws {
        let scratch = try Scratch()
        let path = scratch("store")
        let store = try Store.open(
            at: path,
            schema: FaultModels.schema,
            configuration: configuration
        )
        defer { store.close() }
        let file = AcknowledgementFile(path: scratch("acknowledgements"))
        let worker = ChildProcess(
            ChildProcess.builtExecutable("FaultWorker"),
            [
                "do=load", "path=" + path, "acknowledgements=" + file.path, "first=0", "seed=31", "changes=60",
                "memory=\(1 << 26)", "stays=yes",
            ]
        )
        // Of eight batches the sixth publishes: the two after it are in the log only.
        #expect(await worker.killed(after: .zero) { file.lines.last == "stays" } == .signal(9))
        let statistics = try store.statistics()
        #expect(statistics.viewsPosition < statistics.head)
        try body(store, file.all)
    }

    private static func write(_ store: Store) throws {
        let before = try store.statistics().head
        try store.write { try $0.insert(Shelf(id: "own", title: "Shelf")) }
        let after = try store.statistics()
        #expect(after.head.rawValue == before.rawValue + 1 && after.viewsPosition == after.head)
        #expect(try store.verify().faults == [])
    }

    private static func check(_ store: Store, _ acknowledged: [Acknowledgement]) throws {
        let target = acknowledged[3]
        let report = try store.rollback(to: .position(Position(rawValue: target.head)))
        #expect(report.digest.description == target.digest)
        var workload = Workload(seed: 31, changeCountMax: 60)
        workload.advance(to: target.step)
        #expect(try store.holds(workload.state))
        let statistics = try store.statistics()
        #expect(statistics.viewsPosition == statistics.head && statistics.head == report.head)
        let last = try #require(acknowledged.last)
        let there = try store.read(asOf: .position(Position(rawValue: last.head))) { $0.digest.description }
        #expect(there == last.digest)
        #expect(try store.verify().faults == [])
    }
}

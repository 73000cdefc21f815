import FaultSupport
import Reprise
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A worker process is killed again and again in the middle of its work; what it had acknowledged must be there.
///
/// `REPRISE_KILLS` sets how many kills there are in all; 50 by default.
@Suite(.serialized) struct KillTests {
    static let killCount =
        ProcessInfo.processInfo.environment["REPRISE_KILLS"].flatMap { Int($0) } ?? 50
    static let seed =
        ProcessInfo.processInfo.environment["REPRISE_SEED"].flatMap { Int($0) } ?? 1

    @Test func `a kill during writes loses nothing that was acknowledged`() async throws {
        try await KilledStore(doing: "write", seed: Self.seed).survive(Self.killCount * 12 / 50)
    }

    @Test func `a kill during snapshots and rollbacks loses nothing that was acknowledged`()
        async throws
    {
        try await KilledStore(doing: "write", seed: Self.seed + 1, changes: 2, history: true)
            .survive(Self.killCount * 12 / 50)
    }

    /// HIS-29
    @Test func `a kill during rollbacks that build views leaves all of a rollback or nothing`() async throws {
        try await KilledStore(doing: "write", seed: Self.seed + 5, changes: 30, history: true, travel: 0)
            .survive(Self.killCount * 12 / 50)
    }

    @Test func `a kill during a bulk load loses no batch, and the views catch up`() async throws {
        try await KilledStore(doing: "load", seed: Self.seed + 2, changes: 40, memory: 1 << 26)
            .survive(Self.killCount * 6 / 50)
        try await KilledStore(doing: "load", seed: Self.seed + 3, changes: 40, memory: 30_000)
            .survive(Self.killCount * 4 / 50)
    }

    @Test func `a kill during a replay leaves the old views serving, and a later replay works`()
        async throws
    {
        try await KilledStore(doing: "replay", seed: Self.seed + 4, changes: 60, replays: true)
            .survive(Self.killCount * 10 / 50)
    }

    @Test func `a kill during creation leaves nothing or a whole store`() async throws {
        let scratch = try Scratch()
        var generator = SeededGenerator(seed: UInt64(Self.seed))
        var next = 0
        for round in 0..<Self.killCount * 6 / 50 {
            let file = AcknowledgementFile(path: scratch("acknowledgements-\(round)"))
            let worker = ChildProcess(
                ChildProcess.builtExecutable("FaultWorker"),
                [
                    "do=create", "path=" + scratch.path, "acknowledgements=" + file.path,
                    "first=\(next)",
                ]
            )
            let ending = await worker.killed(after: .milliseconds(generator.below(60))) {
                !file.all.isEmpty
            }
            #expect(ending == .signal(9))
            let last = try #require(file.all.last).step
            for number in next...last + 1 {
                let path = scratch("store-\(number)")
                if number > last, !FileManager.default.fileExists(atPath: path) { continue }
                try Self.checkWhole(path)
            }
            next = last + 2
        }
    }

    private static func checkWhole(_ path: String) throws {
        // The worker's program is not asked for: the store itself must know its schema.
        let store = try Store.open(existing: path)
        defer { store.close() }
        #expect(try store.statistics().schemaNumber == 1)
        try store.write { try $0.insert(Shelf(id: "s", title: "S")) }
        #expect(try store.verify().faults == [])
    }
}

/// One store and the workers that are killed on it.
private struct KilledStore {
    private let scratch: Scratch
    private let path: String
    private let arguments: [String]
    private let replays: Bool
    private let seed: Int
    private var workload: Workload

    init(
        doing work: String,
        seed: Int,
        changes: Int = 8,
        history: Bool = false,
        memory: Int = 1 << 26,
        replays: Bool = false,
        travel: Int? = nil
    ) throws {
        scratch = try Scratch()
        path = scratch("store")
        self.seed = seed
        self.replays = replays
        workload = Workload(
            seed: UInt64(seed),
            changeCountMax: changes,
            hasHistory: history
        )
        arguments = [
            "do=" + work, "path=" + path, "seed=\(seed)", "changes=\(changes)", "memory=\(memory)",
            "history=" + (history ? "yes" : "no"), "travel=" + (travel.map { "\($0)" } ?? ""),
        ]
    }

    consuming func survive(_ count: Int) async throws {
        var generator = SeededGenerator(seed: UInt64(seed) &* 77)
        for round in 0..<count {
            let file = AcknowledgementFile(path: scratch("acknowledgements-\(round)"))
            let worker = ChildProcess(
                ChildProcess.builtExecutable("FaultWorker"),
                arguments + [
                    "acknowledgements=" + file.path, "first=\(workload.stepCount)",
                ],
                output: scratch("output")
            )
            // Short and long delays alike: 1, 2, 4 … 256 ms and what lies between.
            let scale = 1 << generator.below(9)
            let ending = await worker.killed(after: .microseconds(generator.below(1000 * scale))) {
                !file.all.isEmpty
            }
            let output = String(decoding: contents(ofFile: scratch("output")), as: UTF8.self)
            #expect(ending == .signal(9), "\(output)")
            try check(after: try #require(file.all.last), round: round)
        }
    }

    /// Opens the store in this process: it holds what the last acknowledged step led to, or the one after it.
    private mutating func check(after last: Acknowledgement, round: Int) throws {
        let store = try Store.open(at: path, schema: FaultModels.schema)
        defer { store.close() }
        let found = try store.digest(at: Position(rawValue: last.head))
        #expect(found == last.digest, "round \(round), seed \(seed)")
        workload.advance(to: last.step)
        let statistics = try store.statistics()
        #expect(statistics.viewsPosition == statistics.head)
        if try !matches(store) {
            #expect(statistics.head.rawValue > last.head, "round \(round), seed \(seed)")
            _ = workload.next()
            let isThere = try matches(store)
            #expect(isThere, "neither step \(last.step) nor the next; round \(round), seed \(seed)")
        }
        if replays { #expect(try store.replay().digest == statistics.digest) }
        if round % 4 == 0 { #expect(try store.verify().faults == []) }
    }

    private func matches(_ store: Store) throws -> Bool {
        try store.holds(workload.state)
            && Set(store.snapshots().map(\.name)) == Set(workload.snapshots.map(\.name))
    }
}

extension Store {
    /// The digest that the log recorded for a position, or nil when no commit ends there.
    func digest(at position: Position) throws -> String? {
        var digest: String?
        try read { transaction in
            try transaction.forEachCommit(from: position, to: position) { commit in
                if commit.lastPosition == position { digest = commit.digest.description }
                return true
            }
        }
        return digest
    }
}

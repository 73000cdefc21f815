import FaultSupport
import Reprise
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Several processes that open one store at the same moment (STO-60, STO-62).
@Suite(.serialized) struct OpeningTests {
    private static let roundCount = 200
    private static let workerCount = 5

    enum LockFile: CaseIterable { case present, missing, empty }

    @Test(arguments: LockFile.allCases)
    func `five processes that open a store at once lose nothing and do not hang`(
        lockFile: LockFile
    ) async throws {
        let scratch = try Scratch(inMemory: true)
        try Store.open(at: scratch("base"), schema: FaultModels.schema).close()
        let results = (0..<Self.workerCount).map {
            AcknowledgementFile(path: scratch("results-\($0)"))
        }
        let workers = results.indices.map { number in
            ChildProcess(
                ChildProcess.builtExecutable("FaultWorker"),
                [
                    "do=openings", "directory=" + scratch.path, "number=\(number)",
                    "rounds=\(Self.roundCount)", "results=" + results[number].path,
                ],
                output: scratch("output")
            )
        }
        defer { for worker in workers { worker.kill() } }
        for round in 0..<Self.roundCount {
            try Self.start(round, in: scratch, lockFile)
            guard await Self.haveEnded(round, results) else {
                Issue.record("A process hangs in round \(round).")
                return
            }
            try Self.check(round, in: scratch)
        }
        for worker in workers { #expect(await worker.end() == .exit(0)) }
        let lines = results.flatMap(\.lines)
        #expect(lines.count == Self.roundCount * Self.workerCount)
        #expect(lines.filter { !$0.hasSuffix(" ok") } == [])
    }

    private static func start(_ round: Int, in scratch: Scratch, _ lockFile: LockFile) throws {
        let manager = FileManager.default
        try manager.copyItem(atPath: scratch("base"), toPath: scratch("store-\(round)"))
        let lock = scratch("store-\(round)/lock.mdb")
        switch lockFile {
        case .present: break
        case .missing: try manager.removeItem(atPath: lock)
        case .empty: replaceContents(ofFile: lock, with: [])
        }
        Starting.announce(scratch("start-\(round)"))
    }

    /// Whether all processes have ended a round within a minute.
    private static func haveEnded(_ round: Int, _ results: [AcknowledgementFile]) async -> Bool {
        let deadline = ContinuousClock.now + .seconds(60)
        while !results.allSatisfy({ $0.lines.count > round }) {
            if ContinuousClock.now > deadline { return false }
            try? await Task.sleep(for: .milliseconds(1))
        }
        return true
    }

    private static func check(_ round: Int, in scratch: Scratch) throws {
        let store = try Store.open(at: scratch("store-\(round)"), schema: FaultModels.schema)
        let count = try store.count(FetchDescriptor<Item>())
        #expect(count == 2 * (workerCount - 2), "round \(round)")
        #expect(try store.statistics().commitCount == 1 + UInt64(count))
        store.close()
        for name in ["store", "start"] {
            try FileManager.default.removeItem(atPath: scratch("\(name)-\(round)"))
        }
    }
}

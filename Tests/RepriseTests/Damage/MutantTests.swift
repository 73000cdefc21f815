import FaultSupport
import Reprise
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Damaged copies of a small store are read and verified in another process. Every one is refused with a typed error,
/// or all answers are right; and of those that are refused verification names a fault.
///
/// `REPRISE_MUTANTS` sets how many there are; 1,000 by default, and half as many as if the file were long.
@Suite(.serialized) struct MutantTests {
    static let mutantCount =
        ProcessInfo.processInfo.environment["REPRISE_MUTANTS"].flatMap { Int($0) } ?? 1000

    @Test func `no damage goes unnoticed, and none harms a verification`() async throws {
        let run = try MutantRun(seed: KillTests.seed, checkedAtOpeningByteCountMax: 16 << 20)
        try await run.read(Self.mutantCount)
    }

    @Test func `no damage goes unnoticed where pages are only checked as they are read`()
        async throws
    {
        // STO-36
        let run = try MutantRun(seed: KillTests.seed + 1, checkedAtOpeningByteCountMax: 0)
        try await run.read(Self.mutantCount / 2)
    }
}

/// The mutants of one store.
private final class MutantRun {
    private let scratch: Scratch
    private let seed: Int
    private let checkedAtOpeningByteCountMax: Int
    private let past: Position
    private var readings: [Int: String] = [:]
    private var verifications: [Int: String] = [:]

    init(seed: Int, checkedAtOpeningByteCountMax: Int) throws {
        scratch = try Scratch(inMemory: true)
        self.checkedAtOpeningByteCountMax = checkedAtOpeningByteCountMax
        self.seed = seed
        let store = try Store.open(at: scratch("original"), schema: FaultModels.schema)
        var workload = Workload(seed: UInt64(seed), hasHistory: true)
        for _ in 0..<15 { try workload.next().run(on: store) }
        past = try store.statistics().head
        for _ in 0..<25 { try workload.next().run(on: store) }
        #expect(try store.holds(workload.state))
        #expect(try store.verify().faults == [])
        store.close()
        // A second store at another place, whose data file the worker exchanges.
        try Store.open(at: scratch("work"), schema: FaultModels.schema).close()
    }

    func read(_ count: Int) async throws {
        var next = 0
        var skipsRead = false
        while next < count {
            let results = AcknowledgementFile(path: scratch("results"))
            try? FileManager.default.removeItem(atPath: results.path)
            let worker = ChildProcess(
                ChildProcess.builtExecutable("FaultWorker"),
                [
                    "do=mutants", "checked=\(checkedAtOpeningByteCountMax)",
                    "original=" + scratch("original"), "work=" + scratch("work"),
                    "seed=\(seed)", "from=\(next)", "to=\(min(count, next + 100))",
                    "skip=" + (skipsRead ? "yes" : "no"), "past=\(past)", "results=" + results.path,
                ],
                output: scratch("output")
            )
            let ending = await worker.end(within: .seconds(120))
            for line in results.lines { note(line) }
            guard ending != .exit(0) else {
                next = min(count, next + 100)
                skipsRead = false
                continue
            }
            // The process died over what it had begun last.
            let last = try #require(results.lines.last).split(separator: " ")
            let number = try #require(Int(last[0]))
            if last[1] == "read" {
                readings[number] = "\(ending)"
                next = number
                skipsRead = true
            } else {
                verifications[number] = "\(ending)"
                next = number + 1
                skipsRead = false
            }
        }
        judge(count)
    }

    private func note(_ line: String) {
        let fields = line.split(separator: " ", maxSplits: 2).map(String.init)
        guard fields.count == 3, let number = Int(fields[0]), fields[2] != "begins" else { return }
        if fields[1] == "read" {
            readings[number] = fields[2]
        } else {
            verifications[number] = fields[2]
        }
    }

    private func judge(_ count: Int) {
        var tally: [String: Int] = [:]
        for number in 0..<count {
            let reading = readings[number] ?? "none"
            let verification = verifications[number] ?? "none"
            let outcome = "read \(reading), verify \(verification)"
            tally[outcome, default: 0] += 1
            let isSound = verification == "sound"
            let isNamed = verification.hasPrefix("faults") || verification.hasPrefix("refused")
            // LMDB trusts its pages, and would end the process that reads damaged ones by an assertion or a wild
            // access: they are checked when the store is opened (STO-36). And what is read is never wrong (STO-33).
            let isFine =
                switch reading {
                case "right": isSound || isNamed
                default: (reading.hasPrefix("error") || reading.hasPrefix("refused")) && isNamed
                }
            let name = Mutation(seed: UInt64(seed), number: number).name
            #expect(isFine, "mutant \(number) of seed \(seed) (\(name)): \(outcome)")
        }
        for (outcome, count) in tally.sorted(by: { $0.value > $1.value }) {
            print("\(count) mutants: \(outcome)")
        }
    }
}

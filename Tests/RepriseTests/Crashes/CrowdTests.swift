import FaultSupport
import Reprise
import Testing

/// Groups of commits in a process that is killed or whose disk is full.
@Suite(.serialized) struct CrowdTests {
    @Test func `a kill under 64 writing tasks loses nothing that was acknowledged`() async throws {
        let scratch = try Scratch()
        let path = scratch("store")
        var generator = SeededGenerator(seed: UInt64(KillTests.seed))
        var acknowledged: Set<String> = []
        for round in 0..<max(4, KillTests.killCount * 12 / 50) {
            let file = AcknowledgementFile(path: scratch("acknowledgements-\(round)"))
            let worker = ChildProcess(
                ChildProcess.builtExecutable("FaultWorker"),
                [
                    "do=crowd", "path=" + path, "acknowledgements=" + file.path, "tasks=64",
                    "first=\(round)",
                ],
                output: scratch("output")
            )
            let ending = await worker.killed(after: .microseconds(generator.below(80_000))) {
                !file.lines.isEmpty
            }
            let output = String(decoding: contents(ofFile: scratch("output")), as: UTF8.self)
            #expect(ending == .signal(9), "\(output)")
            acknowledged.formUnion(file.lines)
            try check(path, acknowledged, round: round, tasks: 64)
        }
        #expect(acknowledged.count > 64)
    }

    /// STO-42: what was acknowledged is there. What was not may be there, of each task at most one.
    private func check(
        _ path: String,
        _ acknowledged: Set<String>,
        round: Int,
        tasks: Int
    ) throws {
        let store = try Store.open(at: path, schema: FaultModels.schema)
        defer { store.close() }
        let items = try store.fetch(FetchDescriptor<Item>())
        let present = Set(items.map(\.id.rawValue))
        #expect(acknowledged.subtracting(present) == [])
        #expect(present.count <= acknowledged.count + (round + 1) * tasks)
        // Named by round, task and number: of each task those from the first to the last.
        var numbers: [Int: [Int]] = [:]
        for id in present where id.hasPrefix("\(round)-") {
            let fields = id.split(separator: "-").compactMap { Int($0) }
            numbers[fields[1], default: []].append(fields[2])
        }
        #expect(numbers.keys.allSatisfy { $0 < tasks })
        for numbers in numbers.values {
            #expect(numbers.sorted() == Array(0..<numbers.count))
        }
        #expect(try store.verify().faults == [])
    }

    @Test func `a full disk refuses the whole group, and what was acknowledged is there`()
        async throws
    {
        let scratch = try Scratch()
        let path = scratch("store")
        let file = AcknowledgementFile(path: scratch("acknowledgements"))
        let worker = ChildProcess(
            ChildProcess.builtExecutable("FaultWorker"),
            ["do=crowd-limit", "path=" + path, "acknowledgements=" + file.path, "tasks=16"],
            output: scratch("output")
        )
        #expect(await worker.end() == .exit(0))
        let lines = file.lines
        // STO-45, and STO-30 for those who came later.
        let refusals = lines.filter { !$0.hasPrefix("item ") }
        #expect(refusals.count == 16)
        // Linux may take a part of the bytes and call the rest an I/O error.
        let causes: Set = ["refused inputOutput", "refused diskFull", "refused poisoned"]
        #expect(Set(refusals).isSubset(of: causes))
        #expect(Set(refusals) != ["refused poisoned"])
        let acknowledged = Set(lines.filter { $0.hasPrefix("item ") }.map { $0.dropFirst(5) })
        #expect(acknowledged.count > 16)
        let store = try Store.open(at: path, schema: FaultModels.schema)
        defer { store.close() }
        let present = Set(try store.fetch(FetchDescriptor<Item>()).map { $0.id.rawValue[...] })
        #expect(present == acknowledged)
        #expect(try store.verify().faults == [])
    }
}

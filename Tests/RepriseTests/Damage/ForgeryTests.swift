import FaultSupport
import Reprise
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Stores whose bytes were changed and whose checksums and hashes are right all the same: what an attacker makes, or a
/// program with a mistake. Each is used in another process, which must not die of it (STO-70).
///
/// `REPRISE_FORGERIES` sets how many there are of each store.
@Suite(.serialized) struct ForgeryTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let forgeryCount = environment["REPRISE_FORGERIES"].flatMap { Int($0) } ?? 40

    @Test(arguments: ["store-v1", "store-v1-search"])
    func `a forged store gives an answer or a typed error and never a signal`(_ name: String) async throws {
        let scratch = try Scratch(inMemory: true)
        let original = Repository.root.appending(path: "Tests/RepriseTests/Golden/\(name)/data.mdb").path
        try await Self.use(original, named: name, in: scratch)
    }

    /// Uses forgeries of a data file in another process.
    static func use(_ original: String, named name: String, in scratch: Scratch) async throws {
        try Store.open(at: scratch("work"), schema: FaultModels.schema).close()
        let results = AcknowledgementFile(path: scratch("results"))
        var next = 0
        while next < forgeryCount {
            let worker = ChildProcess(
                ChildProcess.builtExecutable("FaultWorker"),
                [
                    "do=forgeries", "original=" + original, "work=" + scratch("work"), "seed=\(KillTests.seed)",
                    "from=\(next)", "to=\(forgeryCount)", "results=" + results.path,
                ],
                output: scratch("output")
            )
            let ending = await worker.end(within: .seconds(300))
            if ending == .exit(0) { break }
            // The process died over what it had begun last.
            let last = try #require(results.lines.last)
            let number = try #require(last.split(separator: " ").first.flatMap { Int($0) })
            let forgery = Forgery(seed: UInt64(KillTests.seed), number: number)
            Issue.record("forgery \(number) of \(name) (\(forgery.name)): \(last): \(ending)")
            next = number + 1
        }
        for line in results.lines {
            let fields = line.split(separator: " ", maxSplits: 2)
            if fields[1] == "ends", fields.count == 3 { Issue.record("an untyped error of \(name): \(line)") }
        }
    }
}

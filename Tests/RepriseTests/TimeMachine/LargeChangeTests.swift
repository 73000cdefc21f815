import FaultSupport
import Testing

#if canImport(Glibc)
    /// HIS-113: large changes under a limit on memory.
    struct LargeChangeTests {
        /// So many that changes of all in one transaction take more than the limit by far.
        private static let count = 150_000
        private static let megabyteCount = 80

        @Test func `changes of all rows of a large store are made in a bounded memory`() async throws {
            #expect(try await Self.changes(isInSteps: true) == ["edit", "load", "file", "all"])
        }

        @Test func `in one transaction they need more, which shows that the limit is one`() async throws {
            #expect(try await Self.changes(isInSteps: false) != ["edit", "load", "file", "all"])
        }

        /// The changes that a process has made under the limit.
        private static func changes(isInSteps: Bool) async throws -> [String] {
            let scratch = try Scratch()
            let results = scratch("results")
            let worker = ChildProcess(
                ChildProcess.builtExecutable("FaultWorker"),
                [
                    "do=large-changes", "path=\(scratch("store"))", "results=\(results)", "count=\(count)",
                    "megabytes=\(megabyteCount)", "steps=\(isInSteps ? 1 : 0)",
                ],
                output: scratch("output")
            )
            _ = await worker.end()
            return AcknowledgementFile(path: results).lines
        }
    }
#endif

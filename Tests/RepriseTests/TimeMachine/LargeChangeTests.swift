import FaultSupport
import Testing

#if canImport(Glibc)
    /// HIS-113: large changes under a limit on memory.
    struct LargeChangeTests {
        /// So many that changes of all in one transaction take more than the limit by far.
        private static let count = 150_000
        /// So many entries in one list that rolling its deletion back in memory takes more than the limit as well.
        private static let entryCount = 600_000
        private static let megabyteCount = 80
        /// The same for the list below. Its deletion is one event, which is in memory as a whole.
        private static let listMegabyteCount = 120
        /// The same for a merge that gives each row of the branch another place.
        private static let mergeMegabyteCount = 100
        /// The same for rows that come back from before a conversion.
        private static let rollbackMegabyteCount = 40

        @Test func `changes of all rows of a large store are made in a bounded memory`() async throws {
            #expect(try await Self.changes(isInSteps: true) == ["edit", "load", "file", "all"])
        }

        @Test func `in one transaction they need more, which shows that the limit is one`() async throws {
            #expect(try await Self.changes(isInSteps: false) != ["edit", "load", "file", "all"])
        }

        /// An array of the conflicts takes more, which shows that the limit is one.
        @Test func `conflicts in all rows of a large store are told in a bounded memory`() async throws {
            #expect(try await Self.changes("large-conflicts", true, Self.megabyteCount) == ["values", "rows"])
        }

        @Test func `the owner of very many entries goes, and comes back, in a bounded memory`() async throws {
            #expect(try await Self.listChanges(isInSteps: true) == ["gone", "back", "all"])
        }

        @Test func `in one transaction that needs more as well`() async throws {
            #expect(try await Self.listChanges(isInSteps: false).isEmpty)
        }

        @Test func `the owners of many entries come back in a bounded memory`() async throws {
            for (isInSteps, results) in [(true, ["back"]), (false, [])] {
                #expect(try await Self.changes("large-lists", isInSteps, Self.listMegabyteCount) == results)
            }
        }

        @Test func `what two stores have put into one list is merged in a bounded memory`() async throws {
            for (isInSteps, results) in [(true, ["merged", "all"]), (false, [])] {
                #expect(try await Self.changes("large-merge", isInSteps, Self.mergeMegabyteCount) == results)
            }
        }

        /// HIS-28, STO-86
        @Test func `rows come back from before a conversion, and are converted, in a bounded memory`() async throws {
            for (isInSteps, results) in [(true, ["back", "all"]), (false, [])] {
                #expect(try await Self.changes("large-conversion", isInSteps, Self.rollbackMegabyteCount) == results)
            }
        }

        private static func changes(isInSteps: Bool) async throws -> [String] {
            try await changes("large-changes", isInSteps, megabyteCount)
        }

        private static func listChanges(isInSteps: Bool) async throws -> [String] {
            try await changes("large-list", isInSteps, listMegabyteCount)
        }

        /// The changes that a process has made under a limit.
        private static func changes(_ work: String, _ isInSteps: Bool, _ megabyteCount: Int) async throws -> [String] {
            let scratch = try Scratch()
            let results = scratch("results")
            let worker = ChildProcess(
                ChildProcess.builtExecutable("FaultWorker"),
                [
                    "do=\(work)", "path=\(scratch("store"))", "results=\(results)", "count=\(count)",
                    "entries=\(entryCount)", "megabytes=\(megabyteCount)", "steps=\(isInSteps ? 1 : 0)",
                ],
                output: scratch("output")
            )
            _ = await worker.end()
            return AcknowledgementFile(path: results).lines
        }
    }
#endif

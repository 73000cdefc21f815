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

    /// Far pasts on disks that refuse.
    @Suite(.serialized) struct FarPastDiskTests {
        private static func make(_ path: String) throws -> (then: StateDigest, now: StateDigest) {
            let store = try Store.open(at: path, schema: FaultModels.schema)
            defer { store.close() }
            var workload = Workload(seed: 29)
            for _ in 0..<20 { try workload.next().run(on: store) }
            let then = try store.createSnapshot(named: "then").digest
            for _ in 0..<20 { try workload.next().run(on: store) }
            return (then, try store.read { $0.digest })
        }

        private static func work(_ name: String, _ path: String, _ scratch: Scratch, _ code: Int32, _ isSticky: Bool)
            async -> [[String]]
        {
            let results = AcknowledgementFile(path: scratch("results"))
            let worker = ChildProcess(
                ChildProcess.builtExecutable("FaultWorker"),
                ["do=" + name, "path=" + path, "results=" + results.path, "code=\(code)"]
                    + (isSticky ? ["sticky=yes"] : []),
                output: scratch("output")
            )
            let ending = await worker.end()
            #expect(ending == .exit(0), "\(String(decoding: contents(ofFile: scratch("output")), as: UTF8.self))")
            return results.lines.map { $0.split(separator: " ", maxSplits: 1).map(String.init) }
        }

        /// HIS-29, STO-30
        @Test(arguments: [ENOSPC, EIO], [false, true])
        func `a rollback that meets a failing call has happened as a whole, or not at all`(
            code: Int32,
            isSticky: Bool
        ) async throws {
            let scratch = try Scratch()
            let path = scratch("store")
            let digests = try Self.make(path)
            let lines = await Self.work("refuse-rollback", path, scratch, code, isSticky)
            try #require(lines.count > 4)
            #expect(lines.last?[1] == "ok")
            for line in lines {
                try Self.check("\(path)-\(line[0])", line[1] == "ok" ? digests.then : digests.now, "call \(line)")
            }
        }

        private static func check(_ path: String, _ digest: StateDigest, _ call: Comment) throws {
            let store = try Store.open(at: path, schema: FaultModels.schema)
            defer { store.close() }
            #expect(try store.read { $0.digest } == digest, call)
            #expect(try store.verify().faults == [], call)
            let then = try #require(store.snapshots().first)
            #expect(try store.rollback(to: .snapshot("then")).digest == then.digest, call)
        }

        /// HIS-80
        @Test(arguments: [ENOSPC, EIO], [false, true])
        func `a read that cannot build a state says the same`(code: Int32, isSticky: Bool) async throws {
            let scratch = try Scratch()
            let path = scratch("store")
            let digests = try Self.make(path)
            let lines = await Self.work("refuse-read", path, scratch, code, isSticky)
            try #require(lines.count > 4)
            for line in lines { #expect(line[1] == "\(digests.then)", "call \(line)") }
        }

        /// HIS-100, HIS-104
        @Test(arguments: [ENOSPC, EIO], [false, true])
        func `a state that cannot be kept leaves the store as it was, and no file`(
            code: Int32,
            isSticky: Bool
        ) async throws {
            let scratch = try Scratch()
            let path = scratch("store")
            let digests = try Self.make(path)
            let lines = await Self.work("refuse-keep", path, scratch, code, isSticky)
            try #require(lines.count > 4)
            #expect(lines.last?[1] == "ok")
            for line in lines {
                let copy = "\(path)-\(line[0])"
                let names = try? FileManager.default.contentsOfDirectory(atPath: copy + ".checkpoints")
                let store = try Store.open(at: copy, schema: FaultModels.schema)
                let found = try store.checkpoints()
                #expect(names?.count ?? 0 == found.count, "call \(line)")
                #expect(found.allSatisfy { $0.fault == nil && $0.digest == digests.then }, "call \(line)")
                if line[1] == "ok" { #expect(found.count == 1, "call \(line)") }
                store.close()
                try Self.check(copy, digests.now, "call \(line)")
            }
        }
    }
#endif

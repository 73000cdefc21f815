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

    /// What compares, takes back and merges, cut off at each call to the system, by a failure or a kill: it has
    /// happened as a whole or not at all (HIS-53, HIS-56, HIS-90, HIS-91, HIS-112).
    @Suite(.serialized) struct CutOffChangeTests {
        private let scratch: Scratch
        private var path: String { scratch("store") }

        /// A store that an actor has edited, a branch that another one has edited, and a file of changes.
        init() throws {
            scratch = try Scratch()
            let store = try Store.open(at: scratch("store"), schema: FaultModels.schema)
            defer { store.close() }
            var workload = Workload(seed: 31)
            for _ in 0..<12 { try workload.next().run(on: store) }
            try store.write { transaction in
                try transaction.insert(Shelf(id: "gone", title: "Gone"))
                for number in 0..<60 {
                    let id = Item.ID("extra-\(number)")
                    try transaction.insert(Item(id: id, name: Self.padding, shelf: "gone"))
                }
                try transaction.append(Shelf.picks, of: "gone", contentsOf: ["extra-1", "extra-2", "extra-1"])
            }
            try store.createSnapshot(named: "begin")
            let branch = try store.branch(to: scratch("store-branch"))
            defer { branch.close() }
            let start = try branch.statistics().head
            try branch.write(CommitContext(actor: "bob")) { transaction in
                for number in 30..<60 {
                    try transaction.update(Item.self, id: Item.ID("extra-\(number)")) { $0.amount = number }
                }
                try transaction.append(Shelf.picks, of: "gone", "extra-3")
                try transaction.delete(Item.self, id: "extra-2")
            }
            try branch.difference(from: .position(start)).write(to: scratch("correction.changes"))
            try store.write(CommitContext(actor: "ada")) { transaction in
                for number in 0..<30 {
                    let name = "Edited \(number) " + Self.padding
                    try transaction.update(Item.self, id: Item.ID("extra-\(number)")) { $0.name = name }
                }
            }
            try store.createSnapshot(named: "edited")
        }

        private static let codes: [Int32] = [ENOSPC, 0]
        /// So long that the events of some rows fill a block of the log.
        private static let padding = String(repeating: "long ", count: 700)

        @Test(arguments: ["revert", "undo", "apply", "merge"], codes)
        func `a change that is cut off has happened as a whole, or not at all`(
            verb: String,
            code: Int32
        ) async throws {
            try await check(verb, code)
        }

        /// HIS-113
        @Test(arguments: ["revert", "apply", "merge"], codes)
        func `a large change that is cut off between its transactions has happened as a whole, or not at all`(
            verb: String,
            code: Int32
        ) async throws {
            let whole = try await run(verb, 0, code, path: try copy("sound"))
            let inSteps = try await run(verb, 0, code, path: try copy("sound"), isInSteps: true)
            try #require(inSteps.count > whole.count)
            try await check(verb, code, isInSteps: true)
        }

        @Test(arguments: codes) func `a restore that is cut off has happened as a whole, or not at all`(
            code: Int32
        ) async throws {
            try deleteShelf()
            try await check("restore", code)
        }

        private func deleteShelf() throws {
            let store = try Store.open(at: path, schema: FaultModels.schema)
            defer { store.close() }
            try store.write { try $0.delete(Shelf.self, id: "gone") }
        }

        private func check(_ verb: String, _ code: Int32, isInSteps: Bool = false) async throws {
            let before = try digest(path)
            let sound = try await run(verb, 0, code, path: try copy("sound"), isInSteps: isInSteps)
            let after = try digest(scratch("sound"))
            #expect(sound.outcome == "ok")
            try #require(before != after && sound.count > 1)
            for number in 1...sound.count {
                let place = try copy("cut")
                let result = try await run(verb, number, code, path: place, isInSteps: isInSteps)
                if code != 0 { try #require(result.outcome != nil) } else { #expect(result.outcome == nil) }
                let found = try checkedDigest(place)
                let comment: Comment = "\(verb), call \(number) of \(sound.count): \(result.outcome ?? "killed")"
                #expect(found == before || found == after, comment)
                if result.outcome == "ok" { #expect(found == after, comment) }
                if found == before {
                    let again = try await run(verb, 0, ENOSPC, path: place)
                    #expect(again.outcome == "ok", comment)
                    #expect(try digest(place) == after, comment)
                }
            }
        }

        @Test(arguments: codes) func `a branch that is cut off is whole, or not there`(code: Int32) async throws {
            let digest = try digest(path)
            let sound = try await run("branch", 0, code, path: try copy("sound"))
            try #require(sound.outcome == "ok" && sound.count > 5)
            for number in 1...sound.count {
                let place = try copy("cut")
                let result = try await run("branch", number, code, path: place)
                let comment: Comment = "call \(number) of \(sound.count): \(result.outcome ?? "killed")"
                if result.outcome == "ok" || FileManager.default.fileExists(atPath: place + "-new") {
                    #expect(try checkedDigest(place + "-new") == digest, comment)
                } else {
                    let again = try await run("branch", 0, ENOSPC, path: place)
                    #expect(again.outcome == "ok", comment)
                }
                // What a cut has left is gone with the next branch.
                #expect(try hidden().isEmpty || code == 0, comment)
            }
        }

        @Test(arguments: codes) func `a file of changes that is cut off is whole, or not there`(
            code: Int32
        ) async throws {
            let sound = try await run("write", 0, code, path: try copy("sound"))
            try #require(sound.outcome == "ok" && sound.count > 1)
            for number in 1...sound.count {
                let place = try copy("cut")
                let result = try await run("write", number, code, path: place)
                let isThere = FileManager.default.fileExists(atPath: place + ".changes")
                if result.outcome == "ok" { #expect(isThere) }
                if isThere { #expect(throws: Never.self) { try ChangeSet(contentsOf: place + ".changes") } }
                if code != 0 { #expect(try hidden().isEmpty) }
            }
        }

        /// The names of what is not complete.
        private func hidden() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: scratch.path).filter { $0.hasPrefix(".") }
        }

        /// The digest of a store that is sound.
        private func checkedDigest(_ path: String) throws -> StateDigest {
            let store = try Store.open(existing: path)
            defer { store.close() }
            #expect(try store.verify().faults == [])
            return try store.read { $0.digest }
        }

        private func digest(_ path: String) throws -> StateDigest {
            let store = try Store.open(at: path, schema: FaultModels.schema)
            defer { store.close() }
            return try store.read { $0.digest }
        }

        /// A copy of the store and its branch, in the place of an earlier copy with this name.
        private func copy(_ name: String) throws -> String {
            let files = FileManager.default
            for old in ["", "-branch", "-new", ".changes"] { try? files.removeItem(atPath: scratch(name + old)) }
            for suffix in ["", "-branch"] {
                try files.createDirectory(atPath: scratch(name + suffix), withIntermediateDirectories: false)
                try files.copyItem(
                    atPath: path + suffix + "/data.mdb",
                    toPath: scratch(name + suffix) + "/data.mdb"
                )
            }
            return scratch(name)
        }

        /// Lets a process do it. Its outcome is nil where it was killed.
        private func run(
            _ verb: String,
            _ number: Int,
            _ code: Int32,
            path: String,
            isInSteps: Bool = false
        ) async throws -> (count: Int, outcome: String?) {
            let results = scratch("results-\(UInt64.random(in: 0 ... .max))")
            let worker = ChildProcess(
                ChildProcess.builtExecutable("FaultWorker"),
                [
                    "do=time-machine", "verb=\(verb)", "path=\(path)", "number=\(number)", "code=\(code)",
                    "results=\(results)", "steps=\(isInSteps ? 1 : 0)",
                ],
                output: scratch("output")
            )
            let ending = await worker.end()
            guard let line = AcknowledgementFile(path: results).lines.first else {
                let output = String(decoding: contents(ofFile: scratch("output")), as: UTF8.self)
                #expect(ending == .signal(9), "\(output)")
                return (0, nil)
            }
            let words = line.split(separator: " ", maxSplits: 1)
            return (Int(words[0]) ?? 0, String(words[1]))
        }
    }
#endif

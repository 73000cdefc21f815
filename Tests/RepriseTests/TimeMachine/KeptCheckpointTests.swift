import FaultSupport
import Reprise
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// States of snapshots that are kept as files, and reads that begin from them.
struct KeptCheckpointTests {
    private static func snapshot(_ store: Store) throws -> Snapshot {
        try #require(try store.snapshots().first { $0.name == "then" })
    }

    /// HIS-100, HIS-101
    @Test func `a far read in a store that was just opened begins from the kept state, and says the same`() throws {
        let kept = try KeptStates()
        let without = try KeptStates(keeping: false)
        #expect(kept.files().count == 1 && without.files().isEmpty)
        let (store, other) = (try kept.open(), try without.open())
        defer { for store in [store, other] { store.close() } }
        #expect(try KeptStates.content(store) == KeptStates.content(other))
        #expect(store.openedStateCount == 1 && other.openedStateCount == 0)
        let found = try store.read(asOf: .snapshot("then")) { state in
            let items = try ["499", "500"].map { try state.fetch(Item.self, id: $0)?.amount }
            return (items, try state.event(at: state.head), state.digest)
        }
        #expect(found.0 == [499, nil] && found.1 != nil)
        #expect(try found.2 == Self.snapshot(store).digest)
        // States near it begin there as well, in both directions.
        for position in [101, 401, 522, 602] {
            #expect(try KeptStates.count(store, position) == (position - 1) / 10 * 10)
            #expect(try KeptStates.count(other, position) == (position - 1) / 10 * 10)
        }
        #expect(store.openedStateCount == 1 && store.builtStateCount == 0)
        #expect(kept.warnings.all.isEmpty)
    }

    /// HIS-101
    @Test func `a file is opened where it saves the read enough, and once`() throws {
        let kept = try KeptStates()
        let store = try kept.open()
        defer { store.close() }
        for position in [1001, 981, 961, 771] { _ = try KeptStates.count(store, position) }
        #expect(store.openedStateCount == 0)
        for _ in 0..<3 { #expect(try KeptStates.count(store) == 500) }
        #expect(store.openedStateCount == 1)
        // The file is open, and need not be where it was.
        try FileManager.default.removeItem(atPath: try kept.file)
        #expect(try KeptStates.count(store) == 500)
        #expect(try KeptStates.count(store, 491) == 490)
        #expect(store.openedStateCount == 1 && store.builtStateCount == 0)
    }

    @Test func `a kept state is used in the place of one that would be built`() throws {
        let kept = try KeptStates()
        var configuration = kept.configuration
        configuration.readEventCountMax = 100
        configuration.checkpointFolders = nil
        let store = try Store.open(at: kept.path, schema: FaultModels.schema, configuration: configuration)
        defer { store.close() }
        #expect(try KeptStates.count(store, 542) == 540)
        #expect(store.openedStateCount == 1 && store.builtStateCount == 0)
        // Too far from it as well.
        #expect(try KeptStates.count(store, 201) == 200)
        #expect(store.builtStateCount == 1)
    }

    /// HIS-101
    @Test func `threads that read one far state at the same time open its file once`() async throws {
        let kept = try KeptStates()
        let store = try kept.open()
        defer { store.close() }
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<8 { group.addTask { try KeptStates.count(store) } }
            for try await count in group { #expect(count == 500) }
        }
        #expect(store.openedStateCount == 1)
        #expect(kept.warnings.all.isEmpty)
    }

    @Test func `a store that is opened for reading only reads from a kept state, and can be opened again`() throws {
        let kept = try KeptStates()
        var configuration = kept.configuration
        configuration.readOnly = true
        for _ in 0..<3 {
            let store = try Store.open(existing: kept.path, configuration: configuration)
            defer { store.close() }
            #expect(try KeptStates.count(store) == 500)
            #expect(store.openedStateCount == 1)
            #expect(try store.checkpoints().count == 1)
        }
        #expect(kept.warnings.all.isEmpty)
    }

    /// HIS-101
    @Test func `changes that take too much memory lead to a kept state, however few they are`() throws {
        let kept = try KeptStates()
        var configuration = kept.configuration
        configuration.shortReadEventCount = .max
        configuration.travelByteCountMax = 10_000
        let store = try Store.open(at: kept.path, schema: FaultModels.schema, configuration: configuration)
        defer { store.close() }
        #expect(try KeptStates.count(store) == 500)
        #expect(store.openedStateCount == 1)
    }

    /// HIS-100
    @Test func `the state of a snapshot that is there is kept later, once, and can be cancelled`() throws {
        let kept = try KeptStates(keeping: false)
        let store = try kept.open()
        defer { store.close() }
        #expect(code { try store.keepState(ofSnapshot: "then") { _ in false } } == .cancelled)
        #expect(!FileManager.default.fileExists(atPath: kept.folder))
        #expect(code { try store.keepState(ofSnapshot: "nothing") } == .unknownSnapshot)
        var last = 0
        let made = try store.keepState(ofSnapshot: "then") { progress in
            #expect(progress.totalCount == KeptStates.then && progress.eventCount >= last)
            last = progress.eventCount
            return true
        }
        #expect(last > 0)
        #expect(made.fault == nil && made.snapshots == ["then"])
        #expect(try made.position == Self.snapshot(store).position && made.digest == Self.snapshot(store).digest)
        #expect(try store.checkpoints() == [made])
        #expect(try FileManager.default.attributesOfItem(atPath: made.path)[.size] as? Int == made.byteCount)
        #expect(try store.keepState(ofSnapshot: "then") { _ in false } == made)
        // Two snapshots of one position share the file.
        let twin = try store.createSnapshot(named: "now")
        #expect(try store.keepState(ofSnapshot: "now").position == twin.position)
        #expect(kept.files().count == 2)
        #expect(try KeptStates.count(store) == 500)
        #expect(store.openedStateCount == 1)
    }

    /// HIS-100
    @Test func `where no file can be made, that throws and the snapshot is there`() throws {
        let kept = try KeptStates(keeping: false)
        try kept.replace(kept.folder, [1])
        let store = try kept.open()
        defer { store.close() }
        #expect(code { try store.createSnapshot(named: "more", keepingState: true) } == .permissionDenied)
        #expect(try store.snapshots().map(\.name) == ["then", "more"])
        #expect(try store.checkpoints().isEmpty)
        #expect(try KeptStates.count(store) == 500)
    }

    @Test func `files and directory are their owner's only`() throws {
        let kept = try KeptStates()
        let permissions = { (path: String) in
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        #expect(try permissions(kept.folder) == 0o700)
        #expect(try permissions(kept.file) == 0o600)
    }

    /// HIS-102, HIS-103
    @Test func `a rollback that left the timeline takes nothing from a kept state, and uses none`() throws {
        let kept = try KeptStates()
        for _ in 0..<2 {
            let store = try kept.open()
            defer { store.close() }
            let digest = try store.rollback(to: .position(Position(rawValue: 101))).digest
            #expect(store.openedStateCount == 0)
            try KeptStates.insert(2000..<2200, into: store)
            #expect(try KeptStates.count(store) == 500)
            #expect(try store.read(asOf: .snapshot("then")) { $0.digest } == Self.snapshot(store).digest)
            #expect(store.openedStateCount == 1)
            #expect(try store.read(asOf: .position(Position(rawValue: 101))) { $0.digest } == digest)
        }
    }

    /// HIS-103
    @Test func `copies, branches and stores that were restored use a file that comes along`() throws {
        let kept = try KeptStates()
        let store = try kept.open()
        try store.replay(into: kept.scratch("replayed")) { _ in true }
        try store.branch(to: kept.scratch("branch"), at: .position(Position(rawValue: 901))).close()
        let content = try KeptStates.content(store)
        store.close()
        try FileManager.default.copyItem(atPath: kept.path, toPath: kept.scratch("copied"))
        for name in ["replayed", "branch", "copied"] {
            let folder = kept.scratch(name) + ".checkpoints"
            try FileManager.default.copyItem(atPath: kept.folder, toPath: folder)
            let store = try kept.open(name)
            defer { store.close() }
            #expect(try KeptStates.content(store) == content)
            #expect(store.openedStateCount == 1, "\(name)")
            #expect(try store.checkpoints().map(\.fault) == [nil])
        }
        #expect(kept.warnings.all.isEmpty)
    }

    /// HIS-105
    @Test func `pruning removes what no snapshot names, and what cannot be used`() throws {
        let kept = try KeptStates()
        let store = try kept.open()
        defer { store.close() }
        try store.createSnapshot(named: "later", keepingState: true)
        try store.createSnapshot(named: "last", keepingState: true)
        let made = try store.checkpoints()
        #expect(made.map(\.snapshots) == [["then"], ["later"], ["last"]])
        #expect(try store.pruneCheckpoints().isEmpty)
        try store.deleteSnapshot(named: "later")
        let bytes = contents(ofFile: made[0].path)
        try kept.replace(made[0].path, bytes.dropLast(100))
        let plan = try store.pruneCheckpoints(isPlan: true)
        #expect(plan.map(\.path) == [made[0].path, made[1].path])
        #expect(plan.map(\.fault) == [.damaged, nil] && plan[0].digest == nil)
        #expect(kept.files().count == 3)
        #expect(try store.pruneCheckpoints() == plan)
        #expect(kept.files() == [made[2].path])
        // What is no checkpoint by its name is nobody's concern.
        try Data([1]).write(to: URL(filePath: kept.folder + "/notes"))
        #expect(try store.pruneCheckpoints(all: true, isPlan: true) == [made[2]])
        #expect(try store.pruneCheckpoints(all: true) == [made[2]])
        #expect(kept.files() == [kept.folder + "/notes"])
        try FileManager.default.removeItem(atPath: kept.folder + "/notes")
        #expect(try store.pruneCheckpoints().isEmpty)
        #expect(!FileManager.default.fileExists(atPath: kept.folder))
        #expect(try KeptStates.count(store) == 500)
    }

    /// HIS-104, HIS-105
    @Test func `what was cut off is removed by the next making and the next pruning`() throws {
        let kept = try KeptStates()
        let left = kept.folder + "/.making-killed1"
        let leave = {
            try FileManager.default.createDirectory(atPath: left, withIntermediateDirectories: false)
            try Data([1]).write(to: URL(filePath: left + "/data.mdb"))
        }
        let store = try kept.open()
        defer { store.close() }
        try leave()
        #expect(try store.checkpoints().count == 1)
        try store.pruneCheckpoints()
        #expect(kept.files().count == 1)
        try leave()
        try store.createSnapshot(named: "more", keepingState: true)
        #expect(kept.files().count == 2)
        try leave()
        // What is asked for is there already: the process was killed when it had its name.
        try store.keepState(ofSnapshot: "more")
        #expect(kept.files().count == 2)
    }

    /// HIS-104
    @Test(.timeLimit(.minutes(2)))
    func `a process that is killed while it keeps states leaves only whole ones, and readers go on`() async throws {
        let kept = try KeptStates(keeping: false)
        var generator = SeededGenerator(seed: 104)
        for round in 0..<6 {
            let file = AcknowledgementFile(path: kept.scratch("acknowledgements-\(round)"))
            let worker = ChildProcess(
                ChildProcess.builtExecutable("FaultWorker"),
                ["do=keep", "path=" + kept.path, "acknowledgements=" + file.path],
                output: kept.scratch("output")
            )
            async let ending = worker.killed(after: .milliseconds(20 + generator.below(150))) {
                !file.lines.isEmpty
            }
            // Another process keeps and removes meanwhile what is read here.
            for _ in 0..<5 {
                let store = try kept.open()
                defer { store.close() }
                #expect(try KeptStates.count(store) == 500)
                #expect(try store.checkpoints().allSatisfy { $0.fault == nil })
            }
            let output = String(decoding: contents(ofFile: kept.scratch("output")), as: UTF8.self)
            #expect(await ending == .signal(9), "\(output)")
        }
        let store = try kept.open()
        defer { store.close() }
        #expect(try store.checkpoints().allSatisfy { $0.fault == nil })
        try store.keepState(ofSnapshot: "then")
        #expect(kept.files().allSatisfy { $0.hasSuffix(".checkpoint") })
        #expect(try KeptStates.count(store) == 500)
        #expect(store.openedStateCount == 1)
        #expect(kept.warnings.all.isEmpty)
    }
}

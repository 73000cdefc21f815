import Foundation
import Reprise
import Testing

@testable import RepriseCLI

/// `reprise checkpoint`, and `snapshot create --keep-state`: HIS-100 to HIS-105 on the command line.
struct CheckpointCommandTests {
    private let store: TestStore

    init() throws {
        store = try TestStore()
    }

    private var folder: String { store.path + ".checkpoints" }

    private func files() -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }

    @Test func `a snapshot keeps its state, which is listed and pruned`() throws {
        let made = store.run("snapshot create", "before", "--keep-state")
        #expect(made.outcome == .done && made.lines.count == 3)
        #expect(made.lines.last?.contains("is kept in \(folder)/") == true)
        #expect(files().count == 1)
        let list = store.run("checkpoint list")
        #expect(list.lines.count == 2)
        #expect(list.lines[0].split(separator: " ") == ["position", "snapshots", "size", "state", "file"])
        #expect(list.lines[1].contains("before") && list.lines[1].contains("usable  \(files()[0])"))
        #expect(store.run("checkpoint prune").output == "No checkpoint is to be removed.\n")
        #expect(store.run("snapshot delete", "before").outcome == .done)
        let plan = store.run("checkpoint prune", "--plan")
        #expect(plan.lines.count == 3 && plan.lines.last?.hasPrefix("Would remove 1 checkpoint, ") == true)
        #expect(files().count == 1)
        let pruned = store.run("checkpoint prune")
        #expect(pruned.lines.dropLast() == plan.lines.dropLast())
        #expect(pruned.lines.last?.hasPrefix("Removed 1 checkpoint, ") == true)
        #expect(!FileManager.default.fileExists(atPath: folder))
        #expect(store.run("checkpoint list").output.isEmpty)
        #expect(store.run("checkpoint list", screen: 80).diagnostics == "There are no checkpoints.\n")
    }

    @Test func `the state of a snapshot that is there is kept later, and all are pruned`() throws {
        #expect(store.run("snapshot create", "before").outcome == .done)
        let made = store.run("checkpoint keep", "before")
        #expect(made.outcome == .done && made.output.hasPrefix("The state at position "))
        let object = try JSONValue(parsing: store.run("checkpoint keep", "before", "--json").output)
        #expect(object["snapshots"].elements.map(\.text) == ["before"])
        #expect(object["file"].text == "\(folder)/\(files()[0])")
        #expect(store.run("checkpoint list", "--json").lines.count == 1)
        let none = store.run("checkpoint keep", "nothing")
        #expect(none.outcome == .no && none.diagnostics.contains("nothing"))
        let plan = store.run("checkpoint prune", "--all", "--plan", "--json")
        #expect(plan.lines.count == 1 && files().count == 1)
        #expect(store.run("checkpoint prune", "--all", "--json").output == plan.output)
        #expect(files().isEmpty)
    }

    @Test func `where no file can be made the snapshot is there, and the exit code says so`() throws {
        try Data().write(to: URL(filePath: folder))
        let made = store.run("snapshot create", "before", "--keep-state")
        #expect(made.outcome == .cannotCreate, "\(made.diagnostics)")
        #expect(made.output.contains("before"))
        #expect(store.run("snapshot list").output.contains("before"))
        #expect(made.diagnostics.contains(folder), "\(made.diagnostics)")
    }

    @Test func `a damaged file is told, and removed`() throws {
        #expect(store.run("snapshot create", "before", "--keep-state").outcome == .done)
        let path = "\(folder)/\(files()[0])"
        var bytes = try Data(contentsOf: URL(filePath: path))
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: URL(filePath: path))
        #expect(store.run("checkpoint list").lines.last?.contains("damaged") == true)
        let object = try JSONValue(parsing: store.run("checkpoint prune", "--json").output)
        #expect(object["fault"].text == "damaged")
        #expect(files().isEmpty)
    }

    @Test func `the checkpoints of a branch go with it`() throws {
        let branch = store.path + "-branch"
        #expect(store.run("branch create", branch).outcome == .done)
        #expect(RunOutside.run("snapshot", "create", branch, "before", "--keep-state").outcome == .done)
        #expect(FileManager.default.fileExists(atPath: branch + ".checkpoints"))
        #expect(store.run("branch drop", branch).outcome == .done)
        #expect(!FileManager.default.fileExists(atPath: branch + ".checkpoints"))
    }
}

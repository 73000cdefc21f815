import Foundation
import Reprise
import Testing

@testable import RepriseCLI

/// `reprise branch`: HIS-90 to HIS-98 on the command line.
struct BranchCommandTests {
    private let store: TestStore
    private var branch: String { store.path + "-branch" }

    init() throws {
        store = try TestStore()
        #expect(store.run("branch create", store.path + "-branch").outcome == .done)
    }

    @discardableResult
    private func put(_ path: String, _ title: String) -> TestStore.Answer {
        RunOutside.run("put", path, "book", "--id", "a", "title=\(title)")
    }

    private func title(_ path: String) -> String {
        RunOutside.run("fetch", path, "book", "--id", "a", "--columns", "title", "--json").output
    }

    @Test func `a branch is made, shown, compared, merged in both directions and dropped`() {
        put(branch, "Pure Reason")
        #expect(store.run("branch list").lines.last?.hasPrefix(branch) == true)
        let diff = store.run("branch diff", branch)
        #expect(diff.lines == ["1 updated.", #"~ book "a""#, #"    title: "Pure" → "Pure Reason""#])
        #expect(store.run("branch merge", branch, "--plan").output == "Would merge \(branch): 1 updated.\n")
        #expect(title(store.path).contains(#""Pure""#))
        #expect(store.run("branch merge", branch).output.hasPrefix("Merged \(branch): 1 updated. The head is "))
        #expect(title(store.path) == title(branch))
        #expect(store.run("branch merge", branch).output == "Merged \(branch): nothing was changed.\n")
        put(store.path, "Pure again")
        #expect(RunOutside.run("branch", "merge", branch, store.path).outcome == .done)
        #expect(title(branch).contains("Pure again"))
        #expect(store.run("branch drop", branch).output == "Dropped \(branch).\n")
        #expect(!FileManager.default.fileExists(atPath: branch))
        #expect(store.run("branch list").output.isEmpty)
    }

    @Test func `what both have changed is shown, and settled by an option`() {
        put(branch, "Theirs")
        put(store.path, "Ours")
        let refused = store.run("branch merge", branch)
        #expect(refused.outcome == .no)
        #expect(refused.lines.first == "Nothing was written, because of 1 conflict:")
        #expect(refused.lines.last == "With --keep-later the store's side holds, with --force the branch's.")
        #expect(title(store.path).contains("Ours"))
        #expect(store.run("branch merge", branch, "--force").outcome == .done)
        #expect(title(store.path).contains("Theirs"))
    }

    @Test func `what force cannot settle is said`() {
        put(branch, "Theirs")
        _ = store.run("delete", "book", "a")
        let refused = store.run("branch merge", branch, "--force")
        #expect(refused.outcome == .no)
        #expect(
            refused.lines.last
                == "--force cannot settle this: a row is gone, or a rule of the schema stands against it."
        )
        #expect(store.run("branch merge", branch, "--keep-later").outcome == .done)
    }

    @Test func `a branch that was restored is not shown as merged, and its drop can be planned`() throws {
        try FileManager.default.copyItem(atPath: branch, toPath: branch + "-backup")
        put(branch, "Merged")
        #expect(store.run("branch merge", branch).outcome == .done)
        try FileManager.default.removeItem(atPath: branch)
        try FileManager.default.moveItem(atPath: branch + "-backup", toPath: branch)
        put(branch, "Other")
        #expect(!store.run("branch list", "--json").output.contains("merged"))
        let planned = store.run("branch drop", branch, "--force", "--plan")
        #expect(planned.output == "Would drop \(branch), which cannot be merged.\n")
    }

    @Test func `a branch with changes that were not merged is dropped by force only`() {
        put(branch, "Theirs")
        let refused = store.run("branch drop", branch)
        #expect(refused.outcome == .no)
        #expect(refused.diagnostics.contains("The branch has changes that were not merged: 1 updated."))
        #expect(FileManager.default.fileExists(atPath: branch))
        #expect(store.run("branch drop", branch, "--force").outcome == .done)
        #expect(!FileManager.default.fileExists(atPath: branch))
    }

    @Test func `a plan says what would be made or dropped, and does neither`() {
        let other = store.path + "-other"
        let planned = store.run("branch create", other, "--plan")
        #expect(!FileManager.default.fileExists(atPath: other))
        let made = store.run("branch create", other)
        #expect(planned.output == made.output.replacing("Made", with: "Would make"))
        for place in [other, store.path + "/none/branch"] {
            let refused = store.run("branch create", place, "--plan")
            #expect(refused.outcome == .cannotCreate)
            #expect(refused.diagnostics == store.run("branch create", place).diagnostics)
        }
        #expect(store.run("branch drop", other, "--plan").output == "Would drop \(other).\n")
        put(branch, "Theirs")
        #expect(store.run("branch drop", branch, "--plan").outcome == .no)
        let forced = store.run("branch drop", branch, "--force", "--plan")
        #expect(forced.output == "Would drop \(branch), with changes that were not merged: 1 updated.\n")
        let answer = store.run("branch drop", branch, "--force", "--plan", "--json")
        #expect(answer.lines.count == 1)
        #expect(answer.output.contains("dropped"))
        #expect(FileManager.default.fileExists(atPath: branch))
        #expect(FileManager.default.fileExists(atPath: other))
    }

    @Test func `of a branch that begins before its store did, it is said where it belongs`() {
        let (early, late) = (store.path + "-early", store.path + "-late")
        let begin = store.run("log", "--oneline").lines.last?.split(separator: " ").first.map(String.init) ?? ""
        put(branch, "Pure Reason")
        let made = RunOutside.run("branch", "create", branch, early, "--at", begin)
        #expect(made.lines.count == 2 && made.lines[1].hasSuffix("it is a branch of the store before: merge it there."))
        #expect(RunOutside.run("branch", "create", branch, late).lines.count == 1)
        put(early, "Pure again")
        #expect(RunOutside.run("branch", "merge", branch, early).outcome == .no)
        #expect(store.run("branch merge", early).outcome == .done)
    }

    @Test func `the store itself is no branch of it, however it is named`() {
        let path = URL(filePath: store.path)
        let other = path.deletingLastPathComponent().path + "/./" + path.lastPathComponent + "/"
        for verb in ["branch diff", "branch merge", "branch drop"] {
            let answer = store.run(verb, other)
            #expect(answer.outcome == .usage)
            #expect(answer.diagnostics.contains("is the store itself."))
        }
    }

    @Test func `a store that is no branch is neither merged nor dropped`() throws {
        let stranger = try TestStore()
        let merged = store.run("branch merge", stranger.path)
        #expect(merged.outcome == .no)
        #expect(merged.diagnostics.contains("do not share their past"))
        let dropped = store.run("branch drop", stranger.path, "--force")
        #expect(dropped.outcome == .no)
        #expect(dropped.diagnostics.contains("is no branch of the store"))
        #expect(FileManager.default.fileExists(atPath: stranger.path))
        // Nor is the store dropped as a branch of its branch.
        let turned = RunOutside.run("branch", "drop", branch, store.path, "--force")
        #expect(turned.outcome == .no)
        #expect(FileManager.default.fileExists(atPath: store.path))
    }
}

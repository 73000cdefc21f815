import Foundation
import Reprise
import Testing

@testable import RepriseCLI

/// `reprise diff --output`, `changes` and `apply`: HIS-110 to HIS-112 on the command line.
struct ChangeFileCommandTests {
    private let store: TestStore
    private let branch: String
    private let file: String

    /// A branch with another title, as a file.
    init() throws {
        store = try TestStore()
        branch = store.path + "-branch"
        file = store.path + ".changes"
        #expect(store.run("branch create", branch).outcome == .done)
        #expect(RunOutside.run("snapshot", "create", branch, "begin").outcome == .done)
        put(branch, "Pure Reason")
        let written = RunOutside.run("diff", branch, "begin", "--output", file)
        #expect(written.output == "Wrote \(file): 1 updated.\n")
    }

    private func put(_ path: String, _ title: String) {
        #expect(RunOutside.run("put", path, "book", "--id", "a", "title=\(title)").outcome == .done)
    }

    private func title() -> String {
        store.run("fetch", "book", "--id", "a", "--columns", "title", "--json").output
    }

    @Test func `a file is shown, planned and applied, and a second time it does nothing`() {
        let shown = RunOutside.run("changes", file).lines
        #expect(shown.first?.hasPrefix("From position ") == true)
        #expect(shown.first?.hasSuffix(": 1 updated.") == true)
        #expect(shown.dropFirst() == [#"~ book "a""#, #"    title: "Pure" → "Pure Reason""#])
        #expect(RunOutside.run("changes", file, "--model", "shelf").output.isEmpty)
        #expect(store.run("apply", file, "--plan").output == "Would apply \(file): 1 updated.\n")
        #expect(title().contains(#""Pure""#))
        #expect(store.run("apply", file).output.hasPrefix("Applied \(file): 1 updated. The head is "))
        #expect(title().contains("Pure Reason"))
        #expect(store.run("apply", file).output == "Applied \(file): nothing was changed.\n")
    }

    @Test func `what both have changed is shown, and settled by an option`() {
        put(store.path, "Ours")
        let refused = store.run("apply", file)
        #expect(refused.outcome == .no)
        #expect(refused.lines.last == "With --keep-later the store's side holds, with --force the file's.")
        #expect(title().contains("Ours"))
        #expect(store.run("apply", file, "--force").outcome == .done)
        #expect(title().contains("Pure Reason"))
    }

    @Test func `a file is not written over, and one of another kind or store is refused`() throws {
        #expect(RunOutside.run("diff", branch, "begin", "--output", file).outcome == .cannotCreate)
        #expect(RunOutside.run("diff", branch, "begin", "--output", file, "--id", "a").outcome == .usage)
        #expect(RunOutside.run("changes", file + "-missing").outcome == .noInput)
        let text = store.path + ".txt"
        try Data("no changes".utf8).write(to: URL(filePath: text))
        #expect(store.run("apply", text).outcome == .badData)
        let music = try MusicStore()
        let answer = music.run("apply", file)
        #expect(answer.outcome == .no)
        #expect(answer.diagnostics.contains("shares no past"))
        var bytes = try Data(contentsOf: URL(filePath: file))
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: URL(filePath: text))
        #expect(RunOutside.run("changes", text).outcome == .badData)
    }
}

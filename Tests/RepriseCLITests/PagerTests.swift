import Foundation
import TestSupport
import Testing

@testable import RepriseCLI

/// Long answers on a terminal (CLI-14).
struct PagerTests {
    private let directory: TemporaryDirectory
    private let store: TestStore

    init() throws {
        directory = try TemporaryDirectory(named: "cli-pager")
        store = try TestStore()
    }

    private func pager(_ command: String?) -> Pager? {
        Pager(environment: { $0 == "PAGER" ? command : nil }, whenStarted: {})
    }

    /// Runs a command line whose standard output is a terminal.
    private func run(_ words: [String], through pager: Pager?) -> TestStore.Answer {
        let output = MemorySink()
        let diagnostics = MemorySink()
        let traits = TerminalTraits(isTerminal: true, width: 80, usesStyle: false)
        var console = Console(
            output: output,
            outputTraits: traits,
            diagnostics: diagnostics,
            diagnosticsTraits: traits,
            pager: pager
        )
        let outcome = Tool.run(words, in: &console)
        return TestStore.Answer(outcome: outcome, output: output.text, diagnostics: diagnostics.text)
    }

    private func shown() -> String? {
        FileManager.default.contents(atPath: directory.path("shown")).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `a long answer goes through the pager, and the command waits for it`() throws {
        let keep = "sleep 0.2; cat > '\(directory.path("shown"))'"
        for words in [
            ["fetch", store.path, "book"], ["log", store.path], ["schema", "show", store.path],
            ["schema", "history", store.path], ["schema", "diff", store.path, "0"],
        ] {
            let paged = run(words, through: pager(keep))
            #expect(paged.outcome == .done && paged.output.isEmpty, "\(words)")
            let plain = run(words + ["--no-pager"], through: pager("exit 1"))
            #expect(plain.outcome == .done && plain.output == shown(), "\(words)")
            try FileManager.default.removeItem(atPath: directory.path("shown"))
        }
    }

    @Test func `what is for programs does not, nor what is short`() {
        for words in [
            ["fetch", store.path, "book", "--json"], ["fetch", store.path, "book", "--csv"],
            ["log", store.path, "--json"], ["stats", store.path], ["export", store.path],
            ["put", store.path, "author", "--id", "x", "name=X"],
        ] {
            let answer = run(words, through: pager("exit 1"))
            #expect(answer.outcome == .done && !answer.output.isEmpty, "\(words)")
        }
    }

    @Test func `without an answer no pager is started`() {
        let mark = "touch '\(directory.path("shown"))'"
        let none = run(["fetch", store.path, "book", "--where", "id == \"x\""], through: pager(mark))
        #expect(none.outcome == .done && none.diagnostics == "No book fits.\n")
        let mistake = run(["fetch", store.path, "bok"], through: pager(mark))
        #expect(mistake.outcome == .usage && mistake.diagnostics.contains("Did you mean book?"))
        #expect(shown() == nil)
    }

    @Test func `who leaves the pager early ends the answer, and that is no failure`() {
        let answer = run(["fetch", store.path, "book"], through: pager("exec head -c 1 >/dev/null"))
        #expect(answer.outcome == .done && answer.diagnostics.isEmpty)
    }

    @Test func `PAGER chooses it, and says that there is none`() {
        #expect(pager("") == nil && pager("cat") == nil)
        #expect(pager(nil) != nil && pager("more") != nil)
        #expect(Pager.standard.contains("less -FRX"))
    }
}

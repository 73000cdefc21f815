import Foundation
import Reprise
import Testing

@testable import RepriseCLI

/// The JSON of `Specs/cli.md`: each object that the page shows has the keys that the command prints, and no other.
struct ContractJSONTests {
    private let store: TestStore
    private let music: MusicStore

    init() throws {
        store = try TestStore()
        music = try MusicStore()
    }

    /// What each command of the table prints, on stores where each of its keys has a value.
    private func answers() async throws -> [String: String] {
        var answers: [String: String] = [:]
        func note(_ command: String, _ answer: TestStore.Answer) {
            answers[command, default: ""] += answer.output
            #expect(answer.outcome == .done || answer.outcome == .no, "\(command): \(answer.diagnostics)")
        }
        note("fetch --count", store.run("fetch", "book", "--count", "--json"))
        note("fetch --explain", store.run("fetch", "book", "--explain", "--json"))
        note("snapshot create", store.run("snapshot create", "before", "--json"))
        note("snapshot list", store.run("snapshot list", "--json"))
        note("stats", store.run("stats", "--json"))
        for (command, answer) in try checkpoints() { note(command, answer) }
        note("put", store.run("put", "book", "--id", "d", "title=D", "isLent=false", "--json"))
        note("link", store.run("link", "shelf", "top", "books", "d", "--json"))
        note("move", store.run("move", "shelf", "top", "books", "d", "--first", "--json"))
        note("unlink", store.run("unlink", "shelf", "top", "books", "d", "--json"))
        note("delete", store.run("delete", "author", "kant", "--plan", "--json"))
        note("delete", store.run("delete", "series", "critiques", "--json"))
        note("delete", music.run("delete", "playlist", try #require(folder()), "--plan", "--json"))
        note("diff", store.run("diff", "before", "--json"))
        note("history", store.run("history", "shelf", "top", "--json"))
        note("blame", store.run("blame", "book", "d", "--json"))
        note("restore", store.run("restore", "series", "critiques", "--json"))
        note("undo", store.run("undo", "--json"))
        note("redo", store.run("redo", "--json"))
        note("put", store.run("put", "book", "--id", "d", "title=E", "--json"))
        let position = try JSONValue(parsing: store.run("blame", "book", "d", "--json").output.firstLine)["position"]
        note("put", store.run("put", "book", "--id", "d", "title=F", "--json"))
        for (command, answer) in try branches() { note(command, answer) }
        for (command, answer) in changeFiles() { note(command, answer) }
        for command in ["revert", "restore", "undo", "redo", "apply", "branch merge"] {
            answers[command, default: ""] += store.run("revert", position.number, "--json").output
        }
        let latest = try JSONValue(parsing: store.run("blame", "book", "d", "--json").output.firstLine)["position"]
        note("revert", store.run("revert", latest.number, "--json"))
        for verb in ["history", "blame"] { note(verb, store.run(verb, "book", "d", "--json")) }
        note("log", store.run("log", "--json"))
        note("replay", store.run("replay", "--json"))
        note("rollback", store.run("rollback", "before", "--json"))
        note("snapshot delete", store.run("snapshot delete", "before", "--json"))
        note("verify", store.run("verify", "--in-this-process", "--json"))
        note("verify", try faulty())
        note("schema show", store.run("schema show", "--json"))
        note("schema history", store.run("schema history", "--json"))
        note("schema diff", store.run("schema diff", "0", "--json"))
        note("schema plan", store.run("schema plan", music.path, "--json"))
        let export = MusicStore.export
        note("migrate", RunOutside.run("migrate", export, "--into", music.file("new"), "--json"))
        note("verify-migration", RunOutside.run("verify-migration", export, music.file("new"), "--json"))
        let watch = ["watch", store.path, "shelf", "--json"]
        note("watch", await RunOutside.runApart(watch, until: { $0.contains("\n") }))
        note("version", RunOutside.run("version", "--json"))
        return answers
    }

    /// A branch that is made, compared, listed and merged, and one that is dropped.
    private func branches() throws -> [(String, TestStore.Answer)] {
        let (branch, other) = (store.path + "-branch", store.path + "-other")
        var answers = [("branch create", store.run("branch create", branch, "--json"))]
        _ = RunOutside.run("put", branch, "book", "--id", "d", "title=G", "--json")
        #expect(RunOutside.run("link", branch, "shelf", "top", "books", "d", "--at", "first").outcome == .done)
        _ = store.run("branch create", other)
        answers.append(("branch diff", store.run("branch diff", branch, "--json")))
        answers.append(("branch merge", store.run("branch merge", branch, "--json")))
        answers.append(("branch list", store.run("branch list", "--json")))
        answers.append(("branch drop", store.run("branch drop", other, "--json")))
        return answers
    }

    /// Changes of a branch as a file, looked at and applied.
    private func changeFiles() -> [(String, TestStore.Answer)] {
        let (branch, file) = (store.path + "-edited", store.path + ".changes")
        _ = store.run("branch create", branch)
        _ = RunOutside.run("snapshot", "create", branch, "begin")
        _ = RunOutside.run("put", branch, "book", "--id", "d", "title=H", "--json")
        let linked = RunOutside.run("link", branch, "shelf", "top", "books", "d", "--at", "first")
        #expect(linked.outcome == .done, "\(linked.diagnostics)")
        return [
            ("diff --output", RunOutside.run("diff", branch, "begin", "--output", file, "--json")),
            ("changes", RunOutside.run("changes", file, "--json")),
            ("apply", store.run("apply", file, "--json")),
        ]
    }

    /// A checkpoint that is kept, listed and removed, beside one that is damaged.
    private func checkpoints() throws -> [(String, TestStore.Answer)] {
        var answers = [("checkpoint keep", store.run("checkpoint keep", "before", "--json"))]
        let damaged = store.path + ".checkpoints/1-0123456789abcdef.checkpoint"
        try Data([1]).write(to: URL(filePath: damaged))
        answers[0].1.output += store.run("checkpoint list", "--json").output
        answers.append(("checkpoint list", store.run("checkpoint list", "--json")))
        answers.append(("checkpoint prune", store.run("checkpoint prune", "--all", "--json")))
        return answers
    }

    private func folder() -> String? { music.ids("playlist", "--where", "children.count > 0").first }

    /// A store with a fault is made elsewhere; here it is only how one is told.
    private func faulty() throws -> TestStore.Answer {
        let sink = MemorySink()
        var console = Console(output: sink, diagnostics: sink)
        let fault = Verdict.Fault(kind: "row", place: "book \"a\"", message: "It is damaged.")
        try Verdict(faults: [fault]).show(isJSON: true, in: &console)
        try console.output.flush()
        return TestStore.Answer(outcome: .no, output: sink.text, diagnostics: "")
    }

    private static func keys(_ text: String) -> Set<String> {
        Set(text.matches(of: #/"(\w+)":/#).map { String($0.1) })
    }

    @Test func `each object has the keys of the page`() async throws {
        let answers = try await answers()
        var seen: Set<String> = []
        for row in try ContractPage.table(after: "The others, one object a line") {
            for command in ContractPage.codes(in: row[0]) {
                seen.insert(command)
                let shown = Self.keys(row[1])
                let answer = try #require(answers[command], "\(command) is not run here.")
                let missing = shown.subtracting(Self.keys(answer))
                #expect(missing.isEmpty, "\(command) prints no \(missing)")
                for line in answer.split(separator: "\n") {
                    guard case .object(let members) = try JSONValue(parsing: String(line)) else {
                        Issue.record("\(command) prints what is no object: \(line)")
                        continue
                    }
                    let unknown = Set(members.map(\.name)).subtracting(shown)
                    #expect(unknown.isEmpty, "\(command) prints \(unknown), which the page does not have")
                }
            }
        }
        #expect(seen == Set(answers.keys))
    }

    /// CLI-12, CLI-20 and the form of entities: `ReadingCommandTests` has the values.
    @Test func `fetch, search and export write an entity in the same way`() throws {
        let id = try #require(music.ids("track", "--limit", "1").first)
        let fetched = music.run("fetch", "track", "--id", id, "--json").output
        #expect(fetched.hasPrefix(#"{"model":"track","id":"\#(id)","title":"#))
        #expect(music.run("export").output.contains(fetched))
        let title = try JSONValue(parsing: fetched)["title"].text
        #expect(music.run("search", "track", title, "--json").output.contains(fetched))
    }
}

extension String {
    fileprivate var firstLine: String { String(prefix { $0 != "\n" }) }
}

extension JSONValue {
    /// The digits of a number.
    fileprivate var number: String { if case .number(let digits) = self { "\(digits)" } else { "" } }
}

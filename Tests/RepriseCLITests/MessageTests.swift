import Foundation
import Reprise
import Testing

@testable import RepriseCLI

/// What the command says where there is little to show.
struct MessageTests {
    private let store: TestStore

    init() throws {
        store = try TestStore()
    }

    /// CLI-07
    @Test func `the version is that of the changelog`() throws {
        let version = RunOutside.run("version")
        #expect(version.outcome == .done && version.output == "reprise \(ReleaseVersion.number)\n")
        let flag = RunOutside.run("--version")
        #expect(flag.outcome == .done && flag.output == version.output)
        #expect(RunOutside.run("version", "--json").output == "{\"version\":\"\(ReleaseVersion.number)\"}\n")
        let page = ContractPage.repository.appendingPathComponent("CHANGELOG.md")
        let numbers = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
            .compactMap { $0.firstMatch(of: #/^## v?([0-9][0-9.]*)/#)?.1 }
        // Before the first release there is no heading with a number.
        if let newest = numbers.first { #expect(newest == ReleaseVersion.number) }
    }

    /// CLI-08
    @Test(arguments: [["fetch"], ["put", "--id", "x"], ["delete"], ["search"], ["watch"], ["link"]])
    func `where the model is missing those of the store are named`(_ words: [String]) {
        let answer = RunOutside.run([words[0], store.path] + words.dropFirst())
        #expect(answer.outcome == .usage && answer.output.isEmpty)
        #expect(answer.diagnostics.contains("'<model>'"))
        #expect(answer.diagnostics.hasSuffix("\nThe models of the store: author, book, series, shelf.\n"))
    }

    /// CLI-08
    @Test func `where the store cannot be read nothing is said of its models`() {
        let answer = RunOutside.run("fetch", store.path + "-nothing")
        #expect(answer.outcome == .usage && !answer.diagnostics.contains("models of"))
        #expect(
            store.run("delete", "xyz", "1").diagnostics
                == "Error: The store has no model `xyz`. It has author, book, series and shelf.\n"
        )
    }

    /// CLI-09
    @Test func `a file is no store, and is named as it was typed`() throws {
        let file = store.directory.appendingPathComponent("afile").path
        try Data("hello".utf8).write(to: URL(fileURLWithPath: file))
        let sentences = "Error: \"\(file)\" is a file; a store is a directory. Name the directory of a store.\n"
        for words in [
            ["fetch", file, "book"], ["put", file, "book", "--id", "x"], ["stats", file], ["schema", "show", file],
            ["schema", "plan", file, store.path], ["migrate", MusicStore.export, "--into", file],
            ["verify", "--in-this-process", file], ["snapshot", "list", store.path + "/data.mdb"],
        ] {
            let answer = RunOutside.run(words)
            #expect(answer.outcome == .badData, "\(words)")
            let path = words.contains(file) ? file : store.path + "/data.mdb"
            #expect(answer.diagnostics == sentences.replacing(file, with: path), "\(words)")
        }
    }

    /// CLI-10
    @Test(arguments: ["yesterday", "2020-13-45", "Head", "-1"])
    func `what is no point is said to be none, with the snapshots that there are`(_ text: String) {
        let lines = [
            ["fetch", store.path, "book", "--as-of=\(text)"], ["export", store.path, "--as-of=\(text)"],
            ["search", store.path, "book", "x", "--as-of=\(text)"], ["schema", "show", store.path, "--as-of=\(text)"],
            ["rollback", store.path, "--", text], ["schema", "diff", store.path, "--", "1", text],
            ["replay", store.path, "--into", store.path + "-new", "--to=\(text)"],
        ]
        let none = "Error: \"\(text)\" is neither a position, a date, a snapshot nor head. "
        for line in lines {
            let answer = RunOutside.run(line)
            #expect(answer.outcome == .no && answer.output.isEmpty, "\(line)")
            #expect(answer.diagnostics.hasPrefix(none + "The store has no snapshots; a date is written 2024-05-31"))
        }
        for name in ["a", "b", "c", "d", "e", "f", "g"] {
            #expect(store.run("snapshot create", name).outcome == .done)
        }
        let answer = RunOutside.run(lines[0])
        #expect(answer.diagnostics == none + "The store has the snapshots a, b, c, d, e and 2 more.\n")
        let near = store.run("rollback", "befor").diagnostics
        #expect(near.contains("snapshot nor head. The store has"))
    }

    /// CLI-11
    @Test func `that there is nothing is said to a person, and to nobody else`() {
        for (line, text) in [
            (["fetch", "book", "--where", "id == \"x\""], "No book fits.\n"),
            (["fetch", "book", "--as-of", "0"], "The store was empty then.\n"),
            (["export", "--as-of", "0"], "The store was empty then.\n"),
            (["log", "--id", "nobody"], "No commit fits.\n"), (["snapshot list"], "There are no snapshots.\n"),
        ] {
            let words = Array(line.dropFirst())
            let person = store.run(line[0], words, screen: 80)
            #expect(person.outcome == .done && person.output.isEmpty && person.diagnostics == text, "\(line)")
            let script = store.run(line[0], words)
            #expect(script.outcome == .done && script.output.isEmpty && script.diagnostics.isEmpty, "\(line)")
            let quiet = store.run(line[0], words + ["--quiet"], screen: 80)
            #expect(quiet.output.isEmpty && quiet.diagnostics.isEmpty, "\(line)")
            if line[0] == "export" { continue }
            let json = store.run(line[0], words + ["--json"], screen: 80)
            #expect(json.outcome == .done && json.output.isEmpty && json.diagnostics.isEmpty, "\(line)")
        }
    }

    /// CLI-19. The superuser may write anywhere, so that it is seen at the errors.
    @Test func `a place that may not be written is exit code 73, one that may not be read 66`() {
        #expect(StoreError.Code.permissionDenied.outcome == .noInput)
        #expect(StoreError.Code.readOnly.outcome == .cannotCreate)
        let failure = #expect(throws: CommandFailure.self) {
            try StoreLocation(path: store.path).telling(.writing) {
                throw StoreError(.permissionDenied, "It may not be written.", advice: "Check the permissions.")
            }
        }
        #expect(failure?.outcome == .cannotCreate)
        let read = #expect(throws: StoreError.self) {
            try StoreLocation(path: store.path).telling(.reading) {
                throw StoreError(.permissionDenied, "It may not be read.", advice: "Check the permissions.")
            }
        }
        #expect(read?.failure.outcome == .noInput)
        let creating = #expect(throws: CommandFailure.self) {
            try CommandFailure.creating {
                throw StoreError(.permissionDenied, "It may not be written.", advice: "Check the permissions.")
            }
        }
        #expect(creating?.outcome == .cannotCreate)
    }
}

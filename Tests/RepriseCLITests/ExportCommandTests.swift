import ArgumentParser
import Foundation
import LegacyMigration
import Reprise
import TestSupport
import Testing

@testable import RepriseCLI

@Suite struct ExportCommandTests {
    private let store: TestStore
    private let directory: TemporaryDirectory

    init() throws {
        store = try TestStore()
        directory = try TemporaryDirectory(named: "export")
    }

    private func text(_ name: String) throws -> String {
        try String(contentsOfFile: directory.path(name), encoding: .utf8)
    }

    private var files: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() }
    }

    @Test func `a file gets the same bytes as standard output, in each text format`() throws {
        for format in ["ndjson", "realm-json"] {
            let shown = store.run("export", "--as", format, "--quiet")
            #expect(shown.outcome == .done && !shown.output.isEmpty)
            let answer = store.run("export", "--as", format, "--output", directory.path(format))
            #expect(answer.outcome == .done && answer.output.isEmpty)
            #expect(try text(format) == shown.output)
        }
        #expect(try files == ["ndjson", "realm-json"])
    }

    @Test func `realm-json with its schema file is migrated into an equal store`() throws {
        let answer = store.run(
            "export",
            "--as",
            "realm-json",
            "--output",
            directory.path("a.json"),
            "--schema-file",
            directory.path("a.schema.json")
        )
        #expect(answer.outcome == .done)
        // Kant's books, the series' volumes.
        #expect(answer.diagnostics.contains("Warning: lostRule: "))
        let source = try Realm2JSONSource(
            path: directory.path("a.json"),
            schemaPath: directory.path("a.schema.json")
        )
        let copy = try Store.open(at: directory.path("copy"), schema: Schema(source.schema))
        _ = try Migrator(source: source, store: copy).run()
        copy.close()
        let output = MemorySink()
        var console = Console(output: output, diagnostics: MemorySink())
        #expect(Tool.run(["export", directory.path("copy")], in: &console) == .done)
        #expect(
            Set(output.text.split(separator: "\n")).contains(
                #"{"model":"shelf","id":"top","name":"Top","books":["a","b","a"]}"#
            )
        )
        #expect(output.text == store.run("export").output)
    }

    @Test func `a database is written where --output says, as of any point`() throws {
        let answer = store.run("export", "--as", "sqlite", "--output", directory.path("now.db"))
        #expect(answer.outcome == .done && answer.output.isEmpty)
        #expect(
            answer.diagnostics.contains("Warning: lostNaN: book \"c\": its weight is no number")
        )
        #expect(
            store.run(
                "export",
                "--as",
                "sqlite",
                "--as-of",
                "0",
                "--output",
                directory.path("then.db")
            )
            .outcome == .done
        )
        let database = try SQLiteScratch(at: directory.path("now.db"))
        #expect(
            try database.texts(
                "SELECT target FROM shelf_books WHERE owner = 'top' ORDER BY position"
            )
                == ["a", "b", "a"]
        )
        #expect(
            try database.texts(
                "SELECT title FROM book WHERE series = 'critiques' ORDER BY series_position"
            )
                == ["Pure", "Practical"]
        )
        #expect(
            try database.texts("SELECT published FROM book WHERE id = 'a'") == [
                "2000-12-31 23:59:59.750"
            ]
        )
        #expect(try database.texts("SELECT hex(cover) FROM book WHERE id = 'a'") == ["00FF"])
        let before = try SQLiteScratch(at: directory.path("then.db"))
        #expect(try before.texts("SELECT count(*) FROM book") == ["0"])
    }

    @Test func `a file that is there is exit code 73, and nothing is written`() throws {
        try Data("mine".utf8).write(to: URL(filePath: directory.path("x")))
        for format in ["ndjson", "realm-json", "sqlite"] {
            let answer = store.run("export", "--as", format, "--output", directory.path("x"))
            #expect(answer.outcome == .cannotCreate)
            #expect(answer.diagnostics.hasPrefix("Error: There is something at "))
            #expect(
                answer.diagnostics.hasSuffix(
                    "Name a file that does not exist yet, or move that one away.\n"
                )
            )
        }
        // Neither of the two.
        let schema = store.run(
            "export",
            "--as",
            "realm-json",
            "--output",
            directory.path("y"),
            "--schema-file",
            directory.path("x")
        )
        #expect(schema.outcome == .cannotCreate && schema.output.isEmpty)
        #expect(try files == ["x"] && text("x") == "mine")
        let noFolder = store.run("export", "--output", directory.path("no/x"))
        #expect(noFolder.outcome == .cannotCreate)
        #expect(noFolder.diagnostics.contains("There is no folder for "))
    }

    @Test(
        arguments: [
            ["--as", "sqlite"], ["--as", "csv"], ["--schema-file", "s"],
            ["--as", "sqlite", "--output", "o", "--schema-file", "s"],
            ["--as", "realm-json", "--output", "o", "--schema-file", "o"], ["--output"],
        ]
    )
    func `what does not go together is exit code 64`(_ words: [String]) {
        let answer = store.run("export", words)
        #expect(answer.outcome == .usage && answer.output.isEmpty)
        #expect(answer.diagnostics.contains("Error: "))
    }

    @Test(arguments: ["ndjson", "realm-json", "sqlite"])
    func `an export that is interrupted leaves no file behind`(_ format: String) throws {
        var console = Console(
            output: MemorySink(),
            diagnostics: MemorySink(),
            interruption: Interruption { true }
        )
        let line = ["export", store.path, "--as", format, "--output", directory.path("x")]
        #expect(Tool.run(line, in: &console) == .interrupted)
        #expect(try files.isEmpty)
    }

    @Test func `a store that is not there, and a point that is not, are told as elsewhere`() throws
    {
        var console = Console(output: MemorySink(), diagnostics: MemorySink())
        let line = [
            "export", directory.path("none"), "--as", "sqlite", "--output", directory.path("x"),
        ]
        #expect(Tool.run(line, in: &console) == .noInput)
        #expect(
            store.run(
                "export",
                "--as",
                "realm-json",
                "--as-of",
                "never",
                "--output",
                directory.path("x")
            )
            .outcome == .no
        )
        #expect(try files.isEmpty)
    }

    @Test func `the help has examples and fits 80 columns`() {
        let help = ExportArguments.helpMessage(columns: 80)
        #expect(help.contains("reprise export music --as sqlite --output music.sqlite"))
        #expect(help.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(help)")
        let completions = RepriseArguments.completionScript(for: .bash)
        #expect(completions.contains("realm-json") && completions.contains("ndjson"))
        #expect(ExportCommand.Format.allValueStrings == ["ndjson", "realm-json", "sqlite"])
    }
}

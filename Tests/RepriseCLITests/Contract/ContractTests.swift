import ArgumentParser
import Foundation
import MusicLibrary
import Reprise
import Testing

@testable import RepriseCLI

/// Every line of `Specs/cli.md` about commands, options, exit codes, expressions and the music library. Its JSON is in
/// `ContractJSONTests`; what holds for all commands is in: POINT, `PointTests` and `MessageTests`; any store,
/// `ReadingCommandTests`; progress, `ProgressTests`; Ctrl-C, `MigrationKillTests`, `OpeningTests` and `ProgramTests`;
/// source identities, `NewerExportTests` of the migrator; two sentences, `OutcomeTests`; deletions,
/// `MusicLibraryStore`; iTunes, the tests of the migrator in the folder ITunes.
struct ContractTests {
    /// The subcommands as their help has them, without what the page says of all of them.
    private static func commands() throws -> [ContractLine] {
        var found: [ContractLine] = []
        func walk(_ command: JSONValue, _ path: [String]) {
            let subcommands = command["subcommands"].elements.filter { $0["commandName"].text != "help" }
            for subcommand in subcommands { walk(subcommand, path + [subcommand["commandName"].text]) }
            guard subcommands.isEmpty else { return }
            let arguments = command["arguments"].elements.filter { $0["shouldDisplay"] == .bool(true) }
            let isPositional = { (argument: JSONValue) in argument["kind"].text == "positional" }
            found.append(
                ContractLine(
                    path: path,
                    options: Set(
                        arguments.filter { !isPositional($0) }.map { "--" + $0["preferredName"]["name"].text }
                    ),
                    positionalCount: arguments.count(where: isPositional)
                )
            )
        }
        walk(try JSONValue(parsing: RepriseArguments._dumpHelp())["command"], ["reprise"])
        return found
    }

    private static let forAll: Set<String> = ["--quiet", "--help", "--version"]

    @Test func `the page has each command with all of its options, and no other`() throws {
        let promised = try ContractPage.block(after: "## Commands").map(ContractLine.init(contract:))
        let there = try Self.commands().map { command in
            var command = command
            command.options.subtract(Self.forAll.union(["--no-pager"]))
            return command
        }
        for line in promised where !there.contains(line) {
            Issue.record("\(line) is on the page, and not what the command takes.")
        }
        for command in there where !promised.contains(command) {
            Issue.record("\(command) is what the command takes, and not on the page.")
        }
        #expect(promised.count == Set(promised).count && promised.count > 20)
    }

    @Test func `the options that many commands have are where the page says`() throws {
        let commands = try Self.commands()
        for command in commands { #expect(command.options.contains("--quiet"), "\(command.path)") }
        let paged = commands.filter { $0.options.contains("--no-pager") }
            .map { $0.path.dropFirst().joined(separator: " ") }
        #expect(paged == [
                "fetch", "search", "log", "diff", "history", "changes", "branch diff", "schema show",
                "schema history", "schema diff",
            ])
    }

    @Test func `what is promised and not there yet is refused as unknown`() throws {
        let lines = try ContractPage.block(after: "**not there yet**").map(ContractLine.init(contract:))
        #expect(lines.count == 2)
        for line in lines {
            let output = MemorySink()
            let diagnostics = MemorySink()
            var console = Console(output: output, diagnostics: diagnostics)
            #expect(Tool.run(Array(line.path.dropFirst()), in: &console) == .usage)
            #expect(diagnostics.text.contains("has no subcommand"), "\(line.path) is there: move it on the page.")
        }
    }

    @Test func `the exit codes are those of the page`() throws {
        let outcomes: [Outcome] = [
            .done, .no, .usage, .badData, .noInput, .inUse, .cannotCreate, .inputOutput, .interrupted,
        ]
        let codes = try ContractPage.table(after: "An error is a sentence").map { $0.first ?? "" }
        #expect(codes == outcomes.map { "\($0.rawValue)" })
    }

    @Test func `each where expression of the page is read, and answered by a store`() throws {
        let lines = try ContractPage.block(after: "## Where expressions")
        #expect(lines.count == 10)
        let music = try MusicStore()
        for line in lines {
            let answer = music.run("fetch", "track", "--where", line, "--count", "--json")
            #expect(answer.outcome == .done, "\(line): \(answer.diagnostics)")
        }
        for line in ["tracks.any(genre == \"Jazz\")", "tracks.count > 20"] {
            #expect(try ContractPage.text().contains("`\(line)`"))
            #expect(music.run("fetch", "playlist", "--where", line, "--count").outcome == .done)
        }
        let mistake = music.run("fetch", "track", "--where", "genre ~ 3")
        #expect(mistake.outcome == .usage && mistake.diagnostics.contains("character 7: expected "))
    }

    @Test func `the music library is as on the page`() throws {
        let rows = try ContractPage.table(after: "## The music library")
        let schema = MusicLibrary.schema.description
        #expect(rows.map { ContractPage.codes(in: $0[0]) } == schema.models.map { [$0.name] })
        for (row, model) in zip(rows, schema.models) {
            let attributes = model.attributes.map { $0.name + ($0.isOptional ? "?" : "") }
            #expect(ContractPage.codes(in: row[1]) == [attributes.joined(separator: " ")])
            let lists = schema.lists(of: model).joined(separator: " ")
            #expect(ContractPage.codes(in: row[2]) == (lists.isEmpty ? [] : [lists]))
        }
        let searched = schema.models.map { model in
            model.search?.fields.compactMap { field in model.attributes.first { $0.slot == field.slot }?.name }
        }
        #expect(searched == [["title", "artist"], ["title", "artist"], ["name"]])
    }
}

extension JSONValue {
    subscript(name: String) -> JSONValue {
        guard case .object(let members) = self else { return .null }
        return members.first { $0.name == name }?.value ?? .null
    }

    var text: String { if case .string(let text) = self { text } else { "" } }
    var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }
}

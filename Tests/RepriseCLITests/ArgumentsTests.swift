import ArgumentParser
import Reprise
import Testing

@testable import RepriseCLI

struct ArgumentsTests {
    private func command(_ line: String...) throws -> any Command {
        let parsed = try RepriseArguments.parseAsRoot(line)
        return try #require(parsed as? any CommandArguments).command()
    }

    /// Runs a command line that never reaches a store.
    private func run(_ line: String...) -> (outcome: Outcome, output: String, diagnostics: String) {
        let output = MemorySink()
        let diagnostics = MemorySink()
        var console = Console(output: output, diagnostics: diagnostics)
        let outcome = Tool.run(line, in: &console)
        return (outcome, output.text, diagnostics.text)
    }

    @Test func `fetch takes all of its options`() throws {
        let fetch = try #require(
            try command(
                "fetch",
                "s",
                "m",
                "--where",
                "-a",
                "--sort",
                "a:desc,b.c",
                "--limit",
                "5",
                "--offset",
                "2",
                "--as-of",
                "17",
                "--json",
                "--count"
            ) as? FetchCommand
        )
        #expect(fetch.store.path == "s")
        #expect(fetch.model == "m")
        #expect(fetch.filter == "-a")
        #expect(fetch.sort == ["a:desc", "b.c"])
        #expect(fetch.limit == 5)
        #expect(fetch.offset == 2)
        #expect(fetch.point == .position(Position(rawValue: 17)))
        #expect(fetch.isJSON && fetch.isCountOnly)
    }

    @Test func `an identifier may be empty or look like an option`() throws {
        #expect((try command("fetch", "s", "m", "--id", "") as? FetchCommand)?.id == "")
        #expect((try command("fetch", "s", "m", "--id", "--json") as? FetchCommand)?.id == "--json")
        let delete = try #require(try command("delete", "s", "m", "--", "-x") as? DeleteCommand)
        #expect(delete.entity == EntityReference(model: "m", id: "-x"))
        let put = try #require(
            try command("put", "s", "m", "--id", "-1", "a=", "b:=\"--x\"") as? PutCommand
        )
        #expect(put.id == "-1")
        #expect(put.assignments == ["a=", "b:=\"--x\""])
    }

    @Test func `log, replay, snapshot, rollback, export and migrate take theirs`() throws {
        let log = try #require(
            try command(
                "log",
                "s",
                "--from",
                "3",
                "--to",
                "9",
                "--reverse",
                "--limit",
                "1",
                "--model",
                "m",
                "--id",
                "x"
            ) as? LogCommand
        )
        #expect(log.from == Position(rawValue: 3))
        #expect(log.to == Position(rawValue: 9))
        #expect(log.isReversed && log.limit == 1 && log.model == "m" && log.id == "x")
        let replay = try #require(
            try command("replay", "s", "--to", "head", "--into", "n") as? ReplayCommand
        )
        #expect(replay.point == .head && replay.destination == "n")
        let snapshot = try #require(
            try command("snapshot", "create", "s", "n") as? SnapshotCommand
        )
        #expect(snapshot.action == .create(name: "n"))
        let rollback = try #require(try command("rollback", "s", "n", "--json") as? RollbackCommand)
        #expect(rollback.point == .snapshot("n") && rollback.isJSON)
        let export = try #require(
            try command("export", "s", "--as-of", "n", "--as", "ndjson") as? ExportCommand
        )
        #expect(export.point == .snapshot("n"))
        let migrate = try #require(
            try command(
                "migrate",
                "e",
                "--into",
                "s",
                "--as",
                "itunes",
                "--key-file",
                "k",
                "--source",
                "n",
                "--dry-run"
            ) as? MigrateCommand
        )
        #expect(migrate.export.path == "e" && migrate.destination == "s")
        #expect(migrate.export.format == "itunes")
        #expect(migrate.export.keyFile == "k" && migrate.export.name == "n" && migrate.isDryRun)
    }

    @Test func `verify hands its options to the child`() throws {
        let verify = try #require(
            try command("verify", "--json", "--quiet", "--", "-s") as? SupervisedVerifyCommand
        )
        #expect(
            verify.child.arguments == [
                "verify", "--in-this-process", "--json", "--quiet", "--", "-s",
            ]
        )
        #expect(VerifyArguments.isChild(verify.child.arguments))
        #expect(!VerifyArguments.isChild(["put", "s", "m", "--id", "--in-this-process"]))
        #expect(!VerifyArguments.isChild(["verify", "s"]))
        #expect(verify.child.environment == ["SWIFT_BACKTRACE": "enable=no"])
        let inside = try #require(
            try RepriseArguments.parseAsRoot(verify.child.arguments) as? VerifyArguments
        )
        #expect(inside.command() is VerifyCommand)
        #expect(!VerifyArguments.helpMessage().contains("in-this-process"))
    }

    @Test(
        arguments: [
            ["replay", "s", "--to", "3"], ["fetch", "s", "m", "--id", "x", "--limit", "1"],
            ["fetch", "s"], ["fetch", "s", "m", "--limit=-1"], ["fetch", "s", "m", "--offset=-1"],
            ["log", "s", "--from", "9", "--to", "3"], ["log", "s", "--limit=-1"],
            ["log", "s", "--from", "x"], ["export", "s", "--as", "csv"],
            ["snapshot", "delete", "s"],
            ["rollback", "s"], ["rollback", "s", ""], ["put", "s", "m"], ["migrate", "e"],
            ["fetch", "s", "m", "--jsn"], ["fetch", "s", "m", "extra"], [], ["snapshot"], ["fetc"],
            ["snapshot", "crete", "s"], ["--nonsense"], ["help", "fetc"],
            ["help", "snapshot", "crete"],
        ]
    )
    func `wrong use is exit code 64 with a sentence on standard error`(_ line: [String]) {
        let output = MemorySink()
        let diagnostics = MemorySink()
        var console = Console(output: output, diagnostics: diagnostics)
        #expect(Tool.run(line, in: &console) == .usage)
        #expect(output.text.isEmpty)
        #expect(!diagnostics.text.isEmpty)
    }

    @Test func `a misspelled subcommand is recognised at every level`() {
        #expect(
            run("fetc", "x").diagnostics
                == "Error: reprise has no subcommand `fetc`. Did you mean `reprise fetch`?\n"
        )
        #expect(run("snapshot", "lst").diagnostics.contains("`reprise snapshot list`"))
        #expect(run("frobnicate").diagnostics.contains("`reprise --help` lists them all."))
        #expect(run("\u{1B}[2J").diagnostics.contains("`␛[2J`"))
        #expect(run("help", "fetc").diagnostics == run("fetc").diagnostics)
        #expect(run("help", "snapshot", "lst").diagnostics == run("snapshot", "lst").diagnostics)
    }

    @Test func `help names what it is asked for, groups of subcommands too`() {
        for line in [
            ["help"], ["help", "help"], ["help", "snapshot"], ["help", "realm", "info"],
        ] {
            let output = MemorySink()
            let diagnostics = MemorySink()
            var console = Console(output: output, diagnostics: diagnostics)
            #expect(Tool.run(line, in: &console) == .done, "\(line)")
            #expect(output.text.contains("USAGE: ") && diagnostics.text.isEmpty, "\(line)")
        }
    }

    @Test func `a count below zero is told as what it is`() {
        for (line, option) in [
            (["fetch", "s", "m", "--limit", "-1"], "--limit"),
            (["fetch", "s", "m", "--offset", "-1"], "--offset"),
            (["log", "s", "--limit", "-1"], "--limit"), (["log", "s", "--limit=-1"], "--limit"),
        ] {
            let output = MemorySink()
            let diagnostics = MemorySink()
            var console = Console(output: output, diagnostics: diagnostics)
            #expect(Tool.run(line, in: &console) == .usage)
            #expect(diagnostics.text.contains("\(option) is 0 or more, and -1 is less."))
        }
        #expect(run("log", "s", "--from", "-1").diagnostics.contains("The value '-1' is invalid"))
    }

    @Test func `bytes that are no UTF-8 are told with their place`() throws {
        #expect(
            try CommandWords.decode([Array("é".utf8), [], Array("\u{FFFD}".utf8)])
                == ["é", "", "\u{FFFD}"]
        )
        for word in [[0x41, 0xE9], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xFF]] as [[UInt8]] {
            let failure = #expect(throws: CommandFailure.self) {
                try CommandWords.decode([[0x61], word])
            }
            #expect(failure?.outcome == .usage)
            #expect(failure?.message.hasPrefix("Argument 2, \"") == true)
        }
    }

    @Test func `every subcommand has help with examples`() throws {
        func check(_ command: any ParsableCommand.Type, _ path: [String]) {
            let (outcome, output, diagnostics) = run(path + ["--help"])
            #expect(outcome == .done)
            #expect(diagnostics.isEmpty)
            #expect(output.contains("Example"), "\(path)")
            #expect(output.contains("  reprise \(path.joined(separator: " "))"), "\(path)")
            for line in command.configuration.discussion.split(separator: "\n")
            where line.contains("  reprise") {
                #expect(line.count <= 80, "ArgumentParser would break this line: \(line)")
            }
            for inner in command.configuration.subcommands {
                check(inner, path + [inner.configuration.commandName ?? ""])
            }
        }
        func run(_ line: [String]) -> (Outcome, String, String) {
            let output = MemorySink()
            let diagnostics = MemorySink()
            var console = Console(output: output, diagnostics: diagnostics)
            return (Tool.run(line, in: &console), output.text, diagnostics.text)
        }
        for command in RepriseArguments.configuration.subcommands {
            check(command, [command.configuration.commandName ?? ""])
        }
        #expect(run(["help", "fetch"]).1.contains("USAGE: reprise fetch"))
        #expect(run(["--help"]).0 == .done)
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `there are completions`(_ shell: String) {
        let (outcome, output, _) = run("--generate-completion-script", shell)
        #expect(outcome == .done)
        #expect(output.contains("reprise"))
        #expect(output.contains("rollback"))
    }
}

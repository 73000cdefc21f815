import ArgumentParser
import LegacyMigration
import RealmFile
import Reprise

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The `reprise` command as a whole: from the words of the command line to an exit code.
package enum Tool {
    /// Runs the command line of this process and ends it.
    package static func main() -> Never {
        InterruptSignal.listen()
        let environment = { (name: String) in
            unsafe getenv(name).map { unsafe String(cString: $0) }
        }
        let outputTraits = TerminalTraits(of: STDOUT_FILENO, environment: environment)
        let diagnosticsTraits = TerminalTraits(of: STDERR_FILENO, environment: environment)
        let readAnswer: @Sendable () -> String? = { readLine(strippingNewline: true) }
        let canAsk = isatty(STDIN_FILENO) == 1 && diagnosticsTraits.isTerminal
        var console = Console(
            output: FileDescriptorSink.standardOutput,
            outputTraits: outputTraits,
            diagnostics: FileDescriptorSink.standardError,
            diagnosticsTraits: diagnosticsTraits,
            interruption: InterruptSignal.interruption,
            pager: outputTraits.isTerminal ? Pager(environment: environment) : nil,
            readAnswer: canAsk ? readAnswer : nil
        )
        let outcome = runCommandLine(in: &console)
        if outcome == .interrupted { InterruptSignal.endProcess() }
        exit(outcome.rawValue)
    }

    /// Runs the command line of this process.
    private static func runCommandLine(in console: inout Console) -> Outcome {
        let words: [String]
        do throws(CommandFailure) {
            words = try CommandWords.ofProcess()
        } catch {
            console.note(error.text(in: console.diagnosticsTraits))
            return error.outcome
        }
        // The death of the process that verifies is an answer to the one that watches it.
        if !VerifyArguments.isChild(words) { FaultSignal.listen() }
        return run(words, in: &console)
    }

    /// Runs a command line, telling `console` whatever goes wrong.
    static func run(_ words: [String], in console: inout Console) -> Outcome {
        if let outcome = refuseSubcommand(words, console) { return outcome }
        let arguments: any CommandArguments
        do {
            var parsed = try RepriseArguments.parseAsRoot(words)
            guard let known = parsed as? any CommandArguments else {
                // Help and completion scripts arrive as errors of running.
                try parsed.run()
                return .done
            }
            arguments = known
        } catch {
            return answer(parsingError: error, words, &console)
        }
        if arguments is VerifyArguments, words.contains(VerifyArguments.inProcessFlag) {
            OwnProgram.forgoCoreFile()
        }
        console.isQuiet = arguments.common.quiet
        if arguments.isPaged { console.usePager() }
        return run(in: &console) { console in
            let command = try arguments.command()
            if command.isQuestion { InterruptSignal.endsWorkAfterGrace() }
            return try command.run(in: &console)
        }
    }

    /// Runs a command, and turns what it throws into a sentence on standard error and an exit code.
    static func run(
        in console: inout Console,
        _ body: (inout Console) throws -> Outcome
    ) -> Outcome {
        var outcome = Outcome.done
        do {
            outcome = try body(&console)
            try console.output.flush()
            console.pager?.finish()
            return outcome
        } catch OutputError.closedPipe {
            // Nobody wants the rest. What was found out so far still counts.
            console.pager?.finish()
            return outcome
        } catch {
            // What was written before the error is still true.
            try? console.output.flush()
            console.pager?.finish()
            let failure = failure(for: error)
            console.note(failure.text(in: console.diagnosticsTraits))
            return failure.outcome
        }
    }

    private static func failure(for error: any Error) -> CommandFailure {
        switch error {
        case let failure as CommandFailure: failure
        case let error as StoreError: error.failure
        case let error as LegacyError: error.failure
        case let error as MigrationError: error.failure
        case let error as RealmFileError: error.failure
        case OutputError.failed(let number): OutputError.failure(errno: number)
        default:
            CommandFailure(
                .inputOutput,
                "Something unexpected went wrong: \(error).",
                advice: "Run `reprise verify` on the store, then the command again."
            )
        }
    }

    /// Help goes to standard output and is a success; a mistake goes to standard error.
    private static func answer(
        parsingError error: any Error,
        _ words: [String],
        _ console: inout Console
    ) -> Outcome {
        let text = RepriseArguments.fullMessage(for: error)
        guard RepriseArguments.exitCode(for: error).isSuccess else {
            console.note(text)
            if text.contains("'<model>'"), let names = modelNames(words) { console.note(names) }
            return .usage
        }
        return run(in: &console) { console in
            try console.output.line(text)
            return .done
        }
    }

    /// The models to choose from, where a command line names a store and no model (CLI-08).
    private static func modelNames(_ words: [String]) -> String? {
        guard let path = words.dropFirst().first(where: { !$0.hasPrefix("-") }) else { return nil }
        return try? StoreLocation(path: path).open(for: .reading) { 
            "The models of the store: \(try $0.schema.models.map(\.name).joined(separator: ", "))."
        }
    }

    /// ArgumentParser knows no near misses of subcommands, and takes a missing one for a wish for help.
    private static func refuseSubcommand(_ words: [String], _ console: Console) -> Outcome? {
        let named = words.drop { $0 == "help" }
        var command: any ParsableCommand.Type = RepriseArguments.self
        var path = "reprise"
        for word in named {
            let candidates = command.configuration.subcommands
            guard !candidates.isEmpty, !word.hasPrefix("-") else { return nil }
            let next = candidates.first { $0.configuration.commandName == word }
            guard let next else {
                console.note(
                    unknown(word, after: path, candidates).text(in: console.diagnosticsTraits)
                )
                return .usage
            }
            command = next
            path += " " + word
        }
        // Help on a command that has others below it is what was asked for.
        guard named.startIndex == 0, !command.configuration.subcommands.isEmpty else { return nil }
        console.note(RepriseArguments.helpMessage(for: command))
        return .usage
    }

    private static func unknown(
        _ word: String,
        after path: String,
        _ candidates: [any ParsableCommand.Type]
    ) -> CommandFailure {
        let names = candidates.compactMap { $0.configuration.commandName }
        return CommandFailure(
            .usage,
            "\(path) has no subcommand `\(DisplayWidth.visible(word))`.",
            advice: Spelling.nearest(to: word, in: names).map { "Did you mean `\(path) \($0)`?" }
                ?? "`\(path) --help` lists them all."
        )
    }
}

import ArgumentParser
import Reprise

/// What a subcommand takes from the command line: options in, a ``Command`` out, no work.
protocol CommandArguments: ParsableCommand {
    var common: CommonArguments { get }

    /// The command that the options ask for.
    func command() throws -> any Command
}

/// What every subcommand understands.
struct CommonArguments: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Show no progress.")
    var quiet = false
}

/// What subcommands with an answer understand.
struct AnswerArguments: ParsableArguments {
    @Flag(help: "Print one JSON object a line instead of text for people.")
    var json = false
}

/// The store that almost every subcommand works on.
struct StoreArguments: ParsableArguments {
    @Argument(help: "The directory of the store.", completion: .directory)
    var store: String

    var location: StoreLocation { StoreLocation(path: store) }
}

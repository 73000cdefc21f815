import ArgumentParser
import Reprise

/// What a subcommand takes from the command line: options in, a ``Command`` out, no work.
protocol CommandArguments: ParsableCommand {
    var common: CommonArguments { get }

    /// Whether the answer goes through a pager where standard output is a terminal.
    var isPaged: Bool { get }

    /// The command that the options ask for.
    func command() throws -> any Command
}

extension CommandArguments {
    var isPaged: Bool { false }
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

/// What subcommands with long answers understand.
struct PagerArguments: ParsableArguments {
    @Flag(help: "Print everything at once where standard output is a terminal.")
    var noPager = false

    var isWanted: Bool { !noPager }
}

/// What subcommands that show entities understand.
struct ColumnsArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Attributes and lists to show, separated by commas; id is one of them.",
            valueName: "names"
        )
    )
    var columns: String?

    var names: [String]? { columns.map { $0.split(separator: ",").map(String.init) } }
}

/// Which entities a subcommand shows, and in which order.
struct QueryArguments: ParsableArguments {
    @Option(
        name: .customLong("where"),
        parsing: .unconditional,
        help: ArgumentHelp("Only what this holds for; see `reprise help fetch`.", valueName: "expression")
    )
    var filter: String?

    @Option(
        help: ArgumentHelp(
            "Attributes to sort by, separated by commas, each with :desc to turn it round.",
            valueName: "keys"
        )
    )
    var sort: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("At most this many.", valueName: "count")
    )
    var limit: Int?

    var sortKeys: [String] { sort.map { $0.split(separator: ",").map(String.init) } ?? [] }

    func validate() throws {
        if let limit, limit < 0 { throw ValidationError.negative("--limit", limit) }
    }
}

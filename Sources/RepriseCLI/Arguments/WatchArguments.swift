import ArgumentParser
import Reprise

struct WatchArguments: CommandArguments {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Shows the results of a query again whenever they change, until Ctrl-C.",
        discussion: """
            Changes of other programs are seen too. With --json the first results, and what comes later, are lines of \
            "inserted"; further lines say what was "updated", "moved" and "removed".

            Examples:
              reprise watch music track --where 'isFavorite' --sort title
              reprise watch music playlist --columns id,name --json
            """
    )

    @OptionGroup var store: StoreArguments

    @Argument(help: "The name of the model.")
    var model: String

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

    @OptionGroup var columns: ColumnsArguments
    @OptionGroup var answer: AnswerArguments
    @OptionGroup var common: CommonArguments

    func validate() throws {
        if let limit, limit < 0 { throw ValidationError.negative("--limit", limit) }
    }

    func command() -> any Command {
        WatchCommand(
            fetch: FetchCommand(
                store: store.location,
                model: model,
                filter: filter,
                sort: sort.map { $0.split(separator: ",").map(String.init) } ?? [],
                limit: limit,
                columns: columns.names,
                isJSON: answer.json
            )
        )
    }
}

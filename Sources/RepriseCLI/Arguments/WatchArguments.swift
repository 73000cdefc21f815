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

    @OptionGroup var query: QueryArguments

    @OptionGroup var columns: ColumnsArguments
    @OptionGroup var answer: AnswerArguments
    @OptionGroup var common: CommonArguments

    func command() -> any Command {
        WatchCommand(
            fetch: FetchCommand(
                store: store.location,
                model: model,
                filter: query.filter,
                sort: query.sortKeys,
                limit: query.limit,
                columns: columns.names,
                isJSON: answer.json
            )
        )
    }
}

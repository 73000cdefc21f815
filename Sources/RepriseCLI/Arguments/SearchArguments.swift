import ArgumentParser
import Reprise

struct SearchArguments: CommandArguments {
    static let configuration = CommandConfiguration(
        commandName: "search",
        abstract: "Finds words in what a model declares as searchable, the best first.",
        discussion: """
            All of the words must occur, whatever their case and accents; begin* stands for words that begin so, \
            '"words in a row"' for a phrase, and -word, after --, for what must not occur.

            Examples:
              reprise search music track so what
              reprise search music track 'mil* davis' --where 'rating > 80' --limit 10
              reprise search music playlist --json -- summer -live
            """
    )

    @OptionGroup var store: StoreArguments

    @Argument(help: "The name of the model.")
    var model: String

    @Argument(help: "What to look for.")
    var words: [String]

    @Option(
        name: .customLong("where"),
        parsing: .unconditional,
        help: ArgumentHelp("Only what this holds for, too; see `reprise help fetch`.", valueName: "expression")
    )
    var filter: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("At most this many, the best.", valueName: "count")
    )
    var limit: Int?

    @Option(help: ArgumentHelp("The state then: \(Point.help).", valueName: "point"))
    var asOf: String?

    @OptionGroup var columns: ColumnsArguments
    @OptionGroup var answer: AnswerArguments
    @OptionGroup var pager: PagerArguments
    @OptionGroup var common: CommonArguments

    var isPaged: Bool { pager.isWanted && !answer.json }

    func validate() throws {
        if let limit, limit < 0 { throw ValidationError.negative("--limit", limit) }
    }

    func command() throws -> any Command {
        SearchCommand(
            store: store.location,
            model: model,
            text: words.joined(separator: " "),
            filter: filter,
            limit: limit,
            columns: columns.names,
            point: try asOf.map { try Point(typed: $0) } ?? .head,
            isJSON: answer.json
        )
    }
}

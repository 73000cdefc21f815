import ArgumentParser
import Reprise

struct StatsArguments: CommandArguments {
    static let configuration = CommandConfiguration(
        commandName: "stats",
        abstract: "Shows how large a store is and what it holds.",
        discussion: """
            Examples:
              reprise stats music
              reprise stats music --json | jq .models
            """
    )

    @OptionGroup var store: StoreArguments
    @OptionGroup var answer: AnswerArguments
    @OptionGroup var common: CommonArguments

    func command() -> any Command {
        StatsCommand(store: store.location, isJSON: answer.json)
    }
}

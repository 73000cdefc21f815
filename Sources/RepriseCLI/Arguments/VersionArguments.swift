import ArgumentParser

struct VersionArguments: CommandArguments {
    static let configuration = CommandConfiguration(
        commandName: "version",
        abstract: "Shows which release this is.",
        discussion: """
            Examples:
              reprise version
              reprise version --json
            """
    )

    @OptionGroup var answer: AnswerArguments
    @OptionGroup var common: CommonArguments

    func command() -> any Command {
        VersionCommand(isJSON: answer.json)
    }
}

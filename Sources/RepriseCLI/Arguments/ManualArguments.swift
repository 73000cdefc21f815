import ArgumentParser

struct ManualArguments: CommandArguments {
    static let configuration = CommandConfiguration(
        commandName: "manual",
        abstract: "Prints the manual page, for `man`.",
        discussion: """
            It is made of the texts of --help.

            Examples:
              reprise manual > reprise.1
              reprise manual | man -l -
            """
    )

    @OptionGroup var common: CommonArguments

    func command() throws -> any Command {
        ManualCommand(help: RepriseArguments._dumpHelp())
    }
}

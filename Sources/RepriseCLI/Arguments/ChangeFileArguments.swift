import ArgumentParser
import Reprise

/// A file of changes on the command line.
struct ChangeFileArgument: ParsableArguments {
    @Argument(help: "A file of changes, as diff --output makes it.", completion: .file(extensions: ["changes"]))
    var file: String
}

struct ApplyArguments: CommandArguments {
    static let configuration = CommandConfiguration(
        commandName: "apply",
        abstract: "Makes the changes of a file happen to a store, in one commit.",
        discussion: """
            The file is of this store, of a branch or the parent of it, or of a copy of it, if this store has had the \
            state with which the changes begin. What was done since stays. Where both have changed the same thing \
            nothing is written, and all of it is shown; exit code 1.

            Examples:
              reprise apply music correction.changes --plan
              reprise apply music correction.changes
            """
    )

    @OptionGroup var store: StoreArguments
    @OptionGroup var file: ChangeFileArgument

    @OptionGroup var sides: SideArguments
    @OptionGroup var answer: AnswerArguments
    @OptionGroup var common: CommonArguments

    func command() -> any Command {
        RevertCommand(
            store: store.location,
            verb: .apply(path: file.file),
            resolution: sides.choice,
            isPlanOnly: sides.plan,
            isJSON: answer.json
        )
    }
}

struct ChangesArguments: CommandArguments {
    static let configuration = CommandConfiguration(
        commandName: "changes",
        abstract: "Shows what is in a file of changes.",
        discussion: """
            No store is needed. Counts first, then a line for each change, as diff does.

            Examples:
              reprise changes correction.changes
              reprise changes correction.changes --model track --json
            """
    )

    @OptionGroup var file: ChangeFileArgument

    @Option(help: "Only entities of this model.")
    var model: String?

    @Option(parsing: .unconditional, help: "Only the entity with this identifier.")
    var id: String?

    @OptionGroup var answer: AnswerArguments
    @OptionGroup var pager: PagerArguments
    @OptionGroup var common: CommonArguments

    var isPaged: Bool { pager.isWanted && !answer.json }

    func command() -> any Command {
        ChangeFileCommand(path: file.file, model: model, id: id, isJSON: answer.json)
    }
}

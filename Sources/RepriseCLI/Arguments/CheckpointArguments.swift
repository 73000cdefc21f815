import ArgumentParser

struct CheckpointArguments: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "checkpoint",
        abstract: "Keeps states of snapshots as files, from which reads of the past begin.",
        discussion: """
            No store needs one: without it a read of a past that is far from the head takes longer. The files lie in \
            the directory <store>.checkpoints, and may be copied to that of a copy or a branch.

            Examples:
              reprise snapshot create music end-of-2024 --keep-state
              reprise checkpoint list music
              reprise checkpoint prune music --plan
            """,
        subcommands: [Keep.self, List.self, Prune.self]
    )

    struct Keep: CommandArguments {
        static let configuration = CommandConfiguration(
            commandName: "keep",
            abstract: "Keeps the state of a snapshot as a file.",
            discussion: """
                One that is there already and is whole stays as it is. After a change of the schema the state is \
                kept anew.

                Example:
                  reprise checkpoint keep music end-of-2024
                """
        )

        @OptionGroup var store: StoreArguments

        @Argument(help: "The name of the snapshot.")
        var snapshot: String

        @OptionGroup var answer: AnswerArguments
        @OptionGroup var common: CommonArguments

        func command() -> any Command {
            CheckpointCommand(store: store.location, action: .keep(snapshot: snapshot), isJSON: answer.json)
        }
    }

    struct List: CommandArguments {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "Shows the states that are kept.",
            discussion: """
                Each file is read and compared with its checksum.

                Example:
                  reprise checkpoint list music
                """
        )

        @OptionGroup var store: StoreArguments
        @OptionGroup var answer: AnswerArguments
        @OptionGroup var common: CommonArguments

        func command() -> any Command {
            CheckpointCommand(store: store.location, action: .list, isJSON: answer.json)
        }
    }

    struct Prune: CommandArguments {
        static let configuration = CommandConfiguration(
            commandName: "prune",
            abstract: "Removes kept states that are of no use any more.",
            discussion: """
                Those are states that no snapshot names, that are damaged, or that are of another log or schema. \
                The store, its snapshots and its log stay as they are.

                Examples:
                  reprise checkpoint prune music --plan
                  reprise checkpoint prune music --all
                """
        )

        @OptionGroup var store: StoreArguments

        @Flag(help: "Remove all of them.")
        var all = false

        @Flag(help: "Only show what would be removed.")
        var plan = false

        @OptionGroup var answer: AnswerArguments
        @OptionGroup var common: CommonArguments

        func command() -> any Command {
            CheckpointCommand(
                store: store.location,
                action: .prune(all: all, isPlanOnly: plan),
                isJSON: answer.json
            )
        }
    }
}

import ArgumentParser
import Reprise

struct SchemaArguments: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Shows the schemas of a store, and what a declaration would change.",
        discussion: """
            Examples:
              reprise schema show music
              reprise schema history music
              reprise schema plan music new-schema.json
            """,
        subcommands: [Show.self, History.self, Diff.self, Plan.self]
    )

    struct Show: CommandArguments {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Shows the schema in force.",
            discussion: """
                `?` marks what may be nil; "on delete" says what becomes of the partners when an entity of the model \
                is deleted. With --json the schema is an object that `reprise schema plan` reads.

                Examples:
                  reprise schema show music
                  reprise schema show music --as-of 2024-05-31
                  reprise schema show music --json > schema.json
                """
        )

        @OptionGroup var store: StoreArguments

        @Option(help: ArgumentHelp("The schema then: \(Point.help).", valueName: "point"))
        var asOf: String?

        @OptionGroup var answer: AnswerArguments
        @OptionGroup var pager: PagerArguments
        @OptionGroup var common: CommonArguments

        var isPaged: Bool { pager.isWanted && !answer.json }

        func command() throws -> any Command {
            SchemaShowCommand(
                store: store.location,
                point: try asOf.map { try Point(typed: $0) } ?? .head,
                isJSON: answer.json
            )
        }
    }

    struct History: CommandArguments {
        static let configuration = CommandConfiguration(
            commandName: "history",
            abstract: "Shows every declaration and the steps that led to it, oldest first.",
            discussion: """
                Examples:
                  reprise schema history music
                  reprise schema history music --json | jq '.steps[].text'
                """
        )

        @OptionGroup var store: StoreArguments
        @OptionGroup var answer: AnswerArguments
        @OptionGroup var pager: PagerArguments
        @OptionGroup var common: CommonArguments

        var isPaged: Bool { pager.isWanted && !answer.json }

        func command() -> any Command {
            SchemaHistoryCommand(store: store.location, isJSON: answer.json)
        }
    }

    struct Diff: CommandArguments {
        static let configuration = CommandConfiguration(
            commandName: "diff",
            abstract: "Shows the steps between the schemas in force at two points.",
            discussion: """
                Exit code 0 whether they differ or not.

                Examples:
                  reprise schema diff music before-update
                  reprise schema diff music 1 2024-05-31T12:00:00Z --json
                """
        )

        @OptionGroup var store: StoreArguments

        @Argument(help: "The first point: \(Point.help).")
        var from: String

        @Argument(help: "The second point; left out, it is head.")
        var to: String?

        @OptionGroup var answer: AnswerArguments
        @OptionGroup var pager: PagerArguments
        @OptionGroup var common: CommonArguments

        var isPaged: Bool { pager.isWanted && !answer.json }

        func command() throws -> any Command {
            SchemaDiffCommand(
                store: store.location,
                from: try Point(typed: from),
                to: try to.map { try Point(typed: $0) } ?? .head,
                isJSON: answer.json
            )
        }
    }

    struct Plan: CommandArguments {
        static let configuration = CommandConfiguration(
            commandName: "plan",
            abstract: "Shows what opening a store with another schema would do. Nothing is done.",
            discussion: """
                Exit code 1 when opening would be refused. Rows are counted and not looked at: values that are \
                missing, or not unique, are found when the change is made.

                Examples:
                  reprise schema plan music new-schema.json
                  reprise schema plan music another-store --json
                """
        )

        @OptionGroup var store: StoreArguments

        @Argument(
            help: "A file as `reprise schema show --json` prints it, or a store whose schema is taken.",
            completion: .file()
        )
        var declaration: String

        @OptionGroup var answer: AnswerArguments
        @OptionGroup var common: CommonArguments

        func command() -> any Command {
            SchemaPlanCommand(store: store.location, declaration: declaration, isJSON: answer.json)
        }
    }
}

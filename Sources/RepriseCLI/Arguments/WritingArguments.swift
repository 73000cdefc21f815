import ArgumentParser
import Reprise

struct PutArguments: CommandArguments {
    static let configuration = CommandConfiguration(
        commandName: "put",
        abstract: "Inserts an entity, or changes the attributes that are named.",
        discussion: """
            key=text sets an attribute, key= sets it to nil, key:=JSON takes a JSON value (an empty text \
            is key:='""'). A to-one takes the target's identifier; dates are ISO 8601, data is base64, \
            lists, sets, maps and embedded structs are JSON.

            Examples:
              reprise put music track --id 1F0E title='So What' album=kind-of-blue
              reprise put music track --id 1F0E rating= releaseDate=1959-08-17
            """
    )

    @OptionGroup var store: StoreArguments

    @Argument(help: "The name of the model.")
    var model: String

    @Option(parsing: .unconditional, help: "The identifier.")
    var id: String

    @Argument(help: ArgumentHelp("Attributes and their values.", valueName: "key=value"))
    var assignments: [String] = []

    @OptionGroup var answer: AnswerArguments
    @OptionGroup var common: CommonArguments

    func command() -> any Command {
        PutCommand(
            store: store.location,
            model: model,
            id: id,
            assignments: assignments,
            isJSON: answer.json
        )
    }
}

struct DeleteArguments: CommandArguments {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Deletes an entity by the rules of its relationships.",
        discussion: """
            Exit code 1 when the entity is not there, or a relationship forbids it.

            Examples:
              reprise delete music album kind-of-blue --plan
              reprise delete music album kind-of-blue
            """
    )

    @OptionGroup var store: StoreArguments

    @Argument(help: "The name of the model.")
    var model: String

    @Argument(help: "The identifier; after -- it may begin with a dash.")
    var id: String

    @Flag(help: "Only show what would go, and what forbids it.")
    var plan = false

    @OptionGroup var answer: AnswerArguments
    @OptionGroup var common: CommonArguments

    func command() -> any Command {
        DeleteCommand(
            store: store.location,
            entity: EntityReference(model: model, id: id),
            isPlanOnly: plan,
            isJSON: answer.json
        )
    }
}

struct MigrateArguments: CommandArguments {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Replays the export of another program as events.",
        discussion: """
            A newer export of the same library writes only the difference. A store that does not exist \
            is created. A snapshot is taken first: `reprise rollback` goes back to it.

            Examples:
              reprise migrate 'iTunes Library.xml' --into music
              reprise migrate default.realm --into music --key-file realm.key --dry-run
            """
    )

    @Argument(help: "The export.", completion: .file())
    var export: String

    @Option(help: ArgumentHelp("The store.", valueName: "store"), completion: .directory)
    var into: String

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp("The format; otherwise the content tells.", valueName: "format")
    )
    var format: String?

    @Option(
        help: ArgumentHelp("The key of an encrypted export.", valueName: "file"),
        completion: .file()
    )
    var keyFile: String?

    @Option(
        help: ArgumentHelp(
            "A name that takes the place of the library's own identity.",
            valueName: "name"
        )
    )
    var source: String?

    @Flag(help: "Read and count, and write nothing.")
    var dryRun = false

    @OptionGroup var answer: AnswerArguments
    @OptionGroup var common: CommonArguments

    func command() -> any Command {
        MigrateCommand(
            export: export,
            destination: into,
            format: format,
            keyFile: keyFile,
            source: source,
            isDryRun: dryRun,
            isJSON: answer.json
        )
    }
}

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
              reprise put music album --id kind-of-blue title='Kind of Blue'
              reprise put music track --id 1F0E title='So What' playCount=0 \\
                isFavorite=false album=kind-of-blue
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

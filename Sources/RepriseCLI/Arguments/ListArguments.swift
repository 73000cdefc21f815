import ArgumentParser
import Reprise

/// The list that a command changes.
struct ListOwnerArguments: ParsableArguments {
    @Argument(help: "The name of the model that has the list.")
    var model: String

    @Argument(help: "The identifier of its owner; after -- it may begin with a dash.")
    var id: String

    @Argument(help: "The name of the list.")
    var list: String

    var owner: EntityReference { EntityReference(model: model, id: id) }
}

struct LinkArguments: CommandArguments {
    static let configuration = CommandConfiguration(
        commandName: "link",
        abstract: "Puts entities into a list.",
        discussion: """
            In a list whose other side is a to-one, an entity is taken out of the list that it was in.

            Examples:
              reprise link music playlist 7A31 tracks 1F0E 2B44
              reprise link music playlist 7A31 tracks 2B44 --at first --json
            """
    )

    @OptionGroup var store: StoreArguments
    @OptionGroup var list: ListOwnerArguments

    @Argument(help: ArgumentHelp("The identifiers of what is put in, in order.", valueName: "target"))
    var targets: [String]

    @Option(help: "Which end of the list: first or last.")
    var at = LinkCommand.Place.last

    @OptionGroup var answer: AnswerArguments
    @OptionGroup var common: CommonArguments

    func command() -> any Command {
        LinkCommand(
            store: store.location,
            owner: list.owner,
            list: list.list,
            targets: targets,
            place: at,
            isJSON: answer.json
        )
    }
}

extension LinkCommand.Place: ExpressibleByArgument {}

struct UnlinkArguments: CommandArguments {
    static let configuration = CommandConfiguration(
        commandName: "unlink",
        abstract: "Takes entries out of a list; what they lead to stays.",
        discussion: """
            An entry is named by what it leads to. Where the list has that several times, it is named as `link` shows \
            it, with # and a number.

            Examples:
              reprise unlink music playlist 7A31 tracks 1F0E
              reprise unlink music playlist 7A31 tracks '2B44#30' --json
            """
    )

    @OptionGroup var store: StoreArguments
    @OptionGroup var list: ListOwnerArguments

    @Argument(help: ArgumentHelp("Entries, or targets that the list has once.", valueName: "entry"))
    var entries: [String]

    @OptionGroup var answer: AnswerArguments
    @OptionGroup var common: CommonArguments

    func command() -> any Command {
        UnlinkCommand(
            store: store.location,
            owner: list.owner,
            list: list.list,
            entries: entries,
            isJSON: answer.json
        )
    }
}

struct MoveArguments: CommandArguments {
    static let configuration = CommandConfiguration(
        commandName: "move",
        abstract: "Puts an entry in another place of its list.",
        discussion: """
            Entries are named as for `reprise unlink`.

            Examples:
              reprise move music playlist 7A31 tracks 1F0E --last
              reprise move music playlist 7A31 tracks 1F0E --before 2B44
            """
    )

    @OptionGroup var store: StoreArguments
    @OptionGroup var list: ListOwnerArguments

    @Argument(help: "The entry, or a target that the list has once.")
    var entry: String

    @Option(parsing: .unconditional, help: ArgumentHelp("Before this one.", valueName: "entry"))
    var before: String?

    @Option(parsing: .unconditional, help: ArgumentHelp("After this one.", valueName: "entry"))
    var after: String?

    @Flag(help: "To the beginning.")
    var first = false

    @Flag(help: "To the end.")
    var last = false

    @OptionGroup var answer: AnswerArguments
    @OptionGroup var common: CommonArguments

    private var places: [MoveCommand.Place] {
        (before.map { [.before($0)] } ?? []) + (after.map { [.after($0)] } ?? [])
            + (first ? [.first] : []) + (last ? [.last] : [])
    }

    func validate() throws {
        if places.count != 1 {
            throw ValidationError("Say where to with one of --before, --after, --first and --last.")
        }
    }

    func command() throws -> any Command {
        MoveCommand(
            store: store.location,
            owner: list.owner,
            list: list.list,
            entry: entry,
            place: places[0],
            isJSON: answer.json
        )
    }
}

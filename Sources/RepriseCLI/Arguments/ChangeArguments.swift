import ArgumentParser
import Reprise

struct DiffArguments: CommandArguments {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Shows what is different between two points.",
        discussion: """
            Counts first, then a line for each change: + is there afterwards, - is not any more, ~ is different.

            Examples:
              reprise diff music before-import
              reprise diff music 1200 1300 --model track
              reprise diff music 2024-05-31 --json
              reprise diff music before-import --output import.changes
            """
    )

    @OptionGroup var store: StoreArguments

    @Argument(help: "The state before: \(Point.help).")
    var from: String

    @Argument(help: "The state afterwards: \(Point.help).")
    var to: String = "head"

    @Option(help: "Only entities of this model.")
    var model: String?

    @Option(parsing: .unconditional, help: "Only the entity with this identifier.")
    var id: String?

    @Option(
        help: ArgumentHelp("A new file that gets the changes, for apply.", valueName: "file"),
        completion: .file()
    )
    var output: String?

    @OptionGroup var answer: AnswerArguments
    @OptionGroup var pager: PagerArguments
    @OptionGroup var common: CommonArguments

    var isPaged: Bool { pager.isWanted && !answer.json }

    func validate() throws {
        if output != nil, model != nil || id != nil {
            throw ValidationError("--output writes all changes. Leave --model and --id out.")
        }
    }

    func command() throws -> any Command {
        DiffCommand(
            store: store.location,
            from: try Point(typed: from),
            to: try Point(typed: to),
            model: model,
            id: id,
            output: output,
            isJSON: answer.json
        )
    }
}

/// An entity that a command is about.
struct EntityArguments: ParsableArguments {
    @Argument(help: "The model.")
    var model: String

    @Argument(help: "The identifier.")
    var id: String

    var reference: EntityReference { EntityReference(model: model, id: id) }
}

struct HistoryArguments: CommandArguments {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Shows what commits have made of one entity, newest first.",
        discussion: """
            Across its deletions and returns, with the values before and afterwards.

            Examples:
              reprise history music track 7A31
              reprise history music track 7A31 --limit 5 --json
              reprise history music track 7A31 --dead
            """
    )

    @OptionGroup var store: StoreArguments
    @OptionGroup var entity: EntityArguments

    @Option(parsing: .unconditional, help: ArgumentHelp("At most this many commits.", valueName: "count"))
    var limit: Int?

    @Flag(help: "Also what a rollback has taken back.")
    var dead = false

    @OptionGroup var answer: AnswerArguments
    @OptionGroup var pager: PagerArguments
    @OptionGroup var common: CommonArguments

    var isPaged: Bool { pager.isWanted && !answer.json }

    func validate() throws {
        if let limit, limit < 0 { throw ValidationError.negative("--limit", limit) }
    }

    func command() -> any Command {
        HistoryCommand(
            store: store.location,
            entity: entity.reference,
            limit: limit,
            includesDead: dead,
            isJSON: answer.json
        )
    }
}

struct BlameArguments: CommandArguments {
    static let configuration = CommandConfiguration(
        commandName: "blame",
        abstract: "Shows for each field and list of an entity the commit that set it.",
        discussion: """
            Example:
              reprise blame music track 7A31
            """
    )

    @OptionGroup var store: StoreArguments
    @OptionGroup var entity: EntityArguments
    @OptionGroup var answer: AnswerArguments
    @OptionGroup var common: CommonArguments

    func command() -> any Command {
        BlameCommand(store: store.location, entity: entity.reference, isJSON: answer.json)
    }
}

/// What is done with conflicts, and whether anything is done.
struct ConflictArguments: ParsableArguments {
    @Flag(help: "Where something newer stands in the way, it stays; the rest is taken back.")
    var keepLater = false

    @Flag(help: "Where something newer stands in the way, it is overwritten.")
    var force = false

    @Flag(help: "Only show what would be done.")
    var plan = false

    func validate() throws {
        if keepLater, force { throw ValidationError("--keep-later and --force exclude each other.") }
    }

    var choice: RevertCommand.ConflictChoice { keepLater ? .keepLater : force ? .force : .ask }
}

/// Whose side holds where two have changed the same thing, and whether anything is done.
struct SideArguments: ParsableArguments {
    @Flag(help: "Where both have changed the same thing, the store's side holds.")
    var keepLater = false

    @Flag(help: "Where both have changed the same thing, the other side holds.")
    var force = false

    @Flag(help: "Only show what would be done.")
    var plan = false

    func validate() throws {
        if keepLater, force { throw ValidationError("--keep-later and --force exclude each other.") }
    }

    var choice: RevertCommand.ConflictChoice { keepLater ? .keepLater : force ? .force : .ask }
}

struct RevertArguments: CommandArguments {
    static let configuration = CommandConfiguration(
        commandName: "revert",
        abstract: "Takes commits back and keeps what was done since.",
        discussion: """
            One commit that can itself be taken back. Where something newer stands in the way nothing is written, and \
            all of it is shown; exit code 1. Where a newer migration of the same source stands, a migration that is \
            taken back leaves the rows of the source as they are.

            Examples:
              reprise revert music 1204
              reprise revert music 1204..1310 --plan
              reprise revert music 1204..head
              reprise revert music m1200 --keep-later
            """
    )

    @OptionGroup var store: StoreArguments

    @Argument(help: "Migrations, positions, or two positions with .. between them; the second one may be head.")
    var commits: [String]

    @OptionGroup var conflicts: ConflictArguments
    @OptionGroup var answer: AnswerArguments
    @OptionGroup var common: CommonArguments

    func command() throws -> any Command {
        RevertCommand(
            store: store.location,
            verb: .revert(try commits.map(Self.selection)),
            resolution: conflicts.choice,
            isPlanOnly: conflicts.plan,
            isJSON: answer.json
        )
    }

    private static func selection(_ word: String) throws(CommandFailure) -> CommitSelection {
        if let number = UInt64(word) { return .commit(Position(rawValue: number)) }
        let parts = word.split(separator: "..", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return .correlation(word) }
        if let first = UInt64(parts[0]) {
            if parts[1] == "head" { return .from(Position(rawValue: first)) }
            if let last = UInt64(parts[1]), first <= last {
                return .range(Position(rawValue: first)...Position(rawValue: last))
            }
        }
        throw CommandFailure(
            .usage,
            "`\(DisplayWidth.visible(word))` is no stretch of the log.",
            advice: "Write two positions, the smaller first: 1204..1310, or 1204..head."
        )
    }
}

struct RestoreArguments: CommandArguments {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Brings a deleted entity back, with its links and its places in lists.",
        discussion: """
            What its deletion had taken along comes back as well. With --as-of it gets the values that it had then, \
            also where it is still there.

            Examples:
              reprise restore music album 7A31
              reprise restore music track 7A31 --as-of before-import --plan
            """
    )

    @OptionGroup var store: StoreArguments
    @OptionGroup var entity: EntityArguments

    @Option(help: ArgumentHelp("Whose values it gets: \(Point.help).", valueName: "point"))
    var asOf: String?

    @OptionGroup var conflicts: ConflictArguments
    @OptionGroup var answer: AnswerArguments
    @OptionGroup var common: CommonArguments

    func command() throws -> any Command {
        RevertCommand(
            store: store.location,
            verb: .restore(entity.reference, asOf: try asOf.map { try Point(typed: $0) }),
            resolution: conflicts.choice,
            isPlanOnly: conflicts.plan,
            isJSON: answer.json
        )
    }
}

struct UndoArguments: CommandArguments {
    static let configuration = CommandConfiguration(
        commandName: "undo",
        abstract: "Takes back what an actor has done last.",
        discussion: """
            One commit, or all commits of a group. Migrations and rollbacks are not undone: see revert and rollback.

            Examples:
              reprise undo music
              reprise undo music --actor anna --plan
            """
    )

    @OptionGroup var store: StoreArguments
    @Option(help: "Whose change; without it, what was done with this command.")
    var actor: String?
    @OptionGroup var conflicts: ConflictArguments
    @OptionGroup var answer: AnswerArguments
    @OptionGroup var common: CommonArguments

    func command() -> any Command {
        RevertCommand(
            store: store.location,
            verb: .undo(actor: actor),
            resolution: conflicts.choice,
            isPlanOnly: conflicts.plan,
            isJSON: answer.json
        )
    }
}

struct RedoArguments: CommandArguments {
    static let configuration = CommandConfiguration(
        commandName: "redo",
        abstract: "Brings back what the last undo of an actor has taken back.",
        discussion: """
            Example:
              reprise redo music --actor anna
            """
    )

    @OptionGroup var store: StoreArguments
    @Option(help: "Whose undo; without it, that of this command.")
    var actor: String?
    @OptionGroup var conflicts: ConflictArguments
    @OptionGroup var answer: AnswerArguments
    @OptionGroup var common: CommonArguments

    func command() -> any Command {
        RevertCommand(
            store: store.location,
            verb: .redo(actor: actor),
            resolution: conflicts.choice,
            isPlanOnly: conflicts.plan,
            isJSON: answer.json
        )
    }
}

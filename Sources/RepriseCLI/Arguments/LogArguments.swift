import ArgumentParser
import Reprise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct LogArguments: CommandArguments {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Shows commits with their events, oldest first.",
        discussion: """
            Beside rows that a migration wrote stands when they were made and changed in the store that they come \
            from, where that store knows.

            Examples:
              reprise log music --reverse --limit 10
              reprise log music --oneline
              reprise log music --model playlist --id 7A31 --json
              reprise log music --from 1000 --to 2000
              reprise log music --actor anna --since 2024-05-31
            """
    )

    @OptionGroup var store: StoreArguments

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The first position.", valueName: "position")
    )
    var from: UInt64?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The last position.", valueName: "position")
    )
    var to: UInt64?

    @Flag(help: "Newest first.")
    var reverse = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("At most this many commits.", valueName: "count")
    )
    var limit: Int?

    @Flag(help: "A line for each commit, without its events.")
    var oneline = false

    @Option(help: "Only events of this model.")
    var model: String?

    @Option(parsing: .unconditional, help: "Only events of the entity with this identifier.")
    var id: String?

    @Option(help: "Only commits of this actor.")
    var actor: String?

    @Option(help: "Only commits with this intent.")
    var intent: String?

    @Option(help: ArgumentHelp("Only commits that were not made before, by the clock of then.", valueName: "date"))
    var since: String?

    @OptionGroup var answer: AnswerArguments
    @OptionGroup var pager: PagerArguments
    @OptionGroup var common: CommonArguments

    var isPaged: Bool { pager.isWanted && !answer.json }

    func validate() throws {
        if let limit, limit < 0 { throw ValidationError.negative("--limit", limit) }
        if oneline, answer.json {
            throw ValidationError("--oneline is for people, and --json prints a line for each commit anyway.")
        }
        if let from, let to, from > to { throw ValidationError("--from lies behind --to.") }
    }

    private static func date(_ text: String) throws(CommandFailure) -> Date {
        if let date = try? Timestamp.date(text) { return date }
        throw CommandFailure(
            .usage,
            "`\(DisplayWidth.visible(text))` is no date.",
            advice: "Write 2024-05-31 or 2024-05-31T12:00:00Z."
        )
    }

    func command() throws -> any Command {
        LogCommand(
            store: store.location,
            from: from.map(Position.init(rawValue:)),
            to: to.map(Position.init(rawValue:)),
            isReversed: reverse,
            limit: limit,
            model: model,
            id: id,
            actor: actor,
            intent: intent,
            since: try since.map(Self.date),
            isOneLine: oneline,
            isJSON: answer.json
        )
    }
}

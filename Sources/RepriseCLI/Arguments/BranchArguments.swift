import ArgumentParser
import Reprise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct BranchArguments: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "branch",
        abstract: "Makes stores that go on from a point of another one, and merges them.",
        discussion: """
            A branch is a store of its own, with which every command works.

            Examples:
              reprise branch create music try-out
              reprise branch diff music try-out
              reprise branch merge music try-out
              reprise branch drop music try-out
            """,
        subcommands: [Create.self, List.self, Diff.self, Merge.self, Drop.self]
    )

    /// A branch on the command line.
    struct BranchArgument: ParsableArguments {
        @Argument(help: "The directory of the branch.", completion: .directory)
        var branch: String

        var location: StoreLocation { StoreLocation(path: branch) }

        /// - Throws: `usage` where the store itself is named as its branch.
        func location(besides store: StoreArguments) throws(CommandFailure) -> StoreLocation {
            // A path may end with a slash.
            let places = [branch, store.store].map {
                URL(filePath: $0).resolvingSymlinksInPath().standardizedFileURL.pathComponents
            }
            guard places[0] != places[1] else {
                throw CommandFailure(
                    .usage,
                    "`\(DisplayWidth.visible(branch))` is the store itself.",
                    advice: "Name a branch of it, or the store that it was made of."
                )
            }
            return location
        }
    }

    struct Create: CommandArguments {
        static let configuration = CommandConfiguration(
            commandName: "create",
            abstract: "Makes a branch.",
            discussion: """
                It has the log of the store up to a point, and goes on by itself.

                Examples:
                  reprise branch create music try-out
                  reprise branch create music rescued --at before-import
                """
        )

        @OptionGroup var store: StoreArguments

        @Argument(help: "A directory that does not exist yet.", completion: .directory)
        var new: String

        @Option(help: ArgumentHelp("Where it begins: \(Point.help).", valueName: "point"))
        var at: String?

        @Flag(help: "Only show what would be made.")
        var plan = false

        @OptionGroup var answer: AnswerArguments
        @OptionGroup var common: CommonArguments

        func command() throws -> any Command {
            let point = try at.map { try Point(typed: $0) } ?? .head
            return BranchCommand(
                store: store.location,
                action: .create(StoreLocation(path: new), at: point),
                isPlanOnly: plan,
                isJSON: answer.json
            )
        }
    }

    struct List: CommandArguments {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "Shows the branches that lie beside the store.",
            discussion: """
                Branches in other directories are not looked for. A branch of a branch is shown as well.

                Example:
                  reprise branch list music
                """
        )

        @OptionGroup var store: StoreArguments
        @OptionGroup var answer: AnswerArguments
        @OptionGroup var common: CommonArguments

        func command() -> any Command {
            BranchCommand(store: store.location, action: .list, isJSON: answer.json)
        }
    }

    struct Diff: CommandArguments {
        static let configuration = CommandConfiguration(
            commandName: "diff",
            abstract: "Shows what has to happen to the store so that it is the branch.",
            discussion: """
                Counts first, then a line for each change, as diff does.

                Example:
                  reprise branch diff music try-out
                """
        )

        @OptionGroup var store: StoreArguments
        @OptionGroup var branch: BranchArgument
        @OptionGroup var answer: AnswerArguments
        @OptionGroup var pager: PagerArguments
        @OptionGroup var common: CommonArguments

        var isPaged: Bool { pager.isWanted && !answer.json }

        func command() throws -> any Command {
            DiffCommand(store: store.location, branch: try branch.location(besides: store), isJSON: answer.json)
        }
    }

    struct Merge: CommandArguments {
        static let configuration = CommandConfiguration(
            commandName: "merge",
            abstract: "Brings what is new in a branch into the store, in one commit.",
            discussion: """
                Also the other way: name the branch first, and the store that it was made of. Merging again brings \
                only what came since. Where both have changed the same thing nothing is written, and all of it is \
                shown; exit code 1.

                Examples:
                  reprise branch merge music try-out --plan
                  reprise branch merge music try-out --keep-later
                  reprise branch merge try-out music
                """
        )

        @OptionGroup var store: StoreArguments
        @OptionGroup var branch: BranchArgument

        @OptionGroup var sides: SideArguments
        @OptionGroup var answer: AnswerArguments
        @OptionGroup var common: CommonArguments

        func command() throws -> any Command {
            RevertCommand(
                store: store.location,
                verb: .merge(try branch.location(besides: store)),
                resolution: sides.choice,
                isPlanOnly: sides.plan,
                isJSON: answer.json
            )
        }
    }

    struct Drop: CommandArguments {
        static let configuration = CommandConfiguration(
            commandName: "drop",
            abstract: "Removes a branch.",
            discussion: """
                A branch with changes that were not merged is removed with --force only.

                Examples:
                  reprise branch drop music try-out
                  reprise branch drop music try-out --force --plan
                """
        )

        @OptionGroup var store: StoreArguments
        @OptionGroup var branch: BranchArgument

        @Flag(help: "Also where it has changes that were not merged.")
        var force = false

        @Flag(help: "Only show what would be removed.")
        var plan = false

        @OptionGroup var answer: AnswerArguments
        @OptionGroup var common: CommonArguments

        func command() throws -> any Command {
            BranchCommand(
                store: store.location,
                action: .drop(try branch.location(besides: store), isForced: force),
                isPlanOnly: plan,
                isJSON: answer.json
            )
        }
    }
}

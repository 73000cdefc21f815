import ArgumentParser
import Reprise

struct ReplayArguments: CommandArguments {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Rebuilds every view from the log.",
        discussion: """
            In place the new views take over when they are complete. With --into the log is replayed \
            into a new store, up to any point.

            Examples:
              reprise replay music
              reprise replay music --to before-import --into recovered.reprise
            """
    )

    @OptionGroup var store: StoreArguments

    @Option(help: ArgumentHelp("How far, with --into: \(Point.help).", valueName: "point"))
    var to: String?

    @Option(
        help: ArgumentHelp("A store that does not exist yet.", valueName: "new store"),
        completion: .directory
    )
    var into: String?

    @OptionGroup var answer: AnswerArguments
    @OptionGroup var common: CommonArguments

    func validate() throws {
        if to != nil, into == nil {
            throw ValidationError(
                "--to needs --into, since the views of a store always show its head. To change the head, use rollback."
            )
        }
    }

    func command() throws -> any Command {
        ReplayCommand(
            store: store.location,
            point: try to.map { try Point(typed: $0) } ?? .head,
            destination: into,
            isJSON: answer.json
        )
    }
}

struct RollbackArguments: CommandArguments {
    static let configuration = CommandConfiguration(
        commandName: "rollback",
        abstract: "Makes the head equal to an earlier state.",
        discussion: """
            Nothing is erased: the rollback is an event of its own, and can be rolled back. A position is that of the \
            end of a commit, as log, history and blame show it; one within a commit stands for the state before that \
            commit.

            Examples:
              reprise rollback music before-import
              reprise rollback music before-import --plan
              reprise rollback music 2024-05-31T12:00:00Z
            """
    )

    @OptionGroup var store: StoreArguments

    @Argument(help: "Where to: \(Point.help).")
    var point: String

    @Flag(help: "Only show what would be different, as diff does.")
    var plan = false

    @OptionGroup var answer: AnswerArguments
    @OptionGroup var common: CommonArguments

    func command() throws -> any Command {
        if plan {
            let target = try Point(typed: point)
            return DiffCommand(store: store.location, from: .head, to: target, isJSON: answer.json)
        }
        return RollbackCommand(
            store: store.location,
            point: try Point(typed: point),
            isJSON: answer.json
        )
    }
}

struct SnapshotArguments: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "snapshot",
        abstract: "Names positions of the log.",
        discussion: """
            Examples:
              reprise snapshot create music before-cleanup
              reprise snapshot list music
              reprise snapshot delete music before-cleanup
            """,
        subcommands: [Create.self, List.self, Delete.self]
    )

    struct Create: CommandArguments {
        static let configuration = CommandConfiguration(
            commandName: "create",
            abstract: "Names the head.",
            discussion: """
                Without a name the time gives one, such as snapshot-20240531-120000. With --keep-state the state is \
                kept as a file beside the store as well, so that reads of it begin there when they are far from \
                the head.

                Examples:
                  reprise snapshot create music before-cleanup
                  reprise snapshot create music end-of-2024 --keep-state
                """
        )

        @OptionGroup var store: StoreArguments

        @Argument(help: "The name.")
        var name: String?

        @Flag(help: "Keep the state as a file beside the store.")
        var keepState = false

        @OptionGroup var answer: AnswerArguments
        @OptionGroup var common: CommonArguments

        func command() -> any Command {
            SnapshotCommand(
                store: store.location,
                action: .create(name: name, keepsState: keepState),
                isJSON: answer.json
            )
        }
    }

    struct List: CommandArguments {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "Shows all snapshots.",
            discussion: """
                Example:
                  reprise snapshot list music --json
                """
        )

        @OptionGroup var store: StoreArguments
        @OptionGroup var answer: AnswerArguments
        @OptionGroup var common: CommonArguments

        func command() -> any Command {
            SnapshotCommand(store: store.location, action: .list, isJSON: answer.json)
        }
    }

    struct Delete: CommandArguments {
        static let configuration = CommandConfiguration(
            commandName: "delete",
            abstract: "Forgets a name; the positions stay.",
            discussion: """
                Example:
                  reprise snapshot delete music before-cleanup
                """
        )

        @OptionGroup var store: StoreArguments

        @Argument(help: "The name.")
        var name: String

        @OptionGroup var answer: AnswerArguments
        @OptionGroup var common: CommonArguments

        func command() -> any Command {
            SnapshotCommand(
                store: store.location,
                action: .delete(name: name),
                isJSON: answer.json
            )
        }
    }
}

struct VerifyArguments: CommandArguments {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Checks a store's structure, log and views against each other.",
        discussion: """
            Exit code 1 when a fault was found. The work is done in a process of its own, so that even a \
            file that kills it gets an answer.

            Examples:
              reprise verify music
              reprise verify music --json | jq '.faults[]'
            """
    )

    /// The flag with which the tool calls itself.
    static let inProcessFlag = "--in-this-process"

    /// Whether the words of a command line are those with which the tool calls itself.
    static func isChild(_ words: [String]) -> Bool {
        words.starts(with: [configuration.commandName ?? "", inProcessFlag])
    }

    @OptionGroup var store: StoreArguments

    @Flag(name: .customLong("in-this-process"), help: .hidden)
    var isInProcess = false

    @OptionGroup var answer: AnswerArguments
    @OptionGroup var common: CommonArguments

    func command() -> any Command {
        if isInProcess {
            return VerifyCommand(store: store.location, isJSON: answer.json)
        }
        return SupervisedVerifyCommand(
            store: store.location,
            isJSON: answer.json,
            child: ChildProcess(
                executable: OwnProgram.path,
                arguments: ["verify", Self.inProcessFlag] + (answer.json ? ["--json"] : [])
                    + (common.quiet ? ["--quiet"] : []) + ["--", store.store],
                environment: ["SWIFT_BACKTRACE": "enable=no"]
            )
        )
    }
}

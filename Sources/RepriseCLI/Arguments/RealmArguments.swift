import ArgumentParser

struct RealmArguments: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "realm",
        abstract: "Looks into .realm files, without Realm.",
        discussion: """
            Versions 2 to 11, 20 and 22 to 24 of the format are read. Nothing is written, neither to the file \
            nor beside it.

            Examples:
              reprise realm info default.realm
              reprise realm dump default.realm > default.ndjson
            """,
        subcommands: [RealmInfoArguments.self, RealmDumpArguments.self]
    )
}

/// The Realm file that a command reads.
struct RealmFileArguments: ParsableArguments {
    @Argument(help: "The .realm file.", completion: .file(extensions: ["realm"]))
    var file: String

    @Option(
        help: ArgumentHelp(
            "A file with the key: 64 bytes, or 128 hexadecimal digits.",
            valueName: "file"
        ),
        completion: .file()
    )
    var keyFile: String?

    var location: RealmLocation { RealmLocation(path: file, keyFile: keyFile) }
}

struct RealmInfoArguments: CommandArguments {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Shows the classes of a file, and whether it is sound.",
        discussion: """
            Exit code 1 when the file is damaged. With --salvage every object that is not provably whole is \
            listed, and every link that leads to one or that only one of its ends knows of.

            Examples:
              reprise realm info default.realm
              reprise realm info torn.realm --salvage
              reprise realm info default.realm --key-file realm.key --json
            """
    )

    @OptionGroup var file: RealmFileArguments
    @Flag(help: "Show what of a damaged file is provably whole, and list what is lost.")
    var salvage = false

    @OptionGroup var answer: AnswerArguments
    @OptionGroup var common: CommonArguments

    func command() -> any Command {
        RealmInfoCommand(file: file.location, isJSON: answer.json, salvages: salvage)
    }
}

struct RealmDumpArguments: CommandArguments {
    static let configuration = CommandConfiguration(
        commandName: "dump",
        abstract: "Writes every class and object as a line of JSON.",
        discussion: """
            No value is rounded: floats and doubles are shown as their bits, dates with nanoseconds. A \
            damaged file is refused; with --salvage what is provably whole of it is written, each loss is a line \
            on standard error, and the exit code is 1 where anything is lost.

            Examples:
              reprise realm dump default.realm > default.ndjson
              reprise realm dump torn.realm --salvage > whole.ndjson
              reprise realm dump default.realm --key-file realm.key | head
            """
    )

    @OptionGroup var file: RealmFileArguments

    @Flag(help: "Write out data of more than a mebibyte, too, instead of its hash and size.")
    var allData = false

    @Flag(help: "Write what is provably whole of a damaged file, instead of refusing it.")
    var salvage = false

    @OptionGroup var common: CommonArguments

    func command() -> any Command {
        RealmDumpCommand(file: file.location, showsAllData: allData, salvages: salvage)
    }
}

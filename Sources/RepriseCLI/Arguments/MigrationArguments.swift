import ArgumentParser

/// What the commands that read an export understand.
struct ExportFileArguments: ParsableArguments {
    @Argument(help: "The export.", completion: .file())
    var export: String

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp(
            "The format: \(ExportLocation.formats.joined(separator: ", ")). Otherwise the content tells.",
            valueName: "format"
        )
    )
    var format: String?

    @Option(
        help: ArgumentHelp(
            "The key of an encrypted export: 64 bytes, or 128 hexadecimal digits.",
            valueName: "file"
        ),
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

    @Option(
        help: ArgumentHelp(
            "music: tracks, albums and playlists; own: the export's classes as they are; or a file with rules.",
            discussion: "Otherwise music where the export is music and nothing else, and own where not.",
            valueName: "mapping"
        ),
        completion: .file(extensions: ["json"])
    )
    var mapping: String?

    @Option(
        help: ArgumentHelp(
            "What `realm2json --schema` printed, for JSON of a Realm file.",
            valueName: "file"
        ),
        completion: .file(extensions: ["json"])
    )
    var schemaFile: String?

    @Flag(
        help: ArgumentHelp(
            "Take what is provably whole of a damaged Realm file, and take nothing away for the rest.",
            discussion: """
                Where only an older version of the data can be read, it deletes and changes nothing that the store has \
                of the library already.
                """
        )
    )
    var salvage = false

    @Flag(
        help: ArgumentHelp(
            "Of an iTunes library, take the lists that iTunes fills with a choice of its own: purchases, top 25.",
            discussion: "Said once, it holds for each newer export of the library in that store."
        )
    )
    var builtInPlaylists = false

    var location: ExportLocation {
        var location = ExportLocation(path: export, format: format, keyFile: keyFile, name: source)
        location.schemaFile = schemaFile
        location.takesBuiltInPlaylists = builtInPlaylists
        location.salvages = salvage
        if let mapping { location.mapping = ExportMapping(mapping) }
        return location
    }
}

struct MigrateArguments: CommandArguments {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Replays the export of another program as events.",
        discussion: """
            Reads iTunes libraries (XML), .realm files and their JSON, SQLite databases, stores of Core Data and \
            SwiftData, CSV, NDJSON, and playlists (M3U, XSPF). A newer export of the same library writes only the \
            difference. A store that does not exist is created. A snapshot is taken first: `reprise rollback` \
            goes back to it.

            Examples:
              reprise migrate 'iTunes Library.xml' --into music
              reprise migrate default.realm --into music --key-file realm.key --dry-run
              reprise migrate db.sqlite --explain
            """
    )

    @OptionGroup var export: ExportFileArguments

    @Option(help: ArgumentHelp("The store.", valueName: "store"), completion: .directory)
    var into: String?

    @Flag(help: "Show how the export is understood, and write nothing; with --json, as a mapping file to be edited.")
    var explain = false

    @Flag(help: "Read and count, and write nothing.")
    var dryRun = false

    @Flag(help: "Write nothing if anything would be skipped, rounded or left out, and say what and why.")
    var strict = false

    @Flag(
        help: ArgumentHelp(
            "Let a newer export delete or change more than half of what is there, without asking.",
            discussion: "So may one then that lacks the newest data: a database without its -wal."
        )
    )
    var replaceAll = false

    @OptionGroup var answer: AnswerArguments
    @OptionGroup var common: CommonArguments

    func validate() throws {
        guard into != nil || explain else { throw ValidationError("Say --into <store>, or --explain.") }
    }

    func command() -> any Command {
        if explain { return ExplainCommand(export: export.location, store: into ?? "", isJSON: answer.json) }
        return MigrateCommand(
            export: export.location,
            destination: into ?? "",
            isDryRun: dryRun,
            isStrict: strict,
            replacesAll: replaceAll,
            isJSON: answer.json
        )
    }
}

struct VerifyMigrationArguments: CommandArguments {
    static let configuration = CommandConfiguration(
        commandName: "verify-migration",
        abstract: "Compares an export with the store it was migrated into.",
        discussion: """
            Every record, every value, every list with its order, from both sides. Exit code 1 when they \
            differ.

            Examples:
              reprise verify-migration default.realm music
              reprise verify-migration 'iTunes Library.xml' music --strict --json
            """
    )

    @OptionGroup var export: ExportFileArguments
    @OptionGroup var store: StoreArguments

    @Flag(help: "Say no, too, if anything of the export was skipped, rounded or left out.")
    var strict = false

    @OptionGroup var answer: AnswerArguments
    @OptionGroup var common: CommonArguments

    func command() -> any Command {
        VerifyMigrationCommand(
            export: export.location,
            store: store.location,
            isStrict: strict,
            isJSON: answer.json
        )
    }
}

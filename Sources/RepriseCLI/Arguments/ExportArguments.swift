import ArgumentParser
import Reprise

struct ExportArguments: CommandArguments {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Writes a whole state for other tools.",
        usage: """
            reprise export <store> [--as-of <point>] [--as <format>] [--quiet]
                [--output <file>] [--schema-file <file>]
            """,
        discussion: """
            ndjson: one JSON object a line. realm-json: what `realm2json` prints of a Realm file, with its \
            `--schema` text in --schema-file; `reprise migrate` reads both back. sqlite: a database of \
            ordinary tables with foreign keys, as GRDB and SQLiteData use them.

            Models come in the order of the schema, rows in the order of their identifiers: two equal \
            states give equal bytes. What a format cannot say is a warning with a count.

            Examples:
              reprise export music > library.ndjson
              reprise export music --as-of 2024-05-31 | gzip > may.ndjson.gz
              reprise export music --as realm-json --output music.json \\
                --schema-file music.schema.json
              reprise export music --as sqlite --output music.sqlite
            """
    )

    @OptionGroup var store: StoreArguments

    @Option(help: ArgumentHelp("The state then: \(Point.help).", valueName: "point"))
    var asOf: String?

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp("The format.", valueName: "format")
    )
    var format = ExportCommand.Format.ndjson

    @Option(
        help: ArgumentHelp(
            "A new file, instead of standard output; sqlite needs it.",
            valueName: "file"
        ),
        completion: .file()
    )
    var output: String?

    @Option(
        help: ArgumentHelp(
            "With realm-json: a new file for the types, lists and links.",
            valueName: "file"
        ),
        completion: .file()
    )
    var schemaFile: String?

    @OptionGroup var common: CommonArguments

    func validate() throws {
        if format == .sqlite, output == nil {
            throw ValidationError("A database needs a file. Name a new one with --output.")
        }
        if schemaFile != nil, format != .realmJSON {
            throw ValidationError(
                "--schema-file belongs to --as realm-json. Leave it out, or export in that format."
            )
        }
        if let output, output == schemaFile {
            throw ValidationError(
                "--output and --schema-file name the same file. Give each a name of its own."
            )
        }
    }

    func command() throws -> any Command {
        ExportCommand(
            store: store.location,
            point: try asOf.map { try Point(typed: $0) } ?? .head,
            format: format,
            output: output,
            schemaFile: schemaFile
        )
    }
}

extension ExportCommand.Format: ExpressibleByArgument {}

import ArgumentParser
import Foundation

/// The command: the table, and hidden subcommands that it starts itself with.
@main
struct BenchmarkTool: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "benchmark",
        abstract: "Measures Reprise against GRDB and raw LMDB, all in one run.",
        subcommands: [TableCommand.self, ColdOpen.self, MemoryInsert.self, MemoryStream.self],
        defaultSubcommand: TableCommand.self
    )
}

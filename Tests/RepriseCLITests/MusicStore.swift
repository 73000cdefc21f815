import Foundation
import MusicLibrary
import Reprise
import TestSupport

@testable import RepriseCLI

/// The sample library of the demo in a store of its own; gone with the value.
final class MusicStore {
    static let export = ContractPage.repository.appendingPathComponent("Tools/sample/Library.xml").path

    private let directory: TemporaryDirectory
    var path: String { directory.path("music") }

    init() throws {
        directory = try TemporaryDirectory(named: "cli-music")
        try Store.open(at: path, schema: MusicLibrary.schema).close()
        _ = RunOutside.run("migrate", Self.export, "--into", path, "--quiet")
    }

    func file(_ name: String) -> String { directory.path(name) }

    /// Runs `reprise <subcommand> <store> <words…>`.
    func run(_ subcommand: String, _ words: String...) -> TestStore.Answer {
        RunOutside.run(subcommand.split(separator: " ").map(String.init) + [path] + words)
    }

    func ids(_ model: String, _ words: String...) -> [String] {
        RunOutside.run(["fetch", path, model, "--columns", "id", "--csv"] + words).output
            .split(separator: "\r\n").dropFirst().map(String.init)
    }
}

import Foundation
import Reprise
import Synchronization
import TestSupport

@testable import RepriseCLI

/// The files of a case, copied into a folder of their own beside a store, and the command that a user runs on them.
struct UserFiles {
    /// What the command has answered.
    struct Answer {
        let outcome: Outcome
        let output: String
        let diagnostics: String
    }

    private let directory: TemporaryDirectory

    /// - Parameter name: the folder of the case in `Cases`.
    init(_ name: String) throws {
        directory = try TemporaryDirectory(named: "case")
        let cases = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let folder = cases.appending(path: "Cases/\(name)").path
        for file in try FileManager.default.contentsOfDirectory(atPath: folder) {
            try FileManager.default.copyItem(atPath: "\(folder)/\(file)", toPath: directory.path(file))
        }
    }

    /// The store that the files are migrated into.
    var store: String { directory.path("store.reprise") }

    func path(_ file: String) -> String { directory.path(file) }

    /// Runs the command with these words.
    func reprise(_ words: String...) -> Answer { reprise(words) }

    func reprise(_ words: [String]) -> Answer {
        let output = Collected()
        let diagnostics = Collected()
        var console = Console(output: output, diagnostics: diagnostics, isQuiet: true)
        let outcome = Tool.run(words + ["--quiet"], in: &console)
        return Answer(outcome: outcome, output: output.text, diagnostics: diagnostics.text)
    }

    /// Migrates a file into the store.
    @discardableResult
    func migrate(_ file: String, _ options: String...) -> Answer {
        let output = Collected()
        let diagnostics = Collected()
        var console = Console(output: output, diagnostics: diagnostics, isQuiet: true)
        let outcome = Tool.run(["migrate", path(file), "--into", store] + options + ["--quiet"], in: &console)
        return Answer(outcome: outcome, output: output.text, diagnostics: diagnostics.text)
    }

    func verify(_ file: String, _ options: String...) -> Answer {
        let output = Collected()
        let diagnostics = Collected()
        var console = Console(output: output, diagnostics: diagnostics, isQuiet: true)
        let outcome = Tool.run(["verify-migration", path(file), store] + options + ["--quiet"], in: &console)
        return Answer(outcome: outcome, output: output.text, diagnostics: diagnostics.text)
    }

    /// The rows of a model by their identifiers.
    func rows(_ model: String) throws -> [String: Record] {
        let store = try Store.open(existing: store)
        defer { store.close() }
        return try store.read { state in
            let records = try state.records(RecordQuery(model: model))
            return Dictionary(uniqueKeysWithValues: records.map { ($0.id, $0) })
        }
    }

    /// The members of a list, in its order.
    func members(_ list: String, of model: String, _ id: String) throws -> [String] {
        let store = try Store.open(existing: store)
        defer { store.close() }
        return try store.read { try $0.entries(of: list, model: model, id: id).map(\.target) }
    }

    /// The schema of the store.
    func schema() throws -> SchemaDescription {
        let store = try Store.open(existing: store)
        defer { store.close() }
        return try store.schema
    }

    /// Where the log of the store ends.
    func head() throws -> Position {
        let store = try Store.open(existing: store)
        defer { store.close() }
        return try store.read { $0.head }
    }

    private final class Collected: ByteSink {
        private let bytes = Mutex<[UInt8]>([])

        var text: String { bytes.withLock { String(decoding: $0, as: UTF8.self) } }

        func write(_ added: [UInt8]) throws(OutputError) {
            bytes.withLock { $0 += added }
        }
    }
}

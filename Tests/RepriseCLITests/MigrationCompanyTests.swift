import Foundation
import LegacyMigration
import Reprise
import TestSupport
import Testing

@testable import LegacyMigrator
@testable import LegacyRecords
@testable import RepriseCLI

/// What other processes do to a store while an export is migrated into it.
@Suite struct MigrationCompanyTests {
    /// The program beside the tests.
    private static let program = URL(filePath: CommandLine.arguments[0])
        .deletingLastPathComponent().appending(path: "reprise").path

    private static var isBuilt: Bool { FileManager.default.isExecutableFile(atPath: program) }

    /// A table of notes.
    private final class Notes {
        let directory = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
        let count = 2000
        let file: String
        let source: CSVSource
        let store: Store

        init() throws {
            try FileManager.default.createDirectory(
                at: directory,
                withIntermediateDirectories: true
            )
            file = directory.appending(path: "notes.csv").path
            let rows = (1...count).map { "n\($0),Note \($0)\n" }
            try Data(("id,text\n" + rows.joined()).utf8).write(to: URL(filePath: file))
            source = try CSVSource(path: file)
            let path = directory.appending(path: "notes.reprise").path
            store = try Store.open(at: path, schema: Schema(source.schema))
        }

        deinit {
            store.close()
            try? FileManager.default.removeItem(at: directory)
        }

        var countInStore: Int {
            get throws { try store.read { $0.counts.reduce(0) { $0 + $1.count } } }
        }

        /// Migrates, and once while the export is read runs the command with these words.
        func migrate(meanwhile words: [String], _ end: (ChildProcess.Ending) -> Void) throws
            -> MigrationReport
        {
            var isDone = false
            let migrator = Migrator(
                source: source,
                store: store,
                options: .init()
            )
            return try migrator.run { step in
                if isDone || step.recordsRead == 0 { return true }
                isDone = true
                let child = ChildProcess(
                    executable: MigrationCompanyTests.program,
                    arguments: words
                )
                do { end(try child.run().ending) } catch { Issue.record(error) }
                return true
            }
        }
    }

    @Test(.enabled(if: isBuilt, "needs the built program"))
    func `what another process writes while the export is read stays`() throws {
        let notes = try Notes()
        let model = try notes.store.schema.models[0].name
        let words = ["put", notes.store.path, model, "--id", "mine", "text=Mine", "--quiet"]
        let report = try notes.migrate(meanwhile: words) { #expect($0 == .exited(0)) }
        #expect(report.counts.values.reduce(0) { $0 + $1.inserted } == notes.count)
        #expect(try notes.countInStore == notes.count + 1)
        #expect(try notes.store.verify().isSound)
    }

    @Test(.enabled(if: isBuilt, "needs the built program"))
    func `a second migration into the store is refused meanwhile`() throws {
        let notes = try Notes()
        let second = ["migrate", notes.file, "--into", notes.store.path, "--quiet"]
        let report = try notes.migrate(meanwhile: second) {
            #expect($0 == .exited(Outcome.inUse.rawValue))
        }
        #expect(report.counts.values.reduce(0) { $0 + $1.inserted } == notes.count)
        #expect(try notes.countInStore == notes.count)
        let child = ChildProcess(executable: Self.program, arguments: second)
        #expect(try child.run().ending == .exited(0))
    }
}

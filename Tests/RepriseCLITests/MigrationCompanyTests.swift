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

    /// A table of notes, migrated in batches of a hundred.
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

        /// Migrates, and once when some are written runs the command with these words.
        func migrate(meanwhile words: [String], _ end: (ChildProcess.Ending) -> Void) throws
            -> MigrationReport
        {
            var isDone = false
            let migrator = Migrator(
                source: source,
                store: store,
                options: .init(batchRecordCount: 100)
            )
            return try migrator.run { step in
                if isDone || step.recordsWritten < 500 { return true }
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
    func `a migration ends where somebody goes back to an earlier state meanwhile`() throws {
        let notes = try Notes()
        let words = ["rollback", notes.store.path, "before-migration-1", "--quiet"]
        let error = #expect(throws: MigrationError.self) {
            _ = try notes.migrate(meanwhile: words) { #expect($0 == .exited(0)) }
        }
        #expect(error?.code == .changedMeanwhile)
        #expect(try notes.countInStore < notes.count)
        // And starting it again brings all of it.
        _ = try Migrator(source: notes.source, store: notes.store).run()
        #expect(try notes.countInStore == notes.count)
        #expect(try MigrationVerifier(source: notes.source, store: notes.store).run().isEqual)
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

    /// Whether something has been done already.
    private final class Once: @unchecked Sendable {
        private let lock = NSLock()
        private var isDone = false

        /// Runs `body` the first time that it comes to its end without saying that it is too early.
        func run(_ body: () -> Bool) {
            lock.lock()
            defer { lock.unlock() }
            if !isDone { isDone = body() }
        }

        var hasRun: Bool {
            lock.lock()
            defer { lock.unlock() }
            return isDone
        }
    }

    /// Migrates strictly what loses something only when it is written, while another process writes.
    private func migrateStrictly(
        meanwhile words: @escaping @Sendable (String) -> [String]
    ) throws -> (outcome: Outcome, diagnostics: String, ids: [String], isSound: Bool) {
        let directory = try TemporaryDirectory(named: "strict-company")
        let export = directory.path("notes.sqlite")
        try SQLiteScratch(at: export)
            .execute(
                """
                CREATE TABLE note (id TEXT PRIMARY KEY, title TEXT);
                INSERT INTO note VALUES ('a', 'x'), ('b', 'y'), ('c', 'x');
                """
            )
        let path = directory.path("store")
        var schema = try ExportLocation(path: export).source(into: path, in: RealmFixtures.silence)
            .schema
        let title = try #require(schema.models[0].attribute(named: "title"))
        schema.models[0].indexes = [
            IndexDescription(number: 1, slots: [title.slot], isUnique: true)
        ]
        try Store.open(at: path, schema: Schema(schema)).close()
        let once = Once()
        let program = Self.program
        let interruption = Interruption {
            once.run {
                // Not before the migration has written something.
                let count = ChildProcess(
                    executable: program,
                    arguments: ["fetch", path, "note", "--id", "a", "--quiet"]
                )
                guard (try? count.run().ending) == .exited(0) else { return false }
                let child = ChildProcess(executable: program, arguments: words(path))
                #expect((try? child.run().ending) == .exited(0))
                return true
            }
            return false
        }
        let diagnostics = MemorySink()
        var console = Console(
            output: MemorySink(),
            diagnostics: diagnostics,
            isQuiet: true,
            interruption: interruption
        )
        // Otherwise the plan finds it, and nothing is written.
        let outcome = TrialStore.$roomByteCountMax.withValue(0) {
            Tool.run(["migrate", export, "--into", path, "--strict"], in: &console)
        }
        #expect(once.hasRun)
        let store = try Store.open(existing: path)
        defer { store.close() }
        let ids = try store.read { try $0.records(RecordQuery(model: "note")).map(\.id) }
        return (outcome, diagnostics.text, ids, try store.verify().isSound)
    }

    @Test(.enabled(if: isBuilt, "needs the built program"))
    func `what another process writes meanwhile is never taken back with a strict migration`()
        throws
    {
        let answer = try migrateStrictly { ["put", $0, "note", "--id", "theirs", "title=t"] }
        #expect(answer.outcome == .badData && answer.isSound)
        #expect(answer.ids == ["a", "b", "theirs"])
        #expect(
            answer.diagnostics.contains(
                "others have written to the store meanwhile, so nothing was taken back; "
                    + "\"before-migration-1\" has the state before the migration."
            ),
            "\(answer.diagnostics)"
        )
    }

    @Test(.enabled(if: isBuilt, "needs the built program"))
    func `another process that only reads does not keep a strict migration from being taken back`()
        throws
    {
        let answer = try migrateStrictly { ["stats", $0] }
        #expect(answer.outcome == .badData && answer.isSound && answer.ids.isEmpty)
        #expect(
            answer.diagnostics.contains("the store was rolled back to \"before-migration-1\".")
        )
    }
}

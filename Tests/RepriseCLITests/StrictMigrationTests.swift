import Foundation
import LegacyMigration
import Reprise
import TestSupport
import Testing

@testable import LegacyMigrator
@testable import LegacyRecords
@testable import RepriseCLI

/// `migrate --strict` where only the writing shows what is lost: two records of one export want the same unique value,
/// which no row has beforehand, and there is no room to find that out in a copy.
struct StrictMigrationTests {
    private let directory: TemporaryDirectory
    private let store: String
    private let export: String

    init() throws {
        directory = try TemporaryDirectory(named: "strict")
        store = directory.path("store")
        export = directory.path("notes.sqlite")
        try SQLiteScratch(at: export)
            .execute(
                """
                CREATE TABLE note (id TEXT PRIMARY KEY, title TEXT);
                INSERT INTO note VALUES ('a', 'x'), ('b', 'y'), ('c', 'x');
                """
            )
        // The store is stricter than the export.
        var schema = try ExportLocation(path: export).source(into: store, in: RealmFixtures.silence)
            .schema
        let title = try #require(schema.models[0].attribute(named: "title"))
        schema.models[0].indexes = [
            IndexDescription(number: 1, slots: [title.slot], isUnique: true)
        ]
        let store = try Store.open(at: store, schema: Schema(schema))
        defer { store.close() }
        try put("mine", "m", into: store)
    }

    private func put(_ id: String, _ title: String, into store: Store) throws {
        _ = try store.write {
            try $0.put(
                EntityReference(model: "note", id: id),
                values: ["title": .string(title)]
            )
        }
    }

    private func tool(
        _ words: String...,
        roomByteCount: Int = 0
    ) -> (outcome: Outcome, output: String, diagnostics: String)
    {
        let output = MemorySink()
        let diagnostics = MemorySink()
        var console = Console(output: output, diagnostics: diagnostics, isQuiet: true)
        let outcome = TrialStore.$roomByteCountMax.withValue(roomByteCount) {
            Tool.run(words, in: &console)
        }
        return (outcome, output.text, diagnostics.text)
    }

    private func withStore<R>(_ body: (Store) throws -> R) throws -> R {
        let store = try Store.open(existing: store)
        defer { store.close() }
        return try body(store)
    }

    private var digest: StateDigest { get throws { try withStore { try $0.read { $0.digest } } } }

    private var commits: [(intent: String, correlation: String, types: [String])] {
        get throws {
            var commits: [(String, String, [String])] = []
            try withStore { store in
                try store.read { state in
                    try state.forEachCommit { commit in
                        commits.append(
                            (commit.intent, commit.correlation, commit.events.map(\.type))
                        )
                        return true
                    }
                }
            }
            return commits
        }
    }

    @Test func `a loss that shows only when it is written is taken back`() throws {
        let before = try digest
        let commitsBefore = try commits.count
        // Beforehand nothing stands in the way.
        let plan = tool("migrate", export, "--into", store, "--dry-run", "--json")
        #expect(plan.outcome == .done && plan.output.contains("\"warnings\":{}"))
        #expect(plan.output.contains("\"isExact\":false"))
        let answer = tool("migrate", export, "--into", store, "--strict")
        #expect(answer.outcome == .badData)
        #expect(answer.diagnostics.contains("(uniqueValueTaken 1)"))
        #expect(
            answer.diagnostics.contains("the store was rolled back to \"before-migration-1\".")
        )
        #expect(try digest == before)
        // What was written is in the log all the same, and what took it back after it.
        let written = try commits.dropFirst(commitsBefore)
        let migrated = written.filter { $0.intent == Migrator.intent && !$0.correlation.isEmpty }
        #expect(migrated.flatMap(\.types).filter { $0 == "inserted" }.count == 2)
        #expect(written.last?.types == ["rolledBack"])
        #expect(try withStore { try $0.verify().isSound })
        // The next one begins anew, and without --strict it stays.
        let next = tool("migrate", export, "--into", store)
        #expect(next.outcome == .done && next.output.contains("before-migration-2"))
        #expect(
            try withStore { try $0.read { try $0.records(RecordQuery(model: "note")).count } } == 3
        )
    }

    @Test func `a loss that is found in a copy is refused before anything is written`() throws {
        let before = try commits.count
        let room = Int.max
        let plan = tool("migrate", export, "--into", store, "--dry-run", roomByteCount: room)
        #expect(plan.outcome == .done && plan.output.contains("uniqueValueTaken"))
        let answer = tool("migrate", export, "--into", store, "--strict", roomByteCount: room)
        #expect(answer.outcome == .badData)
        #expect(answer.diagnostics.contains("(uniqueValueTaken 1); nothing was written."))
        #expect(try commits.count == before)
    }

    @Test func `a strict migration that was taken up names the snapshot and leaves the rest`()
        throws
    {
        let before = try digest
        // What is lost lies behind the place where the first run ends.
        try SQLiteScratch(at: export)
            .execute(
                "UPDATE note SET title = 'z' WHERE id = 'c'; INSERT INTO note VALUES ('d', 'z')"
            )
        let source = try ExportLocation(path: export).source(into: store, in: RealmFixtures.silence)
        try withStore { store in
            var options = Migrator.Options()
            options.batchRecordCount = 1
            let migrator = Migrator(source: source, store: store, options: options)
            #expect(throws: MigrationError.self) {
                try migrator.run { $0.recordsWritten < 1 }
            }
            try put("theirs", "t", into: store)
        }
        let answer = tool("migrate", export, "--into", store, "--strict")
        #expect(answer.outcome == .badData)
        #expect(
            answer.diagnostics.contains(
                "(uniqueValueTaken 1); \"before-migration-1\" has the state before the migration."
            )
        )
        #expect(try !commits.contains { $0.types.contains("rolledBack") })
        try withStore { store in
            let notes = try store.read { try $0.records(RecordQuery(model: "note")).map(\.id) }
            #expect(notes == ["a", "b", "c", "mine", "theirs"])
            // The way back that was named.
            try store.rollback(to: .snapshot("before-migration-1"))
        }
        #expect(try digest == before)
    }
}

import Foundation
import LegacyMigration
import Reprise
import TestSupport
import Testing

@testable import RepriseCLI

/// `migrate --strict` where what is lost depends on the store: two records of one export want the same unique value.
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

    private func tool(_ words: String...) -> (outcome: Outcome, output: String, diagnostics: String) {
        let output = MemorySink()
        let diagnostics = MemorySink()
        var console = Console(output: output, diagnostics: diagnostics, isQuiet: true)
        return (Tool.run(words, in: &console), output.text, diagnostics.text)
    }

    private func withStore<R>(_ body: (Store) throws -> R) throws -> R {
        let store = try Store.open(existing: store)
        defer { store.close() }
        return try body(store)
    }

    @Test func `a loss is refused before anything is written`() throws {
        let before = try withStore { try $0.read { $0.head } }
        let plan = tool("migrate", export, "--into", store, "--dry-run")
        #expect(plan.outcome == .done && plan.output.contains("uniqueValueTaken"))
        let answer = tool("migrate", export, "--into", store, "--strict")
        #expect(answer.outcome == .badData)
        #expect(answer.diagnostics.contains("(uniqueValueTaken 1); nothing was written."))
        #expect(try withStore { try $0.read { $0.head } } == before)
        // Without --strict it is migrated.
        let next = tool("migrate", export, "--into", store)
        #expect(next.outcome == .done && next.output.contains("before-migration-1"))
        let count = try withStore { try $0.read { try $0.records(RecordQuery(model: "note")).count } }
        #expect(count == 3)
    }

    @Test func `a new store is not made of an export that is refused`() throws {
        let rows = "INSERT INTO link VALUES(1, 7)"
        try SQLiteScratch(at: export)
            .execute("CREATE TABLE link(id INTEGER PRIMARY KEY, note TEXT REFERENCES note(id)); \(rows)")
        let new = directory.path("new")
        let answer = tool("migrate", export, "--into", new, "--strict")
        #expect(answer.outcome == .badData && answer.diagnostics.contains("nothing was written."))
        #expect(!FileManager.default.fileExists(atPath: new))
    }
}

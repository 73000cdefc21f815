import LegacyMigration
import Reprise
import TestSupport
import Testing

/// A database that is migrated, changed, and migrated again.
final class DatabaseSequel {
    let sandbox: DatabaseSandbox
    let library: TemporaryLibrary
    let first: MigrationReport

    init(_ sql: String, named name: String = "test.db") throws {
        sandbox = try DatabaseSandbox(sql, named: name)
        let source = try SQLiteFormat.source(path: sandbox.path)
        library = try TemporaryLibrary(schema: Schema(source.schema))
        first = try Migrator(replacing: source, store: library.store).run()
    }

    func change(_ sql: String) throws {
        let database = try SQLiteScratch(at: sandbox.path)
        try database.execute(sql)
        database.close()
    }

    /// Migrates what the database is now; the plan, the run and the comparison agree, and once more writes nothing.
    func again() throws -> MigrationReport {
        let source = try SQLiteFormat.source(path: sandbox.path)
        let plan = try Migrator(replacing: source, store: library.store).plan()
        let report = try Migrator(replacing: source, store: library.store).run()
        #expect(plan.counts == report.counts && plan.warningCounts == report.warningCounts)
        let comparison = try MigrationVerifier(source: source, store: library.store).run()
        #expect(comparison.isEqual, "\(comparison.differences)")
        let third = try Migrator(replacing: SQLiteFormat.source(path: sandbox.path), store: library.store).run()
        #expect(third.eventCount == 0)
        return report
    }

    func values(_ model: String, _ name: String) throws -> [String: Value] {
        try library.values(model, name)
    }

    func entries(of list: String, _ model: String, _ id: String) throws -> [String] {
        try library.entries(of: list, model, id)
    }
}

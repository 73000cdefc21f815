import Foundation
import LegacyMigration
import Reprise
import TestSupport
import Testing

/// A file that is migrated, written anew, and migrated again: a table, lines of JSON, or JSON of a Realm file, by the
/// extension of its name.
final class TextSequel {
    private let directory: TemporaryDirectory
    private let path: String
    let library: TemporaryLibrary
    let first: MigrationReport

    init(_ text: String, named name: String) throws {
        directory = try TemporaryDirectory(named: "tables")
        path = directory.path(name)
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        let source = try Self.source(path)
        library = try TemporaryLibrary(schema: Schema(source.schema))
        first = try Migrator(replacing: source, store: library.store).run()
    }

    private static func source(_ path: String) throws -> any LegacySource {
        if path.hasSuffix(".csv") { return try CSVSource(path: path) }
        if path.hasSuffix(".ndjson") { return try NDJSONSource(path: path) }
        if path.hasSuffix(".realm2json") { return try Realm2JSONSource(path: path) }
        return try RealmStudioJSONSource(path: path)
    }

    /// Migrates what the file is now; plan, run and comparison agree, and once more writes nothing.
    func again(_ text: String) throws -> MigrationReport {
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        let source = try Self.source(path)
        let plan = try Migrator(replacing: source, store: library.store).plan()
        let report = try Migrator(replacing: source, store: library.store).run()
        #expect(plan.counts == report.counts && plan.warningCounts == report.warningCounts)
        let comparison = try MigrationVerifier(source: source, store: library.store).run()
        #expect(comparison.isEqual, "\(comparison.differences)")
        #expect(try Migrator(replacing: Self.source(path), store: library.store).run().eventCount == 0)
        return report
    }

    func values(_ name: String, of model: String = "t") throws -> [String: Value] {
        try library.values(model, name)
    }

    func entries(of list: String, _ model: String, _ id: String) throws -> [String] {
        try library.entries(of: list, model, id)
    }

    /// What the log says of how the source was understood.
    func choices(_ source: String) throws -> String {
        let payload = try library.store.read { try $0.annotation(name: "migration.understood", key: source)?.payload }
        return String(decoding: try #require(payload), as: UTF8.self)
    }
}

import Foundation
import LegacyMigration
import Reprise
import TestSupport
import Testing

/// Exports with the same file name in several folders, which only their content tells apart.
struct ExportsOfOneName {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory(named: "exports")
    }

    /// A path in a folder of its own.
    func path(_ name: String, in folder: String) throws -> String {
        try FileManager.default.createDirectory(atPath: directory.path(folder), withIntermediateDirectories: true)
        return directory.path("\(folder)/\(name)")
    }

    /// Migrates the first, and then the others; those of which nothing is there before are refused.
    func migrate(_ first: some LegacySource, related: some LegacySource, other: some LegacySource) throws {
        let library = try TemporaryLibrary(for: first)
        _ = try Migrator(source: first, store: library.store).run()
        let before = try library.content
        let error = #expect(throws: MigrationError.self) { try Migrator(source: other, store: library.store).run() }
        #expect(error?.code == .unrelatedExport)
        #expect(try library.content == before)
        #expect(try Migrator(source: related, store: library.store).run().eventCount > 0)
        #expect(try MigrationVerifier(source: related, store: library.store).run().isEqual)
    }

    /// `n.ndjson` with these lines.
    func lines(_ text: String, in folder: String) throws -> NDJSONSource {
        let path = try path("n.ndjson", in: folder)
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        return try NDJSONSource(path: path)
    }

    /// `n.db` with two tables, one without a key and one with words, and what the statements make.
    func database(_ statements: String, in folder: String) throws -> SQLiteDatabaseSource {
        let path = try path("n.db", in: folder)
        let database = try SQLiteScratch(at: path)
        try database.execute("CREATE TABLE setting(name, value)")
        try database.execute("CREATE TABLE note(id TEXT PRIMARY KEY NOT NULL, body TEXT)")
        try database.execute(statements)
        database.close()
        return try SQLiteDatabaseSource(path: path)
    }
}

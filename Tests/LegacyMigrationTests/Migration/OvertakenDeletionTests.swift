import Foundation
import LegacyMigration
import Reprise
import TestSupport
import Testing

/// What another process changes while a migration deletes. Needs the tool, which `swift build` makes.
@Suite struct OvertakenDeletionTests {
    private static let program = URL(filePath: CommandLine.arguments[0])
        .deletingLastPathComponent().appending(path: "reprise").path
    private static var isBuilt: Bool { FileManager.default.isExecutableFile(atPath: program) }

    /// Gives a person an age before the first row is deleted.
    private func migrate(
        _ source: InventedSource,
        _ library: TemporaryLibrary,
        changing id: String
    ) throws -> MigrationReport {
        try migrate(source, library, ["put", library.path, "person", "--id", id, "age=42"])
    }

    /// Lets another process do something before the first row is deleted.
    private func migrate(
        _ source: InventedSource,
        _ library: TemporaryLibrary,
        _ arguments: [String]
    ) throws -> MigrationReport {
        var status: Int32?
        let report = try library.migrate(source, batch: 1) { step in
            guard step.phase == .deleting, status == nil else { return true }
            let process = Process()
            process.executableURL = URL(filePath: Self.program)
            process.arguments = arguments
            process.standardOutput = FileHandle.nullDevice
            try? process.run()
            process.waitUntilExit()
            status = process.terminationStatus
            return true
        }
        #expect(status == 0)
        return report
    }

    @Test(.enabled(if: isBuilt)) func `a row that is changed while others are deleted stays`()
        throws
    {
        let library = try TemporaryLibrary(schema: Schema(InventedCompany.schema))
        var company = InventedCompany()
        company.people = ["a", "b", "c", "d", "e"].map { .init(key: $0, name: $0) }
        _ = try library.migrate(company.source, batch: 1)
        company.people.removeFirst(4)
        let report = try migrate(company.source, library, changing: "d")
        #expect(try library.value("age", of: "person", "d") == .int(42))
        #expect(report.counts["person"]?.deleted == 3)
        #expect(report.warningCounts == [.deletedInSourceButChanged: 1])
    }

    @Test(.enabled(if: isBuilt)) func `so does one with what would go with it`() throws {
        var schema = InventedCompany.schema
        schema.relations[0] = RelationDescription(
            1,
            .reference(slot: 5),
            (1, "department"),
            (2, "people"),
            onDelete: (.cascade, .deny)
        )
        let library = try TemporaryLibrary(schema: Schema(schema))
        var company = InventedCompany()
        company.departments = [.init(key: "d", name: "D")]
        company.people = ["a", "b", "c"].map { .init(key: $0, name: $0) }
        // Only both together can go.
        company.people.append(.init(key: "x", name: "X", department: "d"))
        var source = company.source
        source.schema = schema
        _ = try library.migrate(source, batch: 1)
        company.departments = []
        company.people = [.init(key: "c", name: "c")]
        source = company.source
        source.schema = schema
        let report = try migrate(source, library, changing: "x")
        #expect(try library.ids(of: "person") == ["c", "x"])
        #expect(try library.value("department", of: "person", "x") == .reference("d"))
        #expect(
            report.warningCounts == [.deletedInSourceButChanged: 1, .deletedInSourceButInUse: 1]
        )
    }

    @Test(.enabled(if: isBuilt))
    func `one goes that only loses somebody who is deleted while others are`() throws {
        let library = try TemporaryLibrary(schema: Schema(InventedCompany.schema))
        var company = InventedCompany()
        company.people = ["a", "b", "c", "d", "e"].map { .init(key: $0, name: $0, boss: "e") }
        _ = try library.migrate(company.source, batch: 1)
        company.people.removeFirst(4)
        let report = try migrate(company.source, library, ["delete", library.path, "person", "e"])
        #expect(try library.ids(of: "person").isEmpty)
        #expect(report.counts["person"]?.deleted == 4)
        #expect(report.warningCounts == [:])
    }
}

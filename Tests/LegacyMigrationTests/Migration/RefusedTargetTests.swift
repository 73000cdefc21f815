import LegacyMigration
import Reprise
import TestSupport
import Testing

/// Rows that must have what is refused, or what the export lacks: they stay as they are, and it is foreseen.
@Suite struct RefusedTargetTests {
    private static let schema = SchemaDescription(
        models: [
            ModelDescription(1, "folder", [("name", .string, true), ("parent", .reference, false)])
        ],
        relations: [
            RelationDescription(
                1,
                .reference(slot: 1),
                (1, "parent"),
                (1, nil),
                onDelete: (.nullify, .cascade)
            )
        ]
    )

    private typealias Folder = (key: String, name: String, parent: String)
    private let library: TemporaryLibrary

    init() throws {
        library = try TemporaryLibrary(schema: Schema(Self.schema))
    }

    /// Folders in an order, each with its name and its parent.
    private func source(_ folders: [Folder]) -> InventedSource {
        var source = InventedSource(schema: Self.schema)
        source.records = folders.map { folder in
            let fields = [
                LegacyField("name", .string(folder.name)),
                LegacyField("parent", .reference(folder.parent)),
            ]
            return LegacyRecord(className: "folder", key: folder.key, fields: fields)
        }
        return source
    }

    /// Migrates what was planned, twice; the second time writes nothing.
    @discardableResult
    private func migrate(_ source: InventedSource) throws -> MigrationReport {
        let plan = try Migrator(replacing: source, store: library.store).plan()
        let report = try library.migrate(source)
        #expect(plan.counts == report.counts)
        #expect(plan.warningCounts == report.warningCounts)
        #expect(try library.migrate(source).eventCount == 0)
        return report
    }

    @Test func `a row that must have one that is refused stays as it is, and nothing is written`() throws {
        try migrate(source([("a", "A", "a")]))
        let report = try migrate(source([("b", "B", "nobody"), ("a", "A", "b")]))
        #expect(report.eventCount == 0)
        #expect(try library.value("parent", of: "folder", "a") == .reference("a"))
    }

    @Test func `it is not counted as updated where another row is`() throws {
        try migrate(source([("a", "A", "a"), ("c", "C", "c")]))
        let report = try migrate(source([("b", "B", "nobody"), ("a", "A", "b"), ("c", "D", "c")]))
        #expect(report.counts["folder"]?.updated == 1)
        #expect(report.counts["folder"]?.unchanged == 1)
        #expect(report.warningCounts == [.refusedRecord: 2])
        #expect(try library.value("parent", of: "folder", "a") == .reference("a"))
    }

    @Test(arguments: [false, true])
    func `new rows that must have one that is refused are refused as well`(isReversed: Bool) throws {
        try migrate(source([("a", "A", "a")]))
        var folders: [Folder] = [("b", "B", "nobody"), ("c", "C", "b"), ("d", "D", "c")]
        if isReversed { folders.reverse() }
        let report = try migrate(source(folders + [("a", "E", "a")]))
        #expect(report.counts["folder"]?.inserted == 0)
        #expect(report.counts["folder"]?.updated == 1)
        #expect(try library.ids(of: "folder") == ["a"])
    }

    @Test func `a row that the export lacks is not foreseen to go while one that must have it stays`() throws {
        try migrate(source([("a", "A", "a"), ("b", "B", "a")]))
        let report = try migrate(source([("b", "B", "a")]))
        #expect(report.eventCount == 0)
        #expect(report.warningCounts[.deletedInSourceButInUse] == 1)
        #expect(try library.ids(of: "folder") == ["a", "b"])
    }
}

import LegacyMigration
import Reprise
import TestSupport
import Testing

/// Rows of which there is nothing to say but that they are there: of a model without attributes, in a list.
@Suite struct BareRowTests {
    private static let schema = SchemaDescription(
        models: [
            ModelDescription(1, "board", [("name", .string, false)]), ModelDescription(2, "pin", []),
        ],
        relations: [
            RelationDescription(
                number: 1,
                kind: .list,
                source: .init(model: 1, name: "pins", onDelete: .nullify),
                target: .init(model: 2, name: "boards", onDelete: .nullify)
            )
        ]
    )
    private let library: TemporaryLibrary
    private let pin = EntityReference(model: "pin", id: "x")

    init() throws {
        library = try TemporaryLibrary(schema: Schema(Self.schema))
        try migrate([])
    }

    @discardableResult
    private func migrate(_ pins: [String]) throws -> MigrationReport {
        var source = InventedSource(schema: Self.schema)
        let name = LegacyField("name", .string("B"))
        source.records = [LegacyRecord(className: "board", key: "b", fields: [name])]
        source.records += pins.map { LegacyRecord(className: "pin", key: $0, fields: []) }
        if !pins.isEmpty {
            let members = LegacyReferences(pins)
            source.lists = [LegacyList(className: "board", key: "b", name: "pins", members: members)]
        }
        let plan = try Migrator(replacing: source, store: library.store).plan()
        let report = try Migrator(replacing: source, store: library.store).run()
        #expect(plan.counts == report.counts)
        #expect(plan.agreedCount == report.agreedCount)
        return report
    }

    private func make() throws { try library.write { try $0.put(pin, values: [:]) } }
    private func delete() throws { try library.write { _ = try $0.delete(pin) } }
    private var isThere: Bool {
        get throws { try library.store.read { try $0.revision(of: pin) != nil } }
    }

    @Test func `one that was made and deleted here comes when the source first has it`() throws {
        try make()
        try delete()
        #expect(try migrate(["x"]).counts["pin"]?.inserted == 1)
        #expect(try isThere)
        #expect(try migrate(["x"]).eventCount == 0)
    }

    @Test func `one that both have made stays deleted when it is deleted here`() throws {
        try make()
        #expect(try migrate(["x"]).agreedCount == 1)
        #expect(try migrate(["x"]).eventCount == 0)
        try delete()
        #expect(try migrate(["x"]).warningCounts == [.localChangeKept: 1])
        #expect(try migrate(["x"]).eventCount == 0)
        #expect(try !isThere)
    }

    @Test func `one that both have made, and that a rollback takes back, was never said`() throws {
        try make()
        let snapshot = try #require(try migrate(["x"]).snapshotBefore)
        try library.store.rollback(to: .snapshot(snapshot))
        try delete()
        #expect(try migrate(["x"]).counts["pin"]?.inserted == 1)
        #expect(try isThere)
    }

    @Test func `one of the source stays deleted, made again here or not`() throws {
        try migrate(["x"])
        try delete()
        #expect(try migrate(["x"]).eventCount == 0)
        try make()
        #expect(try migrate(["x"]).agreedCount == 0)
        try delete()
        #expect(try migrate(["x"]).eventCount == 0)
        #expect(try !isThere)
    }

    @Test func `one that both have deleted comes back with the source`() throws {
        try make()
        try migrate(["x"])
        try delete()
        // Something else is to be written, so that it is noted.
        try migrate(["y"])
        try migrate(["x", "y"])
        #expect(try isThere)
    }
}

import LegacyMigration
import Reprise
import TestSupport
import Testing

/// Rows that somebody has changed, and that come into lists of an export and leave them: their to-ones are written, and
/// nothing else.
@Suite struct ForeignMemberTests {
    private static let schema = SchemaDescription(
        models: [
            ModelDescription(1, "club", [("name", .string, true)]),
            ModelDescription(2, "driver", [("note", .string, true), ("club", .reference, true)]),
        ],
        relations: [
            RelationDescription(1, .reference(slot: 1), (2, "club"), (1, "drivers"))
        ]
    )

    private let library: TemporaryLibrary

    init() throws {
        library = try TemporaryLibrary(schema: Schema(Self.schema))
    }

    /// Only clubs say who is in them; nobody says anything of notes.
    private func source(_ drivers: [String], club: [String]) -> InventedSource {
        var source = InventedSource(schema: Self.schema)
        source.absentFields = ["club": ["name"], "driver": ["note", "club"]]
        source.records = [LegacyRecord(className: "club", key: "c", fields: [])]
        for key in drivers {
            source.records.append(LegacyRecord(className: "driver", key: key, fields: []))
        }
        let members = LegacyReferences(club)
        source.lists = [
            LegacyList(className: "club", key: "c", name: "drivers", members: members)
        ]
        return source
    }

    private func note(_ text: String, on id: String) throws {
        let driver = EntityReference(model: "driver", id: id)
        _ = try library.store.write { try $0.put(driver, values: ["note": .string(text)]) }
    }

    private func notes() throws -> [String: Value?] {
        let rows = try library.store.read { try $0.records(RecordQuery(model: "driver")) }
        return Dictionary(uniqueKeysWithValues: rows.map { ($0.id, $0["note"]) })
    }

    @Test func `one that was in a list meanwhile stays when the export lacks it`() throws {
        _ = try library.migrate(source(["x", "y"], club: []))
        try note("mine", on: "x")
        _ = try library.migrate(source(["x", "y"], club: ["x", "y"]))
        for _ in 0..<2 {
            let last = source([], club: [])
            let plan = try Migrator(replacing: last, store: library.store).plan()
            #expect(plan.warningCounts == [.deletedInSourceButChanged: 1])
            let report = try library.migrate(last)
            #expect(report.warningCounts == [.deletedInSourceButChanged: 1])
            #expect(try notes() == ["x": .string("mine")])
        }
    }

    @Test func `one goes of which all that was changed was written again`() throws {
        var old = source(["x"], club: [])
        old.absentFields["driver"] = ["club"]
        func say(_ note: String) {
            old.records[1] = LegacyRecord(
                className: "driver",
                key: "x",
                fields: [LegacyField("note", .string(note))]
            )
        }
        say("theirs")
        _ = try library.migrate(old)
        try note("mine", on: "x")
        say("theirs, too")
        #expect(try library.migrate(old).warningCounts == [.localChangeOverwritten: 1])
        old.records.removeLast()
        #expect(try library.migrate(old).warningCounts.isEmpty)
        #expect(try notes().isEmpty)
    }
}

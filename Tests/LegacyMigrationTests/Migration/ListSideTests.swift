import LegacyMigration
import Reprise
import TestSupport
import Testing

/// Sources that give the list on the other side of a to-one, and say nothing of the to-one.
@Suite struct ListSideTests {
    private static let schema = SchemaDescription(
        models: [
            ModelDescription(1, "club", [("name", .string, true)]),
            ModelDescription(2, "driver", [("note", .string, true), ("club", .reference, true)]),
        ],
        relations: [RelationDescription(1, .reference(slot: 1), (2, "club"), (1, "drivers"))]
    )

    private func source(
        _ clubs: KeyValuePairs<String, [String]>,
        _ drivers: [String]
    ) -> InventedSource {
        var source = InventedSource(schema: Self.schema)
        source.absentFields = ["club": ["name"], "driver": ["note", "club"]]
        for (key, members) in clubs {
            source.records.append(LegacyRecord(className: "club", key: key, fields: []))
            source.lists.append(
                LegacyList(
                    className: "club",
                    key: key,
                    name: "drivers",
                    members: LegacyReferences(members)
                )
            )
        }
        for key in drivers {
            source.records.append(LegacyRecord(className: "driver", key: key, fields: []))
        }
        return source
    }

    private func library() throws -> TemporaryLibrary {
        try TemporaryLibrary(schema: Schema(Self.schema))
    }

    @Test func `a member that comes twice is no difference to a verification`() throws {
        let library = try library()
        let source = source(["c": ["x", "y", "x"]], ["x", "y"])
        _ = try library.migrate(source, batch: 100)
        #expect(try library.members("drivers", of: "club", "c") == ["y", "x"])
        #expect(try library.migrate(source, batch: 100).eventCount == 0)
        #expect(try MigrationVerifier(source: source, store: library.store).run().isEqual)
    }
}

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
        _ = try library.migrate(source)
        #expect(try library.members("drivers", of: "club", "c") == ["y", "x"])
        #expect(try library.migrate(source).eventCount == 0)
        #expect(try MigrationVerifier(source: source, store: library.store).run().isEqual)
    }

    /// Migrates, and expects that a plan says the same and that there is nothing to do after that.
    private func migrate(
        _ source: InventedSource,
        _ library: TemporaryLibrary
    ) throws -> MigrationReport {
        let plan = try Migrator(replacing: source, store: library.store).plan()
        let report = try library.migrate(source)
        #expect(report.counts == plan.counts)
        #expect(report.warningCounts == plan.warningCounts)
        #expect(try library.migrate(source).eventCount == 0)
        return report
    }

    @Test(arguments: [false, true])
    func `an owner that the export lacks goes, whatever else differs`(hasOther: Bool) throws {
        let library = try library()
        _ = try library.migrate(source(["c": ["x"], "d": []], ["x"]))
        let report = try migrate(source(["d": []], hasOther ? ["x", "y"] : ["x"]), library)
        #expect(report.counts["club"]?.deleted == 1)
        #expect(report.warningCounts.isEmpty)
        #expect(try library.ids(of: "club") == ["d"])
        #expect(try library.value("club", of: "driver", "x") == .null)
    }

    @Test(arguments: [false, true])
    func `one that somebody has put a member into stays, and keeps all`(hasOther: Bool) throws {
        let library = try library()
        _ = try library.migrate(source(["c": ["x"], "d": []], ["x"]))
        try library.write {
            try $0.put(
                EntityReference(model: "driver", id: "mine"),
                values: ["club": .reference("c")]
            )
        }
        let report = try migrate(source(["d": []], hasOther ? ["x", "y"] : ["x"]), library)
        #expect(report.warningCounts == [.deletedInSourceButInUse: 1])
        #expect(try library.ids(of: "club") == ["c", "d"])
        #expect(try library.members("drivers", of: "club", "c") == ["x", "mine"])
    }

    private func put(_ driver: String, into club: String, _ library: TemporaryLibrary) throws {
        let driver = EntityReference(model: "driver", id: driver)
        try library.write { try $0.put(driver, values: ["club": .reference(club)]) }
    }

    @Test func `a plan says of a member that was added here that it stays`() throws {
        let library = try library()
        _ = try library.migrate(source(["c": ["x"]], ["x", "y"]))
        try put("mine", into: "c", library)
        let report = try migrate(source(["c": ["x", "y"]], ["x", "y"]), library)
        #expect(report.warningCounts == [.entryAddedHere: 1])
        let again = try migrate(source(["c": []], ["x", "y"]), library)
        #expect(again.warningCounts == [.entryAddedHere: 1])
        #expect(try library.members("drivers", of: "club", "c") == ["mine"])
    }

    @Test(arguments: [false, true])
    func `a plan does not say so of one that another list has taken by then`(isFirst: Bool) throws {
        let library = try library()
        _ = try library.migrate(source(["c": ["x"], "d": [], "e": []], ["x"]))
        try put("x", into: "d", library)
        let export =
            isFirst
            ? source(["c": [], "e": ["x"], "d": []], ["x"])
            : source(["c": [], "d": [], "e": ["x"]], ["x"])
        let report = try migrate(export, library)
        #expect(report.warningCounts[.localChangeOverwritten] == 1)
        #expect(try library.members("drivers", of: "club", "e") == ["x"])
    }

    @Test(arguments: [false, true])
    func `a member that stays because it was changed keeps its owner`(hasOther: Bool) throws {
        let library = try library()
        _ = try library.migrate(source(["c": ["x"], "d": []], ["x", "y"]))
        try library.write {
            try $0.put(
                EntityReference(model: "driver", id: "x"),
                values: ["note": .string("mine")]
            )
        }
        let report = try migrate(source(["d": []], hasOther ? ["y", "z"] : ["y"]), library)
        #expect(
            report.warningCounts == [.deletedInSourceButChanged: 1, .deletedInSourceButInUse: 1]
        )
        #expect(try library.value("club", of: "driver", "x") == .reference("c"))
    }

    @Test func `where members forbid that their owner goes, they leave it first`() throws {
        var schema = Self.schema
        schema.relations[0] = RelationDescription(
            1,
            .reference(slot: 1),
            (2, "club"),
            (1, "drivers"),
            onDelete: (.nullify, .deny)
        )
        let library = try TemporaryLibrary(schema: Schema(schema))
        _ = try library.migrate(source(["c": ["x"], "d": []], ["x"]))
        let report = try migrate(source(["d": []], ["x"]), library)
        #expect(report.warningCounts.isEmpty)
        #expect(try library.ids(of: "club") == ["d"])
    }
}

import LegacyMigration
import Reprise
import TestSupport
import Testing

/// Partners in a one-to-one that forbid each other to be deleted, where one of them must have the other.
@Suite struct DeniedPartnerTests {
    private let schema = SchemaDescription(
        models: [
            ModelDescription(1, "a", [("b", .reference, true), ("name", .string, true)]),
            ModelDescription(2, "b", [("a", .reference, false)]),
        ],
        relations: [
            RelationDescription(
                1,
                .pair(sourceSlot: 0, targetSlot: 0),
                (1, "b"),
                (2, "a"),
                onDelete: (.deny, .deny)
            )
        ]
    )

    /// - Parameters:
    ///   - paired: those that have a partner.
    ///   - givesBoth: whether the records of both sides name their partners.
    private func source(paired: [String], others: [String], givesBoth: Bool) -> InventedSource {
        var source = InventedSource(schema: schema)
        if !givesBoth { source.absentFields = ["a": ["b"]] }
        for key in paired + others {
            let hasPartner = givesBoth && paired.contains(key)
            let fields = hasPartner ? [LegacyField("b", .reference("b" + key))] : []
            source.records.append(LegacyRecord(className: "a", key: key, fields: fields))
        }
        for key in paired {
            source.records.append(
                LegacyRecord(
                    className: "b",
                    key: "b" + key,
                    fields: [LegacyField("a", .reference(key))]
                )
            )
        }
        return source
    }

    @Test(arguments: [false, true])
    func `they go together`(givesBoth: Bool) throws {
        let library = try TemporaryLibrary(schema: Schema(schema))
        _ = try library.migrate(source(paired: ["x"], others: ["y"], givesBoth: givesBoth))
        let newer = source(paired: [], others: ["y", "z"], givesBoth: givesBoth)
        let plan = try Migrator(replacing: newer, store: library.store).plan()
        let report = try library.migrate(newer)
        #expect(report.counts == plan.counts)
        #expect(report.warningCounts.isEmpty)
        #expect(try library.ids(of: "a") == ["y", "z"])
        #expect(try library.ids(of: "b").isEmpty)
        #expect(try library.migrate(newer).eventCount == 0)
    }

    @Test func `what goes with another one is not kept by what goes with it as well`() throws {
        var schema = self.schema
        schema.models.append(
            ModelDescription(3, "c", [("a", .reference, true), ("b", .reference, true)])
        )
        // Whoever holds both takes both along.
        for (slot, name) in ["a", "b"].enumerated() {
            schema.relations.append(
                RelationDescription(
                    UInt16(2 + slot),
                    .reference(slot: slot),
                    (3, name),
                    (UInt16(1 + slot), "holders"),
                    onDelete: (.cascade, .nullify)
                )
            )
        }
        let library = try TemporaryLibrary(schema: Schema(schema))
        func source(_ keys: [String]) -> InventedSource {
            var source = self.source(paired: keys, others: ["y"], givesBoth: true)
            source.schema = schema
            for key in keys {
                source.records.append(
                    LegacyRecord(
                        className: "c",
                        key: "c" + key,
                        fields: [
                            LegacyField("a", .reference(key)),
                            LegacyField("b", .reference("b" + key)),
                        ]
                    )
                )
            }
            return source
        }
        _ = try library.migrate(source(["x"]))
        let plan = try Migrator(replacing: source([]), store: library.store).plan()
        let report = try library.migrate(source([]))
        #expect(report.counts == plan.counts)
        #expect(report.warningCounts.isEmpty)
        #expect(try library.ids(of: "a") == ["y"])
        #expect(try library.ids(of: "c").isEmpty)
    }
}

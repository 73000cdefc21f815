import LegacyMigration
import Reprise
import Testing

/// Identifiers in values that are no relationships.
@Suite struct HeldIdentifierTests {
    private static let schema = SchemaDescription(
        models: [
            ModelDescription(
                number: 1,
                name: "Disc",
                version: 1,
                slotCount: 1,
                attributes: [
                    AttributeDescription(slot: 0, name: "code", type: .int, isOptional: true)
                ],
                indexes: []
            ),
            ModelDescription(
                number: 2,
                name: "Shelf",
                version: 1,
                slotCount: 2,
                attributes: [
                    AttributeDescription(
                        slot: 0,
                        name: "places",
                        type: .map(.string, nilValues: true),
                        isOptional: true
                    ),
                    AttributeDescription(slot: 1, name: "note", type: .string, isOptional: true),
                ],
                indexes: []
            ),
        ],
        relations: []
    )

    private var source: InventedSource {
        var source = InventedSource(schema: Self.schema)
        source.heldIdentifiers = ["Shelf": ["places": .map(of: "Disc"), "note": .text]]
        source.records = ["1", "2"].map {
            LegacyRecord(
                className: "Disc",
                key: $0,
                fields: [LegacyField("code", .integer($0 == "1" ? 2 : 77))]
            )
        }
        source.records += ["a", "b"].map {
            LegacyRecord(
                className: "Shelf",
                key: $0,
                fields: [
                    LegacyField(
                        "places",
                        .map([
                            LegacyField("left", .string("1")), LegacyField("right", .string("2")),
                            LegacyField("top", .null), LegacyField("gone", .string("3")),
                        ])
                    ),
                    LegacyField("note", .string(#"{"$link":["Disc","1"]}"#)),
                ]
            )
        }
        return source
    }

    @Test func `a map of identifiers follows the rule that changes them, and a text is named`()
        throws
    {
        let mapping = RecordMapping(classes: [
            "Disc": .init(model: "Record", identifier: .field("code")),
            "Shelf": .init(fields: ["places": .init(name: "spots")]),
        ])
        let mapped = try MappedSource(source, mapping)
        #expect(mapped.heldIdentifiers == ["Shelf": ["spots": .map(of: "Record"), "note": .text]])
        let readout = try Conformance.read(mapped)
        #expect(
            readout.record("Shelf", "a")?["spots"]
                == .map([
                    LegacyField("left", .string("2")), LegacyField("right", .string("77")),
                    LegacyField("top", .null), LegacyField("gone", .null),
                ])
        )
        #expect(readout.count(.missingTarget) == 2)
        // Once for the property, and not for every record.
        #expect(readout.count(.staleIdentifier) == 1)
        #expect(!LegacyWarning.Kind.staleIdentifier.isNote)
    }

    @Test func `where identifiers stay, so do the maps, and nothing is said`() throws {
        let readout = try Conformance.read(MappedSource(source))
        #expect(readout.records == source.records)
        #expect(readout.warnings.isEmpty)
    }

    @Test func `a map of identifiers follows records that another source's have the names of`()
        throws
    {
        let library = try TemporaryLibrary(schema: Schema(Self.schema))
        var second = source
        second.identity = SourceIdentity(kind: "invented", name: "two")
        for source in [source, second] {
            _ = try Migrator(replacing: source, store: library.store).run()
            #expect(try MigrationVerifier(source: source, store: library.store).run().isEqual)
        }
        try library.store.read { state in
            let discs = Set(try state.records(RecordQuery(model: "Disc")).map(\.id))
            #expect(discs.count == 4)
            var held: [String] = []
            for shelf in try state.records(RecordQuery(model: "Shelf")) {
                guard case .map(let entries) = shelf["places"] else { continue }
                for entry in entries where ["left", "right"].contains(entry.name) {
                    if case .string(let id) = entry.value { held.append(id) }
                }
            }
            // Each disc stands in both shelves of its own source.
            #expect(held.count == 8)
            #expect(Set(held) == discs)
        }
    }
}

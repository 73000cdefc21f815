import LegacyMigration
import Reprise
import TestSupport
import Testing

/// Partners of the same model, whom everybody must have on both sides.
@Suite struct OwnPartnerMigrationTests {
    private static let schema = SchemaDescription(
        models: [
            ModelDescription(1, "seat", [("twin", .reference, false), ("of", .reference, false)])
        ],
        relations: [
            RelationDescription(
                number: 1,
                kind: .pair(sourceSlot: 0, targetSlot: 1),
                source: .init(model: 1, name: "twin", onDelete: .deny),
                target: .init(model: 1, name: "of", onDelete: .deny)
            )
        ]
    )

    private let library: TemporaryLibrary

    init() throws {
        library = try TemporaryLibrary(schema: Schema(Self.schema))
    }

    /// Each seat with its twin.
    private func source(_ twins: [String: String], saysOf: Bool) -> InventedSource {
        var source = InventedSource(schema: Self.schema)
        if !saysOf { source.absentFields = ["seat": ["of"]] }
        for (seat, twin) in twins.sorted(by: { $0.key < $1.key }) {
            var fields = [LegacyField("twin", .reference(twin))]
            if saysOf, let of = twins.first(where: { $0.value == seat })?.key {
                fields.append(LegacyField("of", .reference(of)))
            }
            source.records.append(LegacyRecord(className: "seat", key: seat, fields: fields))
        }
        return source
    }

    @Test(arguments: [["a": "b", "b": "a"], ["a": "c", "b": "a", "c": "b"]], [false, true])
    func `seats that are their own twins get each other`(
        twins: [String: String],
        saysOf: Bool
    ) throws {
        // Nothing but a migration can make the first of them: it is its own.
        let own = Dictionary(uniqueKeysWithValues: twins.keys.map { ($0, $0) })
        _ = try library.migrate(source(own, saysOf: true))
        let count = try library.store.read { try $0.count(RecordQuery(model: "seat")) }
        #expect(count == twins.count)
        try library.expectAllOrNothing(of: source(twins, saysOf: saysOf))
        try library.expectAllOrNothing(of: source(own, saysOf: saysOf))
    }
}

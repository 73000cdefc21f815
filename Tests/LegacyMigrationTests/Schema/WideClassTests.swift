import LegacyMigration
import Reprise
import Testing

/// Classes with thousands of properties take as much longer as they are wider, and not the square of it.
@Suite(.serialized) struct WideClassTests {
    private func schema(_ count: Int) -> SchemaDescription {
        SchemaDescription(
            models: [
                ModelDescription(
                    number: 1,
                    name: "wide",
                    version: 1,
                    slotCount: count,
                    attributes: (0..<count).map {
                        AttributeDescription(
                            slot: $0,
                            name: "a_property_with_a_long_name_\($0)",
                            type: .int,
                            isOptional: true
                        )
                    },
                    indexes: []
                )
            ],
            relations: []
        )
    }

    private func duration(_ body: () throws -> Void) rethrows -> Duration {
        let clock = ContinuousClock()
        let start = clock.now
        try body()
        return clock.now - start
    }

    /// The shortest of several times to declare a class again, and to compare an export of it.
    private func time(_ count: Int) throws -> Duration {
        var source = InventedSource(schema: schema(count))
        let fields = source.schema.models[0].attributes.enumerated()
            .map { LegacyField($1.name, .integer(Int64($0))) }
        source.records = [LegacyRecord(className: "wide", key: "a", fields: fields)]
        let library = try TemporaryLibrary(for: source)
        _ = try Migrator(replacing: source, store: library.store).run()
        return try (0..<3)
            .map { _ in
                try duration {
                    try library.reopen()
                    _ = try Migrator(replacing: source, store: library.store).plan()
                    let verifier = MigrationVerifier(source: source, store: library.store)
                    #expect(try verifier.run().isEqual)
                }
            }
            .min() ?? .zero
    }

    @Test func `eight times the properties do not take sixty-four times the time`() throws {
        let (narrow, wide) = try (time(500), time(4000))
        #expect(wide < narrow * 24, "\(narrow) and \(wide)")
    }
}

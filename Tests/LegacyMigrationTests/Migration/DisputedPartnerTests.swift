import LegacyMigration
import Reprise
import TestSupport
import Testing

/// Exports whose records say different things about the partners in a one-to-one.
@Suite struct DisputedPartnerTests {
    /// Who says that he is married to whom: nil says nobody.
    typealias Statement = (side: String, id: String, partner: String?)

    private static let schema = SchemaDescription(
        models: ["wife", "husband"].enumerated().map { place, name in
            ModelDescription(
                number: UInt16(place + 1),
                name: name,
                version: 1,
                slotCount: 1,
                attributes: [.init(slot: 0, name: "spouse", type: .reference, isOptional: true)],
                indexes: []
            )
        },
        relations: [
            RelationDescription(
                number: 1,
                kind: .pair(sourceSlot: 0, targetSlot: 0),
                source: .init(model: 1, name: "spouse", onDelete: .nullify),
                target: .init(model: 2, name: "spouse", onDelete: .nullify)
            )
        ]
    )

    private let library: TemporaryLibrary

    init() throws {
        library = try TemporaryLibrary(schema: Schema(Self.schema))
    }

    private func source(_ statements: [Statement]) -> InventedSource {
        var source = InventedSource(schema: Self.schema)
        source.records = statements.map { statement in
            let spouse = statement.partner.map { LegacyField("spouse", .reference($0)) }
            return LegacyRecord(
                className: statement.side,
                key: statement.id,
                fields: spouse.map { [$0] } ?? []
            )
        }
        return source
    }

    private func spouse(of side: String, _ id: String) throws -> Value? {
        try library.store.read { try $0.record(model: side, id: id)?["spouse"] }
    }

    /// Migrates, and again; returns how often it was said that one does not get what its record says.
    private func migrate(_ statements: [Statement]) throws -> Int {
        let source = source(statements)
        let report = try library.expectWholeOrNothing(of: source)
        let count = report.warningCounts[.disputedPartner] ?? 0
        #expect(report.warningCounts.values.reduce(0, +) == count)
        let again = try library.migrate(source)
        #expect(again.eventCount == 0)
        #expect(again.warningCounts == report.warningCounts)
        let verification = try MigrationVerifier(source: source, store: library.store).run()
        #expect(verification.isEqual)
        #expect(try library.store.verify().isSound)
        return count
    }

    @Test func `of two that name the same the first has it`() throws {
        let count = try migrate([
            ("wife", "w1", "h1"), ("wife", "w2", "h1"), ("husband", "h1", "w1"),
            ("husband", "h2", nil),
        ])
        #expect(count == 1)
        #expect(try spouse(of: "wife", "w1") == .reference("h1"))
        #expect(try spouse(of: "wife", "w2") == .null)
    }

    @Test func `of two sides that differ the first counts`() throws {
        let count = try migrate([
            ("wife", "w1", "h1"), ("wife", "w2", "h2"), ("husband", "h1", "w2"),
            ("husband", "h2", nil),
        ])
        #expect(count == 2)
        #expect(try spouse(of: "husband", "h1") == .reference("w1"))
        #expect(try spouse(of: "husband", "h2") == .reference("w2"))
    }

    @Test func `who names nobody is nobody's, where that is said first`() throws {
        let count = try migrate([
            ("wife", "w1", nil), ("husband", "h1", "w1"), ("husband", "h2", nil),
        ])
        #expect(count == 1)
        #expect(try spouse(of: "wife", "w1") == .null)
        #expect(try spouse(of: "husband", "h1") == .null)
    }

    @Test func `who agree have each other, and exchange each other`() throws {
        #expect(
            try migrate([
                ("wife", "w1", "h1"), ("wife", "w2", "h2"), ("husband", "h1", "w1"),
                ("husband", "h2", "w2"),
            ]) == 0
        )
        #expect(
            try migrate([
                ("wife", "w1", "h2"), ("wife", "w2", "h1"), ("husband", "h1", "w2"),
                ("husband", "h2", "w1"),
            ]) == 0
        )
        #expect(try spouse(of: "wife", "w1") == .reference("h2"))
    }

    @Test(arguments: seeds([0, 1, 2, 3]))
    func `whoever says what, the same export again writes nothing`(number: UInt64) throws {
        try seeded(number) { seed in
            for _ in 0..<4 {
                var statements: [Statement] = []
                for (side, mine, other) in [("wife", "w", "h"), ("husband", "h", "w")] {
                    for place in 0..<5 {
                        let partner = seed.once(in: 4) ? nil : "\(other)\(seed.below(5))"
                        statements.append((side, "\(mine)\(place)", partner))
                    }
                }
                statements.shuffle(using: &seed)
                let source = source(statements)
                guard try Migrator(replacing: source, store: library.store).plan().writtenCount > 0
                else { continue }
                _ = try migrate(statements)
            }
        }
    }
}

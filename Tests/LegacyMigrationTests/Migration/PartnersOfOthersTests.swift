import LegacyMigration
import Reprise
import TestSupport
import Testing

/// What somebody has changed in the store, where an export gives rows other partners.
@Suite struct PartnersOfOthersTests {
    /// A wife, and whom she is married to.
    typealias Wife = (id: String, husband: String?)

    private static let schema = SchemaDescription(
        models: ["wife", "husband"].enumerated().map { place, name in
            ModelDescription(
                UInt16(place + 1),
                name,
                [("name", .string, true), ("spouse", .reference, true)]
            )
        },
        relations: [
            RelationDescription(
                number: 1,
                kind: .pair(sourceSlot: 1, targetSlot: 1),
                source: .init(model: 1, name: "spouse", onDelete: .nullify),
                target: .init(model: 2, name: "spouse", onDelete: .nullify)
            )
        ]
    )

    private let library: TemporaryLibrary

    init() throws {
        library = try TemporaryLibrary(schema: Schema(Self.schema))
    }

    /// Only the wives say who is married to whom.
    private func source(
        _ wives: [Wife],
        husbands: [String],
        wivesFirst: Bool = false
    ) -> InventedSource {
        var source = InventedSource(schema: Self.schema)
        source.absentFields = ["husband": ["spouse"]]
        source.order = wivesFirst ? ["wife", "husband"] : ["husband", "wife"]
        for (id, husband) in wives {
            var fields = [LegacyField("name", .string(id))]
            if let husband { fields.append(LegacyField("spouse", .reference(husband))) }
            source.records.append(LegacyRecord(className: "wife", key: id, fields: fields))
        }
        for id in husbands {
            let fields = [LegacyField("name", .string(id))]
            source.records.append(LegacyRecord(className: "husband", key: id, fields: fields))
        }
        return source
    }

    private func wife(_ id: String) -> EntityReference { EntityReference(model: "wife", id: id) }

    private func rename(_ id: String) throws {
        _ = try library.store.write { transaction in
            try transaction.put(wife(id), values: ["name": .string("changed here")])
        }
    }

    private func value(_ name: String, of id: String) throws -> Value? {
        try library.store.read { try $0.record(model: "wife", id: id)?[name] }
    }

    /// Migrates; the plan has to say the same warnings.
    private func migrate(
        _ source: InventedSource
    ) throws -> [LegacyWarning.Kind: Int] {
        let plan = try Migrator(replacing: source, store: library.store).plan()
        let report = try library.expectWholeOrNothing(of: source)
        #expect(plan.warningCounts == report.warningCounts)
        #expect(try library.migrate(source).eventCount == 0)
        return report.warningCounts
    }

    @Test func `a changed row stays that the export lacks, though it loses its partner`() throws {
        let husbands = ["h1", "h2"]
        _ = try library.migrate(source([("w1", "h1"), ("w2", nil)], husbands: husbands))
        try rename("w1")
        for _ in 0..<2 {
            let source = source([("w2", "h1")], husbands: husbands)
            let plan = try Migrator(replacing: source, store: library.store).plan()
            #expect(plan.warningCounts == [.deletedInSourceButChanged: 1])
            let report = try library.migrate(source)
            #expect(report.warningCounts == [.deletedInSourceButChanged: 1])
            #expect(try value("name", of: "w1") == .string("changed here"))
            #expect(try value("spouse", of: "w1") == .null)
            #expect(try value("spouse", of: "w2") == .reference("h1"))
        }
        // Nor does it go with the one after that.
        _ = try library.migrate(source([("w2", "h2")], husbands: husbands))
        #expect(try value("name", of: "w1") == .string("changed here"))
    }

    @Test func `a partner that was given here and that another record takes is named once, and stays there`() throws {
        let husbands = ["h1", "h2", "h3"]
        let old = source([("w1", "h1"), ("w2", "h2")], husbands: husbands)
        _ = try library.migrate(old)
        _ = try library.store.write {
            try $0.put(wife("w1"), values: ["spouse": .reference("h3")])
        }
        let new = source([("w1", "h1"), ("w2", "h3")], husbands: husbands)
        #expect(try migrate(new)[.localChangeOverwritten] == 1)
        #expect(try value("spouse", of: "w1") == .null)
        #expect(try value("spouse", of: "w2") == .reference("h3"))
        #expect(try library.migrate(new).eventCount == 0)
    }

    @Test func `what was changed in a row stays, though it gets another partner`() throws {
        let husbands = ["h1", "h2"]
        let old = source([("w1", "h1"), ("w2", "h2")], husbands: husbands)
        _ = try library.migrate(old)
        try rename("w2")
        let new = source([("w1", "h2"), ("w2", "h1")], husbands: husbands)
        #expect(try migrate(new) == [.localChangeKept: 1])
        #expect(try value("name", of: "w2") == .string("changed here"))
        #expect(try value("spouse", of: "w2") == .reference("h1"))
    }

    @Test(arguments: [false, true])
    func `a row of somebody else that loses its partner is named`(
        wivesFirst: Bool
    ) throws {
        let husbands = ["h1", "h2"]
        _ = try library.migrate(source([("w1", nil)], husbands: husbands))
        _ = try library.store.write { transaction in
            try transaction.put(wife("z"), values: ["spouse": .reference("h1")])
        }
        let new = source([("w1", "h1")], husbands: husbands, wivesFirst: wivesFirst)
        #expect(try migrate(new) == [.localChangeOverwritten: 1])
        #expect(try value("spouse", of: "z") == .null)
        // Whom the export leaves alone keeps his.
        _ = try library.store.write { transaction in
            try transaction.put(wife("z"), values: ["spouse": .reference("h2")])
        }
        #expect(try library.migrate(new).warningCounts.isEmpty)
        #expect(try value("spouse", of: "z") == .reference("h2"))
    }
}

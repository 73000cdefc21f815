import LegacyMigration
import Reprise
import TestSupport
import Testing

@testable import LegacyMigrator

/// Lists that are not what they are to be before others have changed.
@Suite struct WaitingListTests {
    // MARK: Given by their owners

    /// Songs in an order on discs, no two at the same place of one.
    private static let discs = SchemaDescription(
        models: [
            ModelDescription(
                number: 1,
                name: "song",
                version: 1,
                slotCount: 3,
                attributes: [
                    .init(slot: 0, name: "place", type: .int, isOptional: true),
                    .init(slot: 1, name: "disc", type: .reference, isOptional: true),
                    .init(slot: 2, name: "note", type: .string, isOptional: true),
                ],
                indexes: [IndexDescription(number: 1, slots: [1, 0], isUnique: true)]
            ),
            ModelDescription(
                number: 2,
                name: "disc",
                version: 1,
                slotCount: 1,
                attributes: [.init(slot: 0, name: "name", type: .string, isOptional: true)],
                indexes: []
            ),
        ],
        relations: [
            RelationDescription(
                number: 1,
                kind: .reference(slot: 1),
                source: .init(model: 1, name: "disc", onDelete: .nullify),
                target: .init(model: 2, name: "songs", onDelete: .nullify)
            )
        ]
    )

    private func source(
        _ songs: KeyValuePairs<String, Int>,
        on discs: KeyValuePairs<String, [String]>
    ) -> InventedSource {
        var source = InventedSource(schema: Self.discs)
        source.absentFields = ["song": ["disc", "note"]]
        for (key, place) in songs {
            let fields = [LegacyField("place", .integer(Int64(place)))]
            source.records.append(LegacyRecord(className: "song", key: key, fields: fields))
        }
        for (key, members) in discs {
            let fields = [LegacyField("name", .string(key))]
            source.records.append(LegacyRecord(className: "disc", key: key, fields: fields))
            let list = LegacyList(
                className: "disc",
                key: key,
                name: "songs",
                members: LegacyReferences(members)
            )
            source.lists.append(list)
        }
        return source
    }

    @Test func `songs that were changed here swap their discs`() throws {
        let library = try TemporaryLibrary(schema: Schema(Self.discs))
        let songs: KeyValuePairs = ["t1": 1, "t2": 1, "t3": 2]
        let old = source(songs, on: ["a": ["t1", "t3"], "b": ["t2"]])
        _ = try library.migrate(old)
        _ = try library.store.write {
            try $0.put(EntityReference(model: "song", id: "t1"), values: ["note": .string("mine")])
        }
        let new = source(songs, on: ["a": ["t2", "t3"], "b": ["t1"]])
        try library.expectWholeOrNothing(of: new)
        #expect(try MigrationVerifier(source: new, store: library.store).run().isEqual)
        #expect(try library.migrate(new).eventCount == 0)
    }

    // MARK: Of owners that come late

    /// Everybody has a boss, and no two teams the same name.
    private static let schema: SchemaDescription = {
        var schema = InventedCompany.Bond.bossed.schema
        schema.models[2].indexes = [IndexDescription(number: 9, slots: [0], isUnique: true)]
        return schema
    }()

    private func source(_ company: InventedCompany) -> InventedSource {
        var source = company.source
        source.schema = Self.schema
        source.order = ["department", "person", "team"]
        return source
    }

    @Test func `of records that want the same value that with the first identifier has it`() throws
    {
        var company = InventedCompany()
        company.people = [
            .init(key: "l", name: "l", boss: "b"), .init(key: "b", name: "b", boss: "b"),
        ]
        company.teams = [.init(key: "first", name: "a", lead: "l")]
        company.teams += (0..<5).map { .init(key: "again\($0)", name: "a") }
        company.teams += [.init(key: "second", name: "c", lead: "l")]
        let library = try TemporaryLibrary(schema: Schema(Self.schema))
        try library.expectWholeOrNothing(of: source(company))
        try library.store.read { state in
            let leads = try state.entries(of: "leads", model: "person", id: "l")
            #expect(leads.map(\.target) == ["second"])
        }
    }

    @Test(arguments: seeds([0, 1, 2]))
    func `however many wait in a first migration and after it, it comes to the same`(
        number: UInt64
    ) throws {
        try seeded(number) { seed in
            let library = try TemporaryLibrary(schema: Schema(Self.schema))
            for _ in 0..<2 {
                let keys = (0..<7).map { "p\($0)" }.shuffled(using: &seed)
                var company = InventedCompany()
                for (place, key) in keys.enumerated() {
                    let boss = place == 0 ? key : seed.pick(keys[..<place])
                    company.people.append(.init(key: key, name: key, boss: boss))
                }
                company.people.shuffle(using: &seed)
                company.teams = (0..<9).map { number in
                    InventedCompany.Team(
                        key: "t\(number)",
                        name: "\(seed.below(6))",
                        lead: seed.pick(keys),
                        members: (0..<seed.below(4)).map { _ in seed.pick(keys) }
                    )
                }
                try library.expectWholeOrNothing(of: source(company))
            }
        }
    }
}

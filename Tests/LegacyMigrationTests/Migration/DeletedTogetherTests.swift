import LegacyMigration
import Reprise
import TestSupport
import Testing

/// Deleting rows that a newer export lacks, where much hangs on one of them.
@Suite struct DeletedTogetherTests {
    private func library(
        _ schema: SchemaDescription = InventedCompany.schema
    ) throws -> TemporaryLibrary {
        try TemporaryLibrary(schema: Schema(schema))
    }

    private func migrator(
        _ company: InventedCompany,
        _ library: TemporaryLibrary
    ) -> Migrator {
        let options = Migrator.Options(replacesEverything: true)
        return Migrator(source: company.source, store: library.store, options: options)
    }

    /// The schema with other rules for one relation.
    private func schema(
        _ number: UInt16,
        source: DeleteRule,
        target: DeleteRule
    ) -> SchemaDescription {
        var schema = InventedCompany.schema
        let place = Int(number) - 1
        let old = schema.relations[place]
        schema.relations[place] = RelationDescription(
            number: number,
            kind: old.kind,
            source: .init(model: old.source.model, name: old.source.name, onDelete: source),
            target: .init(model: old.target.model, name: old.target.name, onDelete: target)
        )
        return schema
    }

    private func ids(_ model: String, _ library: TemporaryLibrary) throws -> [String] {
        try library.store.read { try $0.records(RecordQuery(model: model)).map(\.id) }
    }

    private func people(_ count: Int, boss: String? = nil) -> [InventedCompany.Person] {
        (0..<count).map {
            .init(key: "p\(100 + $0)", name: "N", boss: boss == "p\(100 + $0)" ? nil : boss)
        }
    }

    @Test(arguments: [DeleteRule.nullify, .deny])
    func `a row with many entries goes with them`(
        rule: DeleteRule
    ) throws {
        let library = try library(schema(5, source: rule, target: rule))
        var company = InventedCompany()
        company.people = people(10)
        company.departments = [.init(key: "d", name: "D")]
        company.teams = [
            .init(key: "a", name: "A", members: (0..<95).map { "p\(100 + $0 % 10)" }),
            .init(key: "b", name: "B", members: ["p100", "p101"]),
        ]
        _ = try migrator(company, library).run()
        company.teams = []
        let report = try migrator(company, library).run()
        #expect(report.counts["team"]?.deleted == 2)
        #expect(try ids("team", library).isEmpty)
        #expect(try library.store.verify().isSound)
    }

    @Test(arguments: [DeleteRule.nullify, .cascade, .deny])
    func `those that point to a row go with it, whatever its rule`(rule: DeleteRule) throws {
        let library = try library(schema(2, source: .nullify, target: rule))
        var company = InventedCompany()
        company.departments = [.init(key: "d", name: "D")]
        company.people = people(60, boss: "p100")
        _ = try migrator(company, library).run()
        company.people = []
        let plan = try migrator(company, library).plan()
        #expect(plan.counts["person"]?.deleted == 60)
        let report = try migrator(company, library).run()
        #expect(report.counts == plan.counts)
        #expect(try library.store.verify().isSound)
    }

    @Test func `a row that many point to goes with them, and with those that go only together`()
        throws
    {
        // A person goes only together with their department.
        let schema = schema(1, source: .cascade, target: .deny)
        let library = try library(schema)
        var company = InventedCompany()
        company.people = people(40, boss: "p139")
        for place in 0..<39 {
            company.departments.append(.init(key: "d\(100 + place)", name: "D"))
            company.people[place].department = "d\(100 + place)"
        }
        _ = try migrator(company, library).run()
        company.departments = []
        company.people = []
        let report = try migrator(company, library).run()
        #expect(report.counts["person"]?.deleted == 40)
        #expect(report.counts["department"]?.deleted == 39)
        #expect(report.warningCounts.isEmpty)
        #expect(try migrator(company, library).run().eventCount == 0)
    }

    @Test func `a row that others of somebody else list stays, and so do those that lead to it`() throws {
        let library = try library()
        var company = InventedCompany()
        company.departments = [.init(key: "d", name: "D"), .init(key: "e", name: "E")]
        company.people = people(40, boss: "p100")
        _ = try migrator(company, library).run()
        // Whoever is listed in a team of somebody else's stays; but for the boss they are all.
        let mine = EntityReference(model: "team", id: "mine")
        try library.store.write { transaction in
            try transaction.put(mine, values: ["name": .string("M")])
            for person in company.people.dropFirst() {
                try transaction.link("members", of: mine, to: person.key)
            }
        }
        company.people = []
        let report = try migrator(company, library).run()
        #expect(report.eventCount == 0)
        #expect(report.warningCounts == [.deletedInSourceButInUse: 40])
    }

    @Test func `what goes only together goes together`() throws {
        let library = try library(schema(3, source: .deny, target: .cascade))
        var company = InventedCompany()
        company.teams = [.init(key: "t", name: "T")]
        company.departments = (0..<6).map {
            .init(key: "d\($0)", name: "D", parent: $0 == 0 ? nil : "d\(($0 - 1) / 2)")
        }
        _ = try migrator(company, library).run()
        company.departments = []
        let report = try migrator(company, library).run()
        #expect(report.counts["department"]?.deleted == 6)
        #expect(try library.store.verify().isSound)
    }

    @Test func `one with a list goes with others`() throws {
        var schema = schema(3, source: .deny, target: .cascade)
        schema.relations.append(
            RelationDescription(
                number: 6,
                kind: .list,
                source: .init(model: 2, name: "staff", onDelete: .nullify),
                target: .init(model: 1, name: "staffs", onDelete: .nullify)
            )
        )
        let library = try library(schema)
        var company = InventedCompany()
        company.people = people(3)
        company.departments = [
            .init(key: "d", name: "D"), .init(key: "e", name: "E", parent: "d"),
        ]
        func source(_ company: InventedCompany) -> InventedSource {
            var source = company.source
            source.schema = schema
            for department in company.departments where department.key == "e" {
                source.lists.append(
                    LegacyList(
                        className: "department",
                        key: "e",
                        name: "staff",
                        members: LegacyReferences((0..<50).map { "p\(100 + $0 % 3)" })
                    )
                )
            }
            return source
        }
        let options = Migrator.Options(replacesEverything: true)
        _ = try Migrator(replacing: source(company), store: library.store).run()
        company.departments = []
        let newer = source(company)
        let report = try Migrator(source: newer, store: library.store, options: options).run()
        #expect(report.counts["department"]?.deleted == 2)
        #expect(try library.store.verify().isSound)
    }
}

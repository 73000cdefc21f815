import LegacyMigration
import Reprise
import TestSupport
import Testing

@testable import LegacyMigrator

/// Deleting rows that a newer export lacks, where more hangs on one of them than one commit has room for.
@Suite struct BoundedDeletionTests {
    private func library(
        _ schema: SchemaDescription = InventedCompany.schema
    ) throws -> TemporaryLibrary {
        try TemporaryLibrary(schema: Schema(schema))
    }

    private func migrator(
        _ company: InventedCompany,
        _ library: TemporaryLibrary,
        batch: Int = 5000
    ) -> Migrator {
        let options = Migrator.Options(batchRecordCount: batch, replacesEverything: true)
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

    /// How many events the commits since have, the annotations of a migration not counted.
    private func eventCounts(
        _ library: TemporaryLibrary,
        after head: Position
    ) throws -> [Int] {
        var counts: [Int] = []
        try library.store.read { state in
            let first = Position(rawValue: head.rawValue + 1)
            try state.forEachCommit(from: first, to: nil, reversed: false) {
                counts.append($0.events.count { $0.entity != nil })
                return true
            }
        }
        return counts
    }

    private func people(_ count: Int, boss: String? = nil) -> [InventedCompany.Person] {
        (0..<count).map {
            .init(key: "p\(100 + $0)", name: "N", boss: boss == "p\(100 + $0)" ? nil : boss)
        }
    }

    @Test(arguments: 0..<20)
    func `bounds make no difference to what is deleted`(number: UInt64) throws {
        try seeded(700 + number) { seed in
            var company = InventedCompany(seed: &seed, size: 4)
            let rule = number.isMultiple(of: 2) ? DeleteRule.nullify : .deny
            let roomy = try library(schema(5, source: rule, target: rule))
            let tight = try library(schema(5, source: rule, target: rule))
            for _ in 0..<5 {
                let batch = 1 + seed.below(20)
                let expected = try migrator(company, roomy).run()
                let bounds = DeletionBounds(
                    severedCountMax: seed.below(3),
                    ownedCountMax: seed.below(3)
                )
                let report = try DeletionBounds.$current.withValue(bounds) {
                    try migrator(company, tight, batch: batch).run()
                }
                #expect(report.counts == expected.counts)
                #expect(report.warningCounts == expected.warningCounts)
                #expect(try tight.content == roomy.content)
                #expect(report.digest == expected.digest)
                #expect(try migrator(company, tight, batch: batch).run().eventCount == 0)
                for _ in 0..<6 + seed.below(20) { company.change(&seed) }
            }
            #expect(try tight.store.verify().isSound)
        }
    }

    @Test(arguments: [DeleteRule.nullify, .deny])
    func `a row with more entries than an event may have is emptied in several commits`(
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
        let bounds = DeletionBounds(ownedCountMax: 20)
        try DeletionBounds.$current.withValue(bounds) {
            let head = try library.head
            let (report, remains) = try library.remainsOfEachBatch {
                try migrator(company, library, batch: 10).run(progress: $0)
            }
            #expect(report.counts["team"]?.deleted == 2)
            #expect(try ids("team", library).isEmpty)
            let counts = try eventCounts(library, after: head)
            // A list that forbids its owner to go is emptied before, whatever is in it.
            #expect(counts.reduce(0, +) == (rule == .deny ? 99 : 97))
            #expect(counts.allSatisfy { $0 <= 10 }, "\(counts)")
            #expect(remains.count > 9)
            for remains in remains {
                let resumed = try migrator(company, remains, batch: 10).run()
                #expect(resumed.digest == report.digest)
                #expect(try ids("team", remains).isEmpty)
            }
        }
        #expect(try library.store.verify().isSound)
    }

    @Test func `a row that stays is not emptied`() throws {
        let library = try library(schema(4, source: .deny, target: .nullify))
        var company = InventedCompany()
        company.people = people(3)
        let members = Array(repeating: "p100", count: 30)
        // No team goes that somebody leads.
        company.teams = [
            .init(key: "a", name: "A", lead: "p101", members: members),
            .init(key: "b", name: "B", members: members),
        ]
        _ = try migrator(company, library).run()
        company.teams = []
        let bounds = DeletionBounds(severedCountMax: 2, ownedCountMax: 2)
        let report = try DeletionBounds.$current.withValue(bounds) {
            try migrator(company, library, batch: 5).run()
        }
        #expect(report.warningCounts == [.deletedInSourceButInUse: 1])
        #expect(try ids("team", library) == ["a"])
        let entries = try library.store.read {
            try $0.entries(of: "members", model: "team", id: "a")
        }
        #expect(entries.count == 30)
    }

    @Test(arguments: [DeleteRule.nullify, .cascade, .deny])
    func `those that point to a row go before it, whatever its rule`(rule: DeleteRule) throws {
        let library = try library(schema(2, source: .nullify, target: rule))
        var company = InventedCompany()
        company.departments = [.init(key: "d", name: "D")]
        company.people = people(60, boss: "p100")
        _ = try migrator(company, library).run()
        company.people = []
        let bounds = DeletionBounds(severedCountMax: 5, closureCountMax: 5)
        try DeletionBounds.$current.withValue(bounds) {
            let plan = try migrator(company, library).plan()
            #expect(plan.counts["person"]?.deleted == 60)
            let head = try library.head
            let (report, remains) = try library.remainsOfEachBatch {
                try migrator(company, library, batch: 7).run(progress: $0)
            }
            #expect(report.counts == plan.counts)
            #expect(try eventCounts(library, after: head).allSatisfy { $0 <= 7 })
            for remains in remains {
                #expect(try migrator(company, remains, batch: 7).run().digest == report.digest)
            }
        }
        #expect(try library.store.verify().isSound)
    }

    @Test func `a row that many point to which go after it is severed from them first`()
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
        try DeletionBounds.$current.withValue(DeletionBounds(severedCountMax: 10)) {
            let head = try library.head
            let (report, remains) = try library.remainsOfEachBatch {
                try migrator(company, library, batch: 6).run(progress: $0)
            }
            #expect(report.counts["person"]?.deleted == 40)
            #expect(report.counts["department"]?.deleted == 39)
            #expect(report.warningCounts.isEmpty)
            // Nobody loses the boss in the commit in which the boss goes: that takes six others before.
            let counts = try eventCounts(library, after: head)
            let count: Int = counts.reduce(0, +)
            #expect(count == 118)
            #expect(counts.allSatisfy { $0 <= 7 }, "\(counts)")
            for remains in remains {
                #expect(try migrator(company, remains, batch: 6).run().digest == report.digest)
            }
            #expect(try migrator(company, library).run().eventCount == 0)
        }
    }

    @Test func `a row is not severed from those that stay`() throws {
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
        try DeletionBounds.$current.withValue(DeletionBounds(severedCountMax: 10)) {
            let report = try migrator(company, library, batch: 6).run()
            #expect(report.eventCount == 0)
            #expect(report.warningCounts == [.deletedInSourceButInUse: 40])
        }
    }

    @Test func `what goes only together is kept where it is too much, and that is said`() throws {
        let library = try library(schema(3, source: .deny, target: .cascade))
        var company = InventedCompany()
        company.teams = [.init(key: "t", name: "T")]
        company.departments = (0..<6).map {
            .init(key: "d\($0)", name: "D", parent: $0 == 0 ? nil : "d\(($0 - 1) / 2)")
        }
        _ = try migrator(company, library).run()
        company.departments = []
        try DeletionBounds.$current.withValue(DeletionBounds(closureCountMax: 5)) {
            let report = try migrator(company, library).run()
            // Nothing is written, not even that a migration began.
            #expect(report.eventCount == 0)
            #expect(report.warningCounts == [.deletedInSourceButInUse: 6])
        }
        let report = try DeletionBounds.$current.withValue(DeletionBounds(closureCountMax: 6)) {
            try migrator(company, library).run()
        }
        #expect(report.counts["department"]?.deleted == 6)
        #expect(try library.store.verify().isSound)
    }

    @Test func `one that goes with others is emptied first as well`() throws {
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
        let options = Migrator.Options(batchRecordCount: 8, replacesEverything: true)
        _ = try Migrator(replacing: source(company), store: library.store).run()
        company.departments = []
        let newer = source(company)
        try DeletionBounds.$current.withValue(DeletionBounds(ownedCountMax: 9)) {
            let (report, remains) = try library.remainsOfEachBatch {
                try Migrator(source: newer, store: library.store, options: options).run(
                    progress: $0
                )
            }
            #expect(report.counts["department"]?.deleted == 2)
            #expect(remains.count > 6)
            for remains in remains {
                let resumed = try Migrator(source: newer, store: remains.store, options: options)
                    .run()
                #expect(resumed.digest == report.digest)
            }
        }
        #expect(try library.store.verify().isSound)
    }
}

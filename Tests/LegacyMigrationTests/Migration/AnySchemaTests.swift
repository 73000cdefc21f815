import LegacyMigration
import Reprise
import TestSupport
import Testing

/// Migrations of sources with a schema of their own.
@Suite struct AnySchemaTests {
    private func library() throws -> TemporaryLibrary {
        try TemporaryLibrary(schema: Schema(InventedCompany.schema))
    }

    @discardableResult
    private func migrate(
        _ source: InventedSource,
        into library: TemporaryLibrary
    ) throws -> MigrationReport {
        let options = Migrator.Options(replacesEverything: true)
        return try Migrator(source: source, store: library.store, options: options).run()
    }

    private func verify(
        _ source: InventedSource,
        _ library: TemporaryLibrary
    ) throws -> MigrationVerification {
        try MigrationVerifier(source: source, store: library.store).run()
    }

    @Test(arguments: seeds(Array(0..<60), atMost: 20))
    func `a newer export leads to what it leads to in an empty store, whatever the schema`(
        number: UInt64
    ) throws {
        try seeded(number) { seed in
            var company = InventedCompany(seed: &seed, size: 3)
            let library = try library()
            try migrate(company.source, into: library)
            for _ in 0..<3 {
                for _ in 0..<1 + seed.below(12) { company.change(&seed) }
                let plan = try Migrator(replacing: company.source, store: library.store).plan()
                let report = try migrate(company.source, into: library)
                let fresh = try self.library()
                try migrate(company.source, into: fresh)
                #expect(try library.content == fresh.content)
                let verification = try verify(company.source, library)
                #expect(verification.isEqual, "\(verification.differences.prefix(3))")
                let again = try migrate(company.source, into: library)
                #expect(again.eventCount == 0)
                // What was planned was done, but for rows that name what was not there yet.
                for (model, counts) in plan.counts {
                    #expect(counts.inserted == report.counts[model]?.inserted)
                    #expect(counts.deleted == report.counts[model]?.deleted)
                }
                #expect(try library.store.verify().isSound)
            }
        }
    }

    @Test(arguments: 0..<20)
    func
        `a migration that is cancelled now and then arrives at the same digest, whatever the schema`(
            number: UInt64
        ) throws
    {
        try seeded(number) { seed in
            var company = InventedCompany(seed: &seed, size: 4)
            let whole = try library()
            let broken = try library()
            for _ in 0..<2 {
                let options = Migrator.Options(replacesEverything: true)
                let digest = try Migrator(
                    source: company.source,
                    store: whole.store,
                    options: options
                )
                .run().digest
                let migrator = Migrator(
                    source: company.source,
                    store: broken.store,
                    options: options
                )
                var found: StateDigest?
                var patience = 12
                while found == nil {
                    // Each run reads the export from its beginning, so they must grow longer to come to its end.
                    patience += 3
                    var left = 1 + seed.below(patience)
                    do {
                        found = try migrator.run { _ in
                            left -= 1
                            return left > 0
                        }
                        .digest
                    } catch let error as MigrationError where error.code == .cancelled {
                        continue
                    }
                }
                #expect(found == digest)
                for _ in 0..<10 { company.change(&seed) }
            }
        }
    }

    @Test func `to-ones may name what comes later, and themselves`() throws {
        var company = InventedCompany()
        company.people = [
            .init(key: "a", name: "A", boss: "b"), .init(key: "b", name: "B", boss: "b"),
            .init(key: "c", name: "C", department: "d"),
        ]
        company.departments = [.init(key: "d", name: "D", parent: "e"), .init(key: "e", name: "E")]
        let library = try library()
        let report = try migrate(company.source, into: library)
        #expect(report.warningCounts.isEmpty)
        try library.store.read { state in
            #expect(try state.record(model: "person", id: "a")?["boss"] == .reference("b"))
            #expect(try state.record(model: "person", id: "b")?["boss"] == .reference("b"))
            #expect(try state.record(model: "person", id: "c")?["department"] == .reference("d"))
            #expect(try state.record(model: "department", id: "d")?["parent"] == .reference("e"))
            let people = try state.entries(of: "people", model: "department", id: "d")
            #expect(people.map(\.target) == ["c"])
        }
    }

    @Test func `what leads nowhere is left empty, counted, and no difference`() throws {
        var company = InventedCompany()
        company.people = [.init(key: "a", name: "A", boss: "nobody")]
        company.teams = [.init(key: "t", name: "T", lead: "nobody", members: ["a", "nobody", "a"])]
        let library = try library()
        let report = try migrate(company.source, into: library)
        #expect(report.warningCounts == [.missingTarget: 3])
        try library.store.read { state in
            #expect(try state.record(model: "person", id: "a")?["boss"] == .null)
            let members = try state.entries(of: "members", model: "team", id: "t")
            #expect(members.map(\.target) == ["a", "a"])
        }
        let verification = try verify(company.source, library)
        #expect(verification.isEqual && !verification.isLossless)
        #expect(try migrate(company.source, into: library).eventCount == 0)
    }

    @Test func `a list has repeats and what leads nowhere`() throws {
        var company = InventedCompany()
        company.people = ["a", "b", "c"].map { .init(key: $0, name: $0) }
        let members = ["a", "b", "nobody", "a", "nobody", "c", "c", "nobody"]
        company.teams = [.init(key: "t", name: "T", members: members)]
        let library = try library()
        let report = try library.expectWholeOrNothing(of: company.source)
        #expect(report.warningCounts == [.missingTarget: 3])
        #expect(try library.members("members", of: "team", "t") == ["a", "b", "a", "c", "c"])
    }

    @Test func `a list that the export gives no longer is emptied, entries from here stay`() throws
    {
        var company = InventedCompany()
        company.people = ["a", "b", "c"].map { .init(key: $0, name: $0) }
        company.teams = [.init(key: "t", name: "T", members: ["a", "b"])]
        let library = try library()
        try migrate(company.source, into: library)
        let team = EntityReference(model: "team", id: "t")
        _ = try library.store.write { try $0.link("members", of: team, to: "c") }
        company.teams[0].members = []
        #expect(try verify(company.source, library).differenceCounts == [.differentList: 1])
        let report = try migrate(company.source, into: library)
        #expect(report.warningCounts == [.entryAddedHere: 1])
        let members = try library.store.read {
            try $0.entries(of: "members", model: "team", id: "t").map(\.target)
        }
        #expect(members == ["c"])
        #expect(try migrate(company.source, into: library).eventCount == 0)
    }

    @Test func `a row that others point to which stay is kept`() throws {
        var company = InventedCompany()
        company.departments = [.init(key: "d", name: "D"), .init(key: "e", name: "E", parent: "d")]
        company.people = [.init(key: "a", name: "A", department: "e")]
        let library = try library()
        try migrate(company.source, into: library)
        let mine = EntityReference(model: "person", id: "mine")
        _ = try library.store.write {
            try $0.put(
                mine,
                values: ["name": .string("mine"), "tags": .list([]), "department": .reference("e")]
            )
        }
        company.departments = []
        company.people = []
        let report = try migrate(company.source, into: library)
        // The department of a person from here stays, and so does the one that it is in.
        #expect(report.counts["department"]?.deleted == 0)
        #expect(report.counts["person"]?.deleted == 1)
        #expect(report.warningCounts[.deletedInSourceButInUse] == 2)
        #expect(try library.store.read { try $0.record(model: "person", id: "mine") } != nil)
    }

    @Test func `a value that must be unique may move from one row to another`() throws {
        var company = InventedCompany()
        company.people = [
            .init(key: "a", name: "A", email: "one"), .init(key: "b", name: "B", email: "two"),
        ]
        let library = try library()
        try migrate(company.source, into: library)
        company.people[0].email = "two"
        company.people[1].email = "three"
        let report = try migrate(company.source, into: library)
        #expect(report.warningCounts.isEmpty)
        #expect(try verify(company.source, library).isEqual)
    }

    @Test func `a value that another row has is refused by name`() throws {
        var company = InventedCompany()
        company.people = [
            .init(key: "a", name: "A", email: "one"), .init(key: "b", name: "B", email: "one"),
        ]
        company.teams = [.init(key: "t", name: "T", members: ["b", "a"])]
        let library = try library()
        let report = try migrate(company.source, into: library)
        #expect(report.warningCounts == [.uniqueValueTaken: 1, .missingTarget: 1])
        #expect(report.counts["person"]?.inserted == 1)
        #expect(try !verify(company.source, library).isEqual)
    }

    @Test func `what a record lacks and the store needs is nothing, and said`() throws {
        var source = InventedSource(schema: InventedCompany.schema)
        source.records = [LegacyRecord(className: "person", key: "a", fields: [])]
        let library = try library()
        let report = try migrate(source, into: library)
        #expect(report.warningCounts == [.defaultedValue: 2])
        let record = try library.store.read { try $0.record(model: "person", id: "a") }
        #expect(record?["name"] == .string("") && record?["tags"] == .list([]))
    }

    @Test func `what an export says nothing of stays as it is here`() throws {
        var company = InventedCompany()
        company.people = [.init(key: "a", name: "A", age: 1)]
        var source = company.source
        source.absentFields = ["person": ["age", "pay", "email"]]
        source.records = source.records.map { record in
            LegacyRecord(
                className: record.className,
                key: record.key,
                fields: record.fields.filter { $0.name != "age" && $0.name != "pay" }
            )
        }
        let library = try library()
        try migrate(source, into: library)
        let person = EntityReference(model: "person", id: "a")
        _ = try library.store.write { try $0.put(person, values: ["age": .int(5)]) }
        #expect(try migrate(source, into: library).eventCount == 0)
        #expect(try verify(source, library).isEqual)
        #expect(
            try library.store.read { try $0.record(model: "person", id: "a")?["age"] } == .int(5)
        )
    }

    @Test func `a store takes what it has a place for, and says what it has none for`() throws {
        var schema = InventedCompany.schema
        schema.models.removeLast()
        schema.relations.removeLast(2)
        schema.models[0].attributes[2].type = .list(.int, nilElements: false)
        let library = try TemporaryLibrary(schema: Schema(schema))
        var company = InventedCompany()
        company.people = [.init(key: "a", name: "A", age: 1)]
        company.teams = [.init(key: "t", name: "T", members: ["a"])]
        let report = try migrate(company.source, into: library)
        #expect(report.warningCounts == [.unknownClass: 1, .unmappedProperty: 1])
        #expect(report.counts["person"]?.inserted == 1)
        #expect(report.counts["team"] == nil)
    }

    @Test func `what a newer export has for the first time gets a place in the store`() throws {
        var early = InventedCompany.schema
        early.models.removeLast()
        early.relations.removeLast(2)
        early.models[0].attributes.removeAll { $0.name == "age" }
        let library = try TemporaryLibrary(schema: Schema(early))
        var company = InventedCompany()
        company.people = [.init(key: "a", name: "A"), .init(key: "b", name: "B")]
        var source = company.source
        source.schema = early
        try migrate(source, into: library)

        company.people[0].age = 40
        company.teams = [.init(key: "t", name: "T", lead: "b", members: ["b", "a"])]
        let plan = try Migrator(replacing: company.source, store: library.store).plan()
        #expect(plan.counts["team"]?.inserted == 1 && plan.warningCounts.isEmpty && plan.isExact)
        #expect(try library.store.schema.model(named: "team") == nil)
        let report = try migrate(company.source, into: library)
        #expect(report.warningCounts.isEmpty)
        let (person, team) = try library.store.read {
            (try $0.record(model: "person", id: "a"), try $0.record(model: "team", id: "t"))
        }
        #expect(person?["age"] == .int(40))
        #expect(team?["lead"] == .reference("b") && team?.lists.first?.targets == ["b", "a"])
        #expect(try verify(company.source, library).isEqual)
        #expect(try migrate(company.source, into: library).eventCount == 0)
        #expect(try library.store.verify().isSound)
        #expect(try library.store.statistics().schemaNumber == 2)
    }
}

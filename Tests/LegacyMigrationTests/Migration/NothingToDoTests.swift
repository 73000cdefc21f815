import LegacyMigration
import Reprise
import TestSupport
import Testing

/// Newer exports of which the store can take nothing, or not all: that is found out before anything is written, and
/// what a plan promises is done.
@Suite struct NothingToDoTests {
    private func library(
        _ schema: SchemaDescription = InventedCompany.schema
    ) throws -> TemporaryLibrary {
        try TemporaryLibrary(schema: Schema(schema))
    }

    @discardableResult
    private func migrate(
        _ source: InventedSource,
        into library: TemporaryLibrary,
        _ options: Migrator.Options = Migrator.Options(replacesEverything: true)
    ) throws -> MigrationReport {
        try Migrator(source: source, store: library.store, options: options).run()
    }

    private func people(_ keys: String...) -> [InventedCompany.Person] {
        keys.map { .init(key: $0, name: $0) }
    }

    private func ids(_ model: String, _ library: TemporaryLibrary) throws -> [String] {
        try library.store.read { try $0.records(RecordQuery(model: model)).map(\.id) }
    }

    /// The last run of a source, again: nothing may be written, and a plan says so.
    private func expectNothing(
        _ source: InventedSource,
        _ library: TemporaryLibrary,
        _ warnings: [LegacyWarning.Kind: Int]
    ) throws {
        let plan = try Migrator(replacing: source, store: library.store).plan()
        #expect(plan.writtenCount == 0)
        #expect(plan.warningCounts == warnings)
        let report = try migrate(source, into: library)
        #expect(report.eventCount == 0)
        #expect(report.snapshotBefore == nil)
        #expect(report.warningCounts == warnings)
    }

    @Test func `a unique value that is taken stays taken, and nothing is written for it`() throws {
        let library = try library()
        var company = InventedCompany()
        company.people = people("a")
        try migrate(company.source, into: library)
        let mine = EntityReference(model: "person", id: "mine")
        _ = try library.store.write {
            try $0.put(
                mine,
                values: ["name": .string("M"), "tags": .list([]), "email": .string("x")]
            )
        }
        company.people.append(.init(key: "b", name: "B", email: "x"))
        company.people[0].email = "x"
        for _ in 0..<2 { try expectNothing(company.source, library, [.uniqueValueTaken: 2]) }
        #expect(try ids("person", library) == ["a", "mine"])
    }

    @Test func `a unique value that moves to another record moves, and the plan says so`() throws {
        let library = try library()
        var company = InventedCompany()
        company.people = [.init(key: "a", name: "A", email: "x"), .init(key: "c", name: "C")]
        try migrate(company.source, into: library)
        company.people = [.init(key: "b", name: "B", email: "x"), .init(key: "c", name: "C")]
        let plan = try Migrator(replacing: company.source, store: library.store).plan()
        #expect(plan.warningCounts.isEmpty)
        #expect(plan.counts["person"]?.inserted == 1)
        #expect(plan.counts["person"]?.deleted == 1)
        let report = try migrate(company.source, into: library)
        #expect(report.counts == plan.counts)
        #expect(try ids("person", library) == ["b", "c"])
    }

    @Test func `a record that the store cannot hold makes no migration`() throws {
        let library = try library()
        var company = InventedCompany()
        company.people = people("a")
        try migrate(company.source, into: library)
        company.people = people("a", String(repeating: "\u{0}", count: 150))
        try expectNothing(company.source, library, [.refusedRecord: 1])
    }

    @Test func `a record whose required target never comes makes no migration`() throws {
        var schema = InventedCompany.schema
        schema.models[0].attributes[5].isOptional = false
        let library = try library(schema)
        var company = InventedCompany()
        company.departments = [.init(key: "d", name: "D"), .init(key: "e", name: "E")]
        company.people = [.init(key: "a", name: "A", department: "d")]
        try migrate(company.source, into: library)
        company.people.append(.init(key: "b", name: "B", department: "nowhere"))
        try expectNothing(company.source, library, [.refusedRecord: 1])
        // One that is there already keeps its own.
        company.people = [.init(key: "a", name: "A", department: "nowhere")]
        try expectNothing(company.source, library, [.refusedRecord: 1])
    }

    @Test func `what a field keeps of which the export says nothing is no reason to write`() throws
    {
        let library = try library()
        var company = InventedCompany()
        company.people = [
            .init(key: "a", name: "A"), .init(key: "b", name: "B", department: "d"),
        ]
        company.departments = [.init(key: "d", name: "D")]
        try migrate(company.source, into: library)
        company.departments = []
        company.people[1].department = nil
        var source = company.source
        source.absentFields = ["person": ["department"]]
        for _ in 0..<2 { try expectNothing(source, library, [.deletedInSourceButInUse: 1]) }
        #expect(try ids("department", library) == ["d"])
    }

    /// A company in which nobody goes who is somebody's boss.
    private func bossesStay() throws -> SchemaDescription {
        var schema = InventedCompany.schema
        let place = try #require(schema.relations.firstIndex { $0.source.name == "boss" })
        schema.relations[place] = RelationDescription(
            number: 2,
            kind: .reference(slot: 6),
            source: .init(model: 1, name: "boss", onDelete: .nullify),
            target: .init(model: 1, name: nil, onDelete: .deny)
        )
        return schema
    }

    @Test func `rows that only each other keep go together`() throws {
        let library = try library(bossesStay())
        var company = InventedCompany()
        company.people = [
            .init(key: "a", name: "A", boss: "b"), .init(key: "b", name: "B", boss: "c"),
            .init(key: "c", name: "C", boss: "a"), .init(key: "d", name: "D", boss: "a"),
            .init(key: "e", name: "E"), .init(key: "f", name: "F", boss: "g"),
            .init(key: "g", name: "G", boss: "f"), .init(key: "h", name: "H", boss: "g"),
        ]
        try migrate(company.source, into: library)
        // The last one stays, and lets go of the second circle.
        company.people = [company.people[4], company.people[7]]
        company.people[1].boss = "g"
        let plan = try Migrator(replacing: company.source, store: library.store).plan()
        let report = try migrate(company.source, into: library)
        #expect(try ids("person", library).sorted() == ["e", "h"])
        #expect(report.counts == plan.counts)
        #expect(try migrate(company.source, into: library).eventCount == 0)
        #expect(try library.store.verify().isSound)
    }

    @Test func `a circle that something keeps stays, and is no reason to write`() throws {
        let library = try library(bossesStay())
        var company = InventedCompany()
        company.people = [
            .init(key: "a", name: "A", boss: "b"), .init(key: "b", name: "B", boss: "a"),
            .init(key: "c", name: "C"),
        ]
        try migrate(company.source, into: library)
        _ = try library.store.write {
            try $0.put(
                EntityReference(model: "person", id: "mine"),
                values: ["name": .string("M"), "tags": .list([]), "boss": .reference("a")]
            )
        }
        company.people = [company.people[2]]
        for _ in 0..<2 { try expectNothing(company.source, library, [.deletedInSourceButInUse: 2]) }
    }

    @Test func `identifiers that look alike are not taken for the same in a list`() throws {
        let library = try library()
        var company = InventedCompany()
        let composed = "caf\u{E9}"
        let decomposed = "cafe\u{301}"
        company.people = people(composed, decomposed)
        company.teams = [.init(key: "t", name: "T", members: [composed, decomposed])]
        try migrate(company.source, into: library)
        company.teams[0].members = [decomposed, decomposed]
        try migrate(company.source, into: library)
        let members = try library.store.read {
            try $0.entries(of: "members", model: "team", id: "t").map { Array($0.target.utf8) }
        }
        #expect(members == [Array(decomposed.utf8), Array(decomposed.utf8)])
        #expect(try MigrationVerifier(source: company.source, store: library.store).run().isEqual)
    }

    @Test func `what an export once had is empty when its schema is what it happens to hold`()
        throws
    {
        let library = try library()
        var company = InventedCompany()
        company.people = [
            .init(key: "a", name: "A", age: 5, boss: "b"), .init(key: "b", name: "B"),
        ]
        company.teams = [.init(key: "t", name: "T", members: ["a", "b"])]
        var source = company.source
        source.infersSchema = true
        try migrate(source, into: library)
        // Neither an age nor a team is left; the schema of such an export knows of none.
        company.people[0].age = nil
        company.people[0].boss = nil
        company.teams = []
        source = company.source
        source.schema.models[0].attributes.removeAll { ["age", "pay", "boss"].contains($0.name) }
        source.schema.models.removeAll { $0.name == "team" }
        source.schema.relations.removeAll { ![1, 3].contains($0.number) }
        source.infersSchema = true
        let verifier = MigrationVerifier(source: source, store: library.store)
        #expect(try !verifier.run().isEqual)
        let report = try migrate(source, into: library)
        #expect(report.counts["person"]?.updated == 1)
        #expect(report.counts["team"]?.deleted == 1)
        #expect(try verifier.run().isEqual)
        #expect(try migrate(source, into: library).eventCount == 0)
        let row = try library.store.read { try $0.record(model: "person", id: "a") }
        #expect(row?["age"] == .null)
        #expect(row?["boss"] == .null)
        // It comes again, and goes again: what it once had is not forgotten in between.
        company.people[0].age = 6
        var again = company.source
        again.infersSchema = true
        try migrate(again, into: library)
        try migrate(source, into: library)
        #expect(try library.store.read { try $0.record(model: "person", id: "a")?["age"] } == .null)
    }

    @Test func `one side of a relationship is not empty because another export gave it`() throws {
        let library = try library()
        var company = InventedCompany()
        company.people = [.init(key: "a", name: "A", department: "d")]
        company.departments = [.init(key: "d", name: "D")]
        func people() throws -> [String] {
            try library.store.read {
                try $0.entries(of: "people", model: "department", id: "d").map(\.target)
            }
        }
        // The to-one, the list, and the to-one again; each twice.
        for givesList in [false, true, false] {
            var source = company.source
            source.infersSchema = true
            if givesList {
                source.absentFields["person"] = ["department"]
                source.lists.append(
                    LegacyList(
                        className: "department",
                        key: "d",
                        name: "people",
                        members: LegacyReferences(["a"])
                    )
                )
            }
            try migrate(source, into: library)
            #expect(try people() == ["a"])
            #expect(try migrate(source, into: library).eventCount == 0)
            #expect(try people() == ["a"])
        }
    }

    @Test func `what a schema that is declared lacks nothing is said of`() throws {
        let library = try library()
        var company = InventedCompany()
        company.people = [.init(key: "a", name: "A", age: 5)]
        try migrate(company.source, into: library)
        company.people = people("a")
        var source = company.source
        source.schema.models[0].attributes.removeAll { ["age", "pay"].contains($0.name) }
        source.schema.models.removeAll { $0.name == "team" }
        source.schema.relations.removeAll { $0.source.model == 3 }
        let plan = try Migrator(replacing: source, store: library.store).plan()
        // The name changed with the key; the age is what it was.
        #expect(plan.counts["person"]?.updated == 1)
        try migrate(source, into: library)
        #expect(
            try library.store.read { try $0.record(model: "person", id: "a")?["age"] } == .int(5)
        )
    }

    @Test func `an export whose records contradict each other, so that none gets what it wants`()
        throws
    {
        let schema = SchemaDescription(
            models: [
                ModelDescription(
                    1,
                    "person",
                    [("email", .string, true), ("phone", .string, true)],
                    unique: [[0], [1]]
                )
            ],
            relations: []
        )
        func source(_ people: [(key: String, email: String, phone: String?)]) -> InventedSource {
            var source = InventedSource(schema: schema)
            source.records = people.map { person in
                var fields = [LegacyField("email", .string(person.email))]
                if let phone = person.phone { fields.append(LegacyField("phone", .string(phone))) }
                return LegacyRecord(className: "person", key: person.key, fields: fields)
            }
            return source
        }
        let library = try library(schema)
        try migrate(source([("p2", "e", "f"), ("p5", "w", nil), ("p9", "v", nil)]), into: library)
        let mine = EntityReference(model: "person", id: "mine")
        _ = try library.store.write { try $0.put(mine, values: ["phone": .string("x")]) }
        // The first cannot have its phone, and so not its address either, which the second wants.
        let new = source([("p2", "v", "x"), ("p5", "v", nil), ("p9", "w", nil)])
        _ = try migrate(new, into: library)
        try expectNothing(new, library, [.uniqueValueTaken: 4])
    }

    @Test func `a second record with the key of one that waits`() throws {
        let library = try library()
        var company = InventedCompany()
        company.people = [.init(key: "k", name: "k", email: "k"), .init(key: "l", name: "l")]
        try migrate(company.source, into: library)
        let mine = EntityReference(model: "person", id: "mine")
        _ = try library.store.write { transaction in
            try transaction.put(
                mine,
                values: ["name": .string("mine"), "email": .string("taken"), "tags": .list([])]
            )
        }
        company.people = [
            .init(key: "k", name: "first", email: "taken"), .init(key: "l", name: "l"),
            .init(key: "k", name: "second"),
        ]
        try migrate(company.source, into: library)
        let warnings: [LegacyWarning.Kind: Int] = [.uniqueValueTaken: 1, .refusedRecord: 1]
        try expectNothing(company.source, library, warnings)
        let row = try library.store.read { try $0.record(model: "person", id: "k") }
        #expect(row?["name"] == .string("first"))
    }
}

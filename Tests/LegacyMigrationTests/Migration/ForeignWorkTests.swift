import LegacyMigration
import Reprise
import Testing

/// What migrations leave alone: the work of people and of other sources.
@Suite struct ForeignWorkTests {
    private func library() throws -> TemporaryLibrary {
        try TemporaryLibrary(schema: Schema(InventedCompany.schema))
    }

    private func named(_ name: String, _ company: InventedCompany) -> InventedSource {
        var source = company.source
        source.identity = SourceIdentity(kind: "invented", name: name)
        return source
    }

    @discardableResult
    private func migrate(
        _ source: InventedSource,
        into library: TemporaryLibrary
    ) throws -> MigrationReport {
        try Migrator(replacing: source, store: library.store).run()
    }

    private func people(_ keys: String...) -> [InventedCompany.Person] {
        keys.map { .init(key: $0, name: $0) }
    }

    private func ids(_ model: String, _ library: TemporaryLibrary) throws -> [String] {
        try library.store.read { try $0.records(RecordQuery(model: model)).map(\.id) }
    }

    @Test func `a changed row that the export lacks stays, however often it is migrated`() throws {
        var company = InventedCompany()
        company.people = people("a", "b")
        company.teams = [.init(key: "t", name: "T", members: ["a", "b"])]
        let library = try library()
        try migrate(company.source, into: library)
        let team = EntityReference(model: "team", id: "t")
        _ = try library.store.write { try $0.put(team, values: ["name": .string("mine")]) }
        company.people = people("a")
        company.teams = []
        for _ in 0..<3 {
            let report = try migrate(company.source, into: library)
            #expect(report.warningCounts[.deletedInSourceButChanged] == 1)
            // The person who is in it stays, too: taking her out would change what was changed here.
            #expect(report.warningCounts[.deletedInSourceButInUse] == 1)
            let kept = report.warnings.first { $0.kind == .deletedInSourceButInUse }
            #expect(kept?.message.contains("the team \"t\" needs it") == true)
        }
        #expect(try ids("team", library) == ["t"])
        #expect(try ids("person", library) == ["a", "b"])
    }

    @Test func `who needs a row that the export lacks is named`() throws {
        let library = try library()
        var company = InventedCompany()
        company.people = people("a", "b")
        try migrate(named("one", company), into: library)
        for count in 1...2 {
            _ = try library.store.write { transaction in
                for number in 1...count {
                    let team = EntityReference(model: "team", id: "mine\(number)")
                    try transaction.put(team, values: ["name": .string("mine")])
                    if try transaction.entries(of: "members", model: "team", id: team.id).isEmpty {
                        try transaction.link("members", of: team, to: "b")
                    }
                }
            }
            company.people = people("a")
            let source = named("one", company)
            let plan = try Migrator(replacing: source, store: library.store).plan()
            let report = try migrate(source, into: library)
            for warnings in [plan.warnings, report.warnings] {
                let kept = warnings.first { $0.kind == .deletedInSourceButInUse }?.message
                #expect(kept?.contains("the team \"mine1\" needs it; it was kept.") == true, "\(kept ?? "")")
            }
        }
    }

    @Test func `lists from here and of other sources keep their entries`() throws {
        let library = try library()
        var company = InventedCompany()
        company.people = people("a", "b")
        try migrate(named("one", company), into: library)
        let mine = EntityReference(model: "team", id: "mine")
        _ = try library.store.write { transaction in
            try transaction.put(mine, values: ["name": .string("mine")])
            try transaction.link("members", of: mine, to: "b")
        }
        company.people = people("a")
        let report = try migrate(named("one", company), into: library)
        #expect(report.warningCounts == [.deletedInSourceButInUse: 1])
        #expect(report.warnings.first?.message.contains("the team \"mine\" needs it") == true)
        #expect(try ids("person", library) == ["a", "b"])
        // A comparison does not take what is held for a difference.
        #expect(try migrate(named("one", company), into: library).eventCount == 0)
        let source = named("one", company)
        let verification = try MigrationVerifier(source: source, store: library.store).run()
        #expect(verification.differenceCounts == [.surplus: 1])
    }

    @Test func `a row keeps its name when the other source's row is gone`() throws {
        let library = try library()
        var company = InventedCompany()
        company.people = people("x")
        try migrate(named("one", company), into: library)
        let report = try migrate(named("two", company), into: library)
        #expect(report.warningCounts == [.identifierTaken: 1])
        let before = try ids("person", library)
        let second = try #require(before.first { $0 != "x" })
        var empty = InventedCompany()
        empty.teams = [.init(key: "t", name: "T")]
        try migrate(named("one", empty), into: library)
        #expect(try ids("person", library) == [second])
        #expect(try migrate(named("two", company), into: library).eventCount == 0)
        #expect(try ids("person", library) == [second])
    }

    @Test func `what another source's lists say is no difference of this one`() throws {
        let library = try library()
        var company = InventedCompany()
        company.people = people("a", "b")
        company.teams = [.init(key: "t", name: "T", members: ["a"])]
        try migrate(company.source, into: library)
        let mine = EntityReference(model: "team", id: "mine")
        _ = try library.store.write { transaction in
            try transaction.put(mine, values: ["name": .string("mine")])
            try transaction.link("members", of: mine, to: "a")
        }
        let verifier = MigrationVerifier(source: company.source, store: library.store)
        #expect(try verifier.run().isEqual)
    }

    @Test func `an identity that moves to a new record does not stop the migration`() throws {
        let library = try library()
        var company = InventedCompany()
        company.people = [
            .init(key: "5", name: "A", email: "x"), .init(key: "9", name: "B", boss: "5"),
        ]
        try migrate(company.source, into: library)
        company.people = [
            .init(key: "6", name: "A", email: "x"), .init(key: "9", name: "B", boss: "6"),
        ]
        company.teams = [.init(key: "t", name: "T", members: ["6", "9"])]
        let report = try migrate(company.source, into: library)
        #expect(report.warningCounts.isEmpty, "\(report.warnings)")
        #expect(try ids("person", library) == ["6", "9"])
        let verifier = MigrationVerifier(source: company.source, store: library.store)
        let verification = try verifier.run()
        #expect(verification.isEqual, "\(verification.differences)")
        #expect(try migrate(company.source, into: library).eventCount == 0)
    }

    @Test func `a row that needs its target waits for it`() throws {
        var schema = InventedCompany.schema
        schema.models[0].attributes[5].isOptional = false
        let library = try TemporaryLibrary(schema: Schema(schema))
        var company = InventedCompany()
        company.people = [
            .init(key: "a", name: "A", department: "d"), .init(key: "b", name: "B", boss: "a"),
        ]
        company.people[1].department = "nowhere"
        company.departments = [.init(key: "d", name: "D")]
        company.teams = [.init(key: "t", name: "T", members: ["a"])]
        let report = try migrate(company.source, into: library)
        #expect(report.counts["person"]?.inserted == 1)
        #expect(report.warningCounts == [.refusedRecord: 1])
        let members = try library.store.read {
            try $0.entries(of: "members", model: "team", id: "t").map(\.target)
        }
        #expect(members == ["a"])
    }

    @Test func `a row that cannot become as in the export stays as it was, and that is said`()
        throws
    {
        var schema = InventedCompany.schema
        schema.models[0].attributes[5].isOptional = false
        let library = try TemporaryLibrary(schema: Schema(schema))
        var company = InventedCompany()
        company.departments = [.init(key: "d", name: "D")]
        company.people = [.init(key: "a", name: "A", department: "d")]
        try migrate(company.source, into: library)
        let before = try library.content
        company.people = [.init(key: "a", name: "B")]
        let report = try migrate(company.source, into: library)
        #expect(report.warningCounts[.refusedRecord] == 1)
        #expect(try library.content == before)
    }

    @Test func `a key that comes twice is left out the second time, and said`() throws {
        let library = try library()
        var company = InventedCompany()
        company.people = [.init(key: "a", name: "first"), .init(key: "a", name: "second")]
        #expect(try migrate(company.source, into: library).warningCounts == [.refusedRecord: 1])
        let name = try library.store.read { try $0.record(model: "person", id: "a")?["name"] }
        #expect(name == .string("first"))
        #expect(try migrate(company.source, into: library).eventCount == 0)
    }

    @Test func `a record that the store cannot hold is left out, and said`() throws {
        let library = try library()
        var company = InventedCompany()
        company.people = people("a", String(repeating: "\u{0}", count: 150))
        company.teams = [.init(key: "t", name: "T", members: ["a", company.people[1].key])]
        let report = try migrate(company.source, into: library)
        #expect(report.warningCounts[.refusedRecord] == 1)
        #expect(try ids("person", library) == ["a"])
    }

    @Test func `a plan for a new store says what leads nowhere`() throws {
        let library = try library()
        var company = InventedCompany()
        company.people = [.init(key: "a", name: "A", boss: "nobody")]
        company.teams = [.init(key: "t", name: "T", members: ["nobody"])]
        let plan = try Migrator(replacing: company.source, store: library.store).plan()
        #expect(plan.warningCounts == [.missingTarget: 2])
    }

    @Test func `what was saved of a damaged export takes nothing away`() throws {
        let library = try library()
        var company = InventedCompany()
        company.people = [
            .init(key: "a", name: "A", age: 1, boss: "b"), .init(key: "b", name: "B"),
        ]
        company.teams = [.init(key: "t", name: "T", members: ["a", "b", "a"])]
        try migrate(company.source, into: library)
        let before = try library.content
        var source = company.source
        source.isPartial = true
        source.records = [
            LegacyRecord(
                className: "person",
                key: "a",
                fields: [LegacyField("name", .string("A")), LegacyField("boss", .reference("b"))]
            )
        ]
        source.lists = [
            LegacyList(
                className: "team",
                key: "t",
                name: "members",
                members: LegacyReferences(["a", "a"])
            )
        ]
        let report = try migrate(source, into: library)
        #expect(report.writtenCount == 0)
        #expect(try library.content == before)
        #expect(try MigrationVerifier(source: source, store: library.store).run().isEqual)
    }
}

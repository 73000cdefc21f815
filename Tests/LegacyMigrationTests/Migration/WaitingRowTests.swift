import LegacyMigration
import Reprise
import TestSupport
import Testing

/// Newer exports in which rows wait for unique values that others have.
@Suite struct WaitingRowTests {
    private typealias Person = InventedCompany.Person

    private let library: TemporaryLibrary

    init() throws {
        library = try TemporaryLibrary(schema: Schema(InventedCompany.schema))
    }

    private func company(_ people: Person..., departments: [String] = []) -> InventedCompany {
        var company = InventedCompany()
        company.people = people
        company.departments = departments.map { .init(key: $0, name: $0) }
        return company
    }

    private func person(
        _ key: String,
        _ email: String,
        in department: String? = nil,
        under boss: String? = nil
    ) -> Person {
        Person(key: key, name: key, email: email, department: department, boss: boss)
    }

    @discardableResult
    private func migrate(_ company: InventedCompany) throws -> MigrationReport {
        try Migrator(replacing: company.source, store: library.store).run()
    }

    private func plan(_ company: InventedCompany) throws -> MigrationPlan {
        try Migrator(replacing: company.source, store: library.store).plan()
    }

    /// Migrates what a plan foretells, after which the store has what the export has and nothing is left to do.
    private func expectTaken(_ company: InventedCompany) throws {
        let plan = try plan(company)
        let report = try migrate(company)
        #expect(report.warningCounts.isEmpty)
        #expect(report.counts == plan.counts)
        #expect(try MigrationVerifier(source: company.source, store: library.store).run().isEqual)
        #expect(try library.store.verify().isSound)
        #expect(try migrate(company).eventCount == 0)
    }

    /// In which each team has to have a lead, who cannot be deleted then.
    private static var ledSchema: SchemaDescription {
        var schema = InventedCompany.schema
        schema.models[2].attributes[1].isOptional = false
        schema.relations[3].target.onDelete = .deny
        return schema
    }

    private func led(_ company: InventedCompany) -> InventedSource {
        var source = company.source
        source.schema = Self.ledSchema
        return source
    }

    private func migrateLed(
        _ company: InventedCompany,
        _ library: TemporaryLibrary
    ) throws -> MigrationReport {
        try Migrator(replacing: led(company), store: library.store).run()
    }

    /// As ``expectTaken(_:)``, where teams have to have leads.
    @discardableResult
    private func expectTakenLed(
        _ company: InventedCompany,
        _ library: TemporaryLibrary
    ) throws -> MigrationReport {
        let plan = try Migrator(replacing: led(company), store: library.store).plan()
        let report = try migrateLed(company, library)
        #expect(report.warningCounts.isEmpty)
        #expect(report.counts == plan.counts)
        #expect(try MigrationVerifier(source: led(company), store: library.store).run().isEqual)
        #expect(try migrateLed(company, library).eventCount == 0)
        return report
    }

    private func put(_ id: String, email: String) throws {
        _ = try library.store.write {
            try $0.put(
                EntityReference(model: "person", id: id),
                values: ["name": .string(id), "tags": .list([]), "email": .string(email)]
            )
        }
    }

    private func email(of id: String) throws -> Value? {
        try library.store.read { try $0.record(model: "person", id: id)?["email"] }
    }

    @Test func `a row does not keep the one whose value it waits for`() throws {
        try migrate(
            company(person("1", "a", under: "3"), person("2", "b", under: "1"), person("3", "ceo"))
        )
        try expectTaken(company(person("1", "ceo"), person("2", "bb", under: "1")))
    }

    @Test func `what a row that waits has left goes in the same run`() throws {
        try migrate(
            company(
                person("1", "a", in: "d"),
                person("3", "c", in: "e"),
                departments: ["d", "e"]
            )
        )
        try expectTaken(company(person("1", "c", in: "e"), departments: ["e"]))
    }

    @Test func `a row that waits in vain has everything else, is counted once, and is foretold`()
        throws
    {
        try put("mine", email: "m")
        try migrate(company(person("1", "a"), person("2", "b"), person("3", "c")))
        var newer = company(person("1", "m"), person("2", "bb"), person("3", "c"))
        newer.people[0].age = 7
        let plan = try plan(newer)
        let report = try migrate(newer)
        #expect(plan.warningCounts == [.uniqueValueTaken: 1])
        #expect(report.warningCounts == [.uniqueValueTaken: 1])
        #expect(report.counts == plan.counts)
        #expect(report.counts["person"]?.updated == 2)
        #expect(report.counts["person"]?.unchanged == 1)
        let row = try library.store.read { try $0.record(model: "person", id: "1") }
        #expect(row?["age"] == .int(7))
        #expect(row?["email"] == .string("a"))
        #expect(try migrate(newer).eventCount == 0)
    }

    @Test func `a record that is refused for good may be named, and nothing is written again`()
        throws
    {
        try migrate(company(person("1", "x")))
        try put("mine", email: "m")
        let newer = company(person("1", "x", under: "5"), person("5", "m"))
        try migrate(newer)
        #expect(try migrate(newer).eventCount == 0)
        #expect(try email(of: "5") == nil)
    }

    @Test func `a row that needs one that waits for the value of one that goes is inserted`() throws
    {
        let library = try TemporaryLibrary(schema: Schema(Self.ledSchema))
        _ = try migrateLed(company(person("x", "a"), person("z", "b")), library)
        var newer = company(person("x", "b"), person("n", "a"))
        newer.teams = [
            .init(key: "s", name: "S", lead: "x"), .init(key: "t", name: "T", lead: "n"),
        ]
        let report = try expectTakenLed(newer, library)
        #expect(report.counts["team"]?.inserted == 2)
    }

    @Test func `what waits for one that goes when a row has waited is there after one run`() throws
    {
        let library = try TemporaryLibrary(schema: Schema(Self.ledSchema))
        var old = company(person("p4", "4"), person("p5", "5"), person("p2", "2"))
        old.teams = [.init(key: "t", name: "T", lead: "p2")]
        _ = try migrateLed(old, library)
        // "p4" goes, then "p5" has its value, then "n2" that of "p5", then "t" lets go of "p2", and "n0" has its value.
        var new = company(person("n0", "2"), person("n2", "5"), person("p5", "4"))
        new.teams = [.init(key: "t", name: "T", lead: "n2", members: ["n0"])]
        try expectTakenLed(new, library)
    }

    @Test func `rows that must have what comes later are there after a first run, in a chain too`()
        throws
    {
        var schema = Self.ledSchema
        schema.models[0].attributes[5].isOptional = false
        schema.relations[0].target.onDelete = .deny
        let library = try TemporaryLibrary(schema: Schema(schema))
        var company = company(
            person("a", "1", in: "d"),
            person("b", "2", in: "d"),
            departments: ["d"]
        )
        company.teams = [
            .init(key: "s", name: "S", lead: "b"), .init(key: "t", name: "T", lead: "b"),
        ]
        var source = company.source
        source.schema = schema
        // Those that must have somebody come before what these must have.
        source.order = ["person", "team", "department"]
        let report = try Migrator(replacing: source, store: library.store).run()
        #expect(report.warningCounts.isEmpty)
        #expect(try MigrationVerifier(source: source, store: library.store).run().isEqual)
        #expect(try Migrator(replacing: source, store: library.store).run().eventCount == 0)
    }

    @Test(.timeLimit(.minutes(2)))
    func `lists that take members from each other while a row waits in vain come to an end`()
        throws
    {
        func source(_ company: InventedCompany, _ lists: [String: [String]]) -> InventedSource {
            var source = company.source
            // Departments say who is in them, one of them twice, and not people where they are.
            source.absentFields = ["person": ["department"]]
            source.order = ["person", "department", "team"]
            source.lists = lists.sorted { $0.key < $1.key }.map { key, members in
                LegacyList(
                    className: "department",
                    key: key,
                    name: "people",
                    members: LegacyReferences(members)
                )
            }
            return source
        }
        func migrate(_ source: InventedSource) throws -> MigrationReport {
            try Migrator(replacing: source, store: library.store).run()
        }
        let old = company(person("r", "v"), person("m", "m"), departments: ["d", "e"])
        _ = try migrate(source(old, ["d": ["m", "r"]]))
        let new = company(
            person("r", "v"),
            person("m", "m"),
            person("w", "v"),
            departments: ["d", "e"]
        )
        let report = try migrate(source(new, ["d": ["m", "m", "w"], "e": ["m", "w"]]))
        #expect(report.warningCounts[.uniqueValueTaken] == 1)
        #expect(report.eventCount < 60)
        #expect(try library.store.verify().isSound)
        #expect(try email(of: "w") == nil)
    }

    @Test func `that a row which waits names what never comes is said once`() throws {
        try migrate(company(person("r", "v")))
        let newer = company(person("n", "v", under: "nobody"))
        let report = try migrate(newer)
        #expect(report.warningCounts == [.missingTarget: 1])
        #expect(try email(of: "n") == .string("v"))
        #expect(try migrate(newer).eventCount == 0)
    }
}

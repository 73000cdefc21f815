import LegacyMigration
import Reprise
import TestSupport
import Testing

/// Rows that a newer export lacks and that stay all the same: with them stays what they lead to, hold and list, be it
/// missing in the export or not.
@Suite struct KeptRowTests {
    private func library(
        _ schema: SchemaDescription = InventedCompany.schema
    ) throws -> TemporaryLibrary {
        try TemporaryLibrary(schema: Schema(schema))
    }

    private func people(_ keys: String...) -> [InventedCompany.Person] {
        keys.map { .init(key: $0, name: $0) }
    }

    /// Lists a person in a team of somebody else's, so that it stays.
    private func keep(_ person: String, in library: TemporaryLibrary) throws {
        let mine = EntityReference(model: "team", id: "mine")
        try library.write { transaction in
            try transaction.put(mine, values: ["name": .string("mine")])
            try transaction.link("members", of: mine, to: person)
        }
    }

    /// Migrates, and says what was kept; a plan says the same.
    private func expectKept(
        _ count: Int,
        by source: InventedSource,
        _ library: TemporaryLibrary
    ) throws {
        let plan = try Migrator(replacing: source, store: library.store).plan()
        let report = try library.migrate(source)
        #expect(report.warningCounts == [.deletedInSourceButInUse: count])
        #expect(plan.warningCounts == report.warningCounts)
        #expect(plan.counts == report.counts)
        #expect(plan.writtenCount > 0 || report.eventCount == 0)
        #expect(try library.migrate(source).eventCount == 0)
    }

    @Test func `what a row leads to that stays stays, too`() throws {
        let library = try library()
        var company = InventedCompany()
        company.people = people("b", "c")
        company.people.append(.init(key: "a", name: "A", boss: "b"))
        _ = try library.migrate(company.source)
        try keep("a", in: library)
        company.people = people("c")
        try expectKept(2, by: company.source, library)
        #expect(try library.value("boss", of: "person", "a") == .reference("b"))
        #expect(try library.ids(of: "person") == ["a", "b", "c"])
    }

    @Test func `of a chain all stay behind one that stays`() throws {
        let library = try library()
        var company = InventedCompany()
        company.people = (100..<150).map { .init(key: "p\($0)", name: "N", boss: "p\($0 + 1)") }
        company.people.append(.init(key: "p150", name: "N"))
        _ = try library.migrate(company.source)
        try keep("p120", in: library)
        company.people = people("c")
        try expectKept(31, by: company.source, library)
        #expect(try library.ids(of: "person").count == 32)
    }

    @Test func `a folder in which a folder stays stays, too`() throws {
        let library = try TemporaryLibrary()
        var export = InventedLibrary(trackCount: 3)
        let outer = InventedLibrary.key(0xF8)
        let inner = InventedLibrary.key(0xF9)
        export.playlists.append(.init(key: outer, name: "Outer", isFolder: true))
        export.playlists.append(.init(key: inner, name: "Inner", parent: outer, isFolder: true))
        try library.migrate(export.xml)
        let values: [String: Value] = [
            "name": .string("Mine"), "isFolder": .bool(false), "parent": .reference(inner),
        ]
        try library.write {
            try $0.put(EntityReference(model: "playlist", id: "mine"), values: values)
        }
        export.playlists.removeLast(2)
        let plan = try library.plan(export.xml)
        let report = try library.migrate(export.xml)
        #expect(report.counts == plan.counts)
        #expect(report.warningCounts == plan.warningCounts)
        #expect(try library.value("parent", of: "playlist", inner) == .reference(outer))
        #expect(try library.ids(of: "playlist").contains(outer))
    }

    @Test func `what a row holds that stays stays, too`() throws {
        var schema = InventedCompany.schema
        schema.relations[0] = RelationDescription(
            1,
            .reference(slot: 5),
            (1, "department"),
            (2, "people"),
            onDelete: (.cascade, .nullify)
        )
        let library = try library(schema)
        var company = InventedCompany()
        company.departments = [.init(key: "d", name: "D")]
        company.people = people("c")
        company.people.append(.init(key: "a", name: "A", department: "d"))
        var source = company.source
        source.schema = schema
        _ = try library.migrate(source)
        try keep("a", in: library)
        company.departments = []
        company.people = people("c")
        source = company.source
        source.schema = schema
        try expectKept(2, by: source, library)
        #expect(try library.value("department", of: "person", "a") == .reference("d"))
    }

    @Test func `what is in the list of a row that stays stays, too`() throws {
        var schema = InventedCompany.schema
        schema.models[0].attributes.append(
            .init(slot: 7, name: "home", type: .reference, isOptional: true)
        )
        schema.models[0].slotCount = 8
        schema.relations.append(
            RelationDescription(6, .reference(slot: 7), (1, "home"), (3, "homes"))
        )
        let library = try library(schema)
        var company = InventedCompany()
        company.people = people("c", "p")
        company.teams = [.init(key: "t", name: "T", members: ["p"])]
        var source = company.source
        source.schema = schema
        _ = try library.migrate(source)
        let values: [String: Value] = [
            "name": .string("M"), "tags": .list([]), "home": .reference("t"),
        ]
        try library.write {
            try $0.put(EntityReference(model: "person", id: "mine"), values: values)
        }
        company.teams = []
        company.people = people("c")
        source = company.source
        source.schema = schema
        try expectKept(2, by: source, library)
        #expect(try library.members("members", of: "team", "t") == ["p"])
    }

    @Test func `an entry that was added here keeps its list, however much has been written since`()
        throws
    {
        let library = try library()
        var company = InventedCompany()
        company.people = people("a", "b", "d")
        company.teams = [.init(key: "t", name: "T", members: ["a"])]
        company.teams.append(.init(key: "u", name: "U", members: ["a"]))
        _ = try library.migrate(company.source)
        try library.write { transaction in
            let values: [String: Value] = ["name": .string("M"), "tags": .list([])]
            try transaction.put(EntityReference(model: "person", id: "mine"), values: values)
            try transaction.link("members", of: EntityReference(model: "team", id: "t"), to: "mine")
        }
        // One event of the team for each.
        let many = (0..<10_002).map { $0 % 2 == 0 ? "a" : "b" }
        company.teams[0].members = many
        company.teams[1].members = many
        _ = try library.migrate(company.source)
        company.teams = []
        let report = try library.migrate(company.source)
        #expect(report.warningCounts == [.deletedInSourceButChanged: 1])
        #expect(try library.ids(of: "team") == ["t"])
        #expect(try library.members("members", of: "team", "t").contains("mine"))
    }
}

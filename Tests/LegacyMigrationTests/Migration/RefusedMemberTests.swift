import LegacyMigration
import Reprise
import Testing

@testable import LegacyMigrator

/// Lists with members whose records the store refuses, each time anew.
@Suite struct RefusedMemberTests {
    /// A store that has somebody with the address `x`, who is not the export's.
    private func library() throws -> TemporaryLibrary {
        let library = try TemporaryLibrary(schema: Schema(InventedCompany.schema))
        let values: [String: Value] = [
            "name": .string("M"), "tags": .list([]), "email": .string("x"),
        ]
        try library.write {
            try $0.put(EntityReference(model: "person", id: "mine"), values: values)
        }
        return library
    }

    /// Exports that are all others, byte for byte, and change nothing.
    private func expectNothing(
        of company: InventedCompany,
        _ library: TemporaryLibrary
    ) throws {
        for week in 0..<3 {
            var source = company.source
            source.absentFields = ["person": ["week\(week)"]]
            let plan = try Migrator(replacing: source, store: library.store).plan()
            #expect(plan.writtenCount == 0)
            let report = try library.migrate(source)
            #expect(report.eventCount == 0)
            #expect(report.counts == plan.counts)
            #expect(report.warningCounts == plan.warningCounts)
        }
    }

    /// As the record of `b` is refused, and then comes.
    private func expectOneList(
        of company: InventedCompany,
        _ model: String,
        _ library: TemporaryLibrary
    ) throws {
        var company = company
        try expectNothing(of: company, library)
        company.people[1].email = "y"
        let plan = try Migrator(replacing: company.source, store: library.store).plan()
        let report = try library.migrate(company.source)
        #expect(report.counts == plan.counts)
        #expect(report.warningCounts == plan.warningCounts)
        // Who comes into a list by its own to-one changes nothing of the owner.
        #expect(report.counts[model]?.updated == (model == "department" ? 0 : 1))
    }

    @Test func `a member that is refused each time is no difference of the list`() throws {
        let library = try library()
        var company = InventedCompany()
        company.people = [
            .init(key: "a", name: "A"), .init(key: "b", name: "B", email: "x"),
            .init(key: "c", name: "C"),
        ]
        company.teams = [.init(key: "t", name: "T", members: ["a", "b", "c"])]
        _ = try library.migrate(company.source)
        #expect(try library.members("members", of: "team", "t") == ["a", "c"])
        try expectOneList(of: company, "team", library)
        #expect(try library.members("members", of: "team", "t") == ["a", "b", "c"])
    }

    @Test func `nor is one that the store cannot hold`() throws {
        let library = try library()
        var company = InventedCompany()
        company.people = ["a", String(repeating: "\0", count: 150), "c"].map {
            .init(key: $0, name: "N")
        }
        company.teams = [.init(key: "t", name: "T", members: company.people.map(\.key))]
        _ = try library.migrate(company.source)
        #expect(try library.members("members", of: "team", "t") == ["a", "c"])
        try expectNothing(of: company, library)
    }

    @Test func `nor is either of a long list`() throws {
        let library = try library()
        var company = InventedCompany()
        company.people = (0..<20).map { .init(key: "p\(100 + $0)", name: "N") }
        company.people[1].email = "x"
        company.teams = [.init(key: "t", name: "T", members: company.people.map(\.key))]
        _ = try library.migrate(company.source)
        #expect(try library.members("members", of: "team", "t").count == 19)
        try expectOneList(of: company, "team", library)
        let members = try library.members("members", of: "team", "t")
        #expect(members == company.people.map(\.key))
    }

    @Test func `a member that is refused each time is no difference of the order`() throws {
        let library = try library()
        var company = InventedCompany()
        company.departments = [.init(key: "d", name: "D")]
        company.people = [
            .init(key: "a", name: "A", department: "d"),
            .init(key: "b", name: "B", email: "x", department: "d"),
            .init(key: "c", name: "C", department: "d"),
            .init(key: "e", name: "E", department: "d"),
        ]
        _ = try library.migrate(company.source)
        #expect(try library.members("people", of: "department", "d") == ["a", "c", "e"])
        try expectOneList(of: company, "department", library)
        #expect(try library.members("people", of: "department", "d") == ["a", "b", "c", "e"])
    }
}

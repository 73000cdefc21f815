import LegacyMigration
import Reprise
import Testing

@testable import LegacyMigrator

/// What a plan says of lists that change, and what a run does.
@Suite struct PlannedListTests {
    private func library() throws -> TemporaryLibrary {
        try TemporaryLibrary(schema: Schema(InventedCompany.schema))
    }

    /// Migrates, and returns what a plan and the run say.
    private func migrate(
        _ source: InventedSource,
        _ library: TemporaryLibrary
    ) throws -> (plan: MigrationPlan, report: MigrationReport) {
        let plan = try Migrator(replacing: source, store: library.store).plan()
        let report = try library.migrate(source)
        #expect(plan.counts == report.counts)
        #expect(plan.warningCounts == report.warningCounts)
        return (plan, report)
    }

    @Test func `a list that is emptied and was changed here`() throws {
        let library = try library()
        var company = InventedCompany()
        company.people = ["a", "b"].map { .init(key: $0, name: $0) }
        company.teams = [.init(key: "t", name: "T", members: ["a"])]
        _ = try library.migrate(company.source)
        try library.write {
            try $0.link("members", of: EntityReference(model: "team", id: "t"), to: "b")
        }
        company.teams[0].members = []
        let (_, report) = try migrate(company.source, library)
        #expect(report.warningCounts == [.entryAddedHere: 1])
        #expect(try library.members("members", of: "team", "t") == ["b"])
    }

    @Test func `an owner that members name and the export lacks`() throws {
        let library = try library()
        var company = InventedCompany()
        company.departments = [.init(key: "d", name: "D"), .init(key: "e", name: "E")]
        company.people = [
            .init(key: "a", name: "A"), .init(key: "b", name: "B", department: "d"),
        ]
        _ = try library.migrate(company.source)
        company.people[0].department = "d"
        company.departments.removeFirst()
        let (plan, _) = try migrate(company.source, library)
        #expect(plan.counts["department"]?.unchanged == 1)
        #expect(plan.counts["department"]?.updated == 0)
        #expect(try library.ids(of: "department") == ["e"])
    }

    @Test func `the owner of a list that is put in order may be somebody else's`() throws {
        let library = try library()
        try library.write {
            try $0.put(
                EntityReference(model: "department", id: "mine"),
                values: ["name": .string("M")]
            )
        }
        var company = InventedCompany()
        company.people = ["a", "b"].map { .init(key: $0, name: $0, department: "mine") }
        _ = try library.migrate(company.source)
        company.people.reverse()
        let (plan, _) = try migrate(company.source, library)
        #expect(plan.counts["department"]?.unchanged == 0)
        #expect(plan.counts["department"]?.updated == 1)
        #expect(try library.members("people", of: "department", "mine") == ["b", "a"])
    }

    /// Migrates what comes into a list on the other side of a to-one; of who was in it before, the owner is one.
    private func counts(
        _ departments: [InventedCompany.Department],
        _ newer: [InventedCompany.Department]
    ) throws -> MigrationCounts? {
        let library = try library()
        var company = InventedCompany()
        company.departments = departments
        _ = try library.migrate(company.source)
        company.departments = newer
        let (plan, _) = try migrate(company.source, library)
        let wanted = newer.filter { $0.parent == "p" }.map(\.key)
        #expect(try library.members("children", of: "department", "p") == wanted)
        #expect(try library.migrate(company.source).eventCount == 0)
        return plan.counts["department"]
    }

    @Test func `an owner is not updated by who comes to the end of its list, in whatever order`() throws {
        let old: [InventedCompany.Department] = [.init(key: "p", name: "P"), .init(key: "q", name: "Q")]
        let newer: [InventedCompany.Department] = [
            .init(key: "n", name: "N", parent: "p"), old[0], .init(key: "q", name: "Q", parent: "p"),
        ]
        for newer in [newer, newer.reversed()] {
            let counts = try counts(old, newer)
            #expect(counts?.inserted == 1)
            #expect(counts?.updated == 1)
            #expect(counts?.unchanged == 1)
        }
        // Nor where somebody is in it already.
        let first = InventedCompany.Department(key: "o", name: "O", parent: "p")
        for newer in [newer, newer.reversed()] {
            let counts = try counts([first] + old, [first] + newer)
            #expect(counts?.updated == 1)
            #expect(counts?.unchanged == 2)
        }
    }

    @Test func `an owner is not updated by who comes before others in its list`() throws {
        let first = InventedCompany.Department(key: "o", name: "O", parent: "p")
        let old: [InventedCompany.Department] = [
            .init(key: "p", name: "P"), .init(key: "q", name: "Q"), first,
        ]
        let new = InventedCompany.Department(key: "n", name: "N", parent: "p")
        let inserted = try counts(old, [new] + old)
        #expect(inserted?.inserted == 1)
        #expect(inserted?.updated == 0)
        let moved = try counts(old, [old[0], .init(key: "q", name: "Q", parent: "p"), first])
        #expect(moved?.updated == 1)
        #expect(moved?.unchanged == 2)
    }
}

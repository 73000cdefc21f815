import LegacyMigration
import Reprise
import Testing

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
        let plan = try Migrator(source: source, store: library.store).plan()
        let report = try library.migrate(source, batch: 100)
        #expect(plan.counts == report.counts)
        #expect(plan.warningCounts == report.warningCounts)
        return (plan, report)
    }

    @Test func `a list that is emptied and was changed here`() throws {
        let library = try library()
        var company = InventedCompany()
        company.people = ["a", "b"].map { .init(key: $0, name: $0) }
        company.teams = [.init(key: "t", name: "T", members: ["a"])]
        _ = try library.migrate(company.source, batch: 100)
        try library.write {
            try $0.link("members", of: EntityReference(model: "team", id: "t"), to: "b")
        }
        company.teams[0].members = []
        let (_, report) = try migrate(company.source, library)
        #expect(report.warningCounts == [.localChangeOverwritten: 1, .entryAddedHere: 1])
        #expect(try library.members("members", of: "team", "t") == ["b"])
    }

    @Test func `an owner that members name and the export lacks`() throws {
        let library = try library()
        var company = InventedCompany()
        company.departments = [.init(key: "d", name: "D"), .init(key: "e", name: "E")]
        company.people = [
            .init(key: "a", name: "A"), .init(key: "b", name: "B", department: "d"),
        ]
        _ = try library.migrate(company.source, batch: 100)
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
        _ = try library.migrate(company.source, batch: 100)
        company.people.reverse()
        let (plan, _) = try migrate(company.source, library)
        #expect(plan.counts["department"]?.unchanged == 0)
        #expect(plan.counts["department"]?.updated == 1)
        #expect(try library.members("people", of: "department", "mine") == ["b", "a"])
    }
}

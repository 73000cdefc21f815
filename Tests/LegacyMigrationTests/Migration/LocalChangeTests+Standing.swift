import LegacyMigration
import Reprise
import TestSupport
import Testing

/// Of which rows that the export lacks something still stands that somebody has changed: those stay.
extension LocalChangeTests {
    private var team: EntityReference { EntityReference(model: "team", id: "t") }

    /// Plans and migrates; returns what was said.
    private func migrateAsPlanned(_ company: InventedCompany) throws -> MigrationReport {
        let plan = try Migrator(replacing: company.source, store: library.store).plan()
        let report = try library.expectWholeOrNothing(of: company.source)
        #expect(plan.counts == report.counts)
        #expect(plan.warningCounts == report.warningCounts)
        #expect(try library.migrate(company.source).eventCount == 0)
        return report
    }

    /// An export without the team, and without some of the people.
    private func without(_ people: String..., of company: InventedCompany) -> InventedCompany {
        var company = company
        company.teams = []
        company.people.removeAll { people.contains($0.key) }
        return company
    }

    private func take(_ place: Int, outOfTeamBy transaction: inout WriteTransaction) throws {
        let entries = try transaction.entries(of: "members", model: "team", id: "t")
        try transaction.unlink("members", entry: entries[place], of: team)
    }

    /// Whether a verification calls a row changed here that the export lacks.
    private func isChangedHere(_ row: EntityReference, _ company: InventedCompany) throws -> Bool? {
        try MigrationVerifier(source: company.source, store: library.store).run().differences
            .first { $0.kind == .surplus && $0.model == row.model && $0.id == row.id }?.isChangedHere
    }

    @Test func `rows that only lost somebody who was deleted here go with the source`() throws {
        try migrate(company)
        try library.write { _ = try $0.delete(person("a")) }
        #expect(try value("lead", of: team) == .null)
        #expect(try value("boss", of: person("b")) == .null)
        #expect(try members() == ["b", "c"])
        let newer = without("a", "b", of: company)
        let report = try migrateAsPlanned(newer)
        #expect(report.warningCounts == [:])
        #expect(report.counts["team"]?.deleted == 1)
        #expect(report.counts["person"]?.deleted == 1)
    }

    @Test func `they stay where somebody has made whom they lost again, and not given them back`() throws {
        try migrate(company)
        try library.write { _ = try $0.delete(person("a")) }
        let values: [String: Value] = ["name": .string("mine"), "tags": .list([])]
        try library.write { try $0.put(person("a"), values: values) }
        let newer = without("a", "b", of: company)
        #expect(try isChangedHere(team, newer) == true)
        #expect(try migrate(newer).warningCounts == [.deletedInSourceButChanged: 2])
        #expect(try library.ids(of: "team") == ["t"])
    }

    @Test func `rows whose fields and lists were set back here go with the source`() throws {
        try migrate(company)
        try library.write {
            try $0.put(person("c"), values: ["age": .int(7), "email": .string("c@x")])
            try $0.put(person("b"), values: ["boss": .reference("c")])
            try $0.put(team, values: ["name": .string("here")])
            _ = try $0.link("members", of: team, to: "b")
        }
        let newer = without("b", "c", of: company)
        for row in [team, person("b"), person("c")] {
            #expect(try isChangedHere(row, newer) == true)
        }
        try library.write {
            try $0.put(person("c"), values: ["age": .int(1), "email": .null])
            try $0.put(person("b"), values: ["boss": .reference("a")])
            try $0.put(team, values: ["name": .string("T")])
            try take(3, outOfTeamBy: &$0)
            let entries = try $0.entries(of: "members", model: "team", id: "t")
            try $0.move("members", entry: entries[2], of: team, to: .first)
        }
        #expect(try members() == ["c", "a", "b"])
        #expect(try isChangedHere(team, newer) == true)
        try library.write {
            let entries = try $0.entries(of: "members", model: "team", id: "t")
            try $0.move("members", entry: entries[0], of: team, to: .last)
            // One is taken out, and put there again.
            try take(2, outOfTeamBy: &$0)
        }
        try library.write { _ = try $0.link("members", of: team, to: "c") }
        let report = try migrateAsPlanned(newer)
        #expect(report.warningCounts == [:])
        #expect(report.counts["team"]?.deleted == 1)
        #expect(report.counts["person"]?.deleted == 2)
    }

    @Test func `a row that was kept goes with the same export once it is set back here`() throws {
        try migrate(company)
        try library.write { try $0.put(person("c"), values: ["age": .int(7)]) }
        try library.write { try $0.put(team, values: ["name": .string("here")]) }
        let newer = without("c", of: company)
        let kept = [LegacyWarning.Kind.deletedInSourceButChanged: 2]
        #expect(try migrate(newer).warningCounts == kept)
        try library.write { try $0.put(person("c"), values: ["age": .int(1)]) }
        try library.write { try $0.put(team, values: ["name": .string("T")]) }
        let report = try migrateAsPlanned(newer)
        #expect(report.warningCounts == [:])
        #expect(report.counts["person"]?.deleted == 1)
        #expect(report.counts["team"]?.deleted == 1)
    }

    @Test func `a row stays whose field led somewhere else here before that was deleted`() throws {
        try migrate(company)
        try library.write { try $0.put(person("b"), values: ["boss": .reference("c")]) }
        try library.write { _ = try $0.delete(person("c")) }
        let report = try migrateAsPlanned(without("b", "c", of: company))
        #expect(report.warningCounts == [.deletedInSourceButChanged: 1])
    }

    @Test func `a row goes whose field was set back here before that was deleted`() throws {
        try migrate(company)
        try library.write { try $0.put(person("b"), values: ["boss": .reference("c")]) }
        try library.write { try $0.put(person("b"), values: ["boss": .reference("a")]) }
        try library.write { _ = try $0.delete(person("a")) }
        let report = try migrateAsPlanned(without("a", "b", of: company))
        #expect(report.warningCounts == [:])
        #expect(report.counts["person"]?.deleted == 1)
    }

    @Test func `a row goes whose field was set back here to what goes with it`() throws {
        try migrate(company)
        try library.write { try $0.put(person("b"), values: ["boss": .reference("c")]) }
        try library.write { try $0.put(person("b"), values: ["boss": .reference("a")]) }
        let report = try migrateAsPlanned(without("a", "b", of: company))
        #expect(report.warningCounts == [:])
        #expect(report.counts["person"]?.deleted == 2)
    }

    @Test func `a list from which somebody was taken here stays, though another one was deleted here`() throws {
        try migrate(company)
        try library.write { try take(1, outOfTeamBy: &$0) }
        try library.write { _ = try $0.delete(person("c")) }
        #expect(try members() == ["a"])
        let report = try migrateAsPlanned(without("b", "c", of: company))
        #expect(report.warningCounts == [.deletedInSourceButChanged: 1])
        #expect(report.counts["person"]?.deleted == 1)
    }

    @Test func `a list to which somebody was added here goes when they are deleted here`() throws {
        try migrate(company)
        let values: [String: Value] = ["name": .string("mine"), "tags": .list([])]
        try library.write {
            try $0.put(person("mine"), values: values)
            _ = try $0.link("members", of: team, to: "mine", at: .first)
        }
        #expect(try isChangedHere(team, without(of: company)) == true)
        try library.write { _ = try $0.delete(person("mine")) }
        #expect(try members() == ["a", "b", "c"])
        let report = try migrateAsPlanned(without(of: company))
        #expect(report.warningCounts == [:])
        #expect(report.counts["team"]?.deleted == 1)
    }

    @Test func `a list that was arranged here goes when the source had arranged it anew`() throws {
        var company = company
        try migrate(company)
        try library.write {
            let entries = try $0.entries(of: "members", model: "team", id: "t")
            try $0.move("members", entry: entries[2], of: team, to: .first)
        }
        #expect(try isChangedHere(team, without(of: company)) == true)
        company.teams[0].members = ["b", "c", "a"]
        #expect(try migrate(company).warningCounts == [.localChangeOverwritten: 1])
        #expect(try isChangedHere(team, without(of: company)) == false)
        #expect(try migrateAsPlanned(without(of: company)).counts["team"]?.deleted == 1)
    }
}

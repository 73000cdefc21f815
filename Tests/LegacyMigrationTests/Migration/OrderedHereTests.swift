import LegacyMigration
import Reprise
import Testing

/// Lists on the other side of a to-one that somebody has put into another order, and that a migration puts into that of
/// an export which has another one than before.
@Suite struct OrderedHereTests {
    private let department = EntityReference(model: "department", id: "d")

    private func company(_ people: String...) -> InventedCompany {
        var company = InventedCompany()
        company.departments = [.init(key: "d", name: "D")]
        company.people = people.map { .init(key: $0, name: $0, department: "d") }
        return company
    }

    private func library(_ company: InventedCompany) throws -> TemporaryLibrary {
        let library = try TemporaryLibrary(schema: Schema(InventedCompany.schema))
        _ = try library.migrate(company.source)
        return library
    }

    private func move(_ id: String, to place: Placement, _ library: TemporaryLibrary) throws {
        try library.write { transaction in
            let entries = try transaction.entries(of: "people", model: "department", id: "d")
            for entry in entries where entry.target == id {
                try transaction.move("people", entry: entry, of: department, to: place)
            }
        }
    }

    /// Migrates, and returns how many rows lose what was done here; a plan says the same.
    private func overwrittenCount(
        _ source: InventedSource,
        _ library: TemporaryLibrary
    ) throws -> Int {
        let plan = try Migrator(replacing: source, store: library.store).plan()
        let report = try library.migrate(source)
        #expect(plan.counts == report.counts)
        #expect(plan.warningCounts == report.warningCounts)
        return report.warningCounts[.localChangeOverwritten] ?? 0
    }

    private func order(_ library: TemporaryLibrary) throws -> [String] {
        try library.members("people", of: "department", "d")
    }

    @Test(arguments: [false, true])
    func `that they lose it is said once`(isNewer: Bool) throws {
        var company = company("a", "b", "c")
        let library = try library(company)
        try move("c", to: .first, library)
        #expect(try order(library) == ["c", "a", "b"])
        company.people.swapAt(0, 1)
        if isNewer { company.people.append(.init(key: "n", name: "n")) }
        #expect(try overwrittenCount(company.source, library) == 1)
        #expect(try order(library) == ["b", "a", "c"])
        // It is the source's again.
        company.people.append(.init(key: "0", name: "0"))
        company.people.swapAt(0, 1)
        #expect(try overwrittenCount(company.source, library) == 0)
        #expect(try order(library) == ["a", "b", "c"])
    }

    @Test func `of three, be it the other one that moves`() throws {
        for (moved, place) in [("b", Placement.first), ("a", .last)] {
            var company = company("a", "b", "c")
            let library = try library(company)
            try move(moved, to: place, library)
            company.people = ["a", "c", "b"].map { .init(key: $0, name: $0, department: "d") }
            #expect(try overwrittenCount(company.source, library) == 1)
            #expect(try order(library) == ["a", "c", "b"])
        }
    }

    @Test func `an order that the export has as well is not lost`() throws {
        var company = company("a", "b", "c")
        let library = try library(company)
        try move("c", to: .first, library)
        company.people = ["c", "n", "a", "b"].map { .init(key: $0, name: $0, department: "d") }
        #expect(try overwrittenCount(company.source, library) == 0)
        #expect(try order(library) == ["c", "n", "a", "b"])
    }

    @Test func `nor is one lost where only a member that was not touched moves`() throws {
        var company = company("a", "b", "c", "e")
        let library = try library(company)
        // It goes away and comes back.
        try move("c", to: .first, library)
        try move("c", to: .last, library)
        try move("e", to: .last, library)
        company.people.swapAt(0, 1)
        #expect(try overwrittenCount(company.source, library) == 0)
        #expect(try order(library) == ["b", "a", "c", "e"])
    }
}

import LegacyMigration
import Reprise
import TestSupport
import Testing

/// What is kept here keeps rows that the source has deleted, and a plan knows it.
extension LocalChangeTests {
    private var team: EntityReference { EntityReference(model: "team", id: "t") }

    @Test func `a row that only a to-one holds which stays as it was set here is kept, and planned so`() throws {
        var company = company
        company.people.append(.init(key: "x", name: "x"))
        try migrate(company)
        try library.write { try $0.put(team, values: ["lead": .reference("x")]) }
        company.people.removeLast()
        let report = try migrate(company)
        #expect(report.warningCounts == [.localChangeKept: 1, .deletedInSourceButInUse: 1])
        #expect(try value("lead", of: team) == .reference("x"))
        try library.write { try $0.put(team, values: ["lead": .reference("a")]) }
        #expect(try migrate(company).counts["person"]?.deleted == 1)
    }

    @Test func `so is one that only a list holds which stays as it was arranged here`() throws {
        var company = company
        company.people.append(.init(key: "x", name: "x"))
        company.teams[0].members = ["a", "b", "x"]
        try migrate(company)
        try library.write { transaction in
            let entries = try transaction.entries(of: "members", model: "team", id: "t")
            try transaction.move("members", entry: entries[1], of: team, to: .first)
        }
        // Its list names it still.
        company.people.removeLast()
        let report = try migrate(company)
        #expect(report.warningCounts[.deletedInSourceButInUse] == 1)
        #expect(try members() == ["b", "a", "x"])
    }

    @Test func `a row that another one holds which is deleted in the source, but was changed here, is kept`() throws {
        var company = company
        company.people.append(.init(key: "x", name: "x"))
        company.people.append(.init(key: "y", name: "y", boss: "x"))
        try migrate(company)
        try library.write { try $0.put(person("y"), values: ["age": .int(7)]) }
        company.people.removeLast(2)
        let report = try migrate(company)
        #expect(report.warningCounts == [.deletedInSourceButChanged: 1, .deletedInSourceButInUse: 1])
    }

    @Test func `a row with an entry that only was added here stays, though both had added another one`() throws {
        var company = company
        company.teams[0].members = ["a"]
        try migrate(company)
        try library.write {
            for id in ["b", "c"] { _ = try $0.link("members", of: team, to: id) }
        }
        company.teams[0].members = ["a", "b"]
        #expect(try migrate(company).agreedCount == 1)
        company.teams = []
        #expect(try migrate(company).warningCounts == [.deletedInSourceButChanged: 1])
        #expect(try members() == ["a", "b", "c"])
    }

    @Test func `a row goes of which one change was said in the source, too, and another made anew`() throws {
        var company = company
        company.teams[0].members = []
        try migrate(company)
        try library.write { try $0.put(person("c"), values: ["age": .int(7), "name": .string("here")]) }
        company.people[2].age = 7
        company.people[2].name = "there"
        let report = try migrate(company)
        #expect(report.agreedCount == 1)
        #expect(report.warningCounts == [.localChangeOverwritten: 1])
        company.people.removeLast()
        #expect(try migrate(company).counts["person"]?.deleted == 1)
    }

    @Test func `a row stays of which one change was said in the source, too, and another was not`() throws {
        var company = company
        company.teams[0].members = []
        try migrate(company)
        try library.write { try $0.put(person("c"), values: ["age": .int(7), "name": .string("here")]) }
        company.people[2].age = 7
        #expect(try migrate(company).agreedCount == 1)
        company.people.removeLast()
        #expect(try migrate(company).warningCounts == [.deletedInSourceButChanged: 1])
    }

    // MARK: Many changes

    @Test(arguments: [9_000, 10_050])
    func `what was changed here stays, however often it was`(count: Int) throws {
        let company = company
        try migrate(company)
        try library.write { transaction in
            for number in 0..<count {
                try transaction.put(person("a"), values: ["age": .int(100 + number)])
            }
        }
        let report = try migrate(company)
        #expect(report.warningCounts == [.localChangeKept: 1])
        #expect(try value("age", of: person("a")) == .int(99 + count))
    }

    @Test(arguments: [9_000, 10_050])
    func `so does a list`(count: Int) throws {
        let company = company
        try migrate(company)
        try library.write { transaction in
            let entries = try transaction.entries(of: "members", model: "team", id: "t")
            for number in 0..<count {
                let entry = entries[number % 2]
                try transaction.move("members", entry: entry, of: team, to: .last)
            }
        }
        let present = try members()
        #expect(present != ["a", "b", "c"])
        try migrate(company)
        #expect(try members() == present)
    }

    @Test func `a list that holds a row made here, which the export has no more, differs`() throws {
        var company = company
        try library.write { try $0.put(person("x"), values: ["name": .string("x"), "tags": .list([])]) }
        company.people.append(.init(key: "x", name: "x", department: "d"))
        try migrate(company)
        #expect(try people() == ["a", "b", "c", "x"])
        company.people.removeLast()
        try migrate(company)
        #expect(try people() == ["a", "b", "c", "x"])
        let found = try MigrationVerifier(source: company.source, store: library.store).run()
        #expect(found.differences.map { $0.kind } == [.differentList])
    }

    @Test func `a value that differs is of those who changed it, whatever else was changed in its row`() throws {
        var company = company
        try migrate(company)
        try library.write { try $0.put(person("a"), values: ["age": .int(7)]) }
        company.people[0].name = "new"
        func found() throws -> [String: Bool] {
            let found = try MigrationVerifier(source: company.source, store: library.store).run()
            return Dictionary(uniqueKeysWithValues: found.differences.map { ($0.name ?? "", $0.isChangedHere) })
        }
        #expect(try found() == ["age": true, "name": false])
        try migrate(company)
        #expect(try found() == ["age": true])
    }
}

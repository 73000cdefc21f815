import LegacyMigration
import Reprise
import TestSupport
import Testing

/// What somebody has changed in the store to what an export says later: from then on the source has said it, and what
/// is changed after that stays as everything else that the source does not change.
extension LocalChangeTests {
    private var team: EntityReference { EntityReference(model: "team", id: "t") }
    private var department: EntityReference { EntityReference(model: "department", id: "d") }

    private func age(_ age: Int, of id: String) throws {
        try library.write { try $0.put(person(id), values: ["age": .int(age)]) }
    }

    /// Puts the members of a team into an order, by moving them to its end.
    private func arrangeTeam(_ wanted: [String]) throws {
        try library.write { transaction in
            for id in wanted {
                let entries = try transaction.entries(of: "members", model: "team", id: "t")
                guard let entry = entries.first(where: { $0.target == id }) else { continue }
                try transaction.move("members", entry: entry, of: team, to: .last)
            }
        }
    }

    private func arrangePeople(_ wanted: [String]) throws {
        try library.write { transaction in
            for id in wanted {
                let entries = try transaction.entries(of: "people", model: "department", id: "d")
                guard let entry = entries.first(where: { $0.target == id }) else { continue }
                try transaction.move("people", entry: entry, of: department, to: .last)
            }
        }
    }

    // MARK: Fields

    @Test func `what both came to say is what the source had said when it is changed here again`() throws {
        var company = company
        try migrate(company)
        try age(7, of: "a")
        company.people[0].age = 7
        #expect(try migrate(company).agreedCount == 1)
        try age(9, of: "a")
        let report = try migrate(company)
        #expect(report.eventCount == 0)
        #expect(report.agreedCount == 0)
        #expect(report.warningCounts == [.localChangeKept: 1])
        #expect(try value("age", of: person("a")) == .int(9))
        company.people[0].age = 1
        #expect(try migrate(company).warningCounts == [.localChangeOverwritten: 1])
        #expect(try value("age", of: person("a")) == .int(1))
    }

    @Test func `a migration that has nothing to write but that is planned, verified, undone and made again`() throws {
        var company = company
        try migrate(company)
        let old = company
        try library.write { try $0.put(person("a"), values: ["name": .string("A")]) }
        let before = try library.digest
        company.people[0].name = "A"
        let plan = try Migrator(replacing: company.source, store: library.store).plan()
        #expect(plan.writtenCount == 0)
        #expect(plan.agreedCount == 1)
        let report = try migrate(company)
        #expect(report.writtenCount == 0)
        #expect(report.eventCount > 0)
        #expect(report.digest == before)
        #expect(try MigrationVerifier(source: company.source, store: library.store).run().isEqual)
        // Taken back, it has not been said.
        let snapshot = try #require(report.snapshotBefore)
        try library.store.rollback(to: .snapshot(snapshot))
        #expect(try library.digest == before)
        #expect(try library.migrate(old.source).eventCount == 0)
        #expect(try value("name", of: person("a")) == .string("A"))
        #expect(try library.migrate(company.source).agreedCount == 1)
        try library.write { try $0.put(person("a"), values: ["name": .string("B")]) }
        #expect(try migrate(company).eventCount == 0)
        #expect(try value("name", of: person("a")) == .string("B"))
    }

    @Test func `a to-one that both have emptied is set here again`() throws {
        var company = company
        try migrate(company)
        try library.write { try $0.put(person("b"), values: ["boss": .null]) }
        company.people[1].boss = nil
        try migrate(company)
        try library.write { try $0.put(person("b"), values: ["boss": .reference("c")]) }
        #expect(try migrate(company).eventCount == 0)
        #expect(try value("boss", of: person("b")) == .reference("c"))
    }

    @Test func `one whose target both have deleted is set here again`() throws {
        var company = company
        try migrate(company)
        try library.write { _ = try $0.delete(person("a")) }
        company.people.removeFirst()
        company.people[0].boss = nil
        company.teams[0] = .init(key: "t", name: "T", members: ["b", "c"])
        try migrate(company)
        try library.write { try $0.put(person("b"), values: ["boss": .reference("c")]) }
        #expect(try migrate(company).eventCount == 0)
        #expect(try value("boss", of: person("b")) == .reference("c"))
    }

    @Test func `one that leads nowhere in the source, and was emptied here, is set here again`() throws {
        var company = company
        try migrate(company)
        try library.write { try $0.put(person("b"), values: ["boss": .null]) }
        company.people[1].boss = "nobody"
        try migrate(company)
        try library.write { try $0.put(person("b"), values: ["boss": .reference("c")]) }
        #expect(try migrate(company).eventCount == 0)
        #expect(try value("boss", of: person("b")) == .reference("c"))
    }

    @Test func `a row that was made here and in the source is changed here, whatever else the source changes`() throws {
        var company = company
        try migrate(company)
        try library.write {
            let values: [String: Value] = ["name": .string("n"), "age": .int(1), "tags": .list([])]
            try $0.put(person("n"), values: values)
        }
        company.people.append(.init(key: "n", name: "n", age: 1))
        #expect(try migrate(company).agreedCount == 1)
        for number in 1...3 {
            try age(100 + number, of: "n")
            company.people[1].name = "B\(number)"
            #expect(try migrate(company).warningCounts == [.localChangeKept: 1])
            #expect(try value("age", of: person("n")) == .int(100 + number))
        }
        company.people[3].age = 2
        #expect(try migrate(company).warningCounts == [.localChangeOverwritten: 1])
        #expect(try value("age", of: person("n")) == .int(2))
    }

    @Test func `rows that were there before the first migration are the source's in what agrees`() throws {
        try library.write {
            let values: [String: Value] = ["name": .string("a"), "age": .int(1), "tags": .list([])]
            try $0.put(person("a"), values: values)
        }
        var company = company
        #expect(try migrate(company).agreedCount > 0)
        company.people[1].name = "B"
        try migrate(company)
        try age(7, of: "a")
        company.people[1].name = "C"
        try migrate(company)
        company.people[1].name = "D"
        try migrate(company)
        #expect(try value("age", of: person("a")) == .int(7))
    }

    // MARK: Rows

    @Test func `what was deleted here and in the source comes back when the source has it again`() throws {
        var company = company
        try migrate(company)
        let whole = company
        try library.write { _ = try $0.delete(person("c")) }
        company.people.removeLast()
        company.teams[0].members = ["a", "b"]
        try migrate(company)
        #expect(try migrate(whole).warningCounts.isEmpty)
        #expect(try value("name", of: person("c")) == .string("c"))
    }

    @Test func `what was deleted on both sides, and made again on both, is as in the source`() throws {
        var company = company
        try migrate(company)
        let whole = company
        try library.write { _ = try $0.delete(person("c")) }
        company.people.removeLast()
        company.teams[0].members = ["a", "b"]
        try migrate(company)
        try library.write {
            try $0.put(person("c"), values: ["name": .string("mine"), "tags": .list([])])
        }
        #expect(try migrate(company).eventCount == 0)
        #expect(try value("name", of: person("c")) == .string("mine"))
        try migrate(whole)
        #expect(try value("name", of: person("c")) == .string("c"))
    }

    @Test func `what the source has deleted, and both have made again, is as in the source`() throws {
        var company = company
        try migrate(company)
        let whole = company
        company.people.removeLast()
        company.teams[0].members = ["a", "b"]
        try migrate(company)
        try library.write {
            try $0.put(person("c"), values: ["name": .string("mine"), "tags": .list([])])
        }
        #expect(try migrate(company).eventCount == 0)
        try migrate(whole)
        #expect(try value("name", of: person("c")) == .string("c"))
    }

    @Test(arguments: [false, true])
    func `a row that was changed here goes with its record when the source had come to say the same`(
        isChangedAgain: Bool
    ) throws {
        var company = company
        try migrate(company)
        try age(7, of: "c")
        try library.write {
            let entry = try $0.entries(of: "members", model: "team", id: "t")[2]
            try $0.unlink("members", entry: entry, of: team)
        }
        company.people[2].age = 7
        company.teams[0].members = ["a", "b"]
        #expect(try migrate(company).agreedCount == 2)
        if isChangedAgain { try age(9, of: "c") }
        company.people.removeLast()
        let report = try migrate(company)
        #expect(report.counts["person"]?.deleted == (isChangedAgain ? 0 : 1))
        #expect(report.warningCounts == (isChangedAgain ? [.deletedInSourceButChanged: 1] : [:]))
    }

    // MARK: Lists

    @Test func `a list that both have changed to the same is changed here again`() throws {
        var company = company
        try migrate(company)
        try arrangeTeam(["c", "b", "a"])
        company.teams[0].members = ["c", "b", "a"]
        #expect(try migrate(company).agreedCount == 1)
        try arrangeTeam(["b", "c", "a"])
        #expect(try migrate(company).eventCount == 0)
        #expect(try members() == ["b", "c", "a"])
    }

    @Test func `a list that a migration has put in order, with what was added here, is arranged here again`() throws {
        var company = company
        company.teams[0].members = ["a"]
        try migrate(company)
        try library.write {
            for id in ["b", "c"] { _ = try $0.link("members", of: team, to: id) }
        }
        company.teams[0].members = ["b", "a"]
        try migrate(company)
        #expect(try members() == ["b", "a", "c"])
        try arrangeTeam(["c", "b", "a"])
        #expect(try migrate(company).eventCount == 0)
        #expect(try members() == ["c", "b", "a"])
    }

    @Test func `a list from which both have taken the same, and to which one was added here, is emptied here`() throws {
        var company = company
        company.teams[0].members = ["a", "b"]
        try migrate(company)
        try library.write {
            let entries = try $0.entries(of: "members", model: "team", id: "t")
            try $0.unlink("members", entry: entries[1], of: team)
            _ = try $0.link("members", of: team, to: "c")
        }
        company.teams[0].members = ["a"]
        try migrate(company)
        #expect(try members() == ["a", "c"])
        try library.write {
            let entries = try $0.entries(of: "members", model: "team", id: "t")
            try $0.unlink("members", entry: entries[0], of: team)
        }
        #expect(try migrate(company).eventCount == 0)
        #expect(try members() == ["c"])
    }

    @Test(arguments: [[], ["c"]])
    func `a list that both have emptied is the source's when it has it again`(added: [String]) throws {
        var company = company
        company.teams[0].members = ["a", "b"]
        try migrate(company)
        try library.write {
            for entry in try $0.entries(of: "members", model: "team", id: "t") {
                try $0.unlink("members", entry: entry, of: team)
            }
            for id in added { _ = try $0.link("members", of: team, to: id) }
        }
        // A source need not give a list that has nothing.
        company.teams[0].members = []
        #expect(try migrate(company).agreedCount == 1)
        #expect(try members() == added)
        company.teams[0].members = ["a", "b"]
        try migrate(company)
        #expect(try members().filter { !added.contains($0) } == ["a", "b"])
    }

    // MARK: Orders

    @Test func `an order that both have made is changed here again`() throws {
        var company = company
        try migrate(company)
        try arrangePeople(["c", "b", "a"])
        company.people.reverse()
        #expect(try migrate(company).agreedCount == 1)
        try arrangePeople(["b", "c", "a"])
        #expect(try migrate(company).eventCount == 0)
        #expect(try people() == ["b", "c", "a"])
    }

    @Test func `an order that a migration has made of places that were given here is changed here again`() throws {
        var company = company
        try migrate(company)
        try arrangePeople(["c", "a", "b"])
        company.people = [company.people[2], company.people[1], company.people[0]]
        try migrate(company)
        #expect(try people() == ["c", "b", "a"])
        try arrangePeople(["a", "c", "b"])
        #expect(try migrate(company).eventCount == 0)
        #expect(try people() == ["a", "c", "b"])
    }

    @Test func `an order stays when several were brought to the front and others follow`() throws {
        var company = company
        company.people.append(.init(key: "d", name: "d", age: 1, department: "d"))
        try migrate(company)
        try library.write { transaction in
            for place in [3, 3] {
                let entries = try transaction.entries(of: "people", model: "department", id: "d")
                try transaction.move("people", entry: entries[place], of: department, to: .first)
            }
        }
        for name in ["m", "n", "o"] {
            company.people.append(.init(key: name, name: name, age: 1, department: "d"))
            #expect(try migrate(company).warningCounts == [.localChangeKept: 1])
        }
        #expect(try people() == ["c", "d", "a", "b", "m", "n", "o"])
    }

    @Test func `an order stays when most were taken away and others follow`() throws {
        var company = company
        company.people += (0..<40).map { .init(key: "x\($0)", name: "x", age: 1, department: "d") }
        try migrate(company)
        try library.write { transaction in
            for number in 0..<38 {
                try transaction.put(person("x\(number)"), values: ["department": .null])
            }
            for id in ["a", "b", "c"] {
                try transaction.put(person(id), values: ["department": .null])
            }
        }
        try arrangePeople(["x39", "x38"])
        company.people.append(.init(key: "m", name: "m", age: 1, department: "d"))
        try migrate(company)
        #expect(try people() == ["x39", "x38", "m"])
    }
}

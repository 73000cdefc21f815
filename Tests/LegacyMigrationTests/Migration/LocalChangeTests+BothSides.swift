import LegacyMigration
import Reprise
import TestSupport
import Testing

/// Rows, lists and orders that both a store and an export have changed, one after the other: what is kept, what comes
/// back, and that a plan says the same.
extension LocalChangeTests {
    private var team: EntityReference { EntityReference(model: "team", id: "t") }
    private var department: EntityReference { EntityReference(model: "department", id: "d") }

    @Test func `what was changed here and back is no longer kept when the source changes it to that`() throws {
        var company = company
        try migrate(company)
        try library.write { try $0.put(person("a"), values: ["age": .int(7)]) }
        company.people[1].name = "B"
        try migrate(company)
        try library.write { try $0.put(person("a"), values: ["age": .int(1)]) }
        company.people[0].age = 7
        let report = try migrate(company)
        #expect(report.warningCounts[.localChangeKept] == nil)
        #expect(try value("age", of: person("a")) == .int(7))
    }

    @Test func `what both changed is as in the source, be it what was here once`() throws {
        var company = company
        try migrate(company)
        try library.write { try $0.put(person("a"), values: ["age": .int(7)]) }
        company.people[1].name = "B"
        try migrate(company)
        try library.write { try $0.put(person("a"), values: ["age": .int(9)]) }
        company.people[0].age = 7
        let report = try migrate(company)
        #expect(report.warningCounts == [.localChangeOverwritten: 1])
        #expect(try value("age", of: person("a")) == .int(7))
    }

    @Test func `a row that was deleted here comes back when its record says what only was here before`() throws {
        var company = company
        try migrate(company)
        try library.write { try $0.put(person("c"), values: ["age": .int(7)]) }
        company.people[1].name = "B"
        try migrate(company)
        try library.write { _ = try $0.delete(person("c")) }
        company.people[2].age = 7
        try migrate(company)
        #expect(try value("age", of: person("c")) == .int(7))
    }

    @Test func `a list of a row that was made again here stays empty`() throws {
        let company = company
        try migrate(company)
        try library.write {
            _ = try $0.delete(team)
            try $0.put(team, values: ["name": .string("mine")])
        }
        #expect(try migrate(company).eventCount == 0)
        #expect(try members() == [])
    }

    @Test func `it keeps what it was given here`() throws {
        let company = company
        try migrate(company)
        try library.write {
            _ = try $0.delete(team)
            try $0.put(team, values: ["name": .string("mine")])
            _ = try $0.link("members", of: team, to: "c")
        }
        #expect(try migrate(company).eventCount == 0)
        #expect(try members() == ["c"])
    }

    @Test func `what a row that was made again here had been named by does not name it again`() throws {
        let company = company
        try migrate(company)
        try library.write {
            _ = try $0.delete(person("a"))
            try $0.put(person("a"), values: ["name": .string("mine"), "tags": .list([])])
        }
        #expect(try migrate(company).eventCount == 0)
    }

    @Test func `a list that was changed here becomes the source's when a member of it comes at last`() throws {
        var company = company
        company.teams[0].members = ["a", "x", "b", "c"]
        try migrate(company)
        try library.write { transaction in
            let entries = try transaction.entries(of: "members", model: "team", id: "t")
            try transaction.move("members", entry: entries[2], of: team, to: .first)
        }
        company.people.append(.init(key: "x", name: "x", age: 1))
        try migrate(company)
    }

    @Test func `so it does when a member comes back that had been deleted here`() throws {
        var company = company
        try migrate(company)
        try library.write { _ = try $0.delete(person("a")) }
        company.teams[0].members = ["c", "a", "b"]
        try migrate(company)
        #expect(try members() == ["c", "b"])
        try library.write { transaction in
            let entries = try transaction.entries(of: "members", model: "team", id: "t")
            try transaction.move("members", entry: entries[0], of: team, to: .last)
        }
        company.people[0].name = "A"
        try migrate(company)
    }

    @Test func `a row that comes back has its place`() throws {
        var company = company
        try migrate(company)
        try library.write { _ = try $0.delete(person("a")) }
        company.people[0].name = "A"
        try migrate(company)
        #expect(try people() == ["a", "b", "c"])
    }

    @Test func `an order that was made here stays when a member leaves the list in the source`() throws {
        var company = company
        try migrate(company)
        try library.write { transaction in
            let entries = try transaction.entries(of: "people", model: "department", id: "d")
            try transaction.move("people", entry: entries[2], of: department, to: .first)
        }
        company.people[0].department = "e"
        try migrate(company)
    }

    @Test func `so it does when a member goes in the source`() throws {
        var company = company
        try migrate(company)
        try library.write { transaction in
            let entries = try transaction.entries(of: "people", model: "department", id: "d")
            try transaction.move("people", entry: entries[2], of: department, to: .first)
        }
        company.people.removeFirst()
        try migrate(company)
    }

    @Test func `an order that was made here between two runs of a migration is not lost without a word`() throws {
        var company = company
        try migrate(company)
        company.people[0].name = "A"
        company.people[1].name = "B"
        company.people[2].name = "C"
        try library.interrupt(company.source, afterStep: 3)
        try library.write { transaction in
            let entries = try transaction.entries(of: "people", model: "department", id: "d")
            try transaction.move("people", entry: entries[2], of: department, to: .first)
        }
        #expect(try people() == ["c", "a", "b"])
        let report = try library.migrate(company.source)
        let now = try people()
        #expect(now == ["c", "a", "b"] || report.warningCounts[.localChangeOverwritten] != nil)
    }

    @Test func `a new list that names who stays deleted says so`() throws {
        var company = company
        try migrate(company)
        try library.write { _ = try $0.delete(person("a")) }
        company.teams.append(.init(key: "u", name: "U", members: ["a", "b"]))
        let report = try migrate(company)
        #expect(report.warningCounts[.missingTarget] == 1)
    }

    @Test func `what was deleted here together comes back one by one`() throws {
        var company = company
        company.departments[1].parent = "d"
        company.people[0].department = "e"
        company.people[1].department = nil
        company.people[2].department = nil
        company.departments.append(.init(key: "f", name: "F", parent: "e"))
        try migrate(company)
        try library.write {
            try $0.put(person("a"), values: ["department": .null])
            _ = try $0.delete(department)
        }
        #expect(try library.ids(of: "department") == [])
        #expect(try migrate(company).eventCount == 0)
        company.departments[2].name = "FF"
        try migrate(company)
        #expect(try value("parent", of: EntityReference(model: "department", id: "f")) == .null)
        company.departments[0].name = "DD"
        try migrate(company)
        #expect(try value("parent", of: EntityReference(model: "department", id: "f")) == .null)
        company.departments[1].name = "EE"
        try migrate(company)
        #expect(try value("parent", of: EntityReference(model: "department", id: "f")) == .reference("e"))
        #expect(try value("parent", of: EntityReference(model: "department", id: "e")) == .reference("d"))
    }

    @Test func `an order that was made here stays when members follow at its end`() throws {
        var company = company
        try migrate(company)
        try library.write { transaction in
            let entries = try transaction.entries(of: "people", model: "department", id: "d")
            try transaction.move("people", entry: entries[2], of: department, to: .first)
        }
        for name in ["m", "n"] {
            company.people.append(.init(key: name, name: name, age: 1, department: "d"))
            #expect(try migrate(company).warningCounts == [.localChangeKept: 1])
        }
        #expect(try people() == ["c", "a", "b", "m", "n"])
    }

    @Test func `a to-one that was set here stays while what the source names waits in vain`() throws {
        var company = company
        company.people[0].email = "e"
        company.people.append(.init(key: "n", name: "n", email: "e", age: 1))
        company.people[2].boss = "n"
        _ = try library.migrate(company.source)
        try library.write { try $0.put(person("c"), values: ["boss": .reference("b")]) }
        company.people[1].name = "B"
        let report = try library.migrate(company.source)
        #expect(report.warningCounts[.localChangeOverwritten] == nil)
        #expect(try value("boss", of: person("c")) == .reference("b"))
        #expect(try library.migrate(company.source).eventCount == 0)
    }

    @Test func `what both sides had emptied is nobody's change when the source names what comes later`() throws {
        var company = company
        try migrate(company)
        try library.write { try $0.put(person("b"), values: ["boss": .null]) }
        company.people[1].boss = nil
        #expect(try migrate(company).agreedCount == 1)
        company.people[1].boss = "z"
        company.people.append(.init(key: "z", name: "Z", age: 1))
        #expect(try migrate(company).warningCounts.isEmpty)
        #expect(try value("boss", of: person("b")) == .reference("z"))
    }

    // MARK: What a verification says

    private func difference(of list: String, _ company: InventedCompany) throws -> MigrationDifference? {
        try MigrationVerifier(source: company.source, store: library.store).run().differences
            .first { $0.kind == .differentList && $0.name == list }
    }

    @Test func `a list to which somebody was added here by a to-one differs because of that`() throws {
        try migrate(company)
        let values: [String: Value] = [
            "name": .string("mine"), "tags": .list([]), "department": .reference("d"),
        ]
        try library.write { try $0.put(person("mine"), values: values) }
        #expect(try migrate(company).eventCount == 0)
        #expect(try difference(of: "people", company)?.isChangedHere == true)
        try library.write { try $0.put(person("mine"), values: ["department": .reference("e")]) }
        #expect(try difference(of: "people", company)?.id == "e")
        #expect(try difference(of: "people", company)?.isChangedHere == true)
    }

    @Test func `so does one that somebody has left, been moved in, or been deleted from here`() throws {
        try migrate(company)
        let head = try library.head
        try library.write { try $0.put(person("b"), values: ["department": .null]) }
        #expect(try difference(of: "people", company)?.isChangedHere == true)
        try library.store.rollback(to: .position(head))
        try library.write { transaction in
            let entries = try transaction.entries(of: "people", model: "department", id: "d")
            try transaction.move("people", entry: entries[2], of: department, to: .first)
        }
        #expect(try difference(of: "people", company)?.isChangedHere == true)
        try library.store.rollback(to: .position(head))
        try library.write { _ = try $0.delete(person("c")) }
        #expect(try difference(of: "people", company)?.isChangedHere == true)
    }

    @Test func `one that is not as in the export for another reason is not called changed here`() throws {
        var company = company
        try migrate(company)
        company.people.swapAt(0, 1)
        #expect(try difference(of: "people", company)?.isChangedHere == false)
    }
}

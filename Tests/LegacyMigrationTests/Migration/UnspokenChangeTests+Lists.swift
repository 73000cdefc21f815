import LegacyMigration
import Reprise
import TestSupport
import Testing

/// What was changed here in lists and fields of which an export in between says nothing, or none has said anything so
/// far, or of which an older version did not note that it was kept (HIS-115).
extension UnspokenChangeTests {
    private func people(_ department: String = "d") throws -> [String] {
        try library.members("people", of: "department", department)
    }

    /// Puts the last person of the department first.
    private func reorder() throws {
        try library.write { transaction in
            let entries = try transaction.entries(of: "people", model: "department", id: "d")
            let department = EntityReference(model: "department", id: "d")
            try transaction.move("people", entry: try #require(entries.last), of: department, to: .first)
        }
    }

    @Test func `a list that was noted, and whose owner part of an export lacks`() throws {
        var company = company
        _ = try library.migrate(company.source)
        try take("b", outOf: "t")
        company.people.append(.init(key: "x", name: "x"))
        #expect(try library.migrate(company.source).warningCounts[.localChangeKept] == 1)
        for name in ["y", "z"] {
            var part = InventedCompany()
            part.people = [.init(key: name, name: name)]
            var source = part.source
            source.isPartial = true
            #expect(try library.migrate(source).eventCount > 0)
        }
        _ = try library.migrate(company.source)
        #expect(try members() == ["a", "c"])
    }

    @Test(arguments: [false, true])
    func `the order of members of whose to-one an export says nothing`(isNoted: Bool) throws {
        var company = company
        _ = try library.migrate(company.source)
        try reorder()
        if isNoted {
            company.people.append(.init(key: "x", name: "x"))
            #expect(try library.migrate(company.source).eventCount > 0)
        }
        var without = company
        without.people.append(.init(key: "y", name: "y"))
        for place in without.people.indices { without.people[place].department = nil }
        var source = without.source
        source.absentFields = ["person": ["department"], "department": ["people"]]
        #expect(try library.migrate(source).eventCount > 0)
        _ = try library.migrate(company.source)
        #expect(try people() == ["c", "a", "b"])
    }

    /// An export in which departments have lists of people, and people do not name their departments.
    private func byLists(_ company: InventedCompany) -> InventedSource {
        var company = company
        let people = company.people
        for place in people.indices { company.people[place].department = nil }
        var source = company.source
        source.absentFields = ["person": ["department"]]
        for department in company.departments {
            let members = people.filter { $0.department == department.key }.map(\.key)
            source.lists.append(
                LegacyList(
                    className: "department",
                    key: department.key,
                    name: "people",
                    members: LegacyReferences(members)
                )
            )
        }
        return source
    }

    @Test func `a member that moved to another list, while an export has no lists`() throws {
        var company = company
        _ = try library.migrate(byLists(company))
        try library.write { try $0.put(person("b"), values: ["department": .reference("e")]) }
        company.people.append(.init(key: "x", name: "x"))
        var source = byLists(company)
        source.lists.removeAll { $0.className == "department" }
        source.absentFields["department"] = ["people"]
        #expect(try library.migrate(source).eventCount > 0)
        _ = try library.migrate(byLists(company))
        #expect(try people("e") == ["b"])
    }

    @Test func `a member that moved to another list, and whose record part of an export lacks`() throws {
        var company = company
        _ = try library.migrate(byLists(company))
        try library.write { try $0.put(person("b"), values: ["department": .reference("e")]) }
        company.people.append(.init(key: "x", name: "x"))
        for name in ["x", "y"] {
            var source = byLists(company)
            source.records.removeAll { $0.className == "person" && $0.key == "b" }
            source.isPartial = true
            #expect(try library.migrate(source).eventCount > 0)
            #expect(try people("e") == ["b"], "\(name)")
            company.people.append(.init(key: "y", name: "y"))
        }
        _ = try library.migrate(byLists(company))
        #expect(try people("e") == ["b"])
    }

    @Test func `entries that come to the list of an owner whose record is refused`() throws {
        var company = company
        company.people.append(.init(key: "x", name: "x"))
        _ = try library.migrate(company.source)
        try take("b", outOf: "t")
        let name = company.teams[0].name
        company.teams[0].name = longText("x", count: rowByteCountMax + 1)
        company.teams[0].members.append("x")
        #expect(try library.migrate(company.source).warningCounts[.refusedRecord] == 1)
        #expect(try members() == ["a", "c", "x"])
        company.teams[0].name = name
        _ = try library.migrate(company.source)
        #expect(try members() == ["a", "c", "x"])
    }

    @Test func `a field that the export says for the first time, and that was set here, is told`() throws {
        var company = company
        var without = company
        for place in without.people.indices { without.people[place].age = nil }
        func source() -> InventedSource {
            var source = without.source
            source.absentFields = ["person": ["age"]]
            return source
        }
        _ = try library.migrate(source())
        try library.write { try $0.put(person("a"), values: ["age": .int(7)]) }
        without.people.append(.init(key: "x", name: "x"))
        #expect(try library.migrate(source()).eventCount > 0)
        company.people.append(.init(key: "x", name: "x"))
        #expect(try library.migrate(company.source).warningCounts == [.localChangeOverwritten: 1])
        #expect(try value("age", of: "a") == .int(1))
    }

    @Test func `an order that the first export changes is told`() throws {
        try library.write { transaction in
            for id in ["a", "b"] { try transaction.put(person(id), values: ["name": .string(id), "tags": .list([])]) }
            let team = EntityReference(model: "team", id: "t")
            try transaction.put(team, values: ["name": .string("T")])
            for id in ["b", "a"] { _ = try transaction.link("members", of: team, to: id) }
        }
        var company = InventedCompany()
        company.people = ["a", "b"].map { .init(key: $0, name: $0) }
        company.teams = [.init(key: "t", name: "T", members: ["a", "b"])]
        #expect(try library.migrate(company.source).warningCounts == [.localChangeOverwritten: 1])
        #expect(try members() == ["a", "b"])
    }

    // MARK: Logs of older versions

    /// Notes a migration as an older version did, which did not say what it kept.
    private func noteAsBefore(_ report: MigrationReport, until end: Position) throws {
        let first = try library.head.rawValue + 1
        let progress = #"{"migration":"\#(report.migration)","first":\#(first),"owned":[[1,\#(end.rawValue)]]}"#
        try library.write {
            _ = try $0.annotate(name: "migration.progress", key: "invented:one", payload: Array(progress.utf8))
        }
    }

    @Test func `what an older version kept stays, whatever exports speak of`() throws {
        var company = company
        let report = try library.migrate(company.source)
        let end = try library.head
        try library.write {
            try $0.put(person("a"), values: ["age": .int(7)])
            _ = try $0.delete(person("c"))
        }
        try noteAsBefore(report, until: end)
        let whole = company
        // Part of an export speaks of neither.
        var part = InventedCompany()
        part.people = [.init(key: "y", name: "y")]
        var source = part.source
        source.isPartial = true
        #expect(try library.migrate(source).eventCount > 0)
        _ = try library.migrate(whole.source)
        #expect(try value("age", of: "a") == .int(7) && value("name", of: "c") == nil)
        // One that has the person no more does not take it away.
        company.people.remove(at: 0)
        company.teams[0].lead = nil
        company.teams[0].members = ["b"]
        let last = try library.migrate(company.source)
        #expect(last.warningCounts[.deletedInSourceButChanged] == 1)
        #expect(try value("age", of: "a") == .int(7))
    }

    @Test func `a row that an older version kept though the export lacked it stays`() throws {
        var company = company
        company.people.append(.init(key: "x", name: "x", age: 1))
        let report = try library.migrate(company.source)
        let end = try library.head
        try library.write { try $0.put(person("x"), values: ["age": .int(7)]) }
        try noteAsBefore(report, until: end)
        company.people.removeLast()
        for _ in 0..<2 {
            _ = try library.migrate(company.source)
            #expect(try value("age", of: "x") == .int(7))
            company.people.append(.init(key: "new", name: "new"))
        }
    }
}

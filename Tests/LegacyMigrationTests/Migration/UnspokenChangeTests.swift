import LegacyMigration
import Reprise
import TestSupport
import Testing

/// What was changed here is still known when an export in between does not speak of it (HIS-115).
@Suite struct UnspokenChangeTests {
    let library: TemporaryLibrary

    init() throws {
        library = try TemporaryLibrary(schema: Schema(InventedCompany.schema))
    }

    var company: InventedCompany {
        var company = InventedCompany()
        company.departments = ["d", "e"].map { .init(key: $0, name: $0) }
        company.people = ["a", "b", "c"].map { .init(key: $0, name: $0, age: 1, department: "d") }
        company.teams = [.init(key: "t", name: "T", lead: "a", members: ["a", "b", "c"])]
        return company
    }

    func person(_ id: String) -> EntityReference { EntityReference(model: "person", id: id) }

    func value(_ name: String, of id: String) throws -> Value? {
        try library.store.read { try $0.record(model: "person", id: id, lists: false)?[name] }
    }

    func members() throws -> [String] { try library.members("members", of: "team", "t") }

    func take(_ id: String, outOf team: String) throws {
        try library.write { transaction in
            for entry in try transaction.entries(of: "members", model: "team", id: team) where entry.target == id {
                try transaction.unlink("members", entry: entry, of: EntityReference(model: "team", id: team))
            }
        }
    }

    /// An export with one new person, and what `people` says besides.
    private func saved(_ keys: String...) -> InventedSource {
        var part = InventedCompany()
        part.people = (keys + ["new"]).map { .init(key: $0, name: $0, age: 1) }
        var source = part.source
        source.isPartial = true
        source.absentFields = ["person": ["department", "boss"]]
        return source
    }

    @Test func `a field of a row that part of an export lacks`() throws {
        _ = try library.migrate(company.source)
        try library.write { try $0.put(person("a"), values: ["age": .int(7)]) }
        #expect(try library.migrate(saved("b")).eventCount > 0)
        #expect(try library.migrate(company.source).warningCounts[.localChangeKept] == 1)
        #expect(try value("age", of: "a") == .int(7))
        // So is one that was kept before.
        #expect(try library.migrate(saved("b")).eventCount > 0)
        _ = try library.migrate(company.source)
        #expect(try value("age", of: "a") == .int(7))
    }

    @Test func `a row that was deleted here and that part of an export lacks`() throws {
        _ = try library.migrate(company.source)
        try library.write { _ = try $0.delete(person("c")) }
        for _ in 0..<2 {
            #expect(try library.migrate(saved("b")).eventCount > 0)
            _ = try library.migrate(company.source)
            #expect(try value("name", of: "c") == nil)
        }
    }

    @Test func `a member that was taken out of a list that part of an export lacks, or has in part`() throws {
        _ = try library.migrate(company.source)
        try take("b", outOf: "t")
        for (number, members) in ([nil, ["a", "b"], ["b", "c"]] as [[String]?]).enumerated() {
            var part = company
            part.teams = members.map { [.init(key: "t", name: "T", lead: "a", members: $0)] } ?? []
            part.people[0].name = "a\(number)"
            var source = part.source
            source.isPartial = true
            #expect(try library.migrate(source).eventCount > 0)
            _ = try library.migrate(company.source)
            #expect(try self.members() == ["a", "c"], "\(members ?? [])")
        }
    }

    @Test func `a row whose record one export has in a form that the store cannot hold`() throws {
        var company = company
        _ = try library.migrate(company.source)
        try library.write {
            try $0.put(person("a"), values: ["age": .int(7)])
            _ = try $0.delete(person("c"))
        }
        let before = company
        company.people[0].name = longText("x", count: rowByteCountMax + 1)
        company.people[2].name = company.people[0].name
        company.people.append(.init(key: "new", name: "new"))
        #expect(try library.migrate(company.source).warningCounts[.refusedRecord] == 2)
        _ = try library.migrate(before.source)
        #expect(try value("name", of: "c") == nil)
        #expect(try value("age", of: "a") == .int(7))
    }

    @Test func `a field that an export lacks, and the next one has again`() throws {
        _ = try library.migrate(company.source)
        try library.write { try $0.put(person("a"), values: ["age": .int(7)]) }
        var newer = company
        newer.people.append(.init(key: "new", name: "new"))
        var without = newer
        for place in without.people.indices { without.people[place].age = nil }
        var source = without.source
        source.absentFields = ["person": ["age"]]
        #expect(try library.migrate(source).eventCount > 0)
        _ = try library.migrate(newer.source)
        #expect(try value("age", of: "a") == .int(7))
    }

    @Test func `a list of a row that stays though an export lacks it`() throws {
        _ = try library.migrate(company.source)
        try take("b", outOf: "t")
        var newer = company
        newer.teams = []
        newer.people.append(.init(key: "new", name: "new"))
        #expect(try library.migrate(newer.source).warningCounts[.deletedInSourceButChanged] == 1)
        _ = try library.migrate(company.source)
        #expect(try members() == ["a", "c"])
    }

    @Test func `what was put behind a list on both sides is there once`() throws {
        var company = company
        company.people.append(.init(key: "x", name: "x"))
        _ = try library.migrate(company.source)
        try library.write { transaction in
            let team = EntityReference(model: "team", id: "t")
            let entries = try transaction.entries(of: "members", model: "team", id: "t")
            try transaction.move("members", entry: entries[1], of: team, to: .first)
            _ = try transaction.link("members", of: team, to: "x")
        }
        company.teams[0].members.append("x")
        _ = try library.migrate(company.source)
        #expect(try members() == ["b", "a", "c", "x"])
    }

    @Test func `a store that goes back while an export is read keeps all that it has`() throws {
        let start = try library.head
        _ = try library.migrate(company.source)
        var newer = company
        newer.people.append(.init(key: "new", name: "new"))
        var source = newer.source
        let store = library.store
        source.meanwhile = { _ = try store.rollback(to: .position(start)) }
        #expect(throws: MigrationError.self) { try library.migrate(source) }
        _ = try library.migrate(newer.source)
        #expect(try value("name", of: "a") == .string("a"))
        #expect(try value("name", of: "new") == .string("new"))
    }
}

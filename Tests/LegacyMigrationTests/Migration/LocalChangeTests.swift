import LegacyMigration
import Reprise
import TestSupport
import Testing

/// What somebody has changed in the store, and what an export then says of it: field by field, the source counts where
/// it has changed, too.
@Suite struct LocalChangeTests {
    let library: TemporaryLibrary

    init() throws {
        library = try TemporaryLibrary(schema: Schema(InventedCompany.schema))
    }

    var company: InventedCompany {
        var company = InventedCompany()
        company.departments = [.init(key: "d", name: "D"), .init(key: "e", name: "E")]
        company.people = ["a", "b", "c"].map { .init(key: $0, name: $0, age: 1, department: "d") }
        company.people[1].boss = "a"
        company.teams = [.init(key: "t", name: "T", lead: "a", members: ["a", "b", "c"])]
        return company
    }

    func person(_ id: String) -> EntityReference {
        EntityReference(model: "person", id: id)
    }

    func value(_ name: String, of row: EntityReference) throws -> Value? {
        try library.store.read { try $0.record(model: row.model, id: row.id, lists: false)?[name] }
    }

    func people() throws -> [String] { try library.members("people", of: "department", "d") }
    func members() throws -> [String] { try library.members("members", of: "team", "t") }

    /// Migrates what was planned, twice; the second time writes nothing.
    @discardableResult
    func migrate(_ company: InventedCompany) throws -> MigrationReport {
        let plan = try Migrator(replacing: company.source, store: library.store).plan()
        let report = try library.migrate(company.source)
        #expect(plan.counts == report.counts)
        #expect(plan.warningCounts == report.warningCounts)
        #expect(plan.agreedCount == report.agreedCount)
        let again = try library.migrate(company.source)
        #expect(again.eventCount == 0)
        #expect(try library.store.verify().isSound)
        return report
    }

    // MARK: Fields

    @Test func `a field that was changed here stays as long as the source does not change it`() throws {
        var company = company
        try migrate(company)
        try library.write { try $0.put(person("a"), values: ["age": .int(7)]) }
        let report = try migrate(company)
        #expect(report.eventCount == 0)
        #expect(report.warningCounts == [.localChangeKept: 1])
        // Another field of the same row changes in the source, and another row, several times.
        for number in 1...3 {
            company.people[0].name = "new \(number)"
            company.people[1].age = Int64(number + 1)
            let report = try migrate(company)
            #expect(report.warningCounts == [.localChangeKept: 1])
            #expect(try value("name", of: person("a")) == .string("new \(number)"))
            #expect(try value("age", of: person("a")) == .int(7))
        }
        company.people[0].age = 8
        #expect(try migrate(company).warningCounts == [.localChangeOverwritten: 1])
        #expect(try value("age", of: person("a")) == .int(8))
        // It is the source's again.
        company.people[0].age = 9
        #expect(try migrate(company).warningCounts.isEmpty)
    }

    @Test func `what was made empty here stays so, and what was set`() throws {
        var company = company
        try migrate(company)
        try library.write {
            try $0.put(person("a"), values: ["age": .null, "email": .string("a@here")])
            try $0.put(person("b"), values: ["boss": .null])
            try $0.put(person("c"), values: ["boss": .reference("b")])
        }
        company.people[0].name = "A"
        #expect(try migrate(company).warningCounts == [.localChangeKept: 3])
        #expect(try value("age", of: person("a")) == .null)
        #expect(try value("email", of: person("a")) == .string("a@here"))
        #expect(try value("boss", of: person("b")) == .null)
        #expect(try value("boss", of: person("c")) == .reference("b"))
    }

    @Test func `a to-one that led nowhere is not emptied again, unless what it names comes`() throws {
        var company = company
        company.people[2].boss = "nobody"
        try migrate(company)
        try library.write { try $0.put(person("c"), values: ["boss": .reference("b")]) }
        company.people[0].name = "A"
        try migrate(company)
        #expect(try value("boss", of: person("c")) == .reference("b"))
        company.people.append(.init(key: "nobody", name: "somebody"))
        #expect(try migrate(company).warningCounts == [.localChangeOverwritten: 1])
        #expect(try value("boss", of: person("c")) == .reference("nobody"))
    }

    @Test func `a row that was there before is the source's only in what the source has written`() throws {
        try library.write { try $0.put(person("a"), values: ["name": .string("a"), "age": .int(1), "tags": .list([])]) }
        var company = company
        try migrate(company)
        try library.write { try $0.put(person("a"), values: ["age": .int(7)]) }
        #expect(try migrate(company).eventCount == 0)
        company.people[0].age = 2
        #expect(try migrate(company).warningCounts == [.localChangeOverwritten: 1])
        #expect(try value("age", of: person("a")) == .int(2))
    }

    // MARK: Rows

    @Test func `what was deleted here stays deleted as long as the source does not change it`() throws {
        var company = company
        try migrate(company)
        try library.write { _ = try $0.delete(person("a")) }
        let report = try migrate(company)
        #expect(report.eventCount == 0)
        #expect(report.warningCounts == [.localChangeKept: 1])
        #expect(report.counts["person"]?.unchanged == 3)
        company.people[1].name = "B"
        try migrate(company)
        #expect(try value("name", of: person("a")) == nil)
        #expect(try members() == ["b", "c"])
        company.people[0].name = "A"
        #expect(try migrate(company).warningCounts == [.localChangeOverwritten: 1])
        #expect(try value("name", of: person("a")) == .string("A"))
        #expect(try value("boss", of: person("b")) == .reference("a"))
        #expect(try value("lead", of: EntityReference(model: "team", id: "t")) == .reference("a"))
        #expect(try members() == ["a", "b", "c"])
    }

    @Test func `one that was changed here before it was deleted stays deleted, too`() throws {
        let company = company
        try migrate(company)
        try library.write {
            try $0.put(person("a"), values: ["age": .int(7)])
            _ = try $0.delete(person("a"))
        }
        #expect(try migrate(company).eventCount == 0)
    }

    @Test(arguments: [false, true])
    func `one whose to-one led nowhere comes back when what it names comes`(comes: Bool) throws {
        var company = company
        company.people[2].boss = "nobody"
        try migrate(company)
        try library.write { _ = try $0.delete(person("c")) }
        company.people[0].name = "A"
        try migrate(company)
        #expect(try value("name", of: person("c")) == nil)
        if comes { company.people.append(.init(key: "nobody", name: "somebody")) }
        company.people[0].name = "B"
        try migrate(company)
        #expect(try value("boss", of: person("c")) == (comes ? .reference("nobody") : nil))
    }

    @Test func `a new record cannot name a row that stays deleted, and it is said`() throws {
        var company = company
        try migrate(company)
        try library.write { _ = try $0.delete(EntityReference(model: "department", id: "e")) }
        company.people.append(.init(key: "n", name: "n", department: "e"))
        let report = try migrate(company)
        #expect(report.warningCounts == [.localChangeKept: 1, .missingTarget: 1])
        #expect(try value("department", of: person("n")) == .null)
    }

    // MARK: Lists

    @Test func `a list that was changed here stays as long as the source does not change it`() throws {
        var company = company
        try migrate(company)
        let team = EntityReference(model: "team", id: "t")
        try library.write { transaction in
            let entries = try transaction.entries(of: "members", model: "team", id: "t")
            try transaction.unlink("members", entry: entries[1], of: team)
            try transaction.move("members", entry: entries[2], of: team, to: .first)
        }
        #expect(try members() == ["c", "a"])
        let report = try migrate(company)
        #expect(report.eventCount == 0)
        #expect(report.warningCounts == [.localChangeKept: 1])
        for number in 1...3 {
            company.teams[0].name = "T\(number)"
            try migrate(company)
            #expect(try members() == ["c", "a"])
        }
        company.teams[0].members = ["b", "a", "c"]
        #expect(try migrate(company).warningCounts == [.localChangeOverwritten: 1])
        #expect(try members() == ["b", "a", "c"])
        company.teams[0].members = ["a", "c"]
        #expect(try migrate(company).warningCounts.isEmpty)
        #expect(try members() == ["a", "c"])
    }

    @Test func `an order that was made here stays as long as the source has its own as before`() throws {
        var company = company
        try migrate(company)
        let department = EntityReference(model: "department", id: "d")
        try library.write { transaction in
            let entries = try transaction.entries(of: "people", model: "department", id: "d")
            try transaction.move("people", entry: entries[2], of: department, to: .first)
        }
        #expect(try people() == ["c", "a", "b"])
        #expect(try migrate(company).eventCount == 0)
        for number in 1...3 {
            company.people[0].name = "A\(number)"
            try migrate(company)
            #expect(try people() == ["c", "a", "b"])
        }
        company.people.swapAt(0, 1)
        #expect(try migrate(company).warningCounts == [.localChangeOverwritten: 1])
        #expect(try people() == ["b", "a", "c"])
    }

    @Test func `one who was put elsewhere here stays there`() throws {
        var company = company
        try migrate(company)
        try library.write { try $0.put(person("b"), values: ["department": .reference("e")]) }
        #expect(try migrate(company).eventCount == 0)
        company.people[0].name = "A"
        try migrate(company)
        #expect(try people() == ["a", "c"])
        company.people[1].department = nil
        #expect(try migrate(company).warningCounts == [.localChangeOverwritten: 1])
        #expect(try value("department", of: person("b")) == .null)
    }

    // MARK: By chance

    @Test(arguments: seeds(Array(0..<40)))
    func `the same export again writes nothing, whatever was done here`(number: UInt64) throws {
        try seeded(number) { seed in
            var company = InventedCompany(seed: &seed, size: 3)
            _ = try library.migrate(company.source)
            for _ in 0..<4 {
                try LocalEdits.make(1 + seed.below(8), in: library, &seed)
                let before = try library.digest
                let plan = try Migrator(replacing: company.source, store: library.store).plan()
                #expect(plan.writtenCount == 0)
                let report = try library.migrate(company.source)
                #expect(report.eventCount == 0)
                #expect(try library.digest == before)
                if seed.once(in: 2) { continue }
                for _ in 0..<1 + seed.below(6) { company.change(&seed) }
                _ = try library.migrate(company.source)
                let again = try library.migrate(company.source)
                #expect(again.eventCount == 0)
                #expect(try library.store.verify().isSound)
            }
        }
    }

    @Test(arguments: seeds(Array(0..<20)))
    func `ages are merged as three-way merges are`(number: UInt64) throws {
        try seeded(number) { seed in
            var company = InventedCompany(seed: &seed, size: 3)
            _ = try library.migrate(company.source)
            var wanted: [String: Value] = [:]
            for person in company.people { wanted[person.key] = person.age.map { .int(Int($0)) } ?? .null }
            for _ in 0..<5 {
                for (id, _) in wanted.sorted(by: { $0.key < $1.key }) where seed.once(in: 3) {
                    // Never what the source says.
                    let value = Value.int(1000 + seed.below(1_000_000))
                    try library.write { try $0.put(person(id), values: ["age": value]) }
                    wanted[id] = value
                }
                for place in company.people.indices where seed.once(in: 4) {
                    let age = Int64(seed.below(1000))
                    if company.people[place].age == age { continue }
                    company.people[place].age = age
                    wanted[company.people[place].key] = .int(Int(age))
                }
                _ = try library.migrate(company.source)
                for (id, value) in wanted { #expect(try self.value("age", of: person(id)) == value) }
                #expect(try library.migrate(company.source).eventCount == 0)
            }
        }
    }

    @Test(arguments: seeds(Array(0..<20)))
    func `a migration that is cancelled now and then keeps what one does that is not`(number: UInt64)
        throws
    {
        let other = try TemporaryLibrary(schema: Schema(InventedCompany.schema))
        try seeded(number) { seed in
            var company = InventedCompany(seed: &seed, size: 4)
            for library in [library, other] { _ = try library.migrate(company.source) }
            for _ in 0..<2 {
                var same = seed
                try LocalEdits.make(6, in: library, &seed)
                try LocalEdits.make(6, in: other, &same)
                #expect(try library.digest == other.digest)
                for _ in 0..<8 { company.change(&seed) }
                let digest = try library.migrate(company.source).digest
                var found: StateDigest?
                var patience = 12
                while found == nil {
                    patience += 3
                    var left = 1 + seed.below(patience)
                    do {
                        found = try other.migrate(company.source) { _ in
                            left -= 1
                            return left > 0
                        }
                        .digest
                    } catch let error as MigrationError where error.code == .cancelled {}
                }
                #expect(found == digest)
            }
        }
    }
}

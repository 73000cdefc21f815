import LegacyMigration
import Reprise
import TestSupport
import Testing

/// Lists of which much comes into another order, with entries of others in them.
@Suite struct LongListMigrationTests {
    private static let team = EntityReference(model: "team", id: "t")
    private static let department = EntityReference(model: "department", id: "d")

    /// Rows of somebody else, in the lists of both.
    private static let others = ["mine", "yours"]

    private func company(using random: inout TestSupport.SeededGenerator) -> InventedCompany {
        var company = InventedCompany()
        company.departments = [.init(key: "d", name: "D"), .init(key: "e", name: "E")]
        company.people = (0..<12 + random.below(20)).map {
            .init(key: "p\($0)", name: "\($0)", email: "\($0)@x", department: "d")
        }
        company.people.shuffle(using: &random)
        let keys = company.people.map(\.key)
        let members = (0..<random.below(40)).map { _ in random.pick(keys) }
        company.teams = [.init(key: "t", name: "T", members: members)]
        return company
    }

    /// Another order, turned round, rotated, a block elsewhere, or changes here and there.
    private func rearranged<Element>(
        _ elements: [Element],
        using random: inout TestSupport.SeededGenerator
    ) -> [Element] {
        if elements.isEmpty { return [] }
        let start = random.below(elements.count)
        let end = start + random.below(elements.count - start)
        switch random.below(6) {
        case 0: return elements.shuffled(using: &random)
        case 1: return elements.reversed()
        case 2: return Array(elements[start...] + elements[..<start])
        case 3: return Array(elements[start..<end] + elements[..<start] + elements[end...])
        default:
            var moved = elements
            for _ in 0..<1 + random.below(4) {
                let element = moved.remove(at: random.below(moved.count))
                moved.insert(element, at: random.below(moved.count + 1))
            }
            return moved
        }
    }

    private func change(
        _ company: inout InventedCompany,
        using random: inout TestSupport.SeededGenerator
    ) {
        company.people = rearranged(company.people, using: &random)
        for place in company.people.indices where random.once(in: 12) {
            company.people[place].department = company.people[place].department == "d" ? "e" : "d"
        }
        let keys = company.people.map(\.key)
        var members = rearranged(company.teams[0].members, using: &random)
        switch random.below(5) {
        case 0: members.removeAll { _ in random.once(in: 3) }
        case 1: members += (0..<random.below(12)).map { _ in random.pick(keys) }
        case 2:
            let block = (0..<random.below(12)).map { _ in random.pick(keys) }
            members.insert(contentsOf: block, at: random.below(members.count + 1))
        case 3 where random.once(in: 2): members = []
        default: break
        }
        company.teams[0].members = members
    }

    private func addOthers(
        to library: TemporaryLibrary,
        using random: inout TestSupport.SeededGenerator
    ) throws {
        try library.store.write { transaction in
            for id in Self.others {
                let row = EntityReference(model: "person", id: id)
                try transaction.put(row, values: ["name": .string(id), "tags": .list([])])
                for (list, owner) in [("members", Self.team), ("people", Self.department)] {
                    let entries = try transaction.entries(
                        of: list,
                        model: owner.model,
                        id: owner.id
                    )
                    let placement: Placement =
                        entries.isEmpty ? .first : .after(random.pick(entries))
                    try transaction.link(list, of: owner, to: id, at: placement)
                }
            }
        }
    }

    private func migrate(
        _ company: InventedCompany,
        _ library: TemporaryLibrary,
        progress: (MigrationProgress) -> Bool = { _ in true }
    ) throws -> MigrationReport {
        var source = company.source
        source.order = ["department", "person", "team"]
        return try Migrator(replacing: source, store: library.store).run(progress: progress)
    }

    private func targets(_ library: TemporaryLibrary) throws -> (team: [String], people: [String]) {
        try library.store.read { state in
            (
                try state.entries(of: "members", model: "team", id: "t").map(\.target),
                try state.entries(of: "people", model: "department", id: "d").map(\.target)
            )
        }
    }

    private func expectOrders(_ company: InventedCompany, _ library: TemporaryLibrary) throws {
        let (team, people) = try targets(library)
        #expect(team.filter { !Self.others.contains($0) } == company.teams[0].members)
        let wanted = company.people.filter { $0.department == "d" }.map(\.key)
        #expect(people.filter { !Self.others.contains($0) } == wanted)
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func `long lists come into the order of a newer export, and entries of others stay`(
        seed: UInt64
    ) throws {
        var random = TestSupport.SeededGenerator(seed: seed)
        var company = company(using: &random)
        let library = try TemporaryLibrary(schema: Schema(InventedCompany.schema))
        _ = try migrate(company, library)
        try expectOrders(company, library)
        let hasOthers = random.once(in: 2)
        for round in 0..<4 {
            if hasOthers, round == 1 { try addOthers(to: library, using: &random) }
            change(&company, using: &random)
            let before = try targets(library)
            let report = try migrate(company, library)
            try expectOrders(company, library)
            let after = try targets(library)
            for (old, new) in [(before.team, after.team), (before.people, after.people)] {
                let others = Self.others.filter(old.contains)
                #expect(others.allSatisfy { new.contains($0) })
            }
            if !hasOthers {
                #expect(report.warningCounts.isEmpty)
                let verifier = MigrationVerifier(source: company.source, store: library.store)
                #expect(try verifier.run().isEqual)
            }
            #expect(try migrate(company, library).eventCount == 0)
        }
        #expect(try library.store.verify().isSound)
    }

    @Test func `a list without room gets room`() throws {
        var company = InventedCompany()
        company.people = (0..<40).map { .init(key: "p\($0)", name: "\($0)") }
        company.teams = [.init(key: "t", name: "T", members: company.people.map(\.key))]
        let library = try TemporaryLibrary(schema: Schema(InventedCompany.schema))
        _ = try migrate(company, library)
        // Somebody moves an entry, and leaves no room between it and the one before.
        try library.store.write { transaction in
            let entries = try transaction.entries(of: "members", model: "team", id: "t")
            // Each time the gap is half as wide.
            for number in 0..<31 {
                let entry = entries[number.isMultiple(of: 2) ? 30 : 29]
                try transaction.move("members", entry: entry, of: Self.team, to: .after(entries[4]))
            }
            try transaction.move("members", entry: entries[29], of: Self.team, to: .after(entries[28]))
        }
        var members = company.teams[0].members
        members.replaceSubrange(30...31, with: [])
        members.insert(contentsOf: ["p31", "p30"], at: 5)
        company.teams[0].members = members
        _ = try migrate(company, library)
        try expectOrders(company, library)
        #expect(try library.store.verify().isSound)
    }

    @Test(arguments: 1...4 as ClosedRange<UInt64>)
    func `what cannot come into a list makes no difference to its order`(
        seed: UInt64
    ) throws {
        var random = TestSupport.SeededGenerator(seed: 300 + seed)
        var company = InventedCompany()
        company.departments = [.init(key: "d", name: "D")]
        company.people = (0..<24).map { .init(key: "p\($0)", name: "\($0)", department: "d") }
        company.teams = [.init(key: "t", name: "T", members: company.people.map(\.key))]
        let library = try TemporaryLibrary(schema: Schema(InventedCompany.schema))
        _ = try migrate(company, library)
        // The store cannot hold these.
        for number in 0..<4 {
            let key = String(repeating: "\u{0}", count: 150) + "\(number)"
            company.people.append(.init(key: key, name: key, department: "d"))
        }
        company.people.shuffle(using: &random)
        company.teams[0].members = company.people.map(\.key).shuffled(using: &random)
        let report = try migrate(company, library)
        #expect(report.warningCounts[.refusedRecord] == 4)
        let (team, people) = try targets(library)
        #expect(team == company.teams[0].members.filter { $0.hasPrefix("p") })
        #expect(people == company.people.map(\.key).filter { $0.hasPrefix("p") })
    }
}

import LegacyMigration
import Reprise
import TestSupport
import Testing

/// Migrations in which much is refused, or holds each other.
extension ExceededMemoryTests {
    /// One in which nobody goes who is somebody's boss or leads a team.
    private static func schema(_ number: Int) -> SchemaDescription {
        let bonds = InventedCompany.Bond.allCases
        var schema = bonds[number % bonds.count].schema
        for place in [0, 1, 3] { schema.relations[place].target.onDelete = .deny }
        return schema
    }

    /// A company whose values are taken by each other and by rows of others, with circles of bosses.
    private static func change(
        _ company: inout InventedCompany,
        _ seed: inout TestSupport.SeededGenerator
    ) {
        var emails = company.people.map(\.email)
        emails.shuffle(using: &seed)
        for (place, email) in emails.enumerated() where seed.once(in: 2) {
            company.people[place].email = seed.once(in: 6) ? "mine \(seed.below(3))" : email
        }
        for _ in 0..<seed.below(8) { company.people.remove(at: seed.below(company.people.count)) }
        for _ in 0..<seed.below(8) {
            let key = "p\(seed.below(100))"
            if company.people.contains(where: { $0.key == key }) { continue }
            let person = InventedCompany.Person(
                key: key,
                name: key,
                email: seed.pickIfAny(emails) ?? nil,
                department: seed.pick(["d0", "d1", "nowhere"])
            )
            company.people.insert(person, at: seed.below(company.people.count + 1))
        }
        for place in company.people.indices where seed.once(in: 3) {
            company.people[place].boss = seed.pick(company.people).key
            company.people[place].department = seed.pick(["d0", "d1", "nowhere"])
        }
        for place in company.teams.indices {
            company.teams[place].members = (0..<seed.below(30)).map { _ in
                "p\(seed.below(60))"
            }
            company.teams[place].lead = "p\(seed.below(60))"
        }
    }

    @Test(arguments: byteCounts, seeds(Array(0..<40)))
    func `what is refused or held comes to the same`(byteCount: Int, number: UInt64) throws {
        try seeded(number) { seed in
            let schema = Self.schema(Int(number))
            var company = InventedCompany(seed: &seed, size: 6)
            let roomy = try TemporaryLibrary(schema: Schema(schema))
            let tight = try TemporaryLibrary(schema: Schema(schema))
            for library in [roomy, tight] {
                _ = try library.store.write { transaction in
                    try transaction.put(
                        EntityReference(model: "department", id: "mine"),
                        values: ["name": .string("mine")]
                    )
                    for place in 0..<3 {
                        try transaction.put(
                            EntityReference(model: "person", id: "mine \(place)"),
                            values: [
                                "name": .string("mine"), "tags": .list([]),
                                "email": .string("mine \(place)"),
                                "department": .reference("mine"),
                            ]
                        )
                    }
                }
            }
            for _ in 0..<4 {
                Self.change(&company, &seed)
                var source = company.source
                source.schema = schema
                let plan = try Migrator(replacing: source, store: roomy.store).plan()
                let expected = try result(source, roomy)
                try RecordMemory.$byteCountMax.withValue(byteCount) {
                    let tightPlan = try Migrator(replacing: source, store: tight.store).plan()
                    #expect(tightPlan.counts == plan.counts)
                    #expect(tightPlan.warningCounts == plan.warningCounts)
                    #expect(tightPlan.warnings.map(\.message) == plan.warnings.map(\.message))
                    #expect(try result(source, tight) == expected)
                }
            }
            #expect(try tight.store.verify().isSound)
        }
    }
}

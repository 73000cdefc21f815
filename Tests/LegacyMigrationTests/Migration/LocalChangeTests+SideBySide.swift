import LegacyMigration
import Reprise
import TestSupport
import Testing

/// Two stores that are kept side by side: what the next export says is done here as well, and changed here again.
extension LocalChangeTests {
    @Test(arguments: seeds(Array(0..<60)))
    func `the same export again changes nothing, whatever it came to say that was done here before`(
        number: UInt64
    ) throws {
        try seeded(number) { seed in
            var company = InventedCompany(seed: &seed, size: 2)
            // Some of it is there before the source comes.
            if seed.once(in: 3) { try LocalEdits.follow(company, 6, in: library, &seed) }
            _ = try library.migrate(company.source)
            for round in 0..<5 {
                for _ in 0..<seed.below(6) { company.change(&seed) }
                try LocalEdits.follow(company, 2 + seed.below(12), in: library, &seed)
                if seed.once(in: 2) { try LocalEdits.make(1 + seed.below(3), in: library, &seed) }
                let plan = try Migrator(replacing: company.source, store: library.store).plan()
                let report = try library.migrate(company.source)
                #expect((plan.writtenCount + plan.agreedCount > 0) == (report.eventCount > 0))
                for _ in 0..<2 {
                    let again = try library.migrate(company.source)
                    #expect(again.eventCount == 0, "in round \(round)")
                    if seed.once(in: 2) {
                        try LocalEdits.make(1 + seed.below(6), in: library, &seed)
                    } else {
                        let count = 1 + seed.below(6)
                        try LocalEdits.follow(company, count, in: library, &seed, makesRows: false)
                    }
                    let before = try (library.digest, library.content)
                    let outlook = try Migrator(replacing: company.source, store: library.store).plan()
                    let third = try library.migrate(company.source)
                    // What the source has deleted, and was kept, goes when nothing keeps it any more.
                    if third.counts.values.contains(where: { $0.deleted > 0 }) {
                        #expect(third.counts.values.allSatisfy { $0.written == 0 }, "in round \(round)")
                        continue
                    }
                    #expect(third.writtenCount == 0, "in round \(round)")
                    #expect(outlook.writtenCount + outlook.agreedCount == 0, "in round \(round)")
                    let after = try library.content
                    #expect(after.filter { !before.1.contains($0) } == [], "in round \(round)")
                    #expect(before.1.filter { !after.contains($0) } == [], "in round \(round)")
                    #expect(try library.digest == before.0)
                }
                #expect(try library.store.verify().isSound)
            }
        }
    }

    @Test(arguments: seeds(Array(0..<30)))
    func `ages are merged as three-way merges are, where both sides often say the same`(number: UInt64) throws {
        try seeded(number) { seed in
            var company = InventedCompany(seed: &seed, size: 2)
            func said(_ age: Int64?) -> Value { age.map { .int(Int($0)) } ?? .null }
            // Some were made here before, as the source has them.
            for person in company.people where seed.once(in: 4) {
                let values: [String: Value] = [
                    "name": .string(person.name), "age": said(person.age), "tags": .list([]),
                ]
                try library.write { try $0.put(self.person(person.key), values: values) }
            }
            _ = try library.migrate(company.source)
            // What the source said last, and what is there.
            var base: [String: Value] = [:]
            for person in company.people { base[person.key] = said(person.age) }
            var wanted = base
            for _ in 0..<8 {
                for place in company.people.indices where seed.once(in: 3) {
                    company.people[place].age = seed.once(in: 4) ? nil : Int64(seed.below(4))
                }
                for person in company.people where seed.once(in: 2) {
                    // Often what the source will say, or what it has said.
                    let age = seed.once(in: 2) ? person.age : Int64(seed.below(4))
                    try library.write { try $0.put(self.person(person.key), values: ["age": said(age)]) }
                    wanted[person.key] = said(age)
                }
                if seed.once(in: 3) { continue }
                for _ in 0..<1 + seed.below(2) {
                    _ = try library.migrate(company.source)
                    for person in company.people {
                        if base[person.key] != said(person.age) { wanted[person.key] = said(person.age) }
                        base[person.key] = said(person.age)
                    }
                    for (id, value) in wanted { #expect(try self.value("age", of: person(id)) == value) }
                }
                #expect(try library.migrate(company.source).eventCount == 0)
            }
        }
    }

    @Test(arguments: seeds(Array(0..<15)))
    func `a migration that is cancelled now and then notes what one does that is not`(number: UInt64) throws {
        let other = try TemporaryLibrary(schema: Schema(InventedCompany.schema))
        try seeded(number) { seed in
            var company = InventedCompany(seed: &seed, size: 3)
            for library in [library, other] { _ = try library.migrate(company.source) }
            for _ in 0..<3 {
                for _ in 0..<4 { company.change(&seed) }
                var same = seed
                try LocalEdits.follow(company, 12, in: library, &seed)
                try LocalEdits.follow(company, 12, in: other, &same)
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
                var keptCount = 0
                for library in [library, other] {
                    let again = try library.migrate(company.source)
                    #expect(again.eventCount == 0)
                    keptCount =
                        again.warningCounts[.deletedInSourceButChanged, default: 0]
                        + again.warningCounts[.deletedInSourceButInUse, default: 0]
                }
                // What was noted shows when it is changed here.
                same = seed
                try LocalEdits.make(8, in: library, &seed)
                try LocalEdits.make(8, in: other, &same)
                for library in [library, other] {
                    let plan = try Migrator(replacing: company.source, store: library.store).plan()
                    let again = try library.migrate(company.source)
                    #expect(plan.counts == again.counts && plan.warningCounts == again.warningCounts)
                    // One of the rows that were kept may go when what kept it was taken back; nothing else does.
                    let deletedCount = again.counts.values.reduce(0) { $0 + $1.deleted }
                    #expect(again.eventCount == 0 || again.agreedCount + deletedCount > 0)
                    #expect(deletedCount <= keptCount)
                    #expect(try library.migrate(company.source).eventCount == 0)
                }
                #expect(try library.digest == other.digest)
            }
        }
    }
}

import LegacyMigration
import Reprise
import TestSupport
import Testing

@testable import LegacyMigrator

/// Rows that are late again and again, or more than are kept in memory while they wait.
extension WaitingRowInterruptionTests {
    /// Rows whose bosses come later, again and again, and that are in lists and teams besides.
    @Test(arguments: seeds([1, 3, 8, 16, 21, 22, 37]))
    mutating func `so do those of rows that must have one of their own kind`(
        number: UInt64
    ) throws {
        bond = .bossed
        isUpsideDown = number % 2 == 1
        try seeded(number) { seed in
            var exports: [InventedCompany] = []
            for _ in 0..<2 {
                let keys = (0..<8).map { "p\($0)" }.shuffled(using: &seed)
                let emails = (0..<8).map { "\($0)@x" }.shuffled(using: &seed)
                var people: [Person] = []
                for (place, key) in keys.enumerated() {
                    var person = person(key, emails[place], seed.pick(["d", "e", nil]))
                    person.boss = place == 0 ? key : seed.pick(keys[..<place])
                    people.append(person)
                }
                people.shuffle(using: &seed)
                var company = company(people)
                let bosses = company.people.map(\.boss)
                teams(&company, &seed)
                for place in company.people.indices { company.people[place].boss = bosses[place] }
                exports.append(company)
            }
            let batch = 1 + seed.below(3)
            let library = try TemporaryLibrary(schema: Schema(bond.schema))
            for company in exports {
                try expectSameDigestAfterAnyBatch(of: company, library, batch: batch)
                #expect(try library.store.read { try $0.count(RecordQuery(model: "person")) } == 8)
            }
            #expect(try library.store.verify().isSound)
        }
    }

    /// More rows want values of later ones than may wait.
    /// Lists that are long are put in order in commits of their own, between and after the others.
    @Test(arguments: Bond.allCases, seeds([2, 3]))
    mutating func `so do those in lists that are long`(bond: Bond, number: UInt64) throws {
        self.bond = bond
        isUpsideDown = number % 2 == 1
        try LongList.$bounds.withValue(.init(lengthMax: 2, window: 2)) {
            try expectSameWhereValuesGoRound(number)
        }
    }

    @Test(arguments: [2, 3, 5])
    func `so do those of rows of which more wait than memory is given to`(countMax: Int) throws {
        let bounds = PostponedRecords.Bounds(countMax: countMax)
        try PostponedRecords.$bounds.withValue(bounds) {
            let keys = (0..<20).map { "p\($0)" }
            let old = company(keys.enumerated().map { person($1, "\($0)@x", "d") })
            let new = company(keys.enumerated().map { person($1, "\($0 + 1)@x", "d") })
            let library = try TemporaryLibrary(schema: Schema(bond.schema))
            _ = try migrate(old, library, batch: 2)
            try expectSameAfterAnyBatch(of: new, library, batch: 2)
            #expect(try migrate(new, library, batch: 2).eventCount == 0)
        }
    }
}

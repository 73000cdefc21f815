import LegacyMigration
import Reprise
import TestSupport
import Testing

/// Migrations that end while rows wait for unique values, and are taken up.
@Suite struct WaitingRowInterruptionTests {
    private typealias Person = InventedCompany.Person

    private func source(_ company: InventedCompany) -> InventedSource {
        var source = company.source
        // Then people are in the lists of their departments at once.
        source.order = ["department", "person", "team"]
        return source
    }

    private func migrate(
        _ company: InventedCompany,
        _ library: TemporaryLibrary,
        batch: Int,
        progress: (MigrationProgress) -> Bool = { _ in true }
    ) throws -> MigrationReport {
        let options = Migrator.Options(batchRecordCount: batch)
        return try Migrator(source: source(company), store: library.store, options: options)
            .run(progress: progress)
    }

    /// Migrates a company and then a newer one, and takes up what is left of that after each of its batches.
    private func expectSameAfterAnyBatch(
        _ old: InventedCompany,
        _ new: InventedCompany,
        batch: Int
    ) throws {
        let library = try TemporaryLibrary(schema: Schema(InventedCompany.schema))
        _ = try migrate(old, library, batch: batch)
        let (report, remains) = try library.remainsOfEachBatch {
            try migrate(new, library, batch: batch, progress: $0)
        }
        #expect(report.warningCounts.isEmpty)
        #expect(try MigrationVerifier(source: source(new), store: library.store).run().isEqual)
        #expect(remains.count > new.people.count / batch)
        for (place, remains) in remains.enumerated() {
            #expect(try migrate(new, remains, batch: batch).digest == report.digest, "\(place)")
            #expect(try migrate(new, remains, batch: batch).eventCount == 0)
        }
    }

    private func company(_ people: [Person]) -> InventedCompany {
        var company = InventedCompany()
        company.departments = ["d", "e"].map { .init(key: $0, name: $0) }
        company.people = people
        return company
    }

    private func person(_ key: String, _ email: String, _ department: String?) -> Person {
        Person(key: key, name: key, email: email, department: department)
    }

    /// Two teams, led by and of whoever is there, and some who have a boss.
    private func teams(
        _ company: inout InventedCompany,
        _ seed: inout TestSupport.SeededGenerator
    ) {
        let keys = company.people.map(\.key)
        company.teams = ["s", "t"].map { key in
            InventedCompany.Team(
                key: key,
                name: key,
                lead: keys[seed.below(keys.count)],
                members: (0..<seed.below(6)).map { _ in keys[seed.below(keys.count)] }
            )
        }
        for place in company.people.indices where seed.once(in: 3) {
            company.people[place].boss = keys[seed.below(keys.count)]
        }
    }

    @Test func `a new row that waits is in its list when it would be without the end`() throws {
        try expectSameAfterAnyBatch(
            company([person("r", "v", "d"), person("a", "a", "d")]),
            company([
                person("n", "v", "d"), person("m", "m", "d"), person("r", "w", "d"),
                person("a", "a", "d"), person("q", "q", "d"),
            ]),
            batch: 1
        )
    }

    @Test func `so is one that waits for the value of a row that is deleted`() throws {
        try expectSameAfterAnyBatch(
            company([person("r", "v", "d"), person("a", "a", "d")]),
            company([person("n", "v", "d"), person("m", "m", "d"), person("a", "aa", "d")]),
            batch: 1
        )
    }

    @Test(arguments: [Int](0..<40).map(UInt64.init) + [309])
    func `values that go round among new and old rows come to the same digest from any batch`(
        number: UInt64
    ) throws {
        try seeded(number) { seed in
            let departments = ["d", "e", nil]
            var emails = (0..<8).map { "\($0)@x" }
            let old = (0..<6).map { number in
                person("p\(number)", emails[number], departments[seed.below(3)])
            }
            emails.shuffle(using: &seed)
            var new = old.filter { _ in !seed.once(in: 5) }
            for number in 0..<3 where new.count < 8 {
                new.insert(
                    person("n\(number)", "", departments[seed.below(3)]),
                    at: seed.below(new.count + 1)
                )
            }
            for place in new.indices {
                new[place].email = emails[place]
                if seed.once(in: 4) { new[place].department = departments[seed.below(3)] }
            }
            var older = company(old)
            var newer = company(new)
            teams(&older, &seed)
            teams(&newer, &seed)
            try expectSameAfterAnyBatch(older, newer, batch: 1 + seed.below(3))
        }
    }
}

import LegacyMigration
import Reprise
import TestSupport
import Testing

@testable import LegacyMigrator

/// To-ones that are part of what must be unique, and what waits for what they let go of.
@Suite struct WaitingToOneTests {
    typealias Person = InventedCompany.Person

    let library: TemporaryLibrary

    init() throws {
        library = try TemporaryLibrary(schema: Schema(Self.schema))
    }

    /// No two people of one name have the same boss.
    private static let schema = InventedCompany.Bond.unique.schema

    private func source(_ people: [Person]) -> InventedSource {
        var company = InventedCompany()
        company.people = people
        var source = company.source
        source.schema = Self.schema
        return source
    }

    private func person(
        _ key: String,
        _ name: String,
        under boss: String? = nil,
        email: String? = nil
    ) -> Person {
        Person(key: key, name: name, email: email, boss: boss)
    }

    private func migrate(_ people: [Person]) throws {
        _ = try library.migrate(source(people))
    }

    @Test func `a row waits for one that goes when a to-one has waited for another that goes`()
        throws
    {
        try migrate([
            person("t", "t"), person("h", "h", email: "v"), person("k", "n", under: "t"),
            person("p", "n", under: "h"),
        ])
        try library.expectAllOrNothing(
            of: source([
                person("p", "n", under: "t"), person("x", "x", email: "v"), person("t", "t"),
            ])
        )
    }

    @Test func `so does a to-one`() throws {
        try migrate([
            person("t", "t"), person("u", "u"), person("h", "m", under: "u"),
            person("k", "n", under: "t"), person("p", "n", under: "h"), person("q", "m"),
        ])
        try library.expectAllOrNothing(
            of: source([
                person("q", "m", under: "u"), person("p", "n", under: "t"), person("t", "t"),
                person("u", "u"),
            ])
        )
    }

    @Test func `so does a chain of to-ones and rows`() throws {
        let owners = (0..<6).map { person("o\($0)", "o\($0)") }
        // Each holds the next one that goes.
        let going = (0..<5).map { person("g\($0)", "n\($0)", under: "o\($0)", email: "\($0)@x") }
        let staying = (1..<5).map { person("s\($0)", "n\($0 - 1)", under: "g\($0)") }
        try migrate(owners + going + staying)
        let moved = (1..<5).map { person("s\($0)", "n\($0 - 1)", under: "o\($0 - 1)") }
        let new = (0..<5).map { person("x\($0)", "x", email: "\($0)@x") }
        try library.expectAllOrNothing(of: source(new + moved.reversed() + owners))
    }

    @Test func `of two that want the same boss the same one gets it`() throws {
        try migrate([
            person("t1", "t1"), person("t2", "t2"), person("r1", "n"),
            person("h1", "n", under: "t1"), person("r3", "n"),
        ])
        let report = try library.expectWholeOrNothing(
            of: source([
                person("r1", "n", under: "t1"), person("h1", "n", under: "t2"),
                person("r3", "n", under: "t1"), person("t1", "t1"), person("t2", "t2"),
            ])
        )
        #expect(report.warningCounts == [.uniqueValueTaken: 1])
    }

    /// People of few names whose bosses change and go, in stores that others work in, too, and where few may wait.
    @Test(arguments: seeds([0, 1, 9, 29, 30]))
    func `whoever waits for whom, it comes to the same`(number: UInt64) throws {
        try seeded(number) { seed in
            for _ in 0..<2 {
                let keys = (0..<12).map { "p\($0)" }.shuffled(using: &seed).prefix(9)
                let emails = (0..<10).map { "\($0)@x" }.shuffled(using: &seed)
                let people = keys.enumerated().map { place, key in
                    person(
                        key,
                        seed.pick(["n", "m", key]),
                        under: seed.once(in: 5) ? nil : seed.pick(keys),
                        email: seed.once(in: 4)
                            ? nil : seed.once(in: 8) ? seed.pick(emails) : emails[place]
                    )
                }
                try library.expectWholeOrNothing(of: source(people))
            }
        }
    }
}

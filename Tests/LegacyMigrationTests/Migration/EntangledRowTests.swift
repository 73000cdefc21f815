import LegacyMigration
import Reprise
import TestSupport
import Testing

/// Newer exports whose rows take unique values from each other, and need each other: only the state in the end counts.
@Suite struct EntangledRowTests {
    typealias Person = InventedCompany.Person
    typealias Bond = InventedCompany.Bond

    var bond = Bond.none
    /// Whether to-ones lead to what comes later in the export, and so do those of what they lead to.
    var isUpsideDown = false

    func source(_ company: InventedCompany) -> InventedSource {
        var source = company.source
        source.schema = bond.schema
        // Then people are in the lists of their departments at once.
        source.order = ["department", "person", "team"]
        if isUpsideDown { source.order?.reverse() }
        return source
    }

    private func migrate(_ company: InventedCompany, _ library: TemporaryLibrary) throws -> MigrationReport {
        try library.migrate(source(company))
    }

    /// Migrates a company and then a newer one, all of which comes.
    private func expectAll(_ old: InventedCompany, _ new: InventedCompany) throws {
        let library = try TemporaryLibrary(schema: Schema(bond.schema))
        try library.expectAllOrNothing(of: source(old))
        try library.expectAllOrNothing(of: source(new))
    }

    func company(_ people: [Person]) -> InventedCompany {
        var company = InventedCompany()
        company.departments = ["d", "e", "f"].map { .init(key: $0, name: $0) }
        company.people = people
        return company
    }

    func person(_ key: String, _ email: String, _ department: String?) -> Person {
        Person(key: key, name: key, email: email, department: department)
    }

    /// Two teams, led by and of whoever is there, and some who have a boss.
    func teams(
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

    @Test func `a new row has the value of one that gets another`() throws {
        try expectAll(
            company([person("r", "v", "d"), person("a", "a", "d")]),
            company([
                person("n", "v", "d"), person("m", "m", "d"), person("r", "w", "d"),
                person("a", "a", "d"), person("q", "q", "d"),
            ])
        )
    }

    @Test func `a new row has the value of one that is deleted`() throws {
        try expectAll(
            company([person("r", "v", "d"), person("a", "a", "d")]),
            company([person("n", "v", "d"), person("m", "m", "d"), person("a", "aa", "d")])
        )
    }

    @Test(arguments: seeds([UInt64](0..<40) + [309]))
    func `values go round among new and old rows`(
        number: UInt64
    ) throws {
        try expectAllWhereValuesGoRound(number)
    }

    @Test(arguments: Bond.allCases.dropFirst(), seeds([1, 6, 37, 48, 115, 133], atMost: 3))
    mutating func `so do those of rows that cannot be without their to-ones`(
        bond: Bond,
        number: UInt64
    ) throws {
        self.bond = bond
        isUpsideDown = number % 2 == 1
        try expectAllWhereValuesGoRound(number)
    }

    /// A first migration into a store in which somebody has put rows with the same identifiers, and others.
    @Test(arguments: Bond.allCases, seeds([1, 2, 5, 8, 9, 11, 13], atMost: 3))
    mutating func `so does a first migration among rows that were made by hand`(
        bond: Bond,
        number: UInt64
    ) throws {
        self.bond = bond
        isUpsideDown = number % 2 == 1
        try seeded(number) { seed in
            var emails = (0..<8).map { "\($0)@x" }
            let library = try TemporaryLibrary(schema: Schema(bond.schema))
            try library.store.write { transaction in
                for key in ["d", "e"] {
                    try transaction.put(
                        EntityReference(model: "department", id: key),
                        values: ["name": .string(key)]
                    )
                }
                for place in 0..<6 {
                    // Some are those of the export, with values that others have there.
                    let key = place < 4 ? "p\(place)" : "mine\(place)"
                    try transaction.put(
                        EntityReference(model: "person", id: key),
                        values: [
                            "name": .string(key), "tags": .list([]),
                            "email": .string(place < 4 ? emails[place] : "\(place)@mine"),
                            "department": .reference(seed.pick(["d", "e"])),
                        ]
                    )
                }
            }
            emails.shuffle(using: &seed)
            let people = (0..<8).map {
                person("p\($0)", emails[$0], seed.pick(["d", "e", "f"]))
            }
            var company = company(people.shuffled(using: &seed))
            teams(&company, &seed)
            // Somebody whom the export lacks is named as well, and must be there for some.
            company.teams[0].lead = "mine4"
            company.teams[1].members += ["mine5"]
            try library.expectWholeOrNothing(of: source(company))
            #expect(try library.store.read { try $0.count(RecordQuery(model: "team")) } == 2)
            #expect(try library.store.verify().isSound)
        }
    }

    @Test func `a new row and an old one that were in each other's way change places`() throws {
        var test = self
        test.bond = .leading
        var old = company([person("p", "1", "d"), person("a", "a", "d")])
        old.teams = [.init(key: "t", name: "t", lead: "p")]
        var new = company([person("n", "1", "d"), person("a", "b", "d"), person("m", "a", "d")])
        new.teams = [.init(key: "t", name: "t", lead: "n")]
        try test.expectAll(old, new)
    }

    /// Newer exports of a store in which others have put rows of their own among those of the export.
    @Test(arguments: Bond.allCases, seeds([0, 1, 2, 3], atMost: 2))
    mutating func `so do those among whose rows are those of others`(
        bond: Bond,
        number: UInt64
    ) throws {
        self.bond = bond
        isUpsideDown = number % 2 == 1
        try expectAllWhereValuesGoRound(number, withOthers: true)
    }

    /// Puts rows into the lists of departments and teams, at any place.
    func work(of others: Int, _ store: Store, _ seed: inout TestSupport.SeededGenerator)
        throws
    {
        try store.write { transaction in
            for place in 0..<others {
                let id = "mine\(place)"
                let department = EntityReference(
                    model: "department",
                    id: seed.pick(["d", "e", "f"])
                )
                try transaction.put(
                    EntityReference(model: "person", id: id),
                    values: [
                        "name": .string(id), "email": .string("\(place)@mine"), "tags": .list([]),
                        "department": .reference(department.id),
                    ]
                )
                let people = try transaction.entries(
                    of: "people",
                    model: department.model,
                    id: department.id
                )
                if let mine = people.last, let other = people.dropLast().randomElement(using: &seed)
                {
                    let placement: Placement = seed.once(in: 2) ? .before(other) : .after(other)
                    try transaction.move("people", entry: mine, of: department, to: placement)
                }
                let team = EntityReference(model: "team", id: seed.pick(["s", "t"]))
                let members = try transaction.entries(of: "members", model: team.model, id: team.id)
                _ = try transaction.link(
                    "members",
                    of: team,
                    to: id,
                    at: members.randomElement(using: &seed).map { .after($0) } ?? .first
                )
            }
        }
    }

    func expectAllWhereValuesGoRound(_ number: UInt64, withOthers: Bool = false) throws {
        try seeded(number) { seed in
            let isFree = bond != .needed && bond != .all
            let departments = isFree ? ["d", "e", nil] : ["d", "e", "f"]
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
            var (older, newer) = (company(old), company(new))
            teams(&older, &seed)
            teams(&newer, &seed)
            guard withOthers else {
                try expectAll(older, newer)
                return
            }
            let library = try TemporaryLibrary(schema: Schema(bond.schema))
            _ = try migrate(older, library)
            try work(of: 4, library.store, &seed)
            try library.expectWholeOrNothing(of: source(newer))
            #expect(try library.store.verify().isSound)
        }
    }
}

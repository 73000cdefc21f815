import LegacyMigration
import Reprise
import TestSupport
import Testing

/// Migrations that end while rows wait for unique values, and are taken up.
@Suite struct WaitingRowInterruptionTests {
    typealias Person = InventedCompany.Person

    /// What keeps a row from being written without its to-ones, to follow later.
    enum Bond {
        case none
        /// A person has to have a department.
        case needed
        /// No two people of one department have the same email, and a boss has one of each name.
        case unique
        /// A team has to have a lead, and there may be several with one.
        case leading
        /// All of it.
        case all
        /// Everybody has to have a boss.
        case bossed

        /// What every test goes through.
        static let allCases: [Bond] = [.none, .needed, .unique, .leading, .all]

        var schema: SchemaDescription {
            var schema = InventedCompany.schema
            if self == .needed || self == .all {
                schema.models[0].attributes[5].isOptional = false
                schema.relations[0].target.onDelete = .deny
            }
            if self == .unique || self == .all {
                schema.models[0].indexes += [
                    IndexDescription(number: 2, slots: [5, 1], isUnique: true),
                    IndexDescription(number: 3, slots: [6, 0], isUnique: true),
                ]
            }
            if self == .leading || self == .all {
                schema.models[2].attributes[1].isOptional = false
                schema.relations[3].target.onDelete = .deny
            }
            if self == .bossed {
                schema.models[0].attributes[6].isOptional = false
                schema.relations[1].target.onDelete = .deny
            }
            return schema
        }
    }

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

    func migrate(
        _ company: InventedCompany,
        _ library: TemporaryLibrary,
        batch: Int,
        progress: (MigrationProgress) -> Bool = { _ in true }
    ) throws -> MigrationReport {
        let options = Migrator.Options(batchRecordCount: batch, replacesEverything: true)
        return try Migrator(source: source(company), store: library.store, options: options)
            .run(progress: progress)
    }

    /// Migrates a company and then a newer one, and takes up what is left of that after each of its batches.
    func expectSameAfterAnyBatch(
        _ old: InventedCompany,
        _ new: InventedCompany,
        batch: Int
    ) throws {
        let library = try TemporaryLibrary(schema: Schema(bond.schema))
        if bond == .none {
            _ = try migrate(old, library, batch: batch)
        } else {
            try expectSameAfterAnyBatch(of: old, library, batch: batch)
        }
        try expectSameAfterAnyBatch(of: new, library, batch: batch)
    }

    func expectSameAfterAnyBatch(
        of company: InventedCompany,
        _ library: TemporaryLibrary,
        batch: Int
    ) throws {
        let report = try expectSameDigestAfterAnyBatch(of: company, library, batch: batch)
        #expect(report.warningCounts.isEmpty)
        #expect(try MigrationVerifier(source: source(company), store: library.store).run().isEqual)
    }

    @discardableResult
    func expectSameDigestAfterAnyBatch(
        of company: InventedCompany,
        _ library: TemporaryLibrary,
        batch: Int
    ) throws -> MigrationReport {
        let (report, remains) = try library.remainsOfEachBatch {
            try migrate(company, library, batch: batch, progress: $0)
        }
        #expect(remains.count > company.people.count / batch)
        for (place, remains) in part(of: Array(remains.enumerated()), atMost: 9) {
            if place % 2 == 1 {
                try remains.interrupt(source(company), batch: batch, afterStep: 1 + place / 2 % 7)
            }
            #expect(try migrate(company, remains, batch: batch).digest == report.digest, "\(place)")
            #expect(try migrate(company, remains, batch: batch).eventCount == 0)
        }
        return report
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

    /// Takes care that a team whose lead goes is led by one who was there before. One that had to have a new person,
    /// who waits for what the old lead has, could never let go of that one.
    func letStay(_ older: inout InventedCompany, _ newer: inout InventedCompany) {
        let old = Set(older.people.map(\.key))
        let new = Set(newer.people.map(\.key))
        guard let staying = newer.people.map(\.key).first(where: old.contains) else { return }
        for (place, team) in older.teams.enumerated() where !new.contains(team.lead ?? "") {
            if !old.contains(newer.teams[place].lead ?? "") { newer.teams[place].lead = staying }
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

    @Test(arguments: seeds([UInt64](0..<40) + [309]))
    func `values that go round among new and old rows come to the same digest from any batch`(
        number: UInt64
    ) throws {
        try expectSameWhereValuesGoRound(number)
    }

    @Test(arguments: Bond.allCases.dropFirst(), seeds([1, 6, 37, 48, 115, 133], atMost: 3))
    mutating func `so do those of rows that cannot be written without their to-ones`(
        bond: Bond,
        number: UInt64
    ) throws {
        self.bond = bond
        isUpsideDown = number % 2 == 1
        try expectSameWhereValuesGoRound(number)
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
            try expectSameDigestAfterAnyBatch(of: company, library, batch: 1 + seed.below(3))
            #expect(try library.store.read { try $0.count(RecordQuery(model: "team")) } == 2)
            #expect(try library.store.verify().isSound)
        }
    }

    @Test func `so does one in which a new row and an old one are in each other's way for good`()
        throws
    {
        var test = self
        test.bond = .leading
        var old = company([person("p", "1", "d"), person("a", "a", "d")])
        old.teams = [.init(key: "t", name: "t", lead: "p")]
        var new = company([person("n", "1", "d"), person("a", "b", "d"), person("m", "a", "d")])
        new.teams = [.init(key: "t", name: "t", lead: "n")]
        let library = try TemporaryLibrary(schema: Schema(test.bond.schema))
        _ = try test.migrate(old, library, batch: 1)
        let (report, remains) = try library.remainsOfEachBatch {
            try test.migrate(new, library, batch: 1, progress: $0)
        }
        #expect(report.warningCounts[.uniqueValueTaken] == 1)
        #expect(report.warningCounts[.deletedInSourceButInUse] == 1)
        #expect(remains.count > 3)
        for remains in remains {
            #expect(try test.migrate(new, remains, batch: 1).digest == report.digest)
        }
    }

    /// Newer exports of a store in which others have put rows of their own among those of the export.
    @Test(arguments: Bond.allCases, seeds([0, 1, 2, 3], atMost: 2))
    mutating func `so do those among whose rows are those of others`(
        bond: Bond,
        number: UInt64
    ) throws {
        self.bond = bond
        isUpsideDown = number % 2 == 1
        try expectSameWhereValuesGoRound(number, withOthers: true)
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

    func expectSameWhereValuesGoRound(_ number: UInt64, withOthers: Bool = false) throws {
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
            var older = company(old)
            var newer = company(new)
            teams(&older, &seed)
            teams(&newer, &seed)
            if bond == .leading || bond == .all { letStay(&older, &newer) }
            let batch = 1 + seed.below(3)
            guard withOthers else {
                try expectSameAfterAnyBatch(older, newer, batch: batch)
                return
            }
            let library = try TemporaryLibrary(schema: Schema(bond.schema))
            _ = try migrate(older, library, batch: batch)
            try work(of: 4, library.store, &seed)
            try expectSameDigestAfterAnyBatch(of: newer, library, batch: batch)
            #expect(try library.store.verify().isSound)
        }
    }
}

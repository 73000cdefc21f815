import Reprise
import TestSupport
import Testing

/// Rules that are looked at when the closure of a write is through: REL-33, QRY-27.
@Suite struct OwedRuleTests {
    private struct Team: Model {
        var id: ID
        var name: String

        static let people = Relationship<Team, Person>("people", inverse: \.team, onDelete: .cascade)
        static let schema = ModelSchema(
            "team",
            Self.init,
            .id("id", \.id),
            .attribute("name", \.name, unique: true)
        )
        .toMany(people)
    }

    private struct Person: Model {
        var id: ID
        var email: String
        var team: Team.ID

        static let schema = ModelSchema(
            "person",
            Self.init,
            .id("id", \.id),
            .attribute("email", \.email, unique: true),
            .toOne("team", \.team)
        )
    }

    private struct Shelf: Model {
        var id: ID

        static let books = Relationship<Shelf, Book>("books", inverse: \.shelf, onDelete: .nullify)
        static let schema = ModelSchema("shelf", Self.init, .id("id", \.id)).toMany(books)
    }

    private struct Book: Model {
        var id: ID
        var number: Int
        var shelf: Shelf.ID?

        static let schema = ModelSchema(
            "book",
            Self.init,
            .id("id", \.id),
            .attribute("number", \.number),
            .toOne("shelf", \.shelf)
        )
        .unique("shelf", "number")
    }

    private let store: Store

    init() throws {
        store = try Store.temporary(Schema(Team.self, Person.self))
        try store.write { transaction in
            try transaction.insert(Team(id: "t", name: "T"))
            try transaction.insert(Person(id: "a", email: "a@x", team: "t"))
            try transaction.insert(Person(id: "b", email: "b@x", team: "t"))
        }
    }

    private func emails() throws -> [String] {
        try store.fetch(Person.self).sorted { $0.id.rawValue < $1.id.rawValue }.map(\.email)
    }

    @Test func `two rows exchange a unique value within a write`() throws {
        try store.write { transaction in
            try transaction.update(Person.self, id: "a") { $0.email = "b@x" }
            try transaction.update(Person.self, id: "b") { $0.email = "a@x" }
        }
        #expect(try emails() == ["b@x", "a@x"])
        #expect(try store.verify().isSound)
        let error = #expect(throws: StoreError.self) {
            try store.write { try $0.insert(Person(id: "c", email: "a@x", team: "t")) }
        }
        #expect(error?.code == .uniqueViolation)
    }

    @Test func `a row names one that comes later in the same write`() throws {
        try store.write { transaction in
            try transaction.insert(Person(id: "c", email: "c@x", team: "later"))
            #expect(try transaction.fetch(Team.people, of: "later").map(\.id) == ["c"])
            try transaction.insert(Team(id: "later", name: "L"))
        }
        #expect(try store.fetch(Team.people, of: "later").map(\.id) == ["c"])
        #expect(try store.verify().isSound)
    }

    @Test func `what is wrong at the end throws, names the rows and leaves nothing`() throws {
        let digest = try store.digest()
        let taken = #expect(throws: StoreError.self) {
            try store.write { transaction in
                try transaction.update(Person.self, id: "a") { $0.email = "b@x" }
                try transaction.update(Person.self, id: "b") { $0.team = "t" }
            }
        }
        #expect(taken?.code == .uniqueViolation)
        #expect(taken?.message == #"person "b" already has this email, which person "a" was given."#)
        let missing = #expect(throws: StoreError.self) {
            try store.write { try $0.insert(Person(id: "c", email: "c@x", team: "nowhere")) }
        }
        #expect(missing?.code == .targetMissing)
        #expect(missing?.message.contains(#"person "c" points to team "nowhere""#) == true)
        #expect(try store.digest() == digest)
    }

    @Test func `what was wrong and is put right before the end counts as right`() throws {
        try store.write { transaction in
            try transaction.insert(Person(id: "c", email: "a@x", team: "nowhere"))
            try transaction.update(Person.self, id: "c") { person in
                person.email = "c@x"
                person.team = "t"
            }
            try transaction.insert(Person(id: "d", email: "a@x", team: "nowhere"))
            try transaction.delete(Person.self, id: "d")
        }
        #expect(try emails() == ["a@x", "b@x", "c@x"])
        #expect(try store.verify().isSound)
    }

    @Test func `a value that is given up while two rows have it is still counted`() throws {
        let error = #expect(throws: StoreError.self) {
            try store.write { transaction in
                try transaction.update(Person.self, id: "a") { $0.email = "b@x" }
                try transaction.update(Person.self, id: "b") { $0.email = "free@x" }
                _ = try transaction.fetch(Person.self)
                try transaction.insert(Person(id: "c", email: "b@x", team: "t"))
            }
        }
        #expect(error?.code == .uniqueViolation)
        #expect(try emails() == ["a@x", "b@x"])
    }

    @Test func `checked at once, an operation throws what it breaks, and the closure goes on`() throws {
        try store.write { transaction in
            try transaction.checkRulesAtOnce()
            for email in ["a@x", "c@x", "b@x"] {
                do {
                    try transaction.insert(Person(id: .init(), email: email, team: "t"))
                } catch let error as StoreError where error.code == .uniqueViolation {
                    continue
                }
            }
        }
        #expect(try emails().count == 3)
        let error = #expect(throws: StoreError.self) {
            try store.write { transaction in
                try transaction.update(Person.self, id: "a") { $0.email = "b@x" }
                try transaction.checkRulesAtOnce()
            }
        }
        #expect(error?.code == .uniqueViolation)
    }

    private func shelves() throws -> Store {
        let store = try Store.temporary(Schema(Shelf.self, Book.self))
        try store.write { transaction in
            try transaction.insert([Shelf(id: "x"), Shelf(id: "y")])
            try transaction.insert([Book(id: "c", number: 1, shelf: "y"), Book(id: "d", number: 1, shelf: "x")])
        }
        return store
    }

    @Test func `a list that takes a member counts as one that wants its value`() throws {
        let store = try shelves()
        let error = #expect(throws: StoreError.self) {
            try store.write { transaction in
                try transaction.update(Book.self, id: "d") { $0.number = 2 }
                try transaction.insert(Book(id: "b", number: 1, shelf: "x"))
                try transaction.insert(Book(id: "a", number: 1, shelf: "x"))
                try transaction.update(Book.self, id: "a") { $0.number = 3 }
                try transaction.append(Shelf.books, of: "x", "c")
            }
        }
        #expect(error?.code == .uniqueViolation)
        // Two books exchange their shelves by their lists.
        try store.write { transaction in
            try transaction.append(Shelf.books, of: "x", "c")
            try transaction.append(Shelf.books, of: "y", "d")
        }
        #expect(try store.fetch(Shelf.books, of: "x").map(\.id) == ["c"])
        #expect(try store.verify().isSound)
    }

    private struct Parent: Model {
        var id: ID
        static let schema = ModelSchema("parent", Self.init, .id("id", \.id))
    }

    private struct Child: Model {
        var id: ID
        var cascading: Parent.ID?
        var denying: Parent.ID?
        static let schema = ModelSchema(
            "child",
            Self.init,
            .id("id", \.id),
            .toOne("cascading", \.cascading, onDelete: .cascade),
            .toOne("denying", \.denying, onDelete: .deny)
        )
    }

    @Test func `a row whose target is yet to come can be deleted again`() throws {
        let store = try Store.temporary(Schema(Parent.self, Child.self))
        for child in [Child(id: "c", cascading: "later"), Child(id: "d", denying: "last")] {
            try store.write { transaction in
                try transaction.insert(child)
                try transaction.delete(Child.self, id: child.id)
                try transaction.insert(Parent(id: child.cascading ?? "last"))
            }
        }
        #expect(try store.fetch(Child.self).isEmpty)
        #expect(try store.fetch(Parent.self).count == 2)
        #expect(try store.verify().isSound)
    }

    @Test func `a batch of a bulk load checks at once`() throws {
        try store.bulkLoad { loader in
            try loader.batch { transaction in
                let error = #expect(throws: StoreError.self) {
                    try transaction.insert(Person(id: "c", email: "a@x", team: "t"))
                }
                #expect(error?.code == .uniqueViolation)
                try transaction.insert(Person(id: "c", email: "c@x", team: "t"))
            }
        }
        #expect(try emails() == ["a@x", "b@x", "c@x"])
    }

    @Test func `writes that share a sync do not owe for each other`() async throws {
        let store = store
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<40 {
                group.addTask {
                    // Every second one breaks a rule.
                    let email = number.isMultiple(of: 2) ? "a@x" : "n\(number)@x"
                    try? await store.write { try $0.insert(Person(id: .init(), email: email, team: "t")) }
                    try? await store.write { transaction in
                        try transaction.update(Person.self, id: "a") { $0.email = "b@x" }
                        try transaction.update(Person.self, id: "b") { $0.email = "a@x" }
                    }
                }
            }
        }
        let counts = try Self.counts(store)
        #expect(counts.people == 22 && counts.emails == 22)
        #expect(counts.isSound)
    }

    private static func counts(_ store: Store) throws -> (people: Int, emails: Int, isSound: Bool) {
        let people = try store.fetch(Person.self)
        return (people.count, Set(people.map(\.email)).count, try store.verify().isSound)
    }

    @Test(arguments: seeds(Array(0..<20)))
    func `a write is done exactly where its end obeys the rules`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<40 {
            var people = Dictionary(uniqueKeysWithValues: try store.fetch(Person.self).map { ($0.id, $0) })
            var teams = Set(try store.fetch(Team.self).map(\.id))
            let before = (people, teams)
            var isRight = true
            let steps = (0..<(1 + random.below(6))).map { _ in
                (kind: random.below(5), person: Person.ID("p\(random.below(5))"), email: "\(random.below(6))@x",
                    team: Team.ID("t\(random.below(3))"))
            }
            do {
                try store.write { transaction in
                    for step in steps {
                        let person = Person(id: step.person, email: step.email, team: step.team)
                        switch step.kind {
                        case 0..<3:
                            try transaction.save(person)
                            people[person.id] = person
                        case 3:
                            if teams.insert(step.team).inserted {
                                try transaction.insert(Team(id: step.team, name: step.team.rawValue))
                            }
                        default:
                            if people.removeValue(forKey: step.person) != nil {
                                try transaction.delete(Person.self, id: step.person)
                            }
                        }
                        if random.below(4) == 0 { _ = try transaction.count(Person.self, where: { $0.email == "0@x" }) }
                    }
                }
            } catch let error as StoreError {
                isRight = false
                #expect([.uniqueViolation, .targetMissing].contains(error.code))
            }
            let obeys = Set(people.values.map(\.email)).count == people.count
                && people.values.allSatisfy { teams.contains($0.team) }
            #expect(isRight == obeys, "seed \(seed)")
            if !isRight { (people, teams) = before }
            let stored = Dictionary(uniqueKeysWithValues: try store.fetch(Person.self).map { ($0.id, $0.email) })
            #expect(stored == people.mapValues(\.email))
        }
        #expect(try store.verify().isSound)
    }
}

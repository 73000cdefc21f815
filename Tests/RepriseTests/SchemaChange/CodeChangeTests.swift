import Reprise
import TestSupport
import Testing

/// People whose cities move into a model of their own.
private enum People {
    enum One {
        struct Person: Model {
            var id: ID
            var name: String
            var city: String?
            static let schema = ModelSchema(
                "person",
                Self.init,
                .id("id", \.id),
                .attribute("name", \.name),
                .attribute("city", \.city)
            )
        }
    }

    enum Two {
        struct Person: Model, Hashable {
            var id: ID
            var name: String
            var home: City.ID?
            static let schema = ModelSchema(
                "person",
                Self.init,
                .id("id", \.id),
                .attribute("name", \.name),
                .toOne("home", \.home)
            )
            .removed("city")
        }

        struct City: Model, Hashable {
            var id: ID
            var name: String
            static let schema = ModelSchema(
                "city",
                Self.init,
                .id("id", \.id),
                .attribute("name", \.name, unique: true)
            )
            .toMany("people", of: Person.self, inverse: "home")
        }

        static let models = Schema(Person.self, City.self)

        static let schema = models.change(to: 1) { old, new in
            try old.forEachRecord(RecordQuery(model: "person")) { person in
                guard case .string(let name) = person["city"] else { return true }
                let city = City.ID(name)
                if try new.fetch(City.self, id: city) == nil { try new.insert(City(id: city, name: name)) }
                _ = try new.update(Person.self, id: .init(person.id)) { $0.home = city }
                return true
            }
        }

        /// Goes on from there.
        static let later = schema.change(to: 2, keepsOlderCode: true) { old, new in
            for person in try new.fetch(FetchDescriptor<Person>()) {
                _ = try new.update(Person.self, id: person.id) { $0.name += "!" }
            }
        }
    }

    static func fill(_ app: AppStore) throws {
        try app.with(Schema(One.Person.self)) { store in
            try store.write {
                try $0.insert(One.Person(id: "a", name: "Ada", city: "London"))
                try $0.insert(One.Person(id: "b", name: "Blaise", city: "Paris"))
                try $0.insert(One.Person(id: "c", name: "Charles", city: "London"))
                try $0.insert(One.Person(id: "d", name: "Dido", city: nil))
            }
        }
    }
}

@Suite struct `Changes by code` {
    let app: AppStore

    init() throws {
        app = try AppStore()
        try People.fill(app)
    }

    @Test func `a closure reads the store as it was and writes it as it shall be, once`() throws {
        // STO-93
        for _ in 0..<2 {
            try app.with(People.Two.schema) { store in
                let london = try store.fetch(FetchDescriptor<People.Two.Person>().where { $0.home == "London" })
                #expect(london.map(\.name) == ["Ada", "Charles"])
                #expect(try store.count(FetchDescriptor<People.Two.City>()) == 2)
                #expect(try store.fetch(People.Two.Person.self, id: "d")?.home == nil)
                #expect(try store.statistics().schemaNumber == 2)
            }
        }
        try app.expectSound()
    }

    @Test func `a rollback says where rows are in the form from before the code`() throws {
        // STO-93
        let then = try app.with(Schema(People.One.Person.self)) { store in try store.read { $0.head } }
        try app.with(People.Two.later) { store in
            let now = try store.read { $0.head }
            let back = try store.rollback(to: .position(then))
            #expect(back.rowVersion == 0 && back.schemaVersion == 2)
            #expect(try store.fetch(People.Two.Person.self, id: "a") == People.Two.Person(id: "a", name: "Ada"))
            let forth = try store.rollback(to: .position(now))
            #expect(forth.rowVersion == 2 && forth.schemaVersion == 2)
            #expect(try store.fetch(People.Two.Person.self, id: "a")?.home == "London")
        }
        try app.expectSound()
    }

    @Test func `rows that only later code has seen are of the version before the code that they missed`() throws {
        // STO-93
        let then = try app.with(Schema(People.One.Person.self)) { store in try store.read { $0.head } }
        try app.with(People.Two.schema) { store in _ = try store.rollback(to: .position(then)) }
        try app.with(People.Two.later) { store in
            try store.write { try $0.insert(People.Two.City(id: "Rome", name: "Rome")) }
            let report = try store.rollback(to: .position(try store.read { $0.head }))
            #expect(report.rowVersion == 0 && report.schemaVersion == 2)
        }
    }

    @Test func `a store that is made anew has the highest version, and no closure runs`() throws {
        // STO-93
        let fresh = try AppStore()
        let never = Schema(People.One.Person.self).change(to: 3) { _, _ in throw StoreError.stand }
        let version = try fresh.with(never) { try $0.read { $0.schema.version } }
        #expect(version == 3)
        try fresh.with(never) { _ in }
    }

    @Test(arguments: [false, true])
    func `all closures of higher versions run, in their order`(stopsBetween: Bool) throws {
        // STO-93
        if stopsBetween { try app.with(People.Two.schema) { _ in } }
        try app.with(People.Two.later) { store in
            let ada = try store.fetch(People.Two.Person.self, id: "a")
            #expect(ada?.name == "Ada!")
            #expect(try store.count(FetchDescriptor<People.Two.City>()) == 2)
        }
        // The second change says that the first version can go on.
        let version = try app.with(People.Two.schema) { try $0.read { $0.schema.version } }
        #expect(version == 2)
        let error = failure { try app.with(People.Two.models) { _ in } }
        #expect(error?.code == .newerSchema)
        #expect(error?.message.contains("version 1 of the schema is needed") == true)
        try app.expectSound()
    }

    @Test func `what a closure throws, opening throws, and nothing is changed`() throws {
        // STO-94
        let digest = try app.with(Schema(People.One.Person.self)) { try $0.read { $0.digest } }
        let failing = People.Two.models.change(to: 1) { _, new in
            try new.insert(People.Two.City(id: "x", name: "x"))
            throw StoreError.stand
        }
        #expect(failure { try app.with(failing) { _ in } }?.message == "A program says no.")
        // Two cities with one name: the unique index finds it in the end.
        let colliding = People.Two.models.change(to: 1) { _, new in
            try new.insert(People.Two.City(id: "x", name: "same"))
            try new.insert(People.Two.City(id: "y", name: "same"))
        }
        #expect(failure { try app.with(colliding) { _ in } }?.code == .uniqueViolation)
        #expect(try app.with(Schema(People.One.Person.self)) { try $0.read { $0.digest } } == digest)
        try app.expectSound()
    }

    @Test func `numbers of changes are different and begin at one`() {
        // STO-93
        let twice = People.Two.models.change(to: 1) { _, _ in }.change(to: 1) { _, _ in }
        #expect(failure { try app.with(twice) { _ in } }?.code == .invalidSchema)
        let zero = People.Two.models.change(to: 0) { _, _ in }
        #expect(failure { try app.with(zero) { _ in } }?.code == .invalidSchema)
    }
}

extension StoreError {
    /// One that a program might throw.
    fileprivate static let stand = StoreError(.invalidValue, "A program says no.", advice: "Say yes.")
}

import Reprise
import TestSupport
import Testing

/// A library whose names change from version to version.
private enum Library {
    enum One {
        struct Book: Model, Hashable {
            var id: ID
            var first: String
            var last: String
            var pages: Int?
            var shelf: Shelf.ID?
            static let schema = ModelSchema(
                "book",
                Self.init,
                .id("id", \.id),
                .attribute("first", \.first, indexed: true),
                .attribute("last", \.last),
                .attribute("pages", \.pages),
                .toOne("shelf", \.shelf)
            )
        }

        struct Shelf: Model, Hashable {
            var id: ID
            var name: String
            static let schema = ModelSchema(
                "shelf",
                Self.init,
                .id("id", \.id),
                .attribute("name", \.name)
            )
            .toMany("books", of: Book.self, inverse: "shelf")
            .toMany("favorites", of: Book.self)
        }

        static let schema = Schema(Book.self, Shelf.self)
    }

    /// Exchanges `first` and `last`, hands `pages` on, and gives everything else another name.
    enum Two {
        struct Volume: Model, Hashable {
            var id: ID
            var last: String
            var first: String
            var length: Int?
            var pages: Int?
            var place: Rack.ID?
            static let schema = ModelSchema(
                "volume",
                Self.init,
                .id("id", \.id),
                .attribute("last", \.last, indexed: true, renamedFrom: "first"),
                .attribute("first", \.first, renamedFrom: "last"),
                .attribute("length", \.length, renamedFrom: "pages"),
                .attribute("pages", \.pages),
                .toOne("place", \.place, renamedFrom: "shelf")
            )
            .renamedFrom("book")
        }

        struct Rack: Model, Hashable {
            var id: ID
            var title: String
            static let schema = ModelSchema(
                "rack",
                Self.init,
                .id("id", \.id),
                .attribute("title", \.title, renamedFrom: "name")
            )
            .renamedFrom("shelf")
            .toMany("volumes", of: Volume.self, inverse: "place", renamedFrom: "books")
            .toMany("loved", of: Volume.self, renamedFrom: "favorites")
            static let volumes = Relationship<Rack, Volume>("volumes")
            static let loved = Relationship<Rack, Volume>("loved")
        }

        static let schema = Schema(Rack.self, Volume.self)
    }

    /// Renames once more, with all names so far.
    enum Three {
        struct Tome: Model, Hashable {
            var id: ID
            var family: String
            var given: String
            var size: Int?
            var pages: Int?
            var place: Rack.ID?
            static let schema = ModelSchema(
                "tome",
                Self.init,
                .id("id", \.id),
                .attribute("family", \.family, indexed: true, renamedFrom: "last", "first"),
                .attribute("given", \.given, renamedFrom: "first", "last"),
                .attribute("size", \.size, renamedFrom: "length", "pages"),
                .attribute("pages", \.pages),
                .toOne("place", \.place, renamedFrom: "shelf")
            )
            .renamedFrom("volume", "book")
        }

        struct Rack: Model, Hashable {
            var id: ID
            var title: String
            static let schema = ModelSchema(
                "rack",
                Self.init,
                .id("id", \.id),
                .attribute("title", \.title, renamedFrom: "name")
            )
            .renamedFrom("shelf")
            .toMany("volumes", of: Tome.self, inverse: "place", renamedFrom: "books")
            .toMany("loved", of: Tome.self, renamedFrom: "favorites")
        }

        static let schema = Schema(Rack.self, Tome.self)
    }

    static func fill(_ app: AppStore) throws {
        try app.with(One.schema) { store in
            try store.write {
                try $0.insert(One.Shelf(id: "s", name: "top"))
                try $0.insert(One.Book(id: "b", first: "Ada", last: "Lovelace", pages: 66, shelf: "s"))
                try $0.link("favorites", of: EntityReference(model: "shelf", id: "s"), to: "b")
            }
        }
    }
}

@Suite struct `Renaming` {
    let app: AppStore

    init() throws {
        app = try AppStore()
        try Library.fill(app)
    }

    @Test func `models, attributes and relationships keep what they have under other names`() throws {
        // STO-89
        let digest = try app.with(Library.One.schema) { try $0.read { $0.digest } }
        try app.with(Library.Two.schema) { store in
            #expect(try store.read { $0.digest } == digest)
            let volume = try #require(try store.fetch(Library.Two.Volume.self, id: "b"))
            #expect(volume.last == "Ada" && volume.first == "Lovelace")
            #expect(volume.length == 66 && volume.pages == nil && volume.place == "s")
            try store.read { transaction in
                let rack = try transaction.fetch(Library.Two.Rack.self, id: "s")
                #expect(rack?.title == "top")
                #expect(try transaction.entries(Library.Two.Rack.volumes, of: "s").map(\.target) == ["b"])
                #expect(try transaction.entries(Library.Two.Rack.loved, of: "s").map(\.target) == ["b"])
                let query = FetchDescriptor<Library.Two.Volume>().where { $0.last == "Ada" }
                #expect("\(try transaction.explain(query))".contains("index"))
                #expect(try transaction.fetch(query).map(\.id) == ["b"])
            }
        }
        try app.expectSound()
    }

    @Test func `a declaration with names that were changed already changes nothing`() throws {
        // STO-05, STO-89
        try app.with(Library.Two.schema) { _ in }
        let head = try app.with(Library.Two.schema) { try $0.read { $0.position } }
        #expect(try app.with(Library.Two.schema) { try $0.read { $0.position } } == head)
    }

    @Test(arguments: [false, true])
    func `every earlier version comes to the newest names`(goesThroughTheSecond: Bool) throws {
        // STO-89
        if goesThroughTheSecond { try app.with(Library.Two.schema) { _ in } }
        try app.with(Library.Three.schema) { store in
            let tome = try #require(try store.fetch(Library.Three.Tome.self, id: "b"))
            #expect(tome.family == "Ada" && tome.given == "Lovelace" && tome.size == 66 && tome.pages == nil)
            #expect(tome.place == "s")
        }
        try app.expectSound()
    }

    @Test(arguments: [1, 2, 3])
    func `names that are exchanged again and again stay with their values`(_ stride: Int) throws {
        // STO-89
        func names(_ place: Int, after count: Int) -> [String] {
            (0...count).reversed().map { ($0 + place).isMultiple(of: 2) ? "a" : "b" }
        }
        func declaration(_ count: Int) throws -> Schema {
            let attributes = (0..<2).map { place in
                let names = names(place, after: count)
                return AttributeDescription(
                    slot: place,
                    name: names[0],
                    earlierNames: Array(names.dropFirst()),
                    type: .int,
                    isOptional: true
                )
            }
            let model = ModelDescription(
                number: 1,
                name: "pair",
                version: UInt32(count + 1),
                slotCount: 2,
                attributes: attributes,
                indexes: []
            )
            return try Schema(SchemaDescription(models: [model], relations: []))
        }
        let pairs = try AppStore()
        let pair = EntityReference(model: "pair", id: "p")
        try pairs.with(declaration(0)) { store in
            _ = try store.write { try $0.put(pair, values: ["a": .int(1), "b": .int(2)]) }
        }
        for count in Swift.stride(from: stride, through: 6, by: stride) {
            for _ in 0..<2 {
                try pairs.with(declaration(count)) { store in
                    let record = try store.read { try $0.record(model: "pair", id: "p") }
                    #expect(record?[names(0, after: count)[0]] == .int(1), "\(count)")
                    #expect(record?[names(1, after: count)[0]] == .int(2), "\(count)")
                }
            }
        }
        try pairs.expectSound()
    }

    @Test func `older code is told of names that mean something else now`() throws {
        // STO-85, STO-89
        struct Book: Model {
            var id: ID
            var first: String
            var last: String
            static let schema = ModelSchema(
                "person",
                Self.init,
                .id("id", \.id),
                .attribute("first", \.first),
                .attribute("last", \.last)
            )
        }
        struct Renamed: Model {
            var id: ID
            var first: String
            var last: String
            static let schema = ModelSchema(
                "person",
                Self.init,
                .id("id", \.id),
                .attribute("first", \.first, renamedFrom: "last"),
                .attribute("last", \.last, renamedFrom: "first")
            )
        }
        let people = try AppStore()
        try people.with(Schema(Book.self)) { store in
            try store.write { try $0.insert(Book(id: "a", first: "Ada", last: "Lovelace")) }
        }
        try people.with(Schema(Renamed.self)) { store in
            let person = try store.fetch(Renamed.self, id: "a")
            #expect(person?.first == "Lovelace")
        }
        let error = failure { try people.with(Schema(Book.self)) { _ in } }
        #expect(error?.code == .newerSchema)
        #expect(error?.message.contains("person.first is called last now") == true)
        // The same with other names of all.
        try app.with(Library.Two.schema) { _ in }
        #expect(failure { try app.with(Library.One.schema) { _ in } }?.code == .newerSchema)
    }

    @Test func `a process that has the store open is told of a rename`() async throws {
        // STO-84, STO-89
        let notes = try AppStore()
        try notes.fill(3)
        let store = try notes.open(FirstVersion.schema)
        await #expect(processExitsWith: .success) { [path = notes.path as String] in
            try Store.open(at: path, schema: Schema(Headed.self)).close()
        }
        let error = failure { _ = try store.count(FetchDescriptor<FirstVersion.Note>()) }
        store.close()
        #expect(error?.code == .schemaChanged)
        #expect(error?.message.contains("note.title is called heading now") == true)
    }

    @Test func `a rename that is not said is refused, with the line that says it`() throws {
        // STO-83
        struct Silent: Model {
            var id: ID
            var heading: String
            var length: Int
            var email: String?
            static let schema = ModelSchema(
                "note",
                Self.init,
                .id("id", \.id),
                .attribute("heading", \.heading),
                .attribute("length", \.length, indexed: true),
                .attribute("email", \.email)
            )
        }
        let notes = try AppStore()
        try notes.fill(3)
        let error = failure { try notes.with(Schema(Silent.self)) { _ in } }
        #expect(error?.code == .schemaMismatch)
        #expect(error?.message.contains("write renamedFrom: \"title\" at heading") == true)
        let heading = try notes.with(Schema(Headed.self)) { try $0.fetch(Headed.self, id: "n1")?.heading }
        #expect(heading == "title 1")
    }
}

private struct Headed: Model {
    var id: ID
    var heading: String
    var length: Int
    var email: String?
    static let schema = ModelSchema(
        "note",
        Self.init,
        .id("id", \.id),
        .attribute("heading", \.heading, renamedFrom: "title"),
        .attribute("length", \.length, indexed: true),
        .attribute("email", \.email)
    )
}

import Reprise
import TestSupport
import Testing

/// A new attribute that is required and has a default: a plain one and one with an index.
private struct RatedNote: Model, Hashable {
    var id: ID
    var title: String
    var length: Int
    var email: String?
    var stars: Int
    var color: String
    static let schema = ModelSchema(
        "note",
        Self.init,
        .id("id", \.id),
        .attribute("title", \.title),
        .attribute("length", \.length, indexed: true),
        .attribute("email", \.email),
        .attribute("stars", \.stars, default: 3),
        .attribute("color", \.color, indexed: true, default: "red")
    )
    .searchable("color")
}

/// Demands an email, and says what rows without one have.
private struct AddressedNote: Model, Hashable {
    var id: ID
    var title: String
    var length: Int
    var email: String
    static let schema = ModelSchema(
        "note",
        Self.init,
        .id("id", \.id),
        .attribute("title", \.title),
        .attribute("length", \.length, indexed: true),
        .attribute("email", \.email, default: "nobody@example.org")
    )
}

@Suite struct `Defaults of attributes` {
    let app: AppStore

    init() throws {
        app = try AppStore()
        try app.fill(10)
    }

    @Test func `rows that are older than an attribute have its default, however they are read`() throws {
        // STO-88
        let (digest, before) = try app.with(FirstVersion.schema) { try $0.read { ($0.digest, $0.position) } }
        try app.with(Schema(RatedNote.self)) { store in
            #expect(try store.read { $0.digest } == digest)
            let note = try #require(try store.fetch(RatedNote.self, id: "n1"))
            #expect(note.stars == 3 && note.color == "red" && note.length == 1)
            try store.read { transaction in
                let record = try transaction.record(model: "note", id: "n1")
                #expect(record?["stars"] == .int(3))
                #expect(try transaction.count(FetchDescriptor<RatedNote>().where { $0.stars == 3 }) == 10)
                #expect(try transaction.count(FetchDescriptor<RatedNote>().where { $0.stars != 3 }) == 0)
                let red = FetchDescriptor<RatedNote>().where { $0.color == "red" }
                #expect("\(try transaction.explain(red))".contains("index"))
                #expect(try transaction.fetch(red).count == 10)
                #expect(try transaction.search(RatedNote.self, "red").count == 10)
            }
            let past = try store.read(asOf: .position(before)) { try $0.fetch(RatedNote.self, id: "n2") }
            #expect(past?.stars == 3)
        }
        try app.expectSound()
    }

    @Test func `a row gets its defaults for good when it is written next`() throws {
        // STO-88
        try app.with(Schema(RatedNote.self)) { store in
            try store.write { transaction in
                try transaction.update(RatedNote.self, id: "n1") { $0.color = "blue" }
                try transaction.put(EntityReference(model: "note", id: "n2"), values: ["title": .string("by name")])
                try transaction.put(
                    EntityReference(model: "note", id: "new"),
                    values: ["title": .string("by name"), "length": .int(1)]
                )
            }
            #expect(try store.fetch(FetchDescriptor<RatedNote>().where { $0.color == "red" }).count == 10)
            #expect(try store.fetch(FetchDescriptor<RatedNote>().where { $0.color == "blue" }).map(\.id) == ["n1"])
            #expect(try store.fetch(RatedNote.self, id: "new")?.stars == 3)
            try store.write { _ = try $0.delete(RatedNote.self, id: "n3") }
            #expect(try store.fetch(FetchDescriptor<RatedNote>().where { $0.color == "red" }).count == 9)
        }
        try app.expectSound()
    }

    @Test func `to save a row that is older than an attribute as it is is no change`() throws {
        // STO-88
        try app.with(Schema(RatedNote.self)) { store in
            let head = try store.resolve(.head)
            let notes = try store.fetch(RatedNote.self)
            try store.write { transaction in
                for note in notes { try transaction.save(note) }
                try transaction.update(RatedNote.self, id: "n1") { $0.stars = 3 }
            }
            #expect(try store.resolve(.head) == head)
            try store.write { try $0.update(RatedNote.self, id: "n1") { $0.stars = 4 } }
            #expect(try store.fetch(RatedNote.self, id: "n1")?.stars == 4)
            try store.write { try $0.update(RatedNote.self, id: "n1") { $0.stars = 3 } }
            #expect(try store.fetch(RatedNote.self, id: "n1")?.stars == 3)
        }
        try app.expectSound()
    }

    @Test func `an optional attribute becomes required with a default for the rows that lack it`() throws {
        // STO-81, STO-88
        try app.with(Schema(AddressedNote.self)) { store in
            let note = try store.fetch(AddressedNote.self, id: "n0")
            #expect(note?.email == "nobody@example.org")
            #expect(try store.fetch(AddressedNote.self, id: "n1")?.email == "1@example.org")
        }
        try app.expectSound()
        let error = failure { try app.with(FirstVersion.schema) { _ in } }
        #expect(error?.code == .newerSchema)
    }

    @Test func `the index of an attribute that gets a default has it`() throws {
        // STO-88
        enum Indexed {
            struct Before: Model {
                var id: ID
                var title: String
                var length: Int
                var email: String?
                static let schema = ModelSchema(
                    "note",
                    Self.init,
                    .id("id", \.id),
                    .attribute("title", \.title),
                    .attribute("length", \.length, indexed: true),
                    .attribute("email", \.email, indexed: true)
                )
            }
            struct After: Model {
                var id: ID
                var title: String
                var length: Int
                var email: String
                static let schema = ModelSchema(
                    "note",
                    Self.init,
                    .id("id", \.id),
                    .attribute("title", \.title),
                    .attribute("length", \.length, indexed: true),
                    .attribute("email", \.email, indexed: true, default: "x")
                )
            }
        }
        try app.with(Schema(Indexed.Before.self)) { _ in }
        try app.with(Schema(Indexed.After.self)) { store in
            let query = FetchDescriptor<Indexed.After>().where { $0.email == "x" }
            let explanation = try store.explain(query)
            #expect("\(explanation)".contains("index"))
            #expect(try store.fetch(query).count == 4)
        }
        try app.expectSound()
    }

    @Test func `the store keeps the default that it was given first`() throws {
        // STO-88
        struct Later: Model {
            var id: ID
            var title: String
            var length: Int
            var email: String?
            var stars: Int
            var color: String
            static let schema = ModelSchema(
                "note",
                Self.init,
                .id("id", \.id),
                .attribute("title", \.title),
                .attribute("length", \.length, indexed: true),
                .attribute("email", \.email),
                .attribute("stars", \.stars, default: 5),
                .attribute("color", \.color, indexed: true)
            )
            .searchable("color")
        }
        try app.with(Schema(RatedNote.self)) { _ in }
        try app.with(Schema(Later.self)) { store in
            let note = try #require(try store.fetch(Later.self, id: "n1"))
            #expect(note.stars == 3 && note.color == "red")
        }
    }

    @Test func `older code writes rows that lack a new attribute, and newer code reads its default in them`() throws {
        // STO-85, STO-88
        try app.with(Schema(RatedNote.self)) { _ in }
        try app.with(FirstVersion.schema) { store in
            try store.write {
                try $0.insert(FirstVersion.Note(id: "old", title: "by older code", length: 1))
                try $0.update(FirstVersion.Note.self, id: "n1") { $0.title = "changed" }
            }
        }
        try app.with(Schema(RatedNote.self)) { store in
            let note = try store.fetch(RatedNote.self, id: "old")
            #expect(note?.color == "red")
            #expect(try store.fetch(FetchDescriptor<RatedNote>().where { $0.color == "red" }).count == 11)
        }
        try app.expectSound()
    }

    @Test func `what older code writes obeys a unique index over a default`() throws {
        // STO-85, STO-88
        struct Titled: Model {
            var id: ID
            var title: String
            var length: Int
            var email: String?
            var kind: String
            static let schema = ModelSchema(
                "note",
                Self.init,
                .id("id", \.id),
                .attribute("title", \.title),
                .attribute("length", \.length, indexed: true),
                .attribute("email", \.email),
                .attribute("kind", \.kind, default: "note")
            )
            .unique("length", "kind")
        }
        try app.with(Schema(Titled.self)) { _ in }
        let error = failure {
            try app.with(FirstVersion.schema) { store in
                try store.write { try $0.insert(FirstVersion.Note(id: "x", title: "", length: 3)) }
            }
        }
        #expect(error?.code == .uniqueViolation)
        let update = failure {
            try app.with(FirstVersion.schema) { store in
                _ = try store.write { try $0.update(FirstVersion.Note.self, id: "n1") { $0.length = 3 } }
            }
        }
        #expect(update?.code == .uniqueViolation)
        try app.expectSound()
    }

    @Test func `an attribute whose default rows rely on cannot become optional`() throws {
        // STO-83, STO-88
        struct Loose: Model {
            var id: ID
            var title: String
            var length: Int
            var email: String?
            var stars: Int?
            var color: String
            static let schema = ModelSchema(
                "note",
                version: 2,
                Self.init,
                .id("id", \.id),
                .attribute("title", \.title),
                .attribute("length", \.length, indexed: true),
                .attribute("email", \.email),
                .attribute("stars", \.stars),
                .attribute("color", \.color, indexed: true)
            )
            .searchable("color")
        }
        try app.with(Schema(RatedNote.self)) { _ in }
        let error = failure { try app.with(Schema(Loose.self)) { _ in } }
        #expect(error?.code == .schemaMismatch)
        #expect(error?.message.contains("note.stars cannot become optional") == true)
    }

    @Test func `a default that all older rows would share cannot be unique`() throws {
        // STO-83
        struct Unique: Model {
            var id: ID
            var title: String
            var length: Int
            var email: String?
            var code: Int
            static let schema = ModelSchema(
                "note",
                Self.init,
                .id("id", \.id),
                .attribute("title", \.title),
                .attribute("length", \.length, indexed: true),
                .attribute("email", \.email),
                .attribute("code", \.code, unique: true, default: 0)
            )
        }
        let error = failure { try app.with(Schema(Unique.self)) { _ in } }
        #expect(error?.code == .uniqueViolation)
        #expect(try app.with(FirstVersion.schema) { try $0.count(FetchDescriptor<FirstVersion.Note>()) } == 10)
    }

    @Test func `an optional attribute has no default`() {
        // STO-88
        struct Contradiction: Model {
            var id: ID
            var stars: Int?
            static let schema = ModelSchema(
                "note",
                Self.init,
                .id("id", \.id),
                .attribute("stars", \.stars, default: 3)
            )
        }
        #expect(throws: SchemaError.self) { try Schema(validating: Contradiction.self) }
    }
}

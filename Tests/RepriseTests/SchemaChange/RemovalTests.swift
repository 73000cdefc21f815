import Reprise
import TestSupport
import Testing

/// A library that gives things up from version to version.
private enum Library {
    enum One {
        struct Book: Model, Hashable {
            var id: ID
            var title: String
            var note: String?
            var shelf: Shelf.ID?
            static let schema = ModelSchema(
                "book",
                Self.init,
                .id("id", \.id),
                .attribute("title", \.title, indexed: true),
                .attribute("note", \.note, indexed: true),
                .toOne("shelf", \.shelf)
            )
            .searchable("title", "note")
        }

        struct Shelf: Model, Hashable {
            var id: ID
            var name: String
            static let schema = ModelSchema(
                "shelf",
                Self.init,
                .id("id", \.id),
                .attribute("name", \.name, unique: true)
            )
            .toMany("books", of: Book.self, inverse: "shelf", onDelete: .deny)
            .toMany("favorites", of: Book.self)
        }

        static let schema = Schema(Book.self, Shelf.self)
    }

    /// Without the note, and without lists of favorites.
    enum Two {
        struct Book: Model, Hashable {
            var id: ID
            var title: String
            var shelf: Shelf.ID?
            static let schema = ModelSchema(
                "book",
                Self.init,
                .id("id", \.id),
                .attribute("title", \.title, indexed: true),
                .toOne("shelf", \.shelf)
            )
            .removed("note")
            .searchable("title")
        }

        struct Shelf: Model, Hashable {
            var id: ID
            var name: String
            static let schema = ModelSchema(
                "shelf",
                Self.init,
                .id("id", \.id),
                .attribute("name", \.name, unique: true)
            )
            .toMany("books", of: Book.self, inverse: "shelf", onDelete: .deny)
            .removed("favorites")
        }

        static let schema = Schema(Book.self, Shelf.self)
    }

    /// Without shelves, and with a note again.
    enum Three {
        struct Book: Model, Hashable {
            var id: ID
            var title: String
            var note: String?
            static let schema = ModelSchema(
                "book",
                Self.init,
                .id("id", \.id),
                .attribute("title", \.title, indexed: true),
                .attribute("note", \.note)
            )
            .removed("shelf")
            .searchable("title")
        }

        static let schema = Schema(Book.self, removed: ["shelf"])
    }

    static func fill(_ app: AppStore) throws {
        try app.with(One.schema) { store in
            try store.write { transaction in
                for name in ["s", "t"] { try transaction.insert(One.Shelf(id: .init(name), name: name)) }
                for number in 0..<6 {
                    try transaction.insert(
                        One.Book(
                            id: .init("b\(number)"),
                            title: "title \(number)",
                            note: "note \(number)",
                            shelf: number.isMultiple(of: 2) ? "s" : "t"
                        )
                    )
                    try transaction.link(
                        "favorites",
                        of: EntityReference(model: "shelf", id: "t"),
                        to: "b\(number)"
                    )
                }
            }
        }
    }
}

@Suite struct `Removing` {
    let app: AppStore

    init() throws {
        app = try AppStore()
        try Library.fill(app)
    }

    @Test func `an attribute that is removed is gone from rows and queries, and stays in the log`() throws {
        // STO-90, STO-92
        let digest = try app.with(Library.One.schema) { try $0.read { $0.digest } }
        try app.with(Library.Two.schema) { store in
            #expect(try store.read { $0.digest } == digest)
            try store.read { transaction in
                let record = try #require(try transaction.record(model: "book", id: "b1"))
                #expect(record.values.map(\.name) == ["title", "shelf"])
                #expect(try transaction.record(model: "shelf", id: "t")?.lists.map(\.name) == ["books"])
                #expect(throws: StoreError.self) {
                    try transaction.count(RecordQuery(model: "book", filter: .isNil(["note"])))
                }
                var notes: [Value] = []
                try transaction.forEachCommit { commit in
                    notes += commit.events.flatMap(\.changes).filter { $0.name == "note" }.map(\.to)
                    return true
                }
                #expect(notes.contains(.string("note 1")))
            }
        }
        try app.expectSound()
    }

    @Test func `the values that were removed survive changes of their rows, and a rollback`() throws {
        // STO-86, STO-92
        let before = try app.with(Library.One.schema) { try $0.read { $0.position } }
        try app.with(Library.Two.schema) { store in
            try store.write { transaction in
                try transaction.update(Library.Two.Book.self, id: "b1") { $0.title = "changed" }
                try transaction.put(EntityReference(model: "book", id: "b2"), values: ["title": .string("by name")])
                _ = try transaction.delete(Library.Two.Book.self, id: "b3")
                try transaction.insert(Library.Two.Book(id: "new", title: "new", shelf: "s"))
            }
        }
        try app.expectSound()
        let digest = try app.with(Library.Two.schema) { store in
            _ = try store.rollback(to: .position(before))
            #expect(try store.fetch(Library.Two.Book.self, id: "b1")?.title == "title 1")
            #expect(try store.fetch(Library.Two.Book.self, id: "b3")?.title == "title 3")
            return try store.read { $0.digest }
        }
        #expect(try app.with(Library.Two.schema) { try $0.read(asOf: .position(before)) { $0.digest } } == digest)
        try app.expectSound()
    }

    @Test func `the past has its own schema where that is asked for`() throws {
        // STO-86
        let before = try app.with(Library.One.schema) { try $0.read { $0.position } }
        try app.with(Library.Three.schema) { store in
            _ = try store.write { try $0.update(Library.Three.Book.self, id: "b1") { $0.note = "new" } }
            try store.read(asOf: .position(before), underSchemaOfThen: true) { transaction in
                #expect(transaction.schema.models.map(\.name) == ["book", "shelf"])
                let record = try transaction.record(model: "book", id: "b1")
                #expect(record?["note"] == .string("note 1") && record?["shelf"] == .reference("t"))
                let shelf = try transaction.record(model: "shelf", id: "t")
                #expect(shelf?.lists.map(\.name) == ["books", "favorites"])
                #expect(shelf?.lists.last?.targets.count == 6)
                // The indexes of then are gone, and their attributes are found without.
                let note = RecordQuery(model: "book", filter: .compare(["note"], .equal, .string("note 1")))
                #expect(try transaction.records(note).map(\.id) == ["b1"])
                var eventCount = 0
                try transaction.forEachCommit { commit in
                    eventCount += commit.events.count
                    return true
                }
                #expect(eventCount == 17)
            }
            try store.read(asOf: .position(before)) { transaction in
                #expect(transaction.schema.models.map(\.name) == ["book"])
            }
        }
    }

    @Test func `a list that is removed has no say when its members are deleted`() throws {
        // STO-92
        try app.with(Library.Two.schema) { store in
            let plan = try store.write { try $0.delete(Library.Two.Book.self, id: "b1") }
            #expect(plan.unlinked.isEmpty)
        }
        try app.expectSound()
    }

    @Test func `a model that is removed leaves its rows to the history, and its rules are no more`() throws {
        // STO-90, STO-92
        try app.with(Library.Three.schema) { store in
            #expect(try store.read { $0.counts.map(\.model) } == ["book"])
            #expect(try store.fetch(Library.Three.Book.self, id: "b0")?.title == "title 0")
            try store.write { transaction in
                _ = try transaction.delete(Library.Three.Book.self, id: "b0")
                try transaction.update(Library.Three.Book.self, id: "b1") { $0.note = "written anew" }
            }
            try store.read { transaction in
                #expect(throws: StoreError.self) { try transaction.record(model: "shelf", id: "s") }
                let shelves = try transaction.commitEvents { $0.entity?.model == "shelf" }
                #expect(shelves.count == 8)
            }
        }
        try app.expectSound()
    }

    @Test func `an attribute of the name of one that was removed is another one`() throws {
        // STO-82, STO-90
        try app.with(Library.Two.schema) { _ in }
        try app.with(Library.Three.schema) { store in
            let book = try store.fetch(Library.Three.Book.self, id: "b1")
            #expect(book?.note == nil)
        }
        // The declaration is also that of an older version, and means what it says now.
        let note = try app.with(Library.Three.schema) { try $0.fetch(Library.Three.Book.self, id: "b1")?.note }
        #expect(note == nil)
        try app.expectSound()
    }

    @Test func `older code is told what is removed`() throws {
        // STO-85, STO-90
        try app.with(Library.Two.schema) { _ in }
        let error = failure { try app.with(Library.One.schema) { _ in } }
        #expect(error?.code == .newerSchema)
        #expect(error?.message.contains("book.note is removed") == true)
        #expect(error?.message.contains("shelf.favorites is removed") == true)
    }

    @Test func `what is gone and not said to be removed is refused, with the line that says it`() throws {
        // STO-83
        struct Book: Model {
            var id: ID
            var title: String
            static let schema = ModelSchema(
                "book",
                Self.init,
                .id("id", \.id),
                .attribute("title", \.title, indexed: true)
            )
            .searchable("title")
        }
        let error = failure { try app.with(Schema(Book.self)) { _ in } }
        #expect(error?.code == .schemaMismatch)
        for line in [".removed(\"note\")", ".removed(\"shelf\")", "Schema(…, removed: [\"shelf\"])"] {
            #expect(error?.message.contains(line) == true, "\(line)")
        }
    }

    @Test func `what is declared and removed at once contradicts itself`() {
        // STO-90
        struct Book: Model {
            var id: ID
            var title: String
            static let schema = ModelSchema(
                "book",
                Self.init,
                .id("id", \.id),
                .attribute("title", \.title)
            )
            .removed("title")
        }
        #expect(throws: SchemaError.self) { try Schema(validating: Book.self) }
    }
}

extension ReadTransaction {
    /// The events that are wanted, oldest first.
    fileprivate func commitEvents(where isWanted: @escaping (EventRecord) -> Bool) throws -> [EventRecord] {
        var events: [EventRecord] = []
        try forEachCommit(where: isWanted) { commit in
            events += commit.events
            return true
        }
        return events
    }
}

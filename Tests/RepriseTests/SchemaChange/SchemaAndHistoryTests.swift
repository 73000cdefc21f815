import Reprise
import Testing

/// What becomes of the past, of bulk loads, of small maps and of observers when the schema changes (STO-82, STO-86).
@Suite struct SchemaAndHistoryTests {
    private typealias One = FirstVersion
    private typealias Two = SecondVersion

    @Test func `the past is read under the schema of today`() throws {
        let app = try AppStore()
        try app.fill(10)
        let then = try app.with(One.schema) { try $0.statistics().head }
        try app.with(Two.schema) { store in
            try store.write { _ = try $0.update(Two.Note.self, id: "n1") { $0.color = "red" } }
            let note = try store.read(asOf: .position(then)) { try $0.fetch(Two.Note.self, id: "n1") }
            #expect(note?.color == nil)
            #expect(note?.email == "1@example.org")
            let back = try store.rollback(to: .position(then))
            #expect(back.digest == (try store.read(asOf: .position(then)) { $0.digest }))
            #expect(try store.fetch(Two.Note.self, id: "n1")?.color == nil)
            #expect(try store.schema.model(named: "folder") != nil)
        }
        try app.expectSound()
        // A copy up to then has the schema of then.
        let copy = app.path + "-then"
        let store = try Store.open(existing: app.path)
        try store.replay(upTo: .position(then), into: copy)
        store.close()
        let old = try Store.open(at: copy, schema: One.schema)
        #expect(try old.count(FetchDescriptor<One.Note>()) == 10)
        old.close()
    }

    @Test(arguments: AppStore.Views.allCases)
    func `a rollback to rows that the schema of today forbids changes nothing`(_ views: AppStore.Views) throws {
        // HIS-28, STO-86
        let app = try AppStore(views)
        try app.fill(10)
        let same = try app.with(One.schema) { store in
            try store.write { transaction in
                try transaction.update(One.Note.self, id: "n1") { $0.email = "same" }
                try transaction.update(One.Note.self, id: "n2") { $0.email = "same" }
            }
            let head = try store.statistics().head
            try store.write { _ = try $0.update(One.Note.self, id: "n2") { $0.email = "other" } }
            return head
        }
        try app.with(Two.schema) { store in
            let before = try store.statistics()
            let error = failure { try store.rollback(to: .position(same)) }
            #expect(error?.code == .uniqueViolation)
            #expect(try store.statistics().head == before.head)
            #expect(try store.read { $0.digest } == before.digest)
        }
        // Where a third row had the value in between, and is gone.
        let third = try AppStore(views)
        try third.fill(3)
        let two = try third.with(One.schema) { store in
            func set(_ id: One.Note.ID, _ email: String) throws {
                try store.write { _ = try $0.update(One.Note.self, id: id) { $0.email = email } }
            }
            try set("n1", "x")
            try set("n2", "x")
            let head = try store.statistics().head
            try store.write { try $0.insert(One.Note(id: "c", title: "", length: 0, email: "x")) }
            try store.write { _ = try $0.delete(One.Note.self, id: "c") }
            try set("n1", "y")
            try set("n2", "z")
            return head
        }
        try third.with(Two.schema) { store in
            #expect(failure { try store.rollback(to: .position(two)) }?.code == .uniqueViolation)
        }
        let other = try AppStore(views)
        try other.fill(2)
        let start = try other.with(One.schema) { store in
            let head = try store.statistics().head
            try store.write { _ = try $0.update(One.Note.self, id: "n0") { $0.email = "e" } }
            return head
        }
        try other.with(StrictVersion.schema) { store in
            let error = failure { try store.rollback(to: .position(start)) }
            #expect(error?.code == .invalidValue)
            #expect(error?.message == "note \"n0\" had no email then, which is required now.")
        }
        try other.expectSound()
    }

    @Test func `recorded deletions are checked by the rules that were in force`() throws {
        let app = try AppStore()
        try app.fill(0)
        try app.with(Two.schema) { store in
            try store.write { transaction in
                try transaction.insert(Two.Folder(id: "f", name: ""))
                try transaction.insert(Two.Note(id: "a", title: "", length: 0, folder: "f"))
                // `cascade`: the note goes along.
                #expect(try transaction.delete(Two.Folder.self, id: "f").deleted.count == 2)
            }
        }
        try app.with(Schema(Keeper.self, KeptNote.self)) { store in
            try store.write { transaction in
                try transaction.insert(Keeper(id: "g", name: ""))
                try transaction.insert(KeptNote(id: "b", title: "", length: 0, folder: "g"))
                #expect(try transaction.delete(Keeper.self, id: "g").nullified.count == 1)
            }
        }
        try app.expectSound()
    }

    /// Folders whose notes stay.
    private struct Keeper: Model {
        var id: ID
        var name: String
        static let schema = ModelSchema("folder", Self.init, .id("id", \.id), .attribute("name", \.name))
            .toMany("notes", of: KeptNote.self, inverse: "folder")
    }

    private struct KeptNote: Model {
        var id: ID
        var title: String
        var length: Int
        var email: String?
        var color: String?
        var folder: Keeper.ID?
        static let schema = ModelSchema(
            "note",
            version: 2,
            Self.init,
            .id("id", \.id),
            .attribute("title", \.title, indexed: true),
            .attribute("length", \.length),
            .attribute("email", \.email, unique: true),
            .attribute("color", \.color, indexed: true),
            .toOne("folder", \.folder)
        )
        .searchable("title")
    }

    // MARK: Around it

    @Test func `a store that is only read is not changed`() throws {
        let app = try AppStore()
        try app.fill(1)
        let error = failure {
            try Store.open(at: app.path, schema: Two.schema, configuration: .readOnly).close()
        }
        #expect(error?.code == .schemaMismatch)
        #expect(error?.message.contains("adds the model folder") == true)
        #expect(try app.with(One.schema) { try $0.statistics().schemaNumber } == 1)
    }

    @Test func `a bulk load and a catch-up after it follow the new schema`() throws {
        let app = try AppStore()
        try app.fill(10)
        try app.with(Two.schema) { store in
            try store.bulkLoad(memoryByteCount: 1 << 20) { loader in
                for batch in 0..<20 {
                    try loader.batch { transaction in
                        for number in 0..<200 {
                            let id = batch * 200 + number
                            try transaction.insert(
                                Two.Note(id: .init("b\(id)"), title: "t", length: id, color: "c\(id % 3)")
                            )
                        }
                    }
                }
            }
            #expect(try store.count(FetchDescriptor<Two.Note>().where { $0.color == "c1" }) == 1333)
        }
        try app.expectSound()
    }

    @Test func `a small map grows for the indexes of many rows`() throws {
        let app = try AppStore()
        try app.fill(20_000)
        let store = try Store.open(
            at: app.path,
            schema: Two.schema,
            configuration: .init(mapByteCount: 1 << 20)
        )
        let count = try store.count(FetchDescriptor<Two.Note>().where { $0.title == "title 1" })
        #expect(count == (0..<20_000).count { $0 % 7 == 1 })
        store.close()
        try app.expectSound()
    }

    @Test func `a small map grows for a search index that takes more than it looks like`() throws {
        let app = try AppStore()
        try app.fill(0)
        try app.with(One.schema) { store in
            try store.write { transaction in
                for number in 0..<400 {
                    let words = (0..<400).map { "w\(number)x\($0)" }.joined(separator: " ")
                    try transaction.insert(
                        One.Note(id: .init("n\(number)"), title: words, length: 0, email: nil)
                    )
                }
            }
        }
        let store = try Store.open(
            at: app.path,
            schema: Two.schema,
            configuration: .init(mapByteCount: 1 << 20)
        )
        #expect(try store.search(Two.Note.self, "w7x399").map(\.model.id) == ["n7"])
        store.close()
        try app.expectSound()
    }

    @Test func `an observer of a query sees what is written after a change of another process`() async throws {
        let app = try AppStore()
        try app.fill(3)
        let store = try app.open(One.schema)
        defer { store.close() }
        var updates = store.observe(FetchDescriptor<One.Note>()).makeAsyncIterator()
        #expect(try await updates.next()?.results.count == 3)
        await #expect(processExitsWith: .success) { [path = app.path as String] in
            let other = try Store.open(at: path, schema: SecondVersion.schema)
            try other.write {
                try $0.insert(SecondVersion.Note(id: "new", title: "", length: 0, color: "red"))
            }
            other.close()
        }
        #expect(try await updates.next()?.results.count == 4)
    }
}

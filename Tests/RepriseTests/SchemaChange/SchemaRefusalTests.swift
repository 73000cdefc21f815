import Reprise
import Testing

/// What a declaration cannot say by being there is refused, with what to write, and nothing is changed (STO-83).
@Suite struct SchemaRefusalTests {
    private func refusal<M: Model>(_ type: M.Type, _ location: SourceLocation = #_sourceLocation) throws
        -> [String]
    {
        let app = try AppStore()
        try app.fill(3)
        let head = try app.with(FirstVersion.schema) { try $0.statistics().head }
        let error = failure { try app.with(Schema(M.self)) { _ in } }
        #expect(error?.code == .schemaMismatch, sourceLocation: location)
        let after = try app.with(FirstVersion.schema) { try $0.statistics() }
        #expect(after.head == head, sourceLocation: location)
        #expect(after.schemaNumber == 1, sourceLocation: location)
        guard case .schemaMismatch(let reasons) = error?.cause else { return [] }
        return reasons
    }

    @Test func `a model that is gone`() throws {
        #expect(
            try refusal(Other.self)
                == [
                    "The store has a model note that is not declared. Declare it, or write "
                        + "Schema(…, removed: [\"note\"]), or .renamedFrom(\"note\") at the model that it has become."
                ]
        )
    }

    @Test func `an attribute that is gone`() throws {
        #expect(
            try refusal(Fewer.self)
                == [
                    "The store has note.email, which is not declared. Declare it, or write .removed(\"email\")."
                ]
        )
    }

    @Test func `an attribute that is gone while another of its type is new`() throws {
        let reasons = try refusal(Renamed.self)
        #expect(reasons.count == 1)
        #expect(
            reasons.first
                == "note.email is gone and note.mail of the same type is new. If it has another name now, write "
                + "renamedFrom: \"email\" at mail; otherwise write .removed(\"email\")."
        )
    }

    @Test func `another type, a new attribute that is required, and a lower version, all of them told`() throws {
        let reasons = try refusal(Mistaken.self)
        #expect(reasons.count == 3)
        #expect(reasons.contains { $0.hasPrefix("note is version 1 in the store and declared as 0.") })
        #expect(reasons.contains { $0.hasPrefix("note.length is int in the store and string in the declaration.") })
        #expect(reasons.contains { $0.hasPrefix("note.stars is new and required") })
    }

    private struct Other: Model {
        var id: ID
        static let schema = ModelSchema("other", Self.init, .id("id", \.id))
    }

    private struct Fewer: Model {
        var id: ID
        var title: String
        var length: Int
        static let schema = ModelSchema(
            "note",
            Self.init,
            .id("id", \.id),
            .attribute("title", \.title),
            .attribute("length", \.length, indexed: true)
        )
    }

    private struct Renamed: Model {
        var id: ID
        var title: String
        var length: Int
        var mail: String?
        static let schema = ModelSchema(
            "note",
            Self.init,
            .id("id", \.id),
            .attribute("title", \.title),
            .attribute("length", \.length, indexed: true),
            .attribute("mail", \.mail)
        )
    }

    private struct Mistaken: Model {
        var id: ID
        var title: String
        var length: String
        var email: String?
        var stars: Int
        static let schema = ModelSchema(
            "note",
            version: 0,
            Self.init,
            .id("id", \.id),
            .attribute("title", \.title),
            .attribute("length", \.length, indexed: true),
            .attribute("email", \.email),
            .attribute("stars", \.stars)
        )
    }
}

/// Code of an earlier version meets a store of a later one (STO-84, STO-85).
@Suite struct OlderCodeTests {
    private typealias One = FirstVersion
    private typealias Two = SecondVersion

    @Test func `older code works where only additions were made, and keeps what it does not know`() throws {
        let app = try AppStore()
        try app.fill(10)
        try app.with(Two.schema) { store in
            try store.write { transaction in
                try transaction.insert(Two.Folder(id: "f", name: ""))
                try transaction.update(Two.Note.self, id: "n1") {
                    $0.color = "red"
                    $0.folder = "f"
                }
            }
        }
        try app.with(One.schema) { store in
            #expect(try store.statistics().schemaNumber == 2)
            #expect(try store.fetch(One.Note.self, id: "n1")?.title == "title 1")
            try store.write { transaction in
                try transaction.update(One.Note.self, id: "n1") { $0.title = "changed" }
                try transaction.insert(One.Note(id: "new", title: "t", length: 1, email: nil))
                // Nothing differs, so nothing is recorded.
                try transaction.update(One.Note.self, id: "n1") { $0.title = "changed" }
            }
            // The newer rules hold for it, too.
            let taken = failure {
                try store.write { try $0.insert(One.Note(id: "x", title: "", length: 0, email: "1@example.org")) }
            }
            #expect(taken?.code == .uniqueViolation)
        }
        try app.with(Two.schema) { store in
            #expect(try store.statistics().schemaNumber == 2)
            let note = try #require(try store.fetch(Two.Note.self, id: "n1"))
            #expect(note.title == "changed")
            #expect(note.color == "red")
            #expect(note.folder == "f")
            #expect(try store.read { try $0.entries(Two.Folder.notes, of: "f").count } == 1)
        }
        try app.expectSound()
    }

    @Test func `older code is told where it cannot work any more`() throws {
        let app = try AppStore()
        try app.fill(1)
        try app.with(LooseVersion.schema) { _ in }
        let error = failure { try app.with(One.schema) { _ in } }
        #expect(error?.code == .newerSchema)
        #expect(error?.message.contains("note.length is optional now") == true)
        #expect(try app.with(LooseVersion.schema) { try $0.count(FetchDescriptor<LooseVersion.Note>()) } == 1)
    }

    @Test func `a declaration gets its unique index back that another version has taken away`() throws {
        let app = try AppStore()
        try app.fill(3)
        // 1.0, 1.2, then 1.1, which was never in force here.
        try app.with(Schema(Unique.self)) { _ in }
        let without = try app.with(Schema(Indexed.self)) { try $0.schema }
        #expect(!without.models[0].indexes.contains { $0.isUnique })
        try app.with(Schema(Unique.self)) { store in
            let taken = failure {
                try store.write { try $0.insert(Unique(id: "x", title: "", length: 0, email: "1@example.org")) }
            }
            #expect(taken?.code == .uniqueViolation)
        }
        // The first version declares neither, and leaves what is there.
        let left = try app.with(One.schema) { try $0.schema }
        #expect(left.models[0].indexes.contains { $0.isUnique })
        try app.expectSound()
    }

    private struct Unique: Model {
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
            .attribute("email", \.email, unique: true)
        )
    }

    private struct Indexed: Model {
        var id: ID
        var title: String
        var length: Int
        var email: String?
        static let schema = ModelSchema(
            "note",
            Self.init,
            .id("id", \.id),
            .attribute("title", \.title, indexed: true),
            .attribute("length", \.length, indexed: true),
            .attribute("email", \.email)
        )
    }

    @Test func `a process that has the store open goes on after additions of another one`() async throws {
        let app = try AppStore()
        try app.fill(3)
        let store = try app.open(One.schema)
        await #expect(processExitsWith: .success) { [path = app.path as String] in
            try Store.open(at: path, schema: SecondVersion.schema).close()
        }
        #expect(try store.count(FetchDescriptor<One.Note>()) == 3)
        try await store.write { _ = try $0.update(One.Note.self, id: "n1") { $0.title = "still" } }
        #expect(try store.statistics().schemaNumber == 2)
        store.close()
        try app.expectSound()
    }

    @Test func `a process that has the store open is told of a change that it cannot work with`() async throws {
        let app = try AppStore()
        try app.fill(3)
        let store = try app.open(One.schema)
        await #expect(processExitsWith: .success) { [path = app.path as String] in
            try Store.open(at: path, schema: LooseVersion.schema).close()
        }
        #expect(failure { _ = try store.count(FetchDescriptor<One.Note>()) }?.code == .schemaChanged)
        let writing = failure { try store.write { _ = try $0.delete(One.Note.self, id: "n1") } }
        #expect(writing?.code == .schemaChanged)
        store.close()
        #expect(try app.with(LooseVersion.schema) { try $0.count(FetchDescriptor<LooseVersion.Note>()) } == 3)
    }

    @Test func `two versions that open a store at once come to one schema`() async throws {
        let app = try AppStore()
        try app.fill(50)
        for _ in 0..<5 {
            async let older = #expect(processExitsWith: .success) { [path = app.path as String] in
                let store = try Store.open(at: path, schema: FirstVersion.schema)
                #expect(try store.count(FetchDescriptor<FirstVersion.Note>()) == 50)
                store.close()
            }
            async let newer = #expect(processExitsWith: .success) { [path = app.path as String] in
                let store = try Store.open(at: path, schema: SecondVersion.schema)
                #expect(try store.count(FetchDescriptor<SecondVersion.Note>()) == 50)
                store.close()
            }
            async let other = #expect(processExitsWith: .success) { [path = app.path as String] in
                try Store.open(at: path, schema: SecondVersion.schema).close()
            }
            _ = await (older, newer, other)
        }
        #expect(try app.with(Two.schema) { try $0.statistics().schemaNumber } == 2)
        try app.expectSound()
    }
}

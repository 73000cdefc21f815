import Reprise
import TestSupport
import Testing

/// Taking back and comparing across a relaunch, and across versions of a schema.
@Suite struct ChangesAcrossVersionsTests {
    private enum Version {
        struct One: Model {
            var id: ID
            var name: String
            var stars: Int?
            static let schema = ModelSchema(
                "thing",
                Self.init,
                .id("id", \.id),
                .attribute("name", \.name, unique: true),
                .attribute("stars", \.stars)
            )
        }

        /// `name` has another name, `stars` is gone, `note` is new.
        struct Two: Model {
            var id: ID
            var title: String
            var note: String?
            static let schema = ModelSchema(
                "thing",
                Self.init,
                .id("id", \.id),
                .attribute("title", \.title, unique: true, renamedFrom: "name"),
                .attribute("note", \.note)
            )
            .removed("stars")
        }

        struct Liking: Model {
            var id: ID
            var name: String
            static let likes = Relationship<Liking, Liking>("likes")
            static let schema = ModelSchema("thing", Self.init, .id("id", \.id), .attribute("name", \.name))
                .toMany(likes)
        }

        struct Last: Model {
            var id: ID
            var name: String
            static let schema = ModelSchema("thing", Self.init, .id("id", \.id), .attribute("name", \.name))
                .removed("likes")
        }
    }

    private let directory: TemporaryDirectory
    private var path: String { directory.path("things.reprise") }
    private let before: Position

    /// A store of version one, in which anna has changed a row and deleted another one.
    init() throws {
        directory = try TemporaryDirectory()
        let store = try Store.open(at: directory.path("things.reprise"), schema: Schema(Version.One.self))
        try store.write(Jukebox.by("setup")) { transaction in
            for name in ["a", "b", "c"] {
                try transaction.insert(Version.One(id: .init(name), name: name, stars: 1))
            }
        }
        before = try store.resolve(.head)
        try store.write(Jukebox.by("anna")) { try $0.update(Version.One.self, id: "a") { $0.name = "A" } }
        try store.write(Jukebox.by("anna")) { try $0.update(Version.One.self, id: "b") { $0.stars = 5 } }
        try store.write(Jukebox.by("anna")) { try $0.delete(Version.One.self, id: "c") }
        store.close()
    }

    @Test func `undo and redo go on after a relaunch`() throws {
        for _ in 0..<3 {
            let store = try Store.open(at: path, schema: Schema(Version.One.self))
            #expect(try store.undo(by: "anna")?.isDone == true)
            store.close()
        }
        do {
            let store = try Store.open(at: path, schema: Schema(Version.One.self))
            #expect(try !store.canUndo(by: "anna"))
            #expect(try store.digest() == store.read(asOf: .position(before)) { $0.digest })
            #expect(try store.redo(by: "anna")?.isDone == true)
            store.close()
        }
        let store = try Store.open(existing: path)
        #expect(try store.read { try $0.record(model: "thing", id: "a") }?.values.first?.value == .string("A"))
        #expect(try store.canRedo(by: "anna"))
        store.close()
    }

    @Test func `what was done under an older schema is undone under the newer one`() throws {
        let store = try Store.open(at: path, schema: Schema(Version.Two.self))
        try store.write(Jukebox.by("ben")) { try $0.update(Version.Two.self, id: "a") { $0.note = "new" } }
        // The row comes back in the shape of today, without what is gone.
        #expect(try store.undo(by: "anna")?.isDone == true)
        #expect(try store.fetch(Version.Two.self, id: "c")?.title == "c")
        // Only a removed attribute was changed: nothing is to be done, and the step is taken all the same.
        #expect(try store.undo(by: "anna")?.isDone == true)
        #expect(try store.undo(by: "anna")?.isDone == true)
        let a = try #require(try store.fetch(Version.Two.self, id: "a"))
        #expect(a.title == "a" && a.note == "new")
        #expect(try !store.canUndo(by: "anna"))
        #expect(try store.verify().isSound)
    }

    @Test func `a value that is taken under its new name is a conflict`() throws {
        let store = try Store.open(at: path, schema: Schema(Version.Two.self))
        try store.write(Jukebox.by("ben")) { try $0.insert(Version.Two(id: "d", title: "c")) }
        let report = try #require(try store.undo(by: "anna"))
        #expect(!report.isDone)
        #expect(
            report.conflicts.map(\.kind) == [
                .taken(attributes: ["title"], by: EntityReference(model: "thing", id: "d"))
            ]
        )
    }

    @Test func `a difference across a rename has the names of today and no change of values`() throws {
        var store = try Store.open(at: path, schema: Schema(Version.One.self))
        let old = try store.resolve(.head)
        store.close()
        store = try Store.open(at: path, schema: Schema(Version.Two.self))
        #expect(try store.difference(from: .position(old)).isEmpty)
        let changes = try store.difference(from: .position(before))
        #expect(changes.counts.updated == 2 && changes.counts.deleted == 1)
        var names: Set<String> = []
        try changes.forEach { change in
            if change.kind == .updated { names.formUnion(change.fields.map(\.name)) }
            return true
        }
        #expect(names.contains("title") && !names.contains("name"))
    }

    @Test func `the last versions of a row are told without its first ones`() throws {
        let store = try Store.open(at: path, schema: Schema(Version.One.self))
        for number in 0..<2_000 {
            try store.write(Jukebox.by("\(number)")) { try $0.update(Version.One.self, id: "a") { $0.stars = number } }
        }
        let last = try store.history(of: Version.One.self, id: "a", limit: 3)
        #expect(last.map(\.commit.actor) == ["1999", "1998", "1997"])
        #expect(try store.history(of: Version.One.self, id: "a").count == 2_002)
        var met = 0
        try store.read { state in
            try state.forEachVersion(of: EntityReference(model: "thing", id: "a")) { _ in
                met += 1
                return met < 5
            }
        }
        #expect(met == 5)
    }

    /// HIS-54
    @Test func `a value that has come to be required is not taken back to nil`() throws {
        enum Later {
            struct Two: Model {
                var id: ID
                var name: String
                var stars: Int
                static let schema = ModelSchema(
                    "thing",
                    Self.init,
                    .id("id", \.id),
                    .attribute("name", \.name, unique: true),
                    .attribute("stars", \.stars)
                )
            }
        }
        let first = try Store.open(at: path, schema: Schema(Version.One.self))
        try first.write { try $0.insert(Version.One(id: "n", name: "n", stars: nil)) }
        try first.write(Jukebox.by("anna")) { try $0.update(Version.One.self, id: "n") { $0.stars = 3 } }
        let position = try first.resolve(.head)
        first.close()
        let store = try Store.open(at: path, schema: Schema(Later.Two.self))
        for resolution in [ChangeSet.Resolution.none, .theirs] {
            let report = try store.revert(commits: [position], resolving: resolution)
            #expect(report.conflicts.map(\.kind) == [.lacking(attribute: "stars")])
            #expect(!report.isDone)
        }
        #expect(try store.fetch(Later.Two.self, id: "n")?.stars == 3)
    }

    /// HIS-54
    @Test func `an entity goes although it has changed in a list that was removed since`() throws {
        let path = directory.path("likes.reprise")
        var store = try Store.open(at: path, schema: Schema(Version.Liking.self))
        try store.write { try $0.insert([Version.Liking(id: "a", name: "a"), Version.Liking(id: "b", name: "b")]) }
        let commit = try store.resolve(.head)
        try store.write { try $0.append(Version.Liking.likes, of: "a", "b") }
        let conflicts = try store.revert(commits: [commit], isPlan: true).conflicts
        #expect(conflicts.map(\.kind).contains(.changedSince(["likes"])))
        store.close()
        store = try Store.open(at: path, schema: Schema(Version.Last.self))
        #expect(try store.revert(commits: [commit]).isDone)
        #expect(try store.count(Version.Last.self) == 0)
        #expect(try store.verify().isSound)
    }
}

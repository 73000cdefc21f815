import Reprise
import TestSupport
import Testing

/// Version 1 of an app that is a branch's, and version 2.
private enum Versions {
    struct Old: Model {
        var id: ID
        var name: String
        static let schema = ModelSchema("thing", Self.init, .id("id", \.id), .attribute("name", \.name))
    }

    struct New: Model {
        var id: ID
        var name: String
        var size: Int?
        static let schema = ModelSchema(
            "thing",
            Self.init,
            .id("id", \.id),
            .attribute("name", \.name),
            .attribute("size", \.size)
        )
    }

    struct Newer: Model {
        var id: ID
        var name: String
        var colour: String?
        var size: Int?
        static let likes = Relationship<Newer, Newer>("likes")
        static let schema = ModelSchema(
            "thing",
            Self.init,
            .id("id", \.id),
            .attribute("name", \.name),
            .attribute("colour", \.colour),
            .attribute("size", \.size, indexed: true)
        ).toMany(likes)
    }

    struct First: Model {
        var id: ID
        var name: String
        static let schema = ModelSchema("first", Self.init, .id("id", \.id), .attribute("name", \.name))
    }

    struct Second: Model {
        var id: ID
        var first: First.ID?
        static let schema = ModelSchema("second", Self.init, .id("id", \.id), .toOne("first", \.first))
    }

    struct Loose: Model {
        var id: ID
        var name: String?
        static let schema = ModelSchema("thing", Self.init, .id("id", \.id), .attribute("name", \.name))
    }

    struct Likes: Model {
        var id: ID
        var name: String
        static let likes = Relationship<Likes, Likes>("likes")
        static let schema = ModelSchema("thing", Self.init, .id("id", \.id), .attribute("name", \.name)).toMany(likes)
    }

    struct Hates: Model {
        var id: ID
        var name: String
        static let hates = Relationship<Hates, Hates>("hates")
        static let schema = ModelSchema("thing", Self.init, .id("id", \.id), .attribute("name", \.name)).toMany(hates)
    }

    struct Admired: Model {
        var id: ID
        var title: String
        static let schema = ModelSchema(
            "thing",
            Self.init,
            .id("id", \.id),
            .attribute("title", \.title, renamedFrom: "name")
        )
        .toMany("admires", of: Admired.self, renamedFrom: "likes")
        .inverse("admirers", of: Admired.self, "admires")
    }

    struct Next: Model {
        var id: ID
        var origin: First.ID?
        static let schema = ModelSchema(
            "next",
            Self.init,
            .id("id", \.id),
            .toOne("origin", \.origin, renamedFrom: "first")
        ).renamedFrom("second")
    }

    struct Drafted: Model {
        var id: ID
        var name: String
        var draft: String?
        static let schema = ModelSchema(
            "thing",
            Self.init,
            .id("id", \.id),
            .attribute("name", \.name),
            .attribute("draft", \.draft)
        )
    }

    /// What was the draft is the note, and there is another draft.
    struct Noted: Model, Equatable {
        var id: ID
        var name: String
        var draft: String?
        var note: String?
        static let schema = ModelSchema(
            "thing",
            Self.init,
            .id("id", \.id),
            .attribute("name", \.name),
            .attribute("draft", \.draft),
            .attribute("note", \.note, renamedFrom: "draft")
        )
    }

    struct Titled: Model {
        var id: ID
        var title: String
        static let schema = ModelSchema(
            "thing",
            Self.init,
            .id("id", \.id),
            .attribute("title", \.title, renamedFrom: "name")
        )
    }

    struct Bare: Model {
        var id: ID
        static let schema = ModelSchema("thing", Self.init, .id("id", \.id)).removed("title").removed("name")
    }

    struct Sized: Model {
        var id: ID
        var nameLength: Int
        static let schema = ModelSchema("thing", Self.init, .id("id", \.id), .attribute("nameLength", \.nameLength))
            .removed("name")
            .converting("nameLength", from: "name") { (name: String) in name.count }
    }

    struct Picky: Model {
        var id: ID
        var letter: String
        static let schema = ModelSchema("thing", Self.init, .id("id", \.id), .attribute("letter", \.letter))
            .removed("name")
            .converting("letter", from: "name") { (name: String) in
                if name == "B" { throw Refusal() }
                return name
            }
    }

    struct Refusal: Error {}

    struct Other: Model {
        var id: ID
        var name: String
        var colour: String?
        static let schema = ModelSchema(
            "thing",
            Self.init,
            .id("id", \.id),
            .attribute("name", \.name),
            .attribute("colour", \.colour)
        )
    }
}

@Suite("Branches and versions of a schema")
struct BranchSchemaTests {
    private let directory: TemporaryDirectory
    private let paths: (store: String, branch: String)

    init() throws {
        directory = try TemporaryDirectory()
        paths = (directory.path("store.reprise"), directory.path("branch.reprise"))
        let store = try Store.open(at: paths.store, schema: Schema(Versions.Old.self))
        try store.write { try $0.insert([Versions.Old(id: "a", name: "A"), Versions.Old(id: "b", name: "B")]) }
        try store.branch(to: paths.branch).close()
        store.close()
    }

    @Test("A branch that is a version behind is merged, and so is one that is ahead where its change is known (HIS-98)")
    func oneVersionApart() throws {
        let branch = try Store.open(at: paths.branch, schema: Schema(Versions.Old.self))
        try branch.write { try $0.update(Versions.Old.self, id: "a") { $0.name = "AA" } }
        let store = try Store.open(at: paths.store, schema: Schema(Versions.New.self))
        try store.write { try $0.update(Versions.New.self, id: "b") { $0.size = 7 } }
        #expect(try store.merge(branch).isDone)
        #expect(try store.read { try $0.fetch(Versions.New.self, id: "a")?.name } == "AA")
        // The other way the branch lacks the attribute that a change is about.
        let error = #expect(throws: StoreError.self) { try branch.merge(store) }
        #expect(error?.code == .schemaMismatch)
        #expect(error?.message.contains("size of thing") == true)
        branch.close()
        let newer = try Store.open(at: paths.branch, schema: Schema(Versions.New.self))
        #expect(try newer.merge(store).isDone)
        #expect(try newer.read { try $0.fetch(Versions.New.self, id: "b")?.size } == 7)
        #expect(try newer.digest() == store.digest())
    }

    @Test("A branch of a point before several versions numbers what is new as its parent does (HIS-98)")
    func branchFromBefore() throws {
        let begin = try Store.open(existing: paths.store)
        let point = try begin.resolve(.head)
        begin.close()
        // One version after the other, in another order than that in which the last one declares.
        let second = Schema(Versions.New.self, Versions.Second.self, Versions.First.self)
        try Store.open(at: paths.store, schema: second).close()
        let newest = Schema(Versions.First.self, Versions.Second.self, Versions.Newer.self)
        let store = try Store.open(at: paths.store, schema: newest)
        let branch = try Store.temporary(branchOf: store, at: .position(point))
        try branch.write { transaction in
            try transaction.update(Versions.Newer.self, id: "a") { $0.colour = "red" }
            try transaction.insert(Versions.First(id: "1", name: "One"))
            try transaction.append(Versions.Newer.likes, of: "a", contentsOf: ["b", "b"])
        }
        try store.write { transaction in
            try transaction.update(Versions.Newer.self, id: "b") { $0.size = 7 }
            try transaction.insert(Versions.First(id: "2", name: "Two"))
            try transaction.insert(Versions.Second(id: "3", first: "2"))
        }
        #expect(try store.merge(branch).isDone)
        #expect(try branch.merge(store).isDone)
        #expect(try branch.digest() == store.digest())
        for merged in [store, branch] {
            #expect(try merged.fetch(Versions.Newer.self, id: "a")?.colour == "red")
            #expect(try merged.fetch(Versions.Newer.self) { $0.size == 7 }.map(\.id) == ["b"])
            #expect(try merged.fetch(Versions.Second.self, id: "3")?.first == "2")
            #expect(try merged.fetch(Versions.Newer.likes, of: "a").map(\.id) == ["b", "b"])
            #expect(try merged.count(Versions.First.self) == 2)
            #expect(try merged.verify().isSound)
        }
    }

    @Test("What one of the stores has renamed is the same thing in both (HIS-98)")
    func renamed() throws {
        let (path, branchPath) = (directory.path("renamed.reprise"), directory.path("branch of it.reprise"))
        let older = Schema(Versions.Likes.self, Versions.First.self, Versions.Second.self)
        var store = try Store.open(at: path, schema: older)
        try store.write { try $0.insert([Versions.Likes(id: "a", name: "A"), Versions.Likes(id: "b", name: "B")]) }
        try store.branch(to: branchPath).close()
        store.close()

        let branch = try Store.open(at: branchPath, schema: older)
        try branch.write { transaction in
            try transaction.update(Versions.Likes.self, id: "a") { $0.name = "AA" }
            try transaction.append(Versions.Likes.likes, of: "a", "b")
            try transaction.insert(Versions.First(id: "1", name: "One"))
            try transaction.insert(Versions.Second(id: "2", first: "1"))
        }
        store = try Store.open(
            at: path,
            schema: Schema(Versions.Admired.self, Versions.First.self, Versions.Next.self)
        )
        try store.write { transaction in
            try transaction.update(Versions.Admired.self, id: "b") { $0.title = "BB" }
            try transaction.insert(Versions.Next(id: "3", origin: nil))
            let thing = EntityReference(model: "thing", id: "b")
            try transaction.link("admires", of: thing, to: "a")
        }
        let changes = try store.difference(to: branch).changes(of: Versions.Admired.self)
        #expect(changes.map(\.new?.title) == ["AA", "B"])
        #expect(try store.merge(branch).isDone)
        #expect(try branch.merge(store).isDone)
        #expect(try branch.digest() == store.digest())
        #expect(try branch.fetch(Versions.Likes.self, id: "b")?.name == "BB")
        #expect(try branch.fetch(Versions.Likes.likes, of: "b").map(\.id) == ["a"])
        #expect(try branch.fetch(Versions.Second.self).map(\.id) == ["2", "3"])
        #expect(try store.fetch(Versions.Admired.self, id: "a")?.title == "AA")
        #expect(try store.fetch(Versions.Next.self, id: "2")?.origin == "1")
        #expect(try store.verify().isSound)
    }

    @Test("An attribute that has taken over the name of another one is not taken for that (HIS-98)")
    func handedOnName() throws {
        try Store.open(at: paths.store, schema: Schema(Versions.Drafted.self)).close()
        let newest = Schema(Versions.Noted.self)
        let store = try Store.open(at: paths.store, schema: newest)
        let branch = try Store.open(at: paths.branch, schema: newest)
        try branch.write { try $0.update(Versions.Noted.self, id: "a") { $0.draft = "D" } }
        let error = #expect(throws: StoreError.self) { try store.merge(branch) }
        #expect(error?.code == .schemaMismatch)
        #expect(try store.fetch(Versions.Noted.self, id: "a") == Versions.Noted(id: "a", name: "A"))
    }

    @Test("A branch that has renamed an attribute and then removed it is merged (HIS-98)")
    func renamedAndRemoved() throws {
        let renamed = try Store.open(at: paths.branch, schema: Schema(Versions.Titled.self))
        try renamed.write { try $0.update(Versions.Titled.self, id: "a") { $0.title = "AA" } }
        renamed.close()
        let branch = try Store.open(at: paths.branch, schema: Schema(Versions.Bare.self))
        try branch.write { try $0.insert(Versions.Bare(id: "c")) }
        let store = try Store.open(at: paths.store, schema: Schema(Versions.Loose.self))
        #expect(try store.merge(branch).isDone)
        #expect(try store.fetch(Versions.Loose.self).map(\.id) == ["a", "b", "c"])
        #expect(try store.verify().isSound)
    }

    @Test("The same number for two attributes is no merge (HIS-98)")
    func differentAttributes() throws {
        let branch = try Store.open(at: paths.branch, schema: Schema(Versions.Other.self))
        let store = try Store.open(at: paths.store, schema: Schema(Versions.New.self))
        try branch.write { try $0.update(Versions.Other.self, id: "a") { $0.colour = "red" } }
        let error = #expect(throws: StoreError.self) { try store.merge(branch) }
        #expect(error?.code == .schemaMismatch)
        #expect(try store.read { try $0.fetch(Versions.New.self, id: "a")?.size } == nil)
    }

    @Test("A list or a nil that the store does not have is no merge (HIS-98)")
    func differentLists() throws {
        let branch = try Store.open(at: paths.branch, schema: Schema(Versions.Hates.self))
        try branch.write { try $0.append(Versions.Hates.hates, of: "a", "b") }
        let store = try Store.open(at: paths.store, schema: Schema(Versions.Likes.self))
        let error = #expect(throws: StoreError.self) { try store.merge(branch) }
        #expect(error?.code == .schemaMismatch)
    }

    @Test("A nil that the store does not allow is no merge (HIS-98)")
    func nilForARequiredValue() throws {
        let branch = try Store.open(at: paths.branch, schema: Schema(Versions.Loose.self))
        try branch.write { try $0.update(Versions.Loose.self, id: "a") { $0.name = nil } }
        let store = try Store.open(at: paths.store, schema: Schema(Versions.Old.self))
        let error = #expect(throws: StoreError.self) { try store.merge(branch) }
        #expect(error?.code == .schemaMismatch)
        #expect(try store.fetch(Versions.Old.self, id: "a")?.name == "A")
    }

    @Test("A conversion that both have gone through is no change of either (HIS-98)")
    func conversionOnBothSides() throws {
        let store = try Store.open(at: paths.store, schema: Schema(Versions.Sized.self))
        let branch = try Store.open(at: paths.branch, schema: Schema(Versions.Sized.self))
        try branch.write { transaction in
            try transaction.update(Versions.Sized.self, id: "a") { $0.nameLength = 99 }
            try transaction.delete(Versions.Sized.self, id: "b")
        }
        let report = try store.merge(branch)
        #expect(report.isDone)
        #expect(report.counts.updated == 1 && report.counts.deleted == 1)
        #expect(try store.digest() == branch.digest())
    }

    @Test("Nothing is left of a branch whose rows of then the program refuses (HIS-90)")
    func refusedBranch() throws {
        var store = try Store.open(at: paths.store, schema: Schema(Versions.Old.self))
        let then = try store.resolve(.head)
        try store.write { try $0.delete(Versions.Old.self, id: "b") }
        store.close()
        store = try Store.open(at: paths.store, schema: Schema(Versions.Picky.self))
        let path = directory.path("refused.reprise")
        #expect(throws: (any Error).self) { try store.branch(to: path, at: .position(then)) }
        try store.branch(to: path).close()
    }

    @Test("Two stores that merge each other at the same time do not wait for each other (HIS-92)")
    func bothAtOnce() async throws {
        let branch = try Store.open(at: paths.branch, schema: Schema(Versions.Old.self))
        let store = try Store.open(at: paths.store, schema: Schema(Versions.Old.self))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (ours, theirs, name) in [(store, branch, "s"), (branch, store, "b")] {
                group.addTask {
                    for round in 0..<25 {
                        let id = Versions.Old.ID("\(name)\(round)")
                        try await ours.write { try $0.insert(Versions.Old(id: id, name: name)) }
                        try Self.merge(theirs, into: ours)
                    }
                }
            }
            try await group.waitForAll()
        }
        try Self.merge(branch, into: store)
        try Self.merge(store, into: branch)
        #expect(try store.digest() == branch.digest())
        #expect(try Self.count(store) == 52)
    }

    private static func count(_ store: Store) throws -> Int { try store.read { try $0.count(Versions.Old.self) } }

    private static func merge(_ theirs: Store, into ours: Store) throws {
        #expect(try ours.merge(theirs).isDone)
    }
}

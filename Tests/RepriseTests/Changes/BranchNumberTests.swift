import Reprise
import TestSupport
import Testing

@Suite("Branches that number otherwise than their parents (HIS-98)")
struct BranchNumberTests {
    private typealias Thing = SkippedVersion.Three
    private let directory: TemporaryDirectory
    private let store: Store
    private let branch: Store

    /// The store has come to the third version one by one, the branch at once.
    init() throws {
        directory = try TemporaryDirectory()
        let paths = (store: directory.path("store.reprise"), branch: directory.path("branch.reprise"))
        let begin = try Store.open(at: paths.store, schema: SkippedVersion.one)
        try begin.write { tx in
            try tx.insert([SkippedVersion.One(id: "a", name: "A"), SkippedVersion.One(id: "b", name: "B")])
        }
        try begin.branch(to: paths.branch).close()
        begin.close()
        try Store.open(at: paths.store, schema: SkippedVersion.two).close()
        store = try Store.open(at: paths.store, schema: SkippedVersion.three)
        branch = try Store.open(at: paths.branch, schema: SkippedVersion.three)
        try #require(try numbers(store) != numbers(branch))
    }

    private func numbers(_ store: Store) throws -> [[Int]] {
        let schema = try store.schema
        return [
            schema.models.map { Int($0.number) }, schema.model(named: "thing")?.attributes.map(\.slot) ?? [],
            schema.relations.sorted { ($0.source.name ?? "") < ($1.source.name ?? "") }.map { Int($0.number) },
        ]
    }

    private func expectSame() throws {
        let stores = [store, branch]
        #expect(try store.difference(to: branch).isEmpty)
        #expect(try branch.difference(to: store).isEmpty)
        for query in ["a", "b", "c"] as [Thing.ID] {
            let found = try stores.map { try $0.fetch(Thing.self, id: query) }
            #expect(found[0] == found[1])
            let likes = try stores.map { try $0.fetch(Thing.likes, of: query).map(\.id) }
            #expect(likes[0] == likes[1])
            let hates = try stores.map { try $0.fetch(Thing.hates, of: query).map(\.id) }
            #expect(hates[0] == hates[1])
        }
        for store in stores { #expect(try store.verify().isSound) }
    }

    /// Rows of old and new models, values, and members of lists of each kind.
    private func fill(_ store: Store, _ id: Thing.ID) throws {
        try store.write { transaction in
            try transaction.insert(SkippedVersion.Owner(id: "o\(id)", age: 7))
            try transaction.insert(SkippedVersion.Shelf(id: "s\(id)", label: "S"))
            try transaction.insert(Thing(id: id, name: "new", colour: "red", size: 3, shelf: "s\(id)"))
            try transaction.update(Thing.self, id: "a") { ($0.colour, $0.shelf) = ("blue", "s\(id)") }
            try transaction.append(Thing.likes, of: "a", contentsOf: ["b", id, "b"])
            try transaction.append(Thing.hates, of: id, "a")
        }
    }

    @Test(arguments: [true, false])
    func `what one of them has done comes to the other`(isFromBranch: Bool) throws {
        let (ours, theirs) = isFromBranch ? (store, branch) : (branch, store)
        try fill(theirs, "c")
        let changes = try ours.difference(to: theirs)
        #expect(try changes.changes(of: Thing.self).map(\.new) == theirs.fetch(Thing.self).filter { $0.id != "b" })
        #expect(try ours.merge(theirs).isDone)
        #expect(try ours.fetch(Thing.self, id: "c") == Thing(id: "c", name: "new", colour: "red", size: 3, shelf: "sc"))
        #expect(try ours.fetch(Thing.likes, of: "a").map(\.id) == ["b", "c", "b"])
        #expect(try ours.fetch(SkippedVersion.Shelf.things, of: "sc").map(\.id) == ["c", "a"])
        #expect(try ours.fetch(Thing.self) { $0.colour == "red" }.map(\.id) == ["c"])
        #expect(try ours.fetch(SkippedVersion.Owner.self) == [SkippedVersion.Owner(id: "oc", age: 7)])
        try expectSame()
        #expect(try ours.merge(theirs).commit == nil)
        #expect(try theirs.merge(ours).commit == nil)
    }

    @Test func `what both have done comes together, merge after merge`() throws {
        try fill(store, "c")
        #expect(try branch.merge(store).isDone)
        try branch.write { transaction in
            try transaction.update(Thing.self, id: "c") { ($0.size, $0.shelf) = (nil, nil) }
            try transaction.remove(Thing.likes, of: "a", at: 1)
            try transaction.append(Thing.likes, of: "b", "a")
        }
        try store.write { transaction in
            try transaction.update(Thing.self, id: "c") { $0.colour = "green" }
            _ = try transaction.set(Thing.likes, of: "a", to: ["b", "b", "c"])
        }
        #expect(try store.merge(branch).isDone)
        #expect(try branch.merge(store).isDone)
        #expect(try store.fetch(Thing.self, id: "c") == Thing(id: "c", name: "new", colour: "green"))
        try expectSame()
    }

    @Test func `a conflict has the values of both, and the names`() throws {
        try store.write { try $0.update(Thing.self, id: "a") { ($0.colour, $0.size) = ("red", 1) } }
        try branch.write { try $0.update(Thing.self, id: "a") { ($0.colour, $0.size) = ("blue", 1) } }
        let report = try store.merge(branch)
        let (red, blue) = (Value.string("red"), Value.string("blue"))
        #expect(report.conflicts.map(\.kind) == [.changed(attribute: "colour", base: .null, ours: red, theirs: blue)])
        #expect(try store.merge(branch, resolving: .theirs).isDone)
        #expect(try store.fetch(Thing.self, id: "a") == Thing(id: "a", name: "A", colour: "blue", size: 1))
        try expectSame()
    }

    @Test func `the merge is taken back`() throws {
        try fill(branch, "c")
        let digest = try store.digest()
        let commit = try #require(try store.merge(branch).commit)
        #expect(try store.revert(commits: [commit]).isDone)
        #expect(try store.digest() == digest)
        #expect(try branch.merge(store).isDone)
        #expect(try branch.fetch(Thing.self).map(\.id) == ["a", "b"])
        try expectSame()
    }

    @Test func `changes come in a file`() throws {
        let begin = try branch.resolve(.head)
        try fill(branch, "c")
        let path = directory.path("branch.changes")
        try branch.difference(from: .position(begin)).write(to: path)
        #expect(try store.apply(try ChangeSet(contentsOf: path)).isDone)
        #expect(try store.merge(branch).commit != nil)
        try expectSame()
        #expect(try store.apply(try ChangeSet(contentsOf: path).inverted()).isDone)
        #expect(try store.fetch(Thing.self).map(\.colour) == [nil, nil])
    }

    @Test func `what came later is converted in both, and what was changed before comes converted`() throws {
        try store.write { try $0.update(Thing.self, id: "a") { $0.size = 5 } }
        #expect(try branch.merge(store).isDone)
        try branch.write { try $0.update(Thing.self, id: "a") { $0.size = 9 } }
        try branch.write { try $0.update(Thing.self, id: "b") { ($0.size, $0.colour) = (2, "red") } }
        let paths = [store, branch].map(\.path)
        for store in [store, branch] { store.close() }
        let store = try Store.open(at: paths[0], schema: SkippedVersion.four)
        let branch = try Store.open(at: paths[1], schema: SkippedVersion.four)
        try branch.write { try $0.update(SkippedVersion.Four.self, id: "b") { $0.name = "BB" } }
        #expect(try store.merge(branch).isDone)
        let rows = [
            SkippedVersion.Four(id: "a", name: "A", extent: "9 cm"),
            SkippedVersion.Four(id: "b", name: "BB", colour: "red", extent: "2 cm"),
        ]
        #expect(try store.fetch(SkippedVersion.Four.self) == rows)
        #expect(try branch.difference(to: store).isEmpty)
        for store in [store, branch] { #expect(try store.verify().isSound) }
    }

    @Test func `versions that have added different things meet in one that has both`() throws {
        let paths = (left: directory.path("left.reprise"), right: directory.path("right.reprise"))
        var left = try Store.open(at: paths.left, schema: SkippedVersion.one)
        try left.write { try $0.insert(SkippedVersion.One(id: "a", name: "A")) }
        try left.branch(to: paths.right).close()
        left.close()
        left = try Store.open(at: paths.left, schema: SkippedVersion.two)
        var right = try Store.open(at: paths.right, schema: SkippedVersion.otherTwo)
        try left.write { transaction in
            try transaction.update(SkippedVersion.Two.self, id: "a") { $0.size = 1 }
            try transaction.insert(SkippedVersion.Owner(id: "o", age: 7))
        }
        try right.write { transaction in
            try transaction.insert(SkippedVersion.PlainShelf(id: "s", label: "S"))
            try transaction.update(SkippedVersion.Coloured.self, id: "a") { $0.colour = "red" }
        }
        for (ours, theirs, name) in [(left, right, "colour of thing"), (right, left, "size of thing")] {
            let error = #expect(throws: StoreError.self) { try ours.merge(theirs) }
            #expect(error?.code == .schemaMismatch)
            #expect(error?.message.contains(name) == true)
        }
        for store in [left, right] { store.close() }
        left = try Store.open(at: paths.left, schema: SkippedVersion.three)
        right = try Store.open(at: paths.right, schema: SkippedVersion.three)
        for (ours, theirs) in [(left, right), (right, left)] { #expect(try ours.merge(theirs).isDone) }
        for store in [left, right] {
            #expect(try store.fetch(Thing.self) == [Thing(id: "a", name: "A", colour: "red", size: 1)])
            #expect(try store.fetch(SkippedVersion.Shelf.self) == [SkippedVersion.Shelf(id: "s", label: "S")])
            #expect(try store.fetch(SkippedVersion.Owner.self) == [SkippedVersion.Owner(id: "o", age: 7)])
            #expect(try store.verify().isSound)
        }
    }

    @Test func `an attribute that has taken over a name does not get the values of the one that had it`() throws {
        let path = directory.path("reused.reprise")
        var store = try Store.open(at: path, schema: SkippedVersion.one)
        try store.write { try $0.insert(SkippedVersion.One(id: "a", name: "A")) }
        try store.branch(to: path + ".branch").close()
        store.close()
        store = try Store.open(at: path, schema: Schema(SkippedVersion.Two.self))
        try store.write { try $0.update(SkippedVersion.Two.self, id: "a") { $0.size = 5 } }
        store.close()
        try Store.open(at: path, schema: Schema(SkippedVersion.Renamed.self)).close()
        store = try Store.open(at: path, schema: Schema(SkippedVersion.Reused.self))
        let branch = try Store.open(at: path + ".branch", schema: Schema(SkippedVersion.Reused.self))
        #expect(try branch.difference(to: store).isEmpty)
        #expect(try branch.merge(store).isDone)
        #expect(try branch.fetch(SkippedVersion.Reused.self) == [SkippedVersion.Reused(id: "a", name: "A")])
        try store.write { try $0.update(SkippedVersion.Reused.self, id: "a") { $0.size = 9 } }
        let error = #expect(throws: StoreError.self) { try branch.merge(store) }
        #expect(error?.code == .schemaMismatch)
        #expect(try branch.fetch(SkippedVersion.Reused.self) == [SkippedVersion.Reused(id: "a", name: "A")])
        #expect(try branch.verify().isSound)
    }

    @Test func `what only one of them has converted to its default is no conflict`() throws {
        // HIS-98: the branch has never had the size, so that its rows have the default.
        let path = directory.path("counted.reprise")
        var store = try Store.open(at: path, schema: SkippedVersion.one)
        try store.write { tx in
            try tx.insert([SkippedVersion.One(id: "a", name: "A"), SkippedVersion.One(id: "b", name: "B")])
        }
        try store.branch(to: path + ".branch").close()
        store.close()
        try Store.open(at: path, schema: Schema(SkippedVersion.Two.self)).close()
        store = try Store.open(at: path, schema: Schema(SkippedVersion.Counted.self))
        let branch = try Store.open(at: path + ".branch", schema: Schema(SkippedVersion.Counted.self))
        try branch.write { try $0.update(SkippedVersion.Counted.self, id: "b") { $0.count = 3 } }
        #expect(try store.merge(branch, isPlan: true).conflicts.isEmpty)
        #expect(try branch.merge(store).isDone)
        #expect(try store.merge(branch).isDone)
        for store in [store, branch] {
            #expect(try store.fetch(SkippedVersion.Counted.self).map(\.count) == [0, 3] && store.verify().isSound)
        }
    }

    @Test func `a row that comes has the default that it had where it was made`() throws {
        let path = directory.path("five.reprise")
        var store = try Store.open(at: path, schema: SkippedVersion.one)
        try store.write { try $0.insert(SkippedVersion.One(id: "a", name: "A")) }
        try store.branch(to: path + ".branch").close()
        let begin = try store.resolve(.head)
        try store.write { try $0.insert(SkippedVersion.One(id: "b", name: "B")) }
        store.close()
        store = try Store.open(at: path, schema: Schema(SkippedVersion.Counted.self))
        let branch = try Store.open(at: path + ".branch", schema: Schema(SkippedVersion.Five.self))
        let file = path + ".changes"
        try store.difference(from: .position(begin)).write(to: file)
        #expect(try branch.apply(ChangeSet(contentsOf: file)).isDone)
        #expect(try branch.fetch(SkippedVersion.Five.self, id: "b")?.count == 0)
        #expect(try branch.merge(store).isDone)
        #expect(try branch.fetch(SkippedVersion.Five.self, id: "b")?.count == 0)
        try branch.write { try $0.update(SkippedVersion.Five.self, id: "a") { $0.count = 7 } }
        #expect(try store.merge(branch).isDone)
        #expect(try store.fetch(SkippedVersion.Counted.self).map(\.count) == [7, 0])
        for store in [store, branch] { #expect(try store.verify().isSound) }
    }
}

import Reprise
import TestSupport
import Testing

/// Versions of an app that adds something, and then gives it up or makes something else of it.
private enum Versions {
    struct Plain: Model {
        var id: ID
        var name: String
        static let schema = ModelSchema("thing", Self.init, .id("id", \.id), .attribute("name", \.name))
    }

    /// Has given up what came in between. Its index tells it from the first version.
    struct Indexed: Model {
        var id: ID
        var name: String
        static let schema = ModelSchema("thing", Self.init, .id("id", \.id), .attribute("name", \.name, indexed: true))
            .removed("size")
            .removed("likes")
    }

    struct Rich: Model {
        var id: ID
        var name: String
        var size: Int?
        static let likes = Relationship<Rich, Rich>("likes")
        static let schema = ModelSchema(
            "thing",
            Self.init,
            .id("id", \.id),
            .attribute("name", \.name),
            .attribute("size", \.size)
        ).toMany(likes)
    }

    struct Heavy: Model {
        var id: ID
        var name: String
        var weight: Int?
        static let schema = ModelSchema(
            "thing",
            Self.init,
            .id("id", \.id),
            .attribute("name", \.name),
            .attribute("weight", \.weight)
        )
        .removed("size")
        .removed("likes")
    }

    /// The size is text by now.
    struct Worded: Model {
        var id: ID
        var name: String
        var size: String?
        static let schema = ModelSchema(
            "thing",
            Self.init,
            .id("id", \.id),
            .attribute("name", \.name),
            .attribute("size", \.size)
        )
        .removed("likes")
        .converting("size", from: "size") { (size: Int) in "\(size)" }
    }

    /// Code writes the initial.
    struct Coded: Model {
        var id: ID
        var name: String
        var size: String?
        var initial: String?
        static let schema = ModelSchema(
            "thing",
            Self.init,
            .id("id", \.id),
            .attribute("name", \.name),
            .attribute("size", \.size),
            .attribute("initial", \.initial)
        )
        .removed("likes")
        .converting("size", from: "size") { (size: Int) in "\(size)" }

        static let newest = Schema(Coded.self, removed: ["passing"]).change(to: 1) { _, new in
            for thing in try new.fetch(Coded.self) {
                try new.update(Coded.self, id: thing.id) { $0.initial = String($0.name.prefix(1)) }
            }
        }
    }

    struct Passing: Model {
        var id: ID
        static let schema = ModelSchema("passing", Self.init, .id("id", \.id))
    }

    /// Has a default from its second version on.
    struct Bright: Model {
        var id: ID
        var colour: String
        static let schema = ModelSchema(
            "light",
            Self.init,
            .id("id", \.id),
            .attribute("colour", \.colour, default: "white")
        )
    }

    struct Dark: Model {
        var id: ID
        static let schema = ModelSchema("light", Self.init, .id("id", \.id))
    }

    /// One to one with a clerk. Which of the two is declared first differs from version to version.
    struct Desk: Model {
        var id: ID
        var owner: Clerk.ID?
        static let schema = ModelSchema("desk", Self.init, .id("id", \.id), .toOne("owner", \.owner))
    }

    struct Clerk: Model {
        var id: ID
        var desk: Desk.ID?
        static let schema = ModelSchema(
            "clerk",
            Self.init,
            .id("id", \.id),
            .toOne("desk", \.desk, inverse: "owner")
        )
    }
}

/// Merges with branches that are older than something which has come and gone since: HIS-98.
@Suite("Branches and what was removed since")
struct BranchRemovalTests {
    private let directory: TemporaryDirectory
    private let paths: (store: String, branch: String)
    private let begin: Position

    init() throws {
        directory = try TemporaryDirectory()
        paths = (directory.path("store.reprise"), directory.path("branch.reprise"))
        let store = try Store.open(at: paths.store, schema: Schema(Versions.Plain.self))
        try store.write { try $0.insert([Versions.Plain(id: "a", name: "A"), Versions.Plain(id: "b", name: "B")]) }
        try store.branch(to: paths.branch).close()
        begin = try store.resolve(.head)
        store.close()
    }

    /// What the second version of the app does to the store.
    private func useRich(_ body: (inout WriteTransaction) throws -> Void) throws {
        let store = try Store.open(at: paths.store, schema: Schema(Versions.Rich.self, Versions.Passing.self))
        try store.write { try body(&$0) }
        store.close()
    }

    /// Makes a branch of the store of the second version, and then changes a row of the store.
    ///
    /// - Returns: where the branch is.
    private func branchAndChange(_ change: @escaping (inout Versions.Rich) -> Void) throws -> String {
        let store = try Store.open(at: paths.store, schema: Schema(Versions.Rich.self, Versions.Passing.self))
        let path = directory.path("second.reprise")
        try store.branch(to: path).close()
        try store.write { try $0.update(Versions.Rich.self, id: "a") { change(&$0) } }
        store.close()
        return path
    }

    @Test("A merge leaves out what the other store has had meanwhile and removed (HIS-98)")
    func removed() throws {
        try useRich { transaction in
            try transaction.insert(Versions.Rich(id: "c", name: "C", size: 7))
            try transaction.update(Versions.Rich.self, id: "a") { $0.size = 8 }
            try transaction.append(Versions.Rich.likes, of: "a", contentsOf: ["b", "c"])
            try transaction.insert(Versions.Passing(id: "p"))
        }
        let newest = Schema(Versions.Indexed.self, removed: ["passing"])
        let store = try Store.open(at: paths.store, schema: newest)
        let branches = [
            try Store.open(at: paths.branch, schema: newest),
            try Store.temporary(branchOf: store, at: .position(begin)),
        ]
        for branch in branches {
            #expect(try branch.merge(store).isDone)
            #expect(try branch.fetch(Versions.Indexed.self).map(\.name) == ["A", "B", "C"])
            try branch.replay()
            #expect(try branch.verify().isSound)
        }
        branches[0].close()
        // What a later version adds there has no old values.
        let later = try Store.open(at: paths.branch, schema: Schema(Versions.Heavy.self, removed: ["passing"]))
        #expect(try later.fetch(Versions.Heavy.self).map(\.weight) == [nil, nil, nil])
        #expect(try later.verify().isSound)
    }

    @Test("What both have had and removed is no difference, as it is nothing that a merge brings (HIS-97, HIS-98)")
    func removedByBoth() throws {
        try useRich { transaction in
            try transaction.update(Versions.Rich.self, id: "a") { $0.size = 1 }
            try transaction.insert(Versions.Passing(id: "p"))
        }
        let path = try branchAndChange { $0.size = 2 }
        try useRich { transaction in
            try transaction.append(Versions.Rich.likes, of: "a", contentsOf: ["b"])
            try transaction.insert(Versions.Passing(id: "q"))
        }
        let newest = Schema(Versions.Indexed.self, removed: ["passing"])
        let store = try Store.open(at: paths.store, schema: newest)
        let branch = try Store.open(at: path, schema: newest)
        #expect(try branch.merge(store).isDone)
        #expect(try branch.difference(to: store).isEmpty)
        #expect(try store.difference(to: branch).isEmpty)
        #expect(try branch.merge(store).commit == nil)
        try branch.write { try $0.update(Versions.Indexed.self, id: "a") { $0.name = "AA" } }
        #expect(try store.difference(to: branch).counts.updated == 1)
        #expect(try branch.verify().isSound)
    }

    @Test("What was changed and then converted in the other store comes as it is there (HIS-98)")
    func convertedAfterAChange() throws {
        try useRich { transaction in
            try transaction.update(Versions.Rich.self, id: "a") { $0.size = 7 }
            try transaction.insert(Versions.Rich(id: "c", name: "C", size: 9))
        }
        let store = try Store.open(at: paths.store, schema: Schema(Versions.Worded.self, removed: ["passing"]))
        let branch = try Store.temporary(branchOf: store, at: .position(begin))
        #expect(try branch.merge(store).isDone)
        #expect(try branch.fetch(Versions.Worded.self).map(\.size) == ["7", nil, "9"])
        #expect(try branch.verify().isSound)
    }

    @Test("A conversion of a row in which something else was changed is no change (HIS-98)")
    func convertedBesideAChange() throws {
        try useRich { try $0.update(Versions.Rich.self, id: "a") { $0.size = 5 } }
        let path = try branchAndChange { $0.name = "AA" }
        let newest = Schema(Versions.Worded.self, removed: ["passing"])
        let store = try Store.open(at: paths.store, schema: newest)
        let branch = try Store.open(at: path, schema: newest)
        try branch.write { try $0.update(Versions.Worded.self, id: "a") { $0.size = "six" } }
        #expect(try branch.merge(store).isDone)
        let merged = try branch.fetch(Versions.Worded.self, id: "a")
        #expect(merged?.name == "AA" && merged?.size == "six")
        #expect(try branch.verify().isSound)
    }

    @Test("What has another type under the number of a removed attribute is another thing (HIS-98)",
        arguments: [false, true])
    func otherTypeUnderANumber(isTouched: Bool) throws {
        try useRich { transaction in
            try transaction.update(Versions.Rich.self, id: "b") { $0.name = "BB" }
            if isTouched { try transaction.update(Versions.Rich.self, id: "a") { $0.size = 7 } }
        }
        let store = try Store.open(at: paths.store, schema: Schema(Versions.Indexed.self, removed: ["passing"]))
        // It has never had the size as a number, so the text stands where the number stood in the store.
        let branch = try Store.open(at: paths.branch, schema: Schema(Versions.Worded.self))
        try branch.write { try $0.update(Versions.Worded.self, id: "a") { $0.size = "six" } }
        #expect(try branch.merge(store).isDone)
        #expect(try branch.fetch(Versions.Worded.self, id: "b")?.name == "BB")
        #expect(try branch.fetch(Versions.Worded.self, id: "a")?.size == "six")
        #expect(try branch.verify().isSound)
    }

    @Test("What one side has changed before both have converted it comes converted (HIS-98, HIS-117)",
        arguments: [false, true])
    func convertedByBoth(hasChanged: Bool) throws {
        try useRich { try $0.update(Versions.Rich.self, id: "a") { $0.size = 5 } }
        let path = try branchAndChange { $0.size = 7 }
        let newest = Schema(Versions.Worded.self, removed: ["passing"])
        let store = try Store.open(at: paths.store, schema: newest)
        let branch = try Store.open(at: path, schema: newest)
        if hasChanged {
            try branch.write { try $0.update(Versions.Worded.self, id: "a") { $0.size = "six" } }
            #expect(try branch.merge(store).conflicts.count == 1)
        }
        #expect(try branch.merge(store, resolving: hasChanged ? .theirs : .none).isDone)
        #expect(try branch.fetch(Versions.Worded.self, id: "a")?.size == "7")
        #expect(try branch.verify().isSound)
    }

    @Test("What code has made of a changed row comes as it is there (HIS-98)")
    func writtenByCode() throws {
        try useRich { try $0.update(Versions.Rich.self, id: "a") { $0.size = 5 } }
        let path = try branchAndChange { $0.name = "New" }
        let store = try Store.open(at: paths.store, schema: Versions.Coded.newest)
        let branch = try Store.open(at: path, schema: Versions.Coded.newest)
        #expect(try branch.merge(store, resolving: .theirs).isDone)
        let merged = try branch.fetch(Versions.Coded.self, id: "a")
        #expect(merged?.name == "New" && merged?.initial == "N" && merged?.size == "5")
        #expect(try branch.fetch(Versions.Coded.self, id: "b")?.initial == "B")
        #expect(try branch.verify().isSound)
    }

    @Test("A row that comes back by a file of the same log has what was removed since (STO-92)")
    func sameLog() throws {
        try useRich { try $0.insert(Versions.Rich(id: "c", name: "C", size: 7)) }
        let rich = Schema(Versions.Rich.self, Versions.Passing.self)
        let old = try Store.open(at: paths.store, schema: rich)
        let point = try old.resolve(.head)
        try old.write { try $0.delete(Versions.Rich.self, id: "c") }
        old.close()
        let store = try Store.open(at: paths.store, schema: Schema(Versions.Indexed.self, removed: ["passing"]))
        let path = directory.path("back.changes")
        try store.difference(from: .head, to: .position(point)).write(to: path)
        #expect(try store.apply(ChangeSet(contentsOf: path)).isDone)
        #expect(try store.digest() == store.read(asOf: .position(point)) { $0.digest })
        #expect(try store.verify().isSound)
    }

    @Test("A branch from before gives rows of its parent the default that they have there (HIS-98)")
    func defaults() throws {
        let first = try Store.open(at: paths.store, schema: Schema(Versions.Plain.self, Versions.Dark.self))
        try first.write { try $0.insert(Versions.Dark(id: "d")) }
        first.close()
        let store = try Store.open(at: paths.store, schema: Schema(Versions.Plain.self, Versions.Bright.self))
        let branch = try Store.temporary(branchOf: store, at: .position(begin))
        #expect(try branch.merge(store).isDone)
        #expect(try branch.fetch(Versions.Bright.self, id: "d")?.colour == "white")
        #expect(try branch.digest() == store.digest())
    }

    @Test("Differences and merges find the default of a row that is older than its attribute (STO-88)")
    func defaultsOfOlderRows() throws {
        let first = try Store.open(at: paths.store, schema: Schema(Versions.Plain.self, Versions.Dark.self))
        try first.write { try $0.insert(Versions.Dark(id: "d")) }
        first.close()
        let store = try Store.open(at: paths.store, schema: Schema(Versions.Plain.self, Versions.Bright.self))
        let point = try store.resolve(.head)
        try store.write { try $0.update(Versions.Bright.self, id: "d") { $0.colour = "red" } }
        let changes = try store.difference(from: .position(point))
        var told: [String] = []
        try changes.forEach { change in
            told += change.fields.map { "\($0.name) from \($0.from) to \($0.to)" }
            return true
        }
        #expect(told == ["colour from \(Value.string("white")) to \(Value.string("red"))"])
        let branch = try Store.temporary(branchOf: store)
        #expect(try branch.apply(changes.inverted()).isDone)
        #expect(try store.merge(branch).isDone)
        #expect(try store.fetch(Versions.Bright.self, id: "d")?.colour == "white")
        #expect(try store.verify().isSound)
    }

    @Test("The order of the models of a one-to-one is no difference (HIS-98)")
    func turnedRound() throws {
        try Store.open(at: paths.store, schema: Schema(Versions.Plain.self, Versions.Desk.self, Versions.Clerk.self))
            .close()
        let newest = Schema(Versions.Clerk.self, Versions.Desk.self, Versions.Plain.self)
        let store = try Store.open(at: paths.store, schema: newest)
        let branch = try Store.temporary(branchOf: store, at: .position(begin))
        try store.write { transaction in
            try transaction.insert(Versions.Desk(id: "1", owner: nil))
            try transaction.insert(Versions.Clerk(id: "2", desk: "1"))
        }
        try branch.write { try $0.insert(Versions.Clerk(id: "3", desk: nil)) }
        #expect(try branch.merge(store).isDone)
        #expect(try store.merge(branch).isDone)
        #expect(try branch.fetch(Versions.Desk.self, id: "1")?.owner == "2")
        #expect(try branch.digest() == store.digest())
        #expect(try branch.verify().isSound)
    }
}

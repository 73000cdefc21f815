import Testing

@testable import Reprise

private struct Topic: Model, Equatable {
    var id: ID
    var name: String
    var parent: Topic.ID?
    var twin: Twin.ID?
    static let related = Relationship<Topic, Topic>("related")
    static let schema = ModelSchema(
        "topic",
        Self.init,
        .id("id", \.id),
        .attribute("name", \.name),
        .toOne("parent", \.parent),
        .toOne("twin", \.twin, inverse: "topic")
    )
    .toMany(related)
}

private struct Twin: Model {
    var id: ID
    var topic: Topic.ID?
    static let schema = ModelSchema("twin", Self.init, .id("id", \.id), .toOne("topic", \.topic))
}

private struct Crate: Model {
    var id: ID
    static let toys = Relationship<Crate, Toy>("toys", inverse: \.crate, onDelete: .cascade)
    static let schema = ModelSchema("crate", Self.init, .id("id", \.id)).toMany(toys)
}

private struct Toy: Model {
    var id: ID
    var crate: Crate.ID?
    static let schema = ModelSchema("toy", Self.init, .id("id", \.id), .toOne("crate", \.crate))
}

private struct Citizen: Model {
    var id: ID
    var passport: Passport.ID?
    static let schema = ModelSchema(
        "citizen",
        Self.init,
        .id("id", \.id),
        .toOne("passport", \.passport, inverse: "holder", onDelete: .cascade)
    )
}

private struct Passport: Model {
    var id: ID
    var holder: Citizen.ID
    static let schema = ModelSchema("passport", Self.init, .id("id", \.id), .toOne("holder", \.holder))
}

/// Rows that go because a resolution says so, although rows that stay lead to them: HIS-54, HIS-113.
@Suite struct ForcedDeletionTests {
    private static func store(isInSteps: Bool) throws -> Store {
        let store = try Store.temporary(Schema(Topic.self, Twin.self), configuration: .merging(inSteps: isInSteps))
        try store.write { tx in
            for number in 0..<100 { try tx.insert(Topic(id: Topic.ID("own \(number)"), name: "old")) }
        }
        try store.write(CommitContext(correlation: "import")) { tx in
            for number in 0..<100 {
                try tx.insert(Topic(id: Topic.ID("new \(number)"), name: "new"))
                try tx.insert(Twin(id: Twin.ID("\(number)")))
            }
            // Every second row of the user's is changed as well.
            for number in stride(from: 0, to: 100, by: 2) {
                try tx.update(Topic.self, id: Topic.ID("own \(number)")) { $0.name = "imported" }
            }
        }
        return store
    }

    /// Has the rows that were there before lead to those that were imported.
    private static func link(_ store: Store) throws {
        try store.write { tx in
            for number in 0..<100 {
                let id = Topic.ID("own \(number)")
                try tx.update(Topic.self, id: id) {
                    $0.parent = Topic.ID("new \(99 - number)")
                    $0.twin = Twin.ID("\(number)")
                }
                try tx.append(Topic.related, of: id, contentsOf: ["new 1", "own 1", "new 2", "new 1"])
            }
        }
    }

    @Test(arguments: [false, true])
    func `rows that stay do not lead to rows that a revert takes away`(isInSteps: Bool) throws {
        let store = try Self.store(isInSteps: isInSteps)
        try Self.link(store)
        let linked = try store.digest()
        #expect(try !store.revert(correlation: "import").isDone)
        let report = try store.revert(correlation: "import", resolving: .theirs)
        #expect(report.isDone && report.counts.deleted == 200 && report.counts.updated == 50)
        #expect(store.stepwiseCommitCount == (isInSteps ? 1 : 0))
        let left = try store.fetch(Topic.self)
        #expect(left.count == 100)
        #expect(left.allSatisfy { $0.name == "old" && $0.parent == nil && $0.twin == nil })
        #expect(try store.fetch(Topic.related, of: "own 7").map(\.id) == ["own 1"])
        #expect(try store.verify().isSound)
        // The way back brings all of it.
        #expect(try store.revert(commits: [try #require(report.commit)]).isDone)
        #expect(try store.digest() == linked)
        #expect(try store.verify().isSound)
    }

    /// A store of one topic, `all`, in which a hundred changes are many, and the commit that has inserted it.
    private static func storeOfOne() throws -> (Store, insertion: Position) {
        var configuration = Store.Configuration()
        configuration.stepwiseChangeCountMin = 100
        let store = try Store.temporary(Schema(Topic.self, Twin.self), configuration: configuration)
        try store.write { try $0.insert(Topic(id: "all", name: "all")) }
        return (store, try store.resolve(.head))
    }

    @Test func `rows that stay and leave one that goes count as changes`() throws {
        let (store, insertion) = try Self.storeOfOne()
        for (part, isInSteps) in [(0..<50, false), (50..<100, true)] {
            try store.write { tx in
                for number in part { try tx.insert(Topic(id: Topic.ID("\(number)"), name: "new", parent: "all")) }
            }
            let report = try store.revert(commits: [insertion], resolving: .theirs)
            #expect(report.isDone && report.counts.deleted == 1)
            #expect(store.stepwiseCommitCount == (isInSteps ? 1 : 0))
            #expect(try store.fetch(Topic.self).allSatisfy { $0.parent == nil })
            // The way back.
            #expect(try store.revert(commits: [try #require(report.commit)]).isDone)
            #expect(try store.fetch(Topic.self).count { $0.parent == "all" } == part.upperBound)
        }
        #expect(try store.verify().isSound)
    }

    @Test func `entries that lead to a row that goes count as changes`() throws {
        let (store, insertion) = try Self.storeOfOne()
        try store.write { try $0.insert(Topic(id: "list", name: "list")) }
        for _ in 0..<2 {
            try store.write { tx in
                for _ in 0..<60 { try tx.append(Topic.related, of: "list", "all") }
            }
        }
        #expect(try store.revert(commits: [insertion], resolving: .theirs).isDone)
        #expect(store.stepwiseCommitCount == 1)
        #expect(try store.fetch(Topic.related, of: "list").isEmpty)
        #expect(try store.verify().isSound)
    }

    @Test func `steps come to what one transaction comes to`() throws {
        var digests: [StateDigest] = []
        for isInSteps in [false, true] {
            let store = try Self.store(isInSteps: isInSteps)
            try Self.link(store)
            #expect(try store.revert(correlation: "import", resolving: .theirs).isDone)
            digests.append(try store.digest())
        }
        #expect(digests[0] == digests[1])
    }

    @Test(arguments: [false, true])
    func `of two rows that come back and need one partner the first gets it`(isInSteps: Bool) throws {
        let store = try Store.temporary(
            Schema(Citizen.self, Passport.self),
            configuration: .merging(inSteps: isInSteps)
        )
        try store.write { try $0.insert(Citizen(id: "ada")) }
        var deletions: [Position] = []
        for id in ["a", "b"] as [Passport.ID] {
            try store.write { try $0.insert(Passport(id: id, holder: "ada")) }
            try store.write { try $0.delete(Passport.self, id: id) }
            deletions.append(try store.resolve(.head))
        }
        // Ada has had both, so that she stays without one; each of them says that she has it.
        let report = try store.revert(commits: deletions, resolving: .ours)
        #expect(report.isDone)
        #expect(report.settled.contains { conflict in
            guard case .taken = conflict.kind else { return false }
            return conflict.entity.id == "b"
        })
        #expect(try store.fetch(Passport.self).map(\.id) == ["a"])
        #expect(try store.fetch(Citizen.self, id: "ada")?.passport == "a")
        #expect(try store.verify().isSound)
    }

    @Test(arguments: [false, true])
    func `the history of rows that stay tells that they lead to nothing`(isInSteps: Bool) throws {
        let store = try Self.store(isInSteps: isInSteps)
        try Self.link(store)
        #expect(try store.revert(correlation: "import", resolving: .theirs).isDone)
        for id in ["own 6", "own 7"] as [Topic.ID] {
            let newest = try #require(try store.history(of: Topic.self, id: id).first)
            let names = Set(newest.change.fields.map(\.name))
            #expect(names.isSuperset(of: ["parent", "twin"]))
            #expect(newest.lists.map(\.to) == [["own 1"]])
        }
    }

    @Test(arguments: [false, true])
    func `a row that stays leaves a partner that another one gets back, and a row that goes`(isInSteps: Bool) throws {
        let store = try Store.temporary(Schema(Topic.self, Twin.self), configuration: .merging(inSteps: isInSteps))
        try store.write { tx in
            try tx.insert(Twin(id: "twin"))
            try tx.insert(Topic(id: "first", name: "first", twin: "twin"))
            try tx.insert(Topic(id: "second", name: "second"))
        }
        try store.write(CommitContext(correlation: "import")) { tx in
            try tx.insert(Topic(id: "new", name: "new"))
            try tx.update(Topic.self, id: "first") { $0.twin = nil }
        }
        try store.write { tx in try tx.update(Topic.self, id: "second") { ($0.parent, $0.twin) = ("new", "twin") } }
        #expect(try store.revert(correlation: "import", resolving: .theirs).isDone)
        #expect(store.stepwiseCommitCount == (isInSteps ? 1 : 0))
        #expect(
            try store.fetch(Topic.self) == [
                Topic(id: "first", name: "first", twin: "twin"), Topic(id: "second", name: "second"),
            ]
        )
        #expect(try store.fetch(Twin.self, id: "twin")?.topic == "first")
        #expect(try store.verify().isSound)
    }

    /// HIS-58
    @Test(arguments: [false, true])
    func `a row that a resolution has taken away comes back with what led to it`(isInSteps: Bool) throws {
        let store = try Self.store(isInSteps: isInSteps)
        try Self.link(store)
        let entries = try store.read { try $0.entries(Topic.related, of: "own 7").map(\.id) }
        #expect(try store.revert(correlation: "import", resolving: .theirs).isDone)
        // The revert has changed the name of every second row as well.
        for (topic, twin, user) in [("new 1", "98", "own 98"), ("new 2", "97", "own 97")] {
            let user = Topic.ID(user)
            #expect(try store.restore(Topic.self, id: Topic.ID(topic)).isDone)
            #expect(try store.fetch(Topic.self, id: user) == Topic(id: user, name: "old", parent: Topic.ID(topic)))
            #expect(try store.restore(Twin.self, id: Twin.ID(twin)).isDone)
            #expect(try store.fetch(Topic.self, id: user)?.twin == Twin.ID(twin))
            #expect(try store.fetch(Twin.self, id: Twin.ID(twin))?.topic == user)
        }
        #expect(try store.read { try $0.entries(Topic.related, of: "own 7").map(\.id) } == entries)
        #expect(try store.fetch(Topic.self).count { $0.parent != nil } == 2)
        #expect(try store.verify().isSound)
    }

    @Test(arguments: [false, true])
    func `a to-one stays where another user keeps what it leads to`(isInSteps: Bool) throws {
        let store = try Self.store(isInSteps: isInSteps)
        try store.write { tx in
            for id in ["own 2", "own 4"] as [Topic.ID] { try tx.update(Topic.self, id: id) { $0.parent = "new 1" } }
        }
        let keeper = EntityReference(model: "topic", id: "own 4")
        let report = try store.revert(
            correlation: "import",
            resolving: .each { conflict in
                if case .used(keeper, _, _) = conflict.kind { .ours } else { .theirs }
            }
        )
        #expect(report.isDone)
        #expect(try store.fetch(Topic.self, id: "new 1") != nil)
        #expect(try store.fetch(Topic.self, id: "own 2") == Topic(id: "own 2", name: "old", parent: "new 1"))
        #expect(try store.fetch(Topic.self, id: "own 4")?.parent == "new 1")
        #expect(try store.verify().isSound)
    }

    @Test func `rows stay with an owner that another one of them keeps`() throws {
        let store = try Store.temporary(Schema(Crate.self, Toy.self))
        try store.write(CommitContext(correlation: "import")) { try $0.insert(Crate(id: "crate")) }
        try store.write { tx in
            for id in ["a", "b"] as [Toy.ID] { try tx.insert(Toy(id: id, crate: "crate")) }
        }
        let keeper = EntityReference(model: "toy", id: "b")
        let report = try store.revert(
            correlation: "import",
            resolving: .each { conflict in
                if case .used(keeper, _, _) = conflict.kind { .ours } else { .theirs }
            }
        )
        #expect(report.isDone && report.counts.entities == 0)
        #expect(try store.fetch(Toy.self).map(\.crate) == ["crate", "crate"])
        #expect(try store.verify().isSound)
    }
}

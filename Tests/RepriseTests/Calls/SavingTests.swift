import Reprise
import Testing

/// STO-100, STO-101.
struct SavingTests {
    private let calls: CallStore
    private var store: Store { calls.store }

    init() throws { calls = try CallStore(tasks: 3) }

    @Test func `saving inserts what is new, updates what differs, and records nothing else`() throws {
        let task = Job(id: "n", title: "New", rank: 1, project: "p")
        var outcomes: [WriteTransaction.PutOutcome] = []
        var events = try calls.events { outcomes.append(try $0.save(task)) }
        #expect(events == ["inserted"])
        events = try calls.events { outcomes.append(try $0.save(task)) }
        #expect(events == [])
        var changed = task
        changed.rank = nil
        events = try calls.events { outcomes.append(try $0.save(changed)) }
        #expect(events == ["updated"])
        #expect(outcomes == [.inserted, .unchanged, .updated])
        #expect(try calls.task("n") == changed)
        #expect(try calls.ids(Project.tasks, "p") == ["n"])
    }

    @Test func `several models are saved in their order, in one commit`() throws {
        let models = [Job(id: "t0", title: "T0"), Job(id: "t1", title: "Other"), Job(id: "n", title: "New")]
        var outcomes: [WriteTransaction.PutOutcome] = []
        let events = try calls.events { outcomes = try $0.save(models) }
        #expect(outcomes == [.unchanged, .updated, .inserted])
        #expect(events == ["updated", "inserted"])
    }

    @Test func `a model is only updated where the entity is there`() throws {
        #expect(calls.code { try $0.update(Job(id: "no", title: "No")) } == .entityMissing)
        var isChanged: [Bool] = []
        let events = try calls.events { transaction in
            isChanged.append(try transaction.update(Job(id: "t0", title: "T0")))
            isChanged.append(try transaction.update(Job(id: "t0", title: "Other")))
        }
        #expect(isChanged == [false, true])
        #expect(events == ["updated"])
        #expect(try calls.task("t0")?.title == "Other")
    }

    @Test func `a revision can be expected of a model`() throws {
        let revision = try #require(try store.read { try $0.revision(of: Job.ID("t0")) })
        try store.write { try $0.save(Job(id: "t0", title: "Theirs")) }
        let mine = Job(id: "t0", title: "Mine")
        #expect(calls.code { try $0.save(mine, expecting: .exactly(revision)) } == .revisionConflict)
        #expect(calls.code { try $0.update(mine, expecting: .exactly(revision)) } == .revisionConflict)
        #expect(calls.code { try $0.delete(mine, expecting: .exactly(revision)) } == .revisionConflict)
        #expect(calls.code { try $0.save(mine, expecting: .absent) } == .entityExists)
        let gone = Job(id: "gone", title: "Gone")
        #expect(calls.code { try $0.save(gone, expecting: .exactly(revision)) } == .revisionConflict)
        #expect(calls.code { try $0.update(gone, expecting: .exactly(revision)) } == .revisionConflict)
        #expect(try calls.task("t0")?.title == "Theirs")
    }

    @Test func `a model is deleted by its identifier, with what the rules make of it`() throws {
        try store.write { try $0.save(Job(id: "t0", title: "T0", project: "p")) }
        let events = try calls.events { try $0.delete(Project(id: "p", title: "whatever it says")) }
        #expect(events == ["deleted", "deleted"])
        #expect(try !store.exists(Job.self, id: "t0"))
    }

    @Test func `what has gone along with another one is no error when several are deleted`() throws {
        try store.write { try $0.append(Project.tasks, of: "p", contentsOf: ["t0", "t1"]) }
        try store.write { try $0.insert(Job(id: "n", title: "N", project: "p")) }
        #expect(calls.code { try $0.delete(Job.self, ids: ["t0", "no"]) } == .entityMissing)
        #expect(try store.exists(Job.self, id: "t0"))
        let events = try calls.events { try $0.delete(Job.self, ids: ["t2", "t0", "t2"]) }
        #expect(events == ["deleted", "deleted"])
        #expect(try store.fetch(Job.self).map(\.id) == ["n", "t1"])
    }

    @Test func `an operation on several that was half done when it was refused ends the write`() throws {
        let models = [Job(id: "n", title: "New"), Job(id: "t0", title: "there already")]
        var last: StoreError.Code?
        let code = calls.code { transaction in
            try transaction.insert(Project(id: "r", title: "R"))
            do { try transaction.insert(models) } catch { last = (error as? StoreError)?.code }
        }
        #expect(last == .entityExists)
        #expect(code == .entityExists)
        #expect(try store.count(Job.self) == 3)
        #expect(try !store.exists(Project.self, id: "r"))
    }

    @Test func `one that is refused before it has changed anything leaves no trace, and the write goes on`() throws {
        let models = [Job(id: "t0", title: "there already"), Job(id: "n", title: "New")]
        try store.write { transaction in
            try transaction.insert(Project(id: "r", title: "R"))
            try? transaction.insert(models)
        }
        #expect(try store.exists(Project.self, id: "r"))
        #expect(try store.count(Job.self) == 3)
    }

    @Test func `attributes that the Swift type does not know are kept`() throws {
        try store.write { try $0.save(Job(id: "t0", title: "T0", rank: 7, project: "p")) }
        try store.write { transaction in
            try transaction.save(OlderJob(id: "t0", title: "older", isDone: true))
            try transaction.update(OlderJob(id: "t1", title: "older, too", isDone: true))
            try transaction.save(OlderJob(id: "n", title: "new", isDone: true))
        }
        #expect(try calls.task("t0") == Job(id: "t0", title: "older", isDone: true, rank: 7, project: "p"))
        #expect(try calls.task("t1") == Job(id: "t1", title: "older, too", isDone: true))
        #expect(try calls.task("n") == Job(id: "n", title: "new", isDone: true))
        #expect(try calls.ids(Project.tasks, "p") == ["t0"])
    }
}

/// The task of an earlier version of the program.
private struct OlderJob: Model {
    var id: ID
    var title: String
    var isDone: Bool

    static let schema = ModelSchema(
        "task",
        Self.init,
        .id("id", \.id),
        .attribute("title", \.title),
        .attribute("isDone", \.isDone)
    )
}

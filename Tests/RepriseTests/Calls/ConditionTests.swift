import Reprise
import Testing

/// STO-102.
struct ConditionTests {
    private let calls: CallStore
    private var store: Store { calls.store }

    init() throws {
        calls = try CallStore(tasks: 10)
        try store.write { transaction in
            try transaction.update(FetchDescriptor<Job>()) { $0.rank = Int($0.title.dropFirst()) }
        }
    }

    private func ids(_ tasks: [Job]) -> [String] { tasks.map(\.id.rawValue) }

    @Test func `what meets a condition is changed, and only what differs is recorded`() throws {
        var count = 0
        let events = try calls.events { transaction in
            count = try transaction.update(Job.self) { $0.isDone = $0.rank != 2 } where: { $0.rank < 4 }
        }
        #expect(count == 3)
        #expect(events == ["updated", "updated", "updated"])
        #expect(try ids(store.fetch(Job.self) { $0.isDone == true }) == ["t0", "t1", "t3"])
    }

    @Test func `a change has no say in what is found`() throws {
        // Each would be found again, were they changed while they are found.
        let count = try store.write { transaction in
            try transaction.update(Job.self) { $0.rank = ($0.rank ?? 0) + 5 } where: { $0.rank >= 0 }
        }
        #expect(count == 10)
        #expect(try store.fetch(Job.self).map(\.rank) == Array(5..<15))
    }

    @Test func `a descriptor says which, in which order and how many`() throws {
        let last = FetchDescriptor<Job>().sorted(by: \.rank, .descending).limit(3)
        var seen: [Int?] = []
        let count = try store.write { transaction in
            try transaction.update(last) { task in
                seen.append(task.rank)
                task.isDone = true
            }
        }
        #expect(count == 3)
        #expect(seen == [9, 8, 7])
        #expect(try store.write { try $0.delete(last) } == 3)
        #expect(try store.count(Job.self) == 7)
    }

    @Test func `what the transaction itself has written is found`() throws {
        let count = try store.write { transaction in
            try transaction.insert(Job(id: "n", title: "N", rank: 1))
            return try transaction.update(Job.self) { $0.isDone = true } where: { $0.rank == 1 }
        }
        #expect(count == 2)
    }

    @Test func `what is deleted may have gone along with another one`() throws {
        try store.write { transaction in
            try transaction.insert(Chapter(id: "a", parent: nil))
            try transaction.insert(Chapter(id: "b", parent: "a"))
            try transaction.insert(Chapter(id: "c", parent: "b"))
            try transaction.insert(Chapter(id: "d", parent: nil))
        }
        var count = 0
        let events = try calls.events { count = try $0.delete(Chapter.self) { $0.id != "d" } }
        #expect(count == 3)
        #expect(events == ["deleted", "deleted", "deleted"])
        #expect(try store.fetch(Chapter.self).map(\.id) == ["d"])
    }

    @Test func `all entities of a model can be deleted`() throws {
        try store.write { try $0.insert(Job(id: "n", title: "N", project: "p")) }
        let counts = try store.write { transaction in
            [try transaction.deleteAll(Project.self), try transaction.deleteAll(Job.self)]
        }
        #expect(counts == [2, 10])
        #expect(try store.read { $0.counts.map(\.count).reduce(0, +) } == 0)
    }

    @Test func `an error in the middle ends the write`() throws {
        struct Stop: Error {}
        #expect(throws: Stop.self) {
            try store.write { transaction in
                try? transaction.update(Job.self) { task in
                    if task.rank == 3 { throw Stop() }
                    task.isDone = true
                } where: { $0.rank >= 0 }
            }
        }
        #expect(try store.count(Job.self) { $0.isDone == true } == 0)
        let denied = calls.code { transaction in
            try transaction.insert([Keeper(id: "a"), Keeper(id: "b")])
            try transaction.insert(Stage(id: "s", owner: "b"))
            try transaction.deleteAll(Keeper.self)
        }
        #expect(denied == .deleteDenied)
        #expect(try store.count(Keeper.self) == 0)
    }

    @Test func `a condition on a to-one finds what a project has`() throws {
        try store.write { try $0.append(Project.tasks, of: "p", contentsOf: ["t3", "t1"]) }
        let count = try store.write { transaction in
            try transaction.update(Job.self) { $0.isDone = true } where: { $0.project == "p" }
        }
        #expect(count == 2)
        #expect(try store.write { try $0.delete(Job.self, where: { $0.project == "p" }) } == 2)
        #expect(try store.entries(Project.tasks, of: "p").isEmpty)
    }
}

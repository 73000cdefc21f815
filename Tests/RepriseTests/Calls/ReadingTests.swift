import Reprise
import Testing

/// STO-103.
struct ReadingTests {
    private let calls: CallStore
    private var store: Store { calls.store }

    init() throws {
        calls = try CallStore(tasks: 4)
        try store.write { transaction in
            try transaction.update(Job.self) { $0.rank = Int($0.title.dropFirst()) } where: { $0.title != "T3" }
            try transaction.append(Project.tasks, of: "p", contentsOf: ["t2", "t0"])
        }
    }

    @Test func `a store and a transaction answer the same questions`() throws {
        let ranked = FetchDescriptor<Job>().where { $0.rank >= 1 }
        try store.read { state in
            let all = try state.fetch(Job.self)
            #expect(try store.fetch(Job.self) == all)
            #expect(all.map(\.id) == ["t0", "t1", "t2", "t3"])
            #expect(try store.fetch(Job.self) { $0.rank >= 1 } == state.fetch(ranked))
            #expect(try state.fetch(Job.self, where: { $0.rank >= 1 }).map(\.id) == ["t1", "t2"])
            #expect(try store.fetchOne(ranked.sorted(by: \.rank, .descending))?.id == "t2")
            #expect(try state.fetchOne(ranked)?.id == "t1")
            #expect(try state.fetchOne(ranked.limit(0)) == nil)
            #expect(try store.fetchOne(Job.self) { $0.rank > 5 } == nil)
            #expect(try state.fetchOne(Job.self) { $0.rank > 1 }?.id == "t2")
            #expect(try store.exists(Job.self, id: "t1"))
            #expect(try !state.exists(Job.self, id: "t9"))
            #expect(try store.exists(Job.self) { $0.rank == 2 })
            #expect(try !state.exists(Job.self) { $0.rank == 7 })
            #expect(try store.count(Job.self) == 4 && state.count(Job.self) == 4)
            #expect(try store.count(Job.self) { $0.rank >= 1 } == 2)
            #expect(try state.count(Job.self, where: { $0.rank >= 1 }) == 2)
        }
    }

    @Test func `figures, values and entries need no closure`() throws {
        #expect(try store.max(\Job.rank) == 2)
        #expect(try store.min(\Job.rank) == 0)
        #expect(try store.max(\Job.title) == "T3")
        #expect(try store.min(\Job.title) == "T0")
        #expect(try store.distinct(\Job.isDone) == [false])
        #expect(try store.distinct(\Job.rank) == [nil, 0, 1, 2])
        let (count, sum) = try store.aggregate(FetchDescriptor<Job>(), .count, .sum(\.rank))
        #expect(count == 4 && sum == 3)
        let pairs = try store.values(of: FetchDescriptor<Job>().limit(2), \.title, \.rank)
        #expect(pairs.map(\.0) == ["T0", "T1"])
        #expect(pairs.map(\.1) == [0, 1])
        #expect(try store.entries(Project.tasks, of: "p").map(\.target) == ["t2", "t0"])
    }

    @Test func `the past is read from asynchronous code`() async throws {
        let then = try await store.read { $0.position }
        try await store.write { try $0.deleteAll(Job.self) }
        let count = try await store.read(asOf: .position(then)) { try $0.count(Job.self) }
        #expect(count == 4)
        #expect(try store.count(Job.self) == 0)
    }

    @Test func `what a write returns need not be used`() async throws {
        try await store.write { try $0.update(Job.self, id: "t1") { $0.rank = 9 }.rank }
        try writeHere()
        #expect(try store.count(Job.self) { $0.rank == 9 } == 3)
    }

    private func writeHere() throws {
        try store.write { try $0.update(Job.self, id: "t0") { $0.rank = 9 } }
        try store.bulkLoad { loader in
            try loader.batch { try $0.update(Job.self, id: "t2") { $0.rank = 9 } }
        }
    }
}

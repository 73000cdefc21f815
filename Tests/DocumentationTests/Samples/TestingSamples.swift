import Reprise
import RepriseTestSupport
import TestSupport
import Testing

/// The samples of Testing.md.
struct TestingSamples {
    @Test func `a finished task is not shown`() throws {
        let store = try Store.temporary(
            todoSchema,
            rows: [Project(id: "garden", title: "Garden"), Task(id: "mow", title: "Mow", project: "garden")]
        )
        try store.write { tx in
            try tx.update(Task.self, id: "mow") { $0.isDone = true }
        }
        let shown = try store.fetch(FetchDescriptor(Project.tasks, of: "garden").where { !$0.isDone })
        #expect(shown.isEmpty)
    }

    @Test func `a store has a history`() throws {
        let store = try Store.temporary(
            todoSchema,
            { try $0.insert(Task(id: "mow", title: "Mow")) },
            { try $0.update(Task.self, id: "mow") { $0.title = "Mow the lawn" } }
        )
        #expect(try store.fetch(Task.self, id: "mow")?.title == "Mow the lawn")
        #expect(try store.statistics().commitCount == 3)
    }

    @Test func `identifiers and times are the same in each run`() throws {
        let ids = FixedIDs(prefix: "task")
        let clock = FixedClock()
        let store = try Store.temporary(todoSchema, configuration: .init(now: clock.now))
        try store.write { try $0.insert(Task(id: ids.next(), title: "Mow")) }
        #expect(try store.fetch(Task.self).map(\.id) == ["task001"])
    }

    @Test func `the events of a change are told`() throws {
        let store = try Store.temporary(
            todoSchema,
            rows: [Project(id: "garden", title: "Garden"), Task(id: "mow", title: "Mow", project: "garden")]
        )
        let events = try store.recording { try $0.delete(Project.self, id: "garden") }
        #expect(events == ["deleted project garden", "deleted task mow because deleted project garden"])
    }

    @Test func `a plan says whether a store of the last release opens`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("Todo.reprise")
        try Store.open(at: path, schema: todoSchema).close()
        let plan = try Store.plan(todoSchema, at: path)
        #expect(!plan.isRefused)
    }

    @Test func `the first results are awaited`() async throws {
        let store = try Store.temporary(todoSchema, rows: [Task(title: "Mow")])
        var updates = store.observe(FetchDescriptor<Task>()).makeAsyncIterator()
        let first = try await updates.next()
        #expect(first?.results.count == 1)
    }
}

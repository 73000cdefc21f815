import Reprise
import Testing

/// The samples of Concurrency.md and of ComingFromGRDBSwiftDataAndRealm.md.
struct ConcurrencySamples {
    func finish(_ id: Task.ID, in store: Store) async throws {
        try await store.write { tx in
            try tx.update(Task.self, id: id) { $0.isDone = true }
        }
    }

    @Test func `a task is finished without blocking a thread`() async throws {
        let store = try gardenStore()
        try await finish("mow", in: store)
        let id = try await store.write { tx in
            let task = Task(title: "Water the plants")
            try tx.insert(task)
            return task.id
        }
        #expect(try store.fetch(Task.self, id: "mow")?.isDone == true)
        #expect(try store.fetch(Task.self, id: id)?.title == "Water the plants")
    }

    @Test func `questions of one read see one state`() throws {
        let store = try gardenStore()
        let (projects, openCount) = try store.read { state in
            (try state.fetch(Project.self), try state.count(Task.self, where: { !$0.isDone }))
        }
        #expect(projects.count == 1)
        #expect(openCount == 2)
    }

    private func rename(_ id: Task.ID, in store: Store) throws {
        let (task, revision) = try store.read { state in
            (try state.fetch(Task.self, id: id), try state.revision(of: id))
        }
        guard var task, let revision else { return }
        task.title = "Water the tomatoes"
        try store.write { try $0.save(task, expecting: .exactly(revision)) }
    }

    @Test func `a row that somebody else has changed is not saved`() throws {
        let store = try gardenStore()
        try rename("water", in: store)
        #expect(try store.fetch(Task.self, id: "water")?.title == "Water the tomatoes")
        let revision = try #require(try store.read { try $0.revision(of: "sow" as Task.ID) })
        try store.write { try $0.update(Task.self, id: "sow") { $0.isDone = true } }
        let error = #expect(throws: StoreError.self) {
            try store.write { try $0.save(Task(id: "sow", title: "Sow"), expecting: .exactly(revision)) }
        }
        #expect(error?.code == .revisionConflict)
    }

    @Test func `the shape is that of GRDB`() async throws {
        let store = try gardenStore()
        let garden: Project.ID = "garden"
        try await store.write { tx in
            try tx.save(Task(title: "Mow the lawn", project: garden))
        }
        let tasks = try store.fetch(Task.self) { $0.project == garden && !$0.isDone }
        #expect(tasks.count == 3)
    }
}

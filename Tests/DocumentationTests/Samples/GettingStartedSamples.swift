import Reprise
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The samples of GettingStarted.md and of the landing page. The models stand in TodoModels.swift.
struct GettingStartedSamples {
    /// Only compiled: it would write among the files of the user.
    private func openTodoStore() throws -> Store {
        let support = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)[0]
        let folder = support.appending(path: "Todo")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let path = folder.appending(path: "Todo.reprise").path(percentEncoded: false)
        let store = try Store.open(at: path, schema: todoSchema)
        return store
    }

    /// Only compiled: the tests make temporary stores.
    private func landingPage(_ path: String) throws -> [Task] {
        let store = try Store.open(at: path, schema: Schema(Project.self, Task.self, Tag.self))
        try store.write { try $0.insert(Task(title: "Mow the lawn")) }
        let open = try store.fetch(Task.self) { !$0.isDone }
        return open
    }

    @Test func `a new app writes, reads, watches and goes back`() async throws {
        let store = try Store.temporary(todoSchema)
        let (garden, water) = try fill(store)
        try read(store, garden, water)
        try goBack(store, garden)
        var shown: [[Task]] = []
        func show(_ tasks: [Task]) {
            shown.append(tasks)
            store.close()
        }
        for try await update in store.observe(FetchDescriptor(Project.tasks, of: garden.id)) {
            show(update.results)
        }
        #expect(shown.map(\.count) == [2])
    }

    private func fill(_ store: Store) throws -> (Project, Task) {
        let garden = Project(title: "Garden")
        let water = Task(title: "Water the plants", project: garden.id)
        try store.write { tx in
            try tx.insert(garden)
            try tx.insert(water)
            try tx.save(Task(title: "Mow the lawn", due: Date(), project: garden.id))
        }
        try store.write { tx in
            try tx.update(Task.self, id: water.id) { $0.isDone = true }
            try tx.update(Task.self) { $0.priority = .high } where: { $0.project == garden.id && !$0.isDone }
        }
        return (garden, water)
    }

    private func read(_ store: Store, _ garden: Project, _ water: Task) throws {
        let tasks = try store.fetch(Project.tasks, of: garden.id)
        let urgent = try store.fetch(Task.self) { !$0.isDone && $0.priority == .high }
        let found = try store.search(Task.self, "plant*").map(\.model)
        #expect(tasks.map(\.title) == ["Water the plants", "Mow the lawn"])
        #expect(urgent.map(\.title) == ["Mow the lawn"])
        #expect(found.map(\.id) == [water.id])
    }

    private func goBack(_ store: Store, _ garden: Project) throws {
        try store.createSnapshot(named: "before spring")
        try store.write { try $0.delete(garden) }
        try store.rollback(to: .snapshot("before spring"))
        #expect(try store.count(Task.self) == 2)
    }
}

import Reprise

@testable import TodoApp

/// What the README shows, one after the other on one store. It imports no test framework: that of Swift has a type
/// `Tag` of its own.
struct TenMinutes {
    let path: String

    /// Returns the tasks before the cleaning, and those after going back.
    func writeAndGoBack() throws -> (before: [String], after: [String]) {
        let store = try Store.open(at: path, schema: Schema(Project.self, Task.self, Tag.self))
        let home = Project(name: "Home")
        let milk = Task(title: "Buy milk", project: home.id)
        try store.write { tx in
            try tx.insert(home)
            try tx.insert(milk)
        }
        try store.write { try $0.update(Task.self, id: milk.id) { $0.isDone = true } }
        defer { store.close() }

        try store.createSnapshot(named: "before cleaning")
        try store.write { try $0.delete(Task.self) { $0.isDone } }
        let changes = try store.difference(from: .snapshot("before cleaning"))
        try store.undo()  // and redo() deletes them again
        let report = try store.revert(commits: [changes.to])  // its conflicts are values; here it has none
        let before = try store.read(asOf: .snapshot("before cleaning")) { try $0.fetch(Task.self) }
        try store.rollback(to: .snapshot("before cleaning"))
        guard changes.counts.deleted == 1, report.isDone else { return ([], []) }
        return (before.map(\.title), try store.fetch(Task.self).map(\.title))
    }

    /// Returns the done tasks, and the open ones that were shown first.
    func readAndWatch() async throws -> (done: [String], shown: [String]) {
        let store = try Store.open(at: path, schema: TodoApp.schema)
        defer { store.close() }
        let home = try store.fetch(Project.self)[0]
        var shown: [String] = []
        func show(_ tasks: [Task]) {
            shown = tasks.map(\.title)
            // So that the loop ends.
            store.close()
        }

        let done = try store.fetch(Task.self) { $0.isDone && $0.project == home.id }
        let tasks = FetchDescriptor(Project.tasks, of: home.id).where { !$0.isDone }
        for try await update in store.observe(tasks) { show(update.results) }
        return (done.map(\.title), shown)
    }

    /// Returns the only task as the second version sees it.
    func openSecondVersion() throws -> SecondVersion.Task? {
        let models = Schema(SecondVersion.Project.self, SecondVersion.Task.self, SecondVersion.Tag.self)
        let store = try Store.open(at: path, schema: models)
        defer { store.close() }
        return try store.fetch(SecondVersion.Task.self).first
    }
}

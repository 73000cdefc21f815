import Reprise

struct TodoApp {
    static let schema = Schema(Project.self, Task.self, Tag.self)

    let store: Store

    func addTask(_ title: String, to project: Project.ID, tags names: [String] = []) throws -> Task {
        try store.write { tx in
            let task = Task(title: title, project: project)
            try tx.insert(task)
            for name in Set(names) {
                let tag = try tx.fetchOne(Tag.self) { $0.name == name } ?? Tag(name: name)
                try tx.save(tag)
                try tx.append(Task.tags, of: task.id, tag.id)
            }
            return task
        }
    }

    func finish(_ task: Task.ID) throws {
        try store.write { try $0.update(Task.self, id: task) { $0.isDone = true } }
    }

    /// Moves a task before another one, or to the end: what is shown may be a part of the list.
    func move(_ task: Task.ID, in project: Project.ID, before other: Task.ID?) throws {
        try store.write { try $0.move(Project.tasks, of: project, task, before: other) }
    }

    /// The open tasks of a project, in their order: now, and after each change.
    func openTasks(of project: Project.ID) -> LiveResults<Task> {
        store.observe(FetchDescriptor(Project.tasks, of: project).where { !$0.isDone })
    }

    func tasks(tagged name: String) throws -> [Task] {
        guard let tag = try store.fetchOne(Tag.self, where: { $0.name == name }) else { return [] }
        return try store.fetch(Task.self) { $0[Task.tags].contains(tag.id) }
    }

    func search(_ words: String) throws -> [Task] {
        try store.search(Task.self, words).map(\.model)
    }

    /// Deletes what is done. The snapshot is of the moment before.
    func clearDone() throws -> Snapshot {
        let before = try store.createSnapshot(named: "before clearing \(Task.ID())")
        try store.write { try $0.delete(Task.self) { $0.isDone } }
        return before
    }

    /// Goes back to a snapshot, with all lists and tags as they were.
    func goBack(to snapshot: Snapshot) throws {
        try store.rollback(to: .snapshot(snapshot.name))
    }
}

import Reprise
import RepriseTestSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// The app of the pages.

struct Project: Model {
    var id = ID()
    var title: String

    static let tasks = Relationship<Project, Task>("tasks", inverse: \.project, onDelete: .cascade)

    static let schema = ModelSchema(
        "project",
        Self.init,
        .id("id", \.id),
        .attribute("title", \.title, unique: true)
    )
    .toMany(tasks)
}

struct Task: Model {
    var id = ID()
    var title: String
    var isDone = false
    var priority = Priority.normal
    var due: Date?
    var project: Project.ID?

    static let tags = Relationship<Task, Tag>("tags")

    static let schema = ModelSchema(
        "task",
        Self.init,
        .id("id", \.id),
        .attribute("title", \.title),
        .attribute("isDone", \.isDone),
        .attribute("priority", \.priority),
        .attribute("due", \.due, indexed: true),
        .toOne("project", \.project)
    )
    .toMany(tags)
    .searchable("title")
}

enum Priority: String, StoredValue {
    case low, normal, high
}

struct Tag: Model {
    var id = ID()
    var name: String

    static let tasks = Relationship<Tag, Task>("tasks", inverseOf: Task.tags)

    static let schema = ModelSchema(
        "tag",
        Self.init,
        .id("id", \.id),
        .attribute("name", \.name, unique: true)
    )
    .toMany(tasks)
}

let todoSchema = Schema(Project.self, Task.self, Tag.self)

/// A store with a project of three tasks, of which one is done.
func gardenStore() throws -> Store {
    try Store.temporary(
        todoSchema,
        rows: [
            Tag(id: "outside", name: "outside"),
            Project(id: "garden", title: "Garden"),
            Task(id: "water", title: "Water the plants", isDone: true, project: "garden"),
            Task(id: "mow", title: "Mow the lawn", priority: .high, due: .now, project: "garden"),
            Task(id: "sow", title: "Sow the carrots", project: "garden"),
        ]
    )
}

import Reprise

/// Version 7: a list is called a project, a title a summary, and what was called estimate and spent changes places.
enum TodoApp {
    static let schema = Schema(Project.self, Task.self, Tag.self, Badge.self)

    static func open(
        at path: String,
        configuration: Store.Configuration = Store.Configuration()
    ) throws -> Store {
        try Store.open(at: path, schema: schema, configuration: configuration)
    }
}

struct Project: Model, Hashable {
    var id: ID
    var name: String
    var color = "gray"

    static let schema = ModelSchema(
        "project",
        Self.init,
        .id("id", \.id),
        .attribute("name", \.name, unique: true),
        .attribute("color", \.color, default: "gray")
    )
    .toMany("tasks", of: Task.self, inverse: "project", renamedFrom: "todos", onDelete: .cascade)
    .renamedFrom("list")

    static let tasks = Relationship<Project, Task>("tasks")
}

struct Task: Model, Hashable {
    var id: ID
    var summary: String
    var isDone = false
    /// "low", "normal" or "high".
    var priority = "normal"
    /// A day, such as "2024-03-01".
    var due: String?
    var labels: [String] = []
    var reminder: Reminder?
    var isPinned = false
    /// Minutes.
    var estimate = 0
    var spent = 0
    /// A time of the day, such as "17:30".
    var dueTime: String?
    var project: Project.ID?

    static let schema = ModelSchema(
        "task",
        Self.init,
        .id("id", \.id),
        .attribute("summary", \.summary, renamedFrom: "title", "text"),
        .attribute("isDone", \.isDone),
        .attribute("priority", \.priority),
        .attribute("due", \.due, indexed: true),
        .attribute("labels", \.labels),
        .attribute("reminder", \.reminder),
        .attribute("isPinned", \.isPinned, default: false),
        .attribute("estimate", \.estimate, renamedFrom: "spent", default: 0),
        .attribute("spent", \.spent, renamedFrom: "estimate", default: 0),
        .attribute("dueTime", \.dueTime),
        .toOne("project", \.project, renamedFrom: "list")
    )
    .renamedFrom("todo")
    .searchable("summary")
    .toMany("tags", of: Tag.self)

    static let tags = Relationship<Task, Tag>("tags")
}

struct Tag: Model, Hashable {
    var id: ID
    var name: String

    static let schema = ModelSchema(
        "tag",
        Self.init,
        .id("id", \.id),
        .attribute("name", \.name, unique: true)
    )
    .inverse("tasks", of: Task.self, "tags", renamedFrom: "todos")
}

struct Reminder: Embedded, Hashable {
    var hour: Int
    var minute: Int
    var sound: String?

    static let embedded = EmbeddedSchema(
        Self.init,
        .attribute("hour", \.hour),
        .attribute("minute", \.minute),
        .attribute("sound", \.sound)
    )
}

struct Badge: Model, Hashable {
    var id: ID
    var title: String
    var list: Project.ID?

    static let schema = ModelSchema(
        "badge",
        Self.init,
        .id("id", \.id),
        .attribute("title", \.title),
        .toOne("list", \.list)
    )
}

extension TodoApp {
    static func use(_ store: Store) throws {
        try store.write { transaction in
            try transaction.insert(Task(id: "taxes", summary: "Do the taxes", estimate: 120, project: "home"))
            _ = try transaction.update(Task.self, id: "report") { $0.spent += 15 }
            _ = try transaction.update(Project.self, id: "work") { $0.color = "red" }
            _ = try transaction.delete(Task.self, id: "tulips")
        }
    }
}

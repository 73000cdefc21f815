import Reprise

/// Version 5: a to-do is called a task and has a title.
enum TodoApp {
    static let schema = Schema(List.self, Task.self, Tag.self, Badge.self)

    static func open(
        at path: String,
        configuration: Store.Configuration = Store.Configuration()
    ) throws -> Store {
        try Store.open(at: path, schema: schema, configuration: configuration)
    }
}

struct List: Model, Hashable {
    var id: ID
    var name: String
    var color: String?

    static let schema = ModelSchema(
        "list",
        Self.init,
        .id("id", \.id),
        .attribute("name", \.name, unique: true),
        .attribute("color", \.color)
    )
    .toMany("tasks", of: Task.self, inverse: "list", renamedFrom: "todos", onDelete: .cascade)

    static let tasks = Relationship<List, Task>("tasks")
}

struct Task: Model, Hashable {
    var id: ID
    var title: String
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
    var list: List.ID?

    static let schema = ModelSchema(
        "task",
        Self.init,
        .id("id", \.id),
        .attribute("title", \.title, renamedFrom: "text"),
        .attribute("isDone", \.isDone),
        .attribute("priority", \.priority),
        .attribute("due", \.due, indexed: true),
        .attribute("labels", \.labels),
        .attribute("reminder", \.reminder),
        .attribute("isPinned", \.isPinned, default: false),
        .attribute("estimate", \.estimate, default: 0),
        .attribute("spent", \.spent, default: 0),
        .attribute("dueTime", \.dueTime),
        .toOne("list", \.list)
    )
    .renamedFrom("todo")
    .searchable("title")
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

    static let embedded = EmbeddedSchema(
        Self.init,
        .attribute("hour", \.hour),
        .attribute("minute", \.minute)
    )
}

struct Badge: Model, Hashable {
    var id: ID
    var title: String
    var list: List.ID?

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
            try transaction.insert(Task(id: "slides", title: "Draw the slides", due: "2024-05-20", list: "work"))
            try transaction.link(List.tasks, from: "work", to: "slides", at: .first)
            _ = try transaction.update(Task.self, id: "report") { $0.title = "Write the yearly report" }
            for entry in try transaction.entries(Task.tags, of: "shed") where entry.target == "someday" {
                try transaction.unlink(Task.tags, entry: entry.id, of: "shed")
            }
        }
    }
}

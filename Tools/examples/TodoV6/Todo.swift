import Reprise

/// Version 6: every list has a color, and reminders can have a sound.
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
    var color = "gray"

    static let schema = ModelSchema(
        "list",
        Self.init,
        .id("id", \.id),
        .attribute("name", \.name, unique: true),
        .attribute("color", \.color, default: "gray")
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
            try transaction.insert(List(id: "club", name: "Club", color: "blue"))
            let bell = Reminder(hour: 18, minute: 30, sound: "bell")
            try transaction.insert(Task(id: "chess", title: "Bring the chess set", reminder: bell, list: "club"))
            _ = try transaction.update(Task.self, id: "rent") { $0.reminder = Reminder(hour: 7, minute: 45) }
            _ = try transaction.update(List.self, id: "garden") { $0.name = "The garden" }
        }
    }
}

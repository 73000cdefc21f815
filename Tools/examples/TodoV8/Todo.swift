import Reprise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Version 8: a priority is a number, and day and time that a task is due are one date.
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
    /// From 1, low, to 3, high.
    var priority = 2
    var due: Date?
    var labels: [String] = []
    var reminder: Reminder?
    var isPinned = false
    /// Minutes.
    var estimate = 0
    var spent = 0
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
        .toOne("project", \.project, renamedFrom: "list")
    )
    .renamedFrom("todo")
    .searchable("summary")
    .converting("priority", from: "priority") { (word: String) in ["low": 1, "high": 3][word] ?? 2 }
    .converting("due", from: "due", "dueTime") { (day: String, time: String?) throws -> Date in
        try Date("\(day)T\(time ?? "00:00"):00Z", strategy: .iso8601)
    }
    // Version 1 had no time.
    .converting("due", from: "due") { (day: String) throws -> Date in
        try Date("\(day)T00:00:00Z", strategy: .iso8601)
    }
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
        let day = Date(timeIntervalSinceReferenceDate: 735_000_000)
        try store.write { transaction in
            try transaction.insert(
                Task(id: "bike", summary: "Mend the bike", priority: 3, due: day, project: "home")
            )
            _ = try transaction.update(Task.self, id: "trip") { $0.due?.addTimeInterval(86_400) }
            for task in try transaction.fetch(FetchDescriptor<Task>().where { $0.due > day }) {
                _ = try transaction.update(Task.self, id: task.id) { $0.priority = 1 }
            }
        }
    }
}

import Reprise

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Version 9: the labels of tasks are tags.
enum TodoApp {
    static let models = Schema(Project.self, Task.self, Tag.self, Badge.self)
    static let schema = models.change(to: 1, tagLabels)

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
        .attribute("reminder", \.reminder),
        .attribute("isPinned", \.isPinned, default: false),
        .attribute("estimate", \.estimate, renamedFrom: "spent", default: 0),
        .attribute("spent", \.spent, renamedFrom: "estimate", default: 0),
        .toOne("project", \.project, renamedFrom: "list")
    )
    .renamedFrom("todo")
    .removed("labels")
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
    /// Before version 9 a task had labels, and before version 5 it was called a to-do.
    @Sendable
    private static func tagLabels(_ old: borrowing ReadTransaction, _ new: inout WriteTransaction) throws {
        let names = old.schema.models.map(\.name)
        guard let model = names.first(where: { $0 == "task" || $0 == "todo" }) else { return }
        try old.forEachRecord(RecordQuery(model: model)) { record in
            guard case .list(let labels) = record["labels"] else { return true }
            let task = Task.ID(record.id)
            for case .string(let label) in labels {
                let tag = Tag.ID(label)
                if try new.fetch(Tag.self, id: tag) == nil { try new.insert(Tag(id: tag, name: label)) }
                let tags = try new.entries(Task.tags, of: task).map(\.target)
                if !tags.contains(tag) { try new.link(Task.tags, from: task, to: tag) }
            }
            return true
        }
    }
}

extension TodoApp {
    static func use(_ store: Store) throws {
        try store.write { transaction in
            try transaction.insert(Tag(id: "urgent", name: "urgent"))
            for id in ["report", "bike"] as [Task.ID] {
                try transaction.link(Task.tags, from: id, to: "urgent", at: .first)
            }
            _ = try transaction.update(Tag.self, id: "shop") { $0.name = "shopping" }
            _ = try transaction.delete(Tag.self, id: "someday")
        }
    }
}

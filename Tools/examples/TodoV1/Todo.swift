import Reprise

/// Version 1: lists of things to do, and badges for those who do them.
enum TodoApp {
    static let schema = Schema(List.self, Todo.self, Badge.self)

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

    static let schema = ModelSchema(
        "list",
        Self.init,
        .id("id", \.id),
        .attribute("name", \.name)
    )
    .toMany("todos", of: Todo.self, inverse: "list")

    static let todos = Relationship<List, Todo>("todos")
}

struct Todo: Model, Hashable {
    var id: ID
    var text: String
    var isDone = false
    /// "low", "normal" or "high".
    var priority = "normal"
    /// A day, such as "2024-03-01".
    var due: String?
    var labels: [String] = []
    var reminder: Reminder?
    var list: List.ID?

    static let schema = ModelSchema(
        "todo",
        Self.init,
        .id("id", \.id),
        .attribute("text", \.text),
        .attribute("isDone", \.isDone),
        .attribute("priority", \.priority),
        .attribute("due", \.due),
        .attribute("labels", \.labels),
        .attribute("reminder", \.reminder),
        .toOne("list", \.list)
    )
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
            try transaction.insert(List(id: "home", name: "Home"))
            try transaction.insert(List(id: "work", name: "Work"))
            let nine = Reminder(hour: 9, minute: 0)
            for todo in [
                Todo(id: "milk", text: "Buy milk", labels: ["shop"], reminder: nine, list: "home"),
                Todo(id: "rent", text: "Pay the rent", priority: "high", due: "2024-03-01", labels: ["money"]),
                Todo(id: "report", text: "Write the report", labels: ["office", "money"], list: "work"),
                Todo(id: "call", text: "Call Ada", priority: "low", list: "work"),
            ] {
                try transaction.insert(todo)
            }
            try transaction.insert(Badge(id: "first", title: "First one done", list: "home"))
        }
        try store.write { transaction in
            try transaction.link(List.todos, from: "home", to: "rent", at: .first)
            _ = try transaction.update(Todo.self, id: "milk") { $0.isDone = true }
            _ = try transaction.delete(Todo.self, id: "call")
        }
    }
}

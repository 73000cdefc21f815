import Reprise

/// Version 3: names of lists are unique, to-dos are sorted by day and found by their words.
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
    var color: String?

    static let schema = ModelSchema(
        "list",
        Self.init,
        .id("id", \.id),
        .attribute("name", \.name, unique: true),
        .attribute("color", \.color)
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
    var isPinned = false
    /// Minutes.
    var estimate = 0
    var spent = 0
    /// A time of the day, such as "17:30".
    var dueTime: String?
    var list: List.ID?

    static let schema = ModelSchema(
        "todo",
        Self.init,
        .id("id", \.id),
        .attribute("text", \.text),
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
    .searchable("text")
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
            try transaction.insert(List(id: "garden", name: "Garden"))
            try transaction.insert(Todo(id: "tulips", text: "Plant tulips", due: "2024-10-01", list: "garden"))
            try transaction.insert(Todo(id: "shed", text: "Paint the shed", labels: ["shop"], list: "garden"))
            for hit in try transaction.search(Todo.self, "paint") {
                _ = try transaction.update(Todo.self, id: hit.model.id) { $0.isPinned = true }
            }
            for todo in try transaction.fetch(FetchDescriptor<Todo>().where { $0.due < "2024-03-15" }) {
                _ = try transaction.update(Todo.self, id: todo.id) { $0.priority = "high" }
            }
            _ = try transaction.delete(Todo.self, id: "milk")
        }
    }
}

import Reprise

/// Version 4: to-dos have tags, and a list that is deleted takes its to-dos with it.
enum TodoApp {
    static let schema = Schema(List.self, Todo.self, Tag.self, Badge.self)

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
    .toMany("todos", of: Todo.self, inverse: "list", onDelete: .cascade)

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
    .toMany("tags", of: Tag.self)

    static let tags = Relationship<Todo, Tag>("tags")
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
    .inverse("todos", of: Todo.self, "tags")
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
            for name in ["money", "outside", "someday"] {
                try transaction.insert(Tag(id: Tag.ID(name), name: name))
            }
            try transaction.link(Todo.tags, from: "rent", to: "money")
            try transaction.link(Todo.tags, from: "shed", to: "someday")
            try transaction.link(Todo.tags, from: "shed", to: "outside", at: .first)
            try transaction.link(Todo.tags, from: "tulips", to: "outside")
            try transaction.insert(List(id: "attic", name: "Attic"))
            try transaction.insert(Todo(id: "boxes", text: "Open the boxes", list: "attic"))
        }
        try store.write { transaction in
            _ = try transaction.delete(List.self, id: "attic")
        }
    }
}

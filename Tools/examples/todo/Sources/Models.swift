import Reprise

struct Project: Model {
    var id = ID()
    var name: String
    static let tasks = Relationship<Project, Task>("tasks", inverse: \.project, onDelete: .cascade)
    static let schema = ModelSchema("project", Self.init, .id("id", \.id), .attribute("name", \.name)).toMany(tasks)
}

enum Priority: String, StoredValue { case low, normal, high }
struct Task: Model {
    var id = ID()
    var title: String
    var isDone = false
    var priority = Priority.normal
    var project: Project.ID
    static let tags = Relationship<Task, Tag>("tags")
    static let schema = ModelSchema(
        "task", Self.init, .id("id", \.id), .attribute("title", \.title), .attribute("isDone", \.isDone),
        .attribute("priority", \.priority), .toOne("project", \.project)
    ).toMany(tags).searchable("title")
}

struct Tag: Model {
    var id = ID()
    var name: String
    static let schema = ModelSchema("tag", Self.init, .id("id", \.id), .attribute("name", \.name, unique: true))
}

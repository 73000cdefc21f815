import Reprise
@testable import TodoApp

/// The models of the README's second version.
enum SecondVersion {
    struct Project: Model {
        var id = ID()
        var name: String

        static let tasks = Relationship<Project, Task>("tasks", inverse: \.project, onDelete: .cascade)
        static let schema = ModelSchema("project", Self.init, .id("id", \.id), .attribute("name", \.name)).toMany(tasks)
    }

    struct Task: Model {
        var id = ID()
        var title: String
        var notes = ""
        var isFinished = false
        var priority = Priority.normal
        var project: Project.ID

        static let tags = Relationship<Task, Tag>("tags")
        static let schema = ModelSchema(
            "task", Self.init,
            .id("id", \.id), .attribute("title", \.title), .attribute("notes", \.notes, default: ""),
            .attribute("isFinished", \.isFinished, renamedFrom: "isDone"),
            .attribute("priority", \.priority), .toOne("project", \.project)
        ).toMany(tags).searchable("title")
    }

    struct Tag: Model {
        var id = ID()
        var name: String

        static let schema = ModelSchema("tag", Self.init, .id("id", \.id), .attribute("name", \.name, unique: true))
    }
}

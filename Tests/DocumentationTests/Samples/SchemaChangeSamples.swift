import Reprise
import TestSupport
import Testing

/// The samples of ChangingTheSchema.md.
struct SchemaChangeSamples {
    enum First {
        struct Task: Model {
            var id = ID()
            var name: String
            var isDone = false

            static let schema = ModelSchema(
                "task",
                Self.init,
                .id("id", \.id),
                .attribute("name", \.name),
                .attribute("isDone", \.isDone)
            )
        }
    }

    enum Second {
        struct Task: Model {
            var id = ID()
            var title: String
            var isDone = false
            var notes: String?
            var estimate = 0

            static let schema = ModelSchema(
                "task",
                Self.init,
                .id("id", \.id),
                .attribute("title", \.title, renamedFrom: "name"),
                .attribute("isDone", \.isDone),
                .attribute("notes", \.notes),
                .attribute("estimate", \.estimate, default: 0)
            )
        }
    }

    enum Unexplained {
        struct Task: Model {
            var id = ID()
            var title: String
            var isDone = false

            static let schema = ModelSchema(
                "task",
                Self.init,
                .id("id", \.id),
                .attribute("title", \.title),
                .attribute("isDone", \.isDone)
            )
        }
    }

    enum Hours {
        struct Task: Model {
            var id = ID()
            var title: String
            var hours: Double

            static let schema = ModelSchema(
                "task",
                Self.init,
                .id("id", \.id),
                .attribute("title", \.title),
                .attribute("hours", \.hours)
            )
        }
    }

    enum Minutes {
        struct Task: Model {
            var id = ID()
            var title: String
            var minutes: Int

            static let schema = ModelSchema(
                "task",
                Self.init,
                .id("id", \.id),
                .attribute("title", \.title),
                .attribute("minutes", \.minutes)
            )
            .converting("minutes", from: "hours") { (hours: Double) in
                Int(hours * 60)
            }
        }
    }

    enum Label {
        struct Task: Model {
            var id = ID()
            var label: String?

            static let schema = ModelSchema("task", Self.init, .id("id", \.id), .attribute("label", \.label))
        }
    }

    enum Tags {
        struct Task: Model {
            var id = ID()

            static let tags = Relationship<Task, Tag>("tags")
            static let schema = ModelSchema("task", Self.init, .id("id", \.id)).removed("label").toMany(tags)
        }

        struct Tag: Model {
            var id = ID()
            var name: String

            static let schema = ModelSchema("tag", Self.init, .id("id", \.id), .attribute("name", \.name))
        }

        static func changed() -> Schema {
            let schema = Schema(Task.self, Tag.self).change(to: 1) { old, new in
                for task in try old.records(RecordQuery(model: "task")) {
                    guard case .string(let label) = task["label"] else { continue }
                    let tag = Tag(id: Tag.ID(label), name: label)
                    try new.save(tag)
                    try new.append(Task.tags, of: Task.ID(task.id), tag.id)
                }
            }
            return schema
        }
    }

    private func with<R>(_ schema: Schema, at path: String, _ body: (Store) throws -> R) throws -> R {
        let store = try Store.open(at: path, schema: schema)
        defer { store.close() }
        return try body(store)
    }

    @Test func `version 2 opens what version 1 has left`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("Todo.reprise")
        try with(Schema(First.Task.self), at: path) { store in
            try store.write { try $0.insert(First.Task(id: "mow", name: "Mow the lawn")) }
        }
        try expectRefusal(of: Schema(Unexplained.Task.self), at: path)
        let schema = Schema(Second.Task.self)
        let plan = try Store.plan(schema, at: path)
        for step in plan.steps { print(step) }
        for refusal in plan.refusals { print(refusal) }
        #expect(plan.steps.count == 3)
        let task = try with(schema, at: path) { try $0.fetch(Second.Task.self, id: "mow") }
        #expect(task?.title == "Mow the lawn")
        #expect(task?.estimate == 0)
    }

    private func expectRefusal(of schema: Schema, at path: String) throws {
        do {
            _ = try Store.open(at: path, schema: schema)
        } catch let error as StoreError where error.code == .schemaMismatch {
            if case .schemaMismatch(let differences) = error.cause {
                for difference in differences { print(difference) }
            }
        }
        let error = #expect(throws: StoreError.self) { try Store.open(at: path, schema: schema) }
        guard case .schemaMismatch(let differences) = error?.cause else {
            Issue.record("The declaration was not refused.")
            return
        }
        let page = try Repository.text("Sources/Reprise/Documentation.docc/ChangingTheSchema.md")
        #expect(differences.count == 1)
        #expect(page.contains(differences[0]))
    }

    @Test func `a function makes the values of another type`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("Todo.reprise")
        try with(Schema(Hours.Task.self), at: path) { store in
            try store.write { try $0.insert(Hours.Task(id: "mow", title: "Mow", hours: 1.5)) }
        }
        let task = try with(Schema(Minutes.Task.self), at: path) { try $0.fetch(Minutes.Task.self, id: "mow") }
        #expect(task?.minutes == 90)
    }

    @Test func `code makes rows of labels, and a program watches it`() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("Todo.reprise")
        try with(Schema(Label.Task.self), at: path) { store in
            try store.write { tx in
                try tx.insert(Label.Task(id: "mow", label: "outside"))
                try tx.insert(Label.Task(id: "sow", label: "outside"))
            }
        }
        var configuration = Store.Configuration()
        configuration.schemaProgress = { progress in
            print("\(progress.rowCount) of \(progress.totalCount)")
            return true
        }
        let store = try Store.open(at: path, schema: Tags.changed(), configuration: configuration)
        #expect(try store.fetch(Tags.Task.tags, of: "sow").map(\.name) == ["outside"])
        #expect(try store.count(Tags.Tag.self) == 1)
    }
}

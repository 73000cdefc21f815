import Reprise
import Testing

/// The samples of Relationships.md.
struct RelationshipSamples {
    @Test func `a task comes to the front of a list`() throws {
        let store = try gardenStore()
        let (garden, outside): (Project.ID, Tag.ID) = ("garden", "outside")
        let first = Task(title: "Buy seeds")
        try store.write { tx in
            try tx.insert(first)
            try tx.insert(Project.tasks, of: garden, first.id, at: 0)
            try tx.append(Task.tags, of: first.id, outside)
        }
        let titles = try store.fetch(Project.tasks, of: garden).map(\.title)
        #expect(titles == ["Buy seeds", "Water the plants", "Mow the lawn", "Sow the carrots"])
        #expect(try store.fetch(Task.self, id: first.id)?.project == garden)
    }

    @Test func `an entry is moved`() throws {
        let store = try gardenStore()
        let garden: Project.ID = "garden"
        let entries = try store.entries(Project.tasks, of: garden)
        try store.write { tx in
            try tx.move(Project.tasks, entry: entries[1].id, of: garden, to: .first)
        }
        #expect(try store.fetch(Project.tasks, of: garden).first?.title == "Mow the lawn")
    }

    @Test func `the verbs of lists`() throws {
        let store = try gardenStore()
        let garden: Project.ID = "garden"
        try store.write { tx in
            try tx.move(Project.tasks, of: garden, fromOffsets: [0], toOffset: 3)
            try tx.remove(Project.tasks, of: garden, at: 0)
            try tx.remove(Project.tasks, of: garden, "water")
        }
        #expect(try store.fetch(Project.tasks, of: garden).map(\.id) == ["sow"])
        try store.write { try $0.set(Project.tasks, of: garden, to: ["water", "sow", "mow"]) }
        #expect(try store.fetch(Project.tasks, of: garden).map(\.id) == ["water", "sow", "mow"])
        try store.write { try $0.removeAll(Project.tasks, of: garden) }
        #expect(try store.fetch(Project.tasks, of: garden).isEmpty)
        #expect(try store.count(Task.self) == 3)
    }

    @Test func `a plan says what a deletion takes along`() throws {
        let store = try gardenStore()
        let garden: Project.ID = "garden"
        let plan = try store.read { try $0.plan(delete: garden) }
        print("This also deletes \(plan.deleted.count - 1) tasks.")
        #expect(plan.deleted.count == 4)
    }
}

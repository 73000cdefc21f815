import Reprise
import Testing

/// The samples of Relationships.md.
struct RelationshipSamples {
    @Test func `a task comes to the front of a list`() throws {
        let store = try gardenStore()
        let (gardenID, outsideID): (Project.ID, Tag.ID) = ("garden", "outside")
        let first = Task(title: "Buy seeds")
        try store.write { tx in
            try tx.insert(first)
            try tx.insert(Project.tasks, of: gardenID, first.id, at: 0)
            try tx.append(Task.tags, of: first.id, outsideID)
        }
        let titles = try store.fetch(Project.tasks, of: gardenID).map(\.title)
        #expect(titles == ["Buy seeds", "Water the plants", "Mow the lawn", "Sow the carrots"])
        #expect(try store.fetch(Task.self, id: first.id)?.project == gardenID)
    }

    @Test func `an entry is moved`() throws {
        let store = try gardenStore()
        let gardenID: Project.ID = "garden"
        let entries = try store.entries(Project.tasks, of: gardenID)
        try store.write { tx in
            try tx.move(Project.tasks, entry: entries[1].id, of: gardenID, to: .first)
        }
        #expect(try store.fetch(Project.tasks, of: gardenID).first?.title == "Mow the lawn")
    }

    @Test func `the verbs of lists`() throws {
        let store = try gardenStore()
        let gardenID: Project.ID = "garden"
        try store.write { tx in
            try tx.move(Project.tasks, of: gardenID, fromOffsets: [0], toOffset: 3)
            try tx.remove(Project.tasks, of: gardenID, at: 0)
            try tx.remove(Project.tasks, of: gardenID, "water")
        }
        #expect(try store.fetch(Project.tasks, of: gardenID).map(\.id) == ["sow"])
        try store.write { try $0.set(Project.tasks, of: gardenID, to: ["water", "sow", "mow"]) }
        #expect(try store.fetch(Project.tasks, of: gardenID).map(\.id) == ["water", "sow", "mow"])
        try store.write { try $0.removeAll(Project.tasks, of: gardenID) }
        #expect(try store.fetch(Project.tasks, of: gardenID).isEmpty)
        #expect(try store.count(Task.self) == 3)
    }

    @Test func `a plan says what a deletion takes along`() throws {
        let store = try gardenStore()
        let gardenID: Project.ID = "garden"
        let plan = try store.read { try $0.plan(delete: gardenID) }
        print("This also deletes \(plan.deleted.count - 1) tasks.")
        #expect(plan.deleted.count == 4)
    }
}

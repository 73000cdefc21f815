import Reprise
import TestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The samples of HistoryAndGoingBack.md.
struct HistorySamples {
    private func titles(_ store: Store) throws -> [String] {
        try store.fetch(Project.tasks, of: "garden").map(\.title)
    }

    @Test func `a rollback brings deleted tasks back, and can be rolled back`() throws {
        let store = try gardenStore()
        let before = try titles(store)

        try store.createSnapshot(named: "before cleaning up")

        try store.write(CommitContext(intent: "tasks.cleanUp", actor: "anna")) { tx in
            try tx.delete(Task.self, where: { $0.isDone })
        }

        try store.rollback(to: .snapshot("before cleaning up"))

        #expect(try titles(store) == before)
        try store.write { try $0.delete(Task.self, id: "mow") }
        let report = try store.rollback(to: .snapshot("before cleaning up"))
        print("\(report.changedCount) rows are as they were")
        #expect(try titles(store) == before)
        try store.rollback(to: .position(report.from))
        #expect(try titles(store).count == 2)

        let head = try store.statistics().head
        try store.rollback(to: .snapshot("before cleaning up"), expecting: head)
        #expect(try titles(store) == before)
        #expect(throws: StoreError.self) {
            try store.rollback(to: .snapshot("before cleaning up"), expecting: head)
        }
    }

    @Test func `the past is read by date`() throws {
        let store = try gardenStore()
        let yesterday = Date(timeIntervalSinceNow: -24 * 60 * 60)
        let open = try store.read(asOf: .date(yesterday)) { past in
            try past.count(Task.self, where: { !$0.isDone })
        }
        #expect(open == 0)
        #expect(try store.count(Task.self, where: { !$0.isDone }) == 2)
    }

    @Test func `a past that is read again and again is kept`() throws {
        let store = try gardenStore()
        try store.createSnapshot(named: "end of 2024", keepingState: true)
        #expect(try store.checkpoints().map(\.snapshots) == [["end of 2024"]])

        for checkpoint in try store.checkpoints() {
            print(checkpoint.position, checkpoint.byteCount, checkpoint.snapshots)
        }
        try store.pruneCheckpoints()

        #expect(try store.checkpoints().count == 1)
    }

    @Test func `events and commits are walked`() throws {
        let store = try gardenStore()
        try store.write { try $0.update(Task.self, id: "mow") { $0.isDone = true } }
        let taskID: Task.ID = "mow"
        try store.read { state in
            try state.forEachEvent(of: EntityReference(taskID)) { event in
                for change in event.changes {
                    print(event.position, event.type, change.name, change.from, change.to)
                }
                return true
            }
        }
        try store.read { state in
            try state.forEachCommit(reversed: true) { commit in
                print(commit.at, commit.actor, commit.intent, commit.events.count)
                return true
            }
        }
    }

    @Test func `one row has a history and a blame`() throws {
        let store = try gardenStore()
        let taskID: Task.ID = "mow"
        for version in try store.history(of: Task.self, id: taskID, limit: 20) {
            print(version.commit.at, version.commit.actor, version.change.kind)
            for field in version.change.fields { print(field.name, field.from, field.to) }
        }
        for blame in try store.blame(Task.self, id: taskID) {
            print(blame.name, blame.value, blame.commit.actor, blame.commit.at)
        }
        #expect(try store.history(of: Task.self, id: taskID).count == 1)
    }

    @Test func `a correction is made in a copy and sent as a file`() throws {
        let store = try gardenStore()
        let directory = try TemporaryDirectory()
        try store.replay(into: directory.path("copy"))
        let copy = try Store.open(existing: directory.path("copy"))
        let filePath = directory.path("correction.changes")
        let mow = EntityReference(model: "task", id: "mow")
        try store.write { try $0.delete(Task.self, where: { $0.isDone }) }

        let received = try copy.statistics().head
        try copy.write { try $0.put(mow, values: ["title": .string("Mow the meadow")]) }
        try copy.difference(from: .position(received)).write(to: filePath)

        let report = try store.apply(try ChangeSet(contentsOf: filePath))
        for conflict in report.conflicts { print(conflict) }
        #expect(report.isDone)
        #expect(try store.fetchOne(Task.self, where: { $0.title == "Mow the meadow" }) != nil)
    }

    @Test func `changes are seen, undone, reverted and restored`() throws {
        let store = try gardenStore()
        let before = try titles(store)
        try store.createSnapshot(named: "before cleaning up")
        try store.write { try $0.delete(Task.self, where: { $0.isDone }) }

        let changes = try store.difference(from: .snapshot("before cleaning up"))
        print(changes.counts.inserted, changes.counts.updated, changes.counts.deleted)
        try changes.forEach { change in
            print(change.kind, change.entity)
            return true
        }
        #expect(changes.counts.deleted == before.count - (try titles(store).count))

        if try store.canUndo(), let report = try store.undo(), !report.isDone {
            for conflict in report.conflicts { print(conflict) }
        }
        try store.redo()
        let taskID: Task.ID = "mow"
        try store.write { try $0.delete(Task.self, id: taskID) }
        let position = changes.to

        let report = try store.revert(commits: [position], isPlan: true)
        if report.isDone { _ = try store.revert(commits: [position]) }
        _ = try store.restore(Task.self, id: taskID, resolving: .ours)
        #expect(try titles(store) == before)
    }

    @Test func `branches are compared, merged and thrown away`() throws {
        let store = try gardenStore()
        let directory = try TemporaryDirectory()
        let draftPath = directory.path("Draft.reprise")
        let taskID: Task.ID = "mow"

        let draft = try store.branch(to: draftPath)
        try draft.write { try $0.update(Task.self, id: taskID) { $0.title = "Buy oat milk" } }
        let changes = try store.difference(to: draft)
        print(changes.counts.updated, "tasks would change")
        let report = try store.merge(draft)
        for conflict in report.conflicts { print(conflict) }
        #expect(try titles(store) == titles(draft))

        let attempt = try Store.temporary(branchOf: store)
        try attempt.write { try $0.delete(Task.self, where: { $0.isDone }) }
        print(try store.difference(to: attempt).counts.deleted, "tasks would go")
        #expect(try titles(attempt).count < titles(store).count)
    }
}

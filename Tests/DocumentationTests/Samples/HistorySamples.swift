import Reprise
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
}

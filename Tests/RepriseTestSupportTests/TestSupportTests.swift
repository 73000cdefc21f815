import Reprise
import RepriseTestSupport
import Testing

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

private struct Folder: Model, Equatable {
    var id: ID
    var name: String

    static let schema = ModelSchema("folder", Self.init, .id("id", \.id), .attribute("name", \.name))
        .toMany("notes", of: Note.self, inverse: "folder", onDelete: .cascade)
        .toMany("pinned", of: Note.self)

    static let pinned = Relationship<Folder, Note>("pinned")
}

private struct Note: Model, Equatable {
    var id: ID
    var title: String
    var labels: [String] = []
    var due: Date?
    var folder: Folder.ID?

    static let schema = ModelSchema(
        "note",
        Self.init,
        .id("id", \.id),
        .attribute("title", \.title),
        .attribute("labels", \.labels),
        .attribute("due", \.due),
        .toOne("folder", \.folder)
    )
}

struct TestSupportTests {
    private let schema = Schema(Folder.self, Note.self)

    @Test func `a fixed clock goes on by a step`() throws {
        let clock = FixedClock(from: Date(timeIntervalSince1970: 100), step: .milliseconds(1500))
        let times = (0..<3).map { _ in clock.now().timeIntervalSince1970 }
        #expect(times == [100, 101.5, 103])
        let store = try Store.temporary(
            schema,
            rows: [Folder(id: "f", name: "F")],
            configuration: .init(now: FixedClock().now)
        )
        var commits: [Double] = []
        try store.read { state in
            try state.forEachCommit { commit in
                commits.append(commit.at.timeIntervalSince1970 - 1_700_000_000)
                return true
            }
        }
        #expect(commits == [0, 1])
    }

    @Test func `fixed identifiers come one after the other`() {
        let ids = FixedIDs(prefix: "n")
        let notes: [Note.ID] = [ids.next(), ids.next(Note.self)]
        #expect(notes == ["n001", "n002"])
        #expect(FixedIDs().next(Folder.self) == "id001")
    }

    @Test func `a store is made of rows, or of commits`() throws {
        let rows: [any Model] = [Folder(id: "f", name: "F"), Note(id: "n", title: "Monday", folder: "f")]
        let store = try Store.temporary(schema, rows: rows)
        #expect(try store.fetch(Note.self) == [Note(id: "n", title: "Monday", folder: "f")])
        let second = try Store.temporary(
            schema,
            { try $0.insert(Note(id: "n", title: "Monday")) },
            { try $0.update(Note.self, id: "n") { $0.title = "Tuesday" } }
        )
        #expect(try second.fetch(Note.self).map(\.title) == ["Tuesday"])
        let head = try second.read { $0.position }
        let before = Position(rawValue: head.rawValue - 1)
        #expect(try second.read(asOf: .position(before)) { try $0.fetch(Note.self).map(\.title) } == ["Monday"])
    }

    @Test func `the events of a closure are told in lines`() throws {
        let store = try Store.temporary(schema) { try $0.insert(Folder(id: "f", name: "F")) }
        var events = try store.recording { transaction in
            let due = Date(timeIntervalSince1970: 1_700_000_000)
            try transaction.insert(Note(id: "n", title: "Monday", labels: ["a", "b"], due: due, folder: "f"))
            try transaction.append(Folder.pinned, of: "f", contentsOf: ["n", "n"])
        }
        #expect(
            events == [
                "inserted note n title=Monday labels=[a, b] due=2023-11-14T22:13:20Z folder=f",
                "linked folder f pinned=n",
                "linked folder f pinned=n",
            ]
        )
        events = try store.recording { transaction in
            try transaction.update(Note.self, id: "n") { note in
                note.due = nil
                note.title = "Tuesday"
            }
            try transaction.remove(Folder.pinned, of: "f", at: 0)
        }
        #expect(events == ["updated note n title=Tuesday due=nil", "unlinked folder f pinned=n"])
        events = try store.recording { try $0.delete(Folder.self, id: "f") }
        #expect(events == ["deleted folder f", "deleted note n because deleted folder f"])
        events = try store.recording { _ in }
        #expect(events == [])
    }
}

import Reprise
import Testing

/// The history of one entity, commit by commit, and who has set what.
struct VersionTests {
    /// HIS-70
    @Test func `the history goes across a deletion and a return, newest first`() throws {
        let store = try Jukebox.filled()
        try store.write(Jukebox.by("ada")) { try $0.update(Track.self, id: "A") { $0.rating = 5 } }
        try store.write(Jukebox.by("bob")) { _ = try $0.delete(Track.self, id: "A") }
        _ = try store.restore(Track.self, id: "A")
        let history = try store.history(of: Track.self, id: "A")
        #expect(history.map(\.change.kind) == [.inserted, .deleted, .updated, .inserted])
        #expect(history.map(\.commit.actor) == ["ada", "bob", "ada", "setup"])
        #expect(history.map(\.commit.intent) == ["restore", "edit", "edit", "fill"])
        #expect(history[2].change.fields.map { "\($0.name) \($0.from) \($0.to)" } == ["rating 3 5"])
        #expect(try store.history(of: Track.self, id: "A", limit: 2).count == 2)
        #expect(try store.history(of: Track.self, id: "never").isEmpty)
    }

    @Test func `a list is told as a whole, before and afterwards`() throws {
        let store = try Jukebox.filled()
        let entries = try store.entries()
        try store.write { try $0.unlink(Playlist.entries, entry: entries[1], of: "list") }
        try store.write { try $0.move(Playlist.entries, entry: entries[3], of: "list", to: .first) }
        let lists = try store.history(of: Playlist.self, id: "list").map(\.lists)
        #expect(lists.count == 3)
        #expect(lists[0].map(\.from) == [["A", "C", "A"]] && lists[0].map(\.to) == [["A", "A", "C"]])
        #expect(lists[1].map(\.from) == [["A", "B", "C", "A"]] && lists[1].map(\.to) == [["A", "C", "A"]])
    }

    @Test func `what a rollback has taken back is told on request and marked`() throws {
        let store = try Jukebox.filled()
        let before = try store.read { $0.head }
        try store.write { try $0.update(Track.self, id: "A") { $0.rating = 5 } }
        let later = try store.read { $0.head }
        try store.rollback(to: .position(before))
        try store.write { try $0.update(Track.self, id: "A") { $0.rating = 1 } }
        #expect(try store.history(of: Track.self, id: "A").map(\.isLive) == [true, true])
        let all = try store.history(of: Track.self, id: "A", includingDead: true)
        #expect(all.map(\.isLive) == [true, false, true])
        try store.rollback(to: .position(later))
        let again = try store.history(of: Track.self, id: "A", includingDead: true)
        #expect(again.map(\.isLive) == [false, true, true])
    }

    /// HIS-71
    @Test func `for each field and list the commit that set it is known`() throws {
        let store = try Jukebox.filled()
        try store.write(Jukebox.by("ada")) { try $0.update(Track.self, id: "A") { $0.rating = 5 } }
        let blame = try store.blame(Track.self, id: "A")
        #expect(blame.map(\.name) == ["title", "rating", "album"])
        #expect(blame.map(\.commit.actor) == ["setup", "ada", "setup"])
        #expect(blame[1].value == .int(5))
        try store.write(Jukebox.by("bob")) { try $0.append(Playlist.entries, of: "list", "C") }
        let list = try store.blame(Playlist.self, id: "list")
        #expect(list.map(\.name) == ["name", "entries"])
        #expect(list.map(\.commit.actor) == ["setup", "bob"])
        #expect(list[1].value == .list(["A", "B", "C", "A", "C"].map { .reference($0) }))
        #expect(try store.blame(Track.self, id: "never").isEmpty)
    }
}

import Reprise
import Testing

/// Undo and redo of what one actor has done (HIS-60, HIS-61).
struct UndoTests {
    @Test func `undo brings an entry back with its identity and its place, and redo takes it away again`() throws {
        let store = try Jukebox.filled()
        let before = (try store.entries(), try store.digest())
        try store.write { try $0.unlink(Playlist.entries, entry: before.0[1], of: "list") }
        let after = try store.digest()
        #expect(try store.undo()?.isDone == true)
        #expect(try store.entries() == before.0)
        #expect(try store.digest() == before.1)
        #expect(try store.redo()?.isDone == true)
        #expect(try store.digest() == after)
        #expect(try store.undo()?.isDone == true)
        #expect(try store.entries() == before.0)
        #expect(try store.verify().isSound)
    }

    @Test func `undo brings an entity back with all that its deletion took along`() throws {
        let store = try Jukebox.filled()
        let before = (try store.entries(), try store.digest())
        try store.write { _ = try $0.delete(Album.self, id: "album") }
        #expect(try store.names() == "")
        #expect(try store.undo()?.isDone == true)
        #expect(try store.entries() == before.0)
        #expect(try store.tracks() == "A B C")
        #expect(try store.digest() == before.1)
        try store.replay()
        #expect(try store.verify().isSound)
    }

    @Test func `each actor takes back what is his own`() throws {
        let store = try Jukebox.filled()
        try store.write(Jukebox.by("ada")) { try $0.update(Track.self, id: "A") { $0.rating = 4 } }
        try store.write(Jukebox.by("bob")) { try $0.update(Track.self, id: "B") { $0.rating = 5 } }
        try store.write(Jukebox.by("ada")) { try $0.update(Track.self, id: "C") { $0.rating = 1 } }
        #expect(try store.undo(by: "ada")?.isDone == true)
        #expect(try store.undo(by: "ada")?.isDone == true)
        #expect(try store.fetch(Track.self).map(\.rating) == [3, 5, 3])
        #expect(try !store.canUndo(by: "ada"))
        #expect(try store.undo(by: "ada") == nil)
        #expect(try store.canUndo(by: "bob"))
        #expect(try store.canUndo(by: "setup"))
    }

    @Test func `commits with one correlation are one step, others are one each`() throws {
        let store = try Jukebox.filled()
        for rating in 0..<5 {
            try store.write(Jukebox.by("ada", group: "drag")) {
                try $0.update(Track.self, id: "A") { $0.rating = rating }
            }
            try store.write(Jukebox.by("bob")) { try $0.update(Track.self, id: "B") { $0.rating = rating } }
        }
        try store.write(Jukebox.by("ada")) { try $0.update(Track.self, id: "C") { $0.rating = 1 } }
        try store.write(Jukebox.by("ada")) { try $0.update(Track.self, id: "C") { $0.rating = 2 } }
        #expect(try store.undo(by: "ada")?.takenBack.count == 1)
        #expect(try store.fetch(Track.self, id: "C")?.rating == 1)
        #expect(try store.undo(by: "ada")?.takenBack.count == 1)
        #expect(try store.undo(by: "ada")?.takenBack.count == 5)
        #expect(try store.fetch(Track.self).map(\.rating) == [3, 4, 3])
        #expect(try store.redo(by: "ada")?.isDone == true)
        #expect(try store.fetch(Track.self, id: "A")?.rating == 4)
    }

    @Test func `several deletions are taken back in reverse order, and brought back in order`() throws {
        let store = try Jukebox.filled()
        var digests = [try store.digest()]
        for id in ["B", "A", "C"] {
            try store.write { _ = try $0.delete(Track.self, id: Track.ID(id)) }
            digests.append(try store.digest())
        }
        for digest in digests.dropLast().reversed() {
            #expect(try store.undo()?.isDone == true)
            #expect(try store.digest() == digest)
        }
        #expect(try !store.canUndo())
        for digest in digests.dropFirst() {
            #expect(try store.redo()?.isDone == true)
            #expect(try store.digest() == digest)
        }
        #expect(try !store.canRedo())
    }

    @Test func `what another actor has changed since stands in the way, and nothing is written`() throws {
        let store = try Jukebox.filled()
        try store.write(Jukebox.by("ada")) { transaction in
            try transaction.update(Track.self, id: "A") { $0.rating = 4 }
            try transaction.update(Track.self, id: "B") { $0.rating = 4 }
        }
        try store.write(Jukebox.by("bob")) { try $0.update(Track.self, id: "A") { $0.rating = 5 } }
        let before = try store.digest()
        let report = try #require(try store.undo(by: "ada"))
        #expect(report.commit == nil)
        let change = ChangeSet.Conflict.Kind.changed(attribute: "rating", base: .int(4), ours: .int(5), theirs: .int(3))
        #expect(report.conflicts.map(\.kind) == [change])
        #expect(report.conflicts.first?.entity == EntityReference(model: "track", id: "A"))
        #expect(try store.digest() == before)
        #expect(try store.canUndo(by: "ada"))
        let rest = try #require(try store.undo(by: "ada", resolving: .ours))
        #expect(rest.isDone && rest.settled.map(\.kind) == [change])
        #expect(try store.fetch(Track.self).map(\.rating) == [5, 3, 3])
        #expect(try !store.canUndo(by: "ada"))
    }

    @Test func `theirs takes back what another actor has changed, and that can be undone`() throws {
        let store = try Jukebox.filled()
        try store.write(Jukebox.by("ada")) { try $0.update(Track.self, id: "A") { $0.rating = 4 } }
        try store.write(Jukebox.by("bob")) { try $0.update(Track.self, id: "A") { $0.rating = 5 } }
        #expect(try store.undo(by: "ada", resolving: .theirs)?.isDone == true)
        #expect(try store.fetch(Track.self, id: "A")?.rating == 3)
        #expect(try store.redo(by: "ada")?.isDone == true)
        #expect(try store.fetch(Track.self, id: "A")?.rating == 5)
    }

    @Test func `a unique value that is taken by now is a conflict that names its holder`() throws {
        let store = try Jukebox.filled()
        try store.write(Jukebox.by("ada")) { try $0.update(Track.self, id: "A") { $0.title = "A2" } }
        try store.write(Jukebox.by("bob")) { try $0.insert(Track(id: "D", title: "A", rating: nil, album: nil)) }
        let report = try #require(try store.undo(by: "ada", resolving: .theirs))
        let holder = EntityReference(model: "track", id: "D")
        #expect(report.conflicts.map(\.kind) == [.taken(attributes: ["title"], by: holder)])
        #expect(report.conflicts.first?.canBeTheirs == false)
    }

    @Test func `a track whose album is gone comes back without it, once that is chosen`() throws {
        let store = try Jukebox.filled()
        try store.write(Jukebox.by("ada")) { _ = try $0.delete(Track.self, id: "A") }
        try store.write(Jukebox.by("bob")) { _ = try $0.delete(Album.self, id: "album") }
        let album = EntityReference(model: "album", id: "album")
        let report = try #require(try store.undo(by: "ada"))
        #expect(report.conflicts.map(\.kind) == [.missing(relationship: "album", target: album)])
        #expect(try store.undo(by: "ada", resolving: .ours)?.isDone == true)
        #expect(try store.fetch(Track.self, id: "A")?.album == nil)
        #expect(try store.names() == "A A")
    }

    @Test func `a rollback, a snapshot and a write without changes are on nobody's stack`() throws {
        let store = try Jukebox.filled()
        try store.write { try $0.update(Track.self, id: "A") { $0.rating = 4 } }
        try store.createSnapshot(named: "s")
        try store.write { try $0.update(Track.self, id: "A") { $0.rating = 5 } }
        try store.rollback(to: .snapshot("s"))
        try store.createSnapshot(named: "t")
        #expect(try store.undo()?.isDone == true)
        #expect(try store.fetch(Track.self, id: "A")?.rating == 3)
        #expect(try !store.canUndo())
    }

    @Test func `a redo is gone once the actor has done something else`() throws {
        let store = try Jukebox.filled()
        try store.write { try $0.update(Track.self, id: "A") { $0.rating = 4 } }
        try store.undo()
        #expect(try store.canRedo())
        try store.write(Jukebox.by("bob")) { try $0.update(Track.self, id: "B") { $0.rating = 4 } }
        #expect(try store.canRedo())
        try store.write { try $0.update(Track.self, id: "C") { $0.rating = 4 } }
        #expect(try !store.canRedo())
        #expect(try store.redo() == nil)
    }

    @Test func `a commit that a program calls a merge or a rollback is a step`() throws {
        for intent in ["merge", "rollback"] {
            let store = try Jukebox.filled()
            try store.write { try $0.update(Track.self, id: "A") { $0.rating = 4 } }
            try store.write(CommitContext(intent: intent)) { try $0.delete(Track.self, id: "B") }
            #expect(try store.undo()?.isDone == true)
            #expect(try store.fetch(Track.self, id: "B")?.rating == 3)
            #expect(try store.fetch(Track.self, id: "A")?.rating == 4)
        }
    }

    @Test func `an undo that names an older commit leaves the newer steps on the stack`() throws {
        let store = try Jukebox.filled()
        var commits: [Position] = []
        for name in ["A", "B", "C"] as [Track.ID] {
            try store.write { try $0.update(Track.self, id: name) { $0.rating = 4 } }
            commits.append(try store.read { $0.head })
        }
        #expect(try store.revert(commits: [commits[0]], context: CommitContext(intent: "undo")).isDone)
        func ratings() throws -> [Int?] { try ["A", "B", "C"].map { try store.fetch(Track.self, id: $0)?.rating } }
        #expect(try ratings() == [3, 4, 4])
        #expect(try store.undo()?.takenBack == [commits[2]])
        #expect(try store.undo()?.takenBack == [commits[1]])
        #expect(try !store.canUndo())
        #expect(try ratings() == [3, 3, 3])
        for expected in [[3, 4, 3], [3, 4, 4], [4, 4, 4]] {
            #expect(try store.redo()?.isDone == true)
            #expect(try ratings() == expected)
        }
        #expect(try !store.canRedo())
        for expected in [[3, 4, 4], [3, 4, 3], [3, 3, 3]] {
            #expect(try store.undo()?.isDone == true)
            #expect(try ratings() == expected)
        }
        #expect(try !store.canUndo())
    }

    @Test func `the note of an undo that had nothing to do is no note of the program`() throws {
        let store = try Jukebox.filled()
        try store.write { try $0.update(Track.self, id: "A") { $0.rating = 4 } }
        let commit = try store.read { $0.head }
        try store.write { try $0.annotate(name: "undo", key: "\(commit)", payload: [1]) }
        try store.write(Jukebox.by("bob")) { try $0.update(Track.self, id: "A") { $0.rating = 5 } }
        #expect(try store.undo(resolving: .ours)?.isDone == true)
        #expect(try !store.canUndo())
        #expect(try store.read { try $0.annotation(name: "undo", key: "\(commit)")?.payload } == [1])
        // Specs/format/taken-back.md
        #expect(try store.read { try $0.annotation(name: "reprise.undo", key: "\(commit)")?.payload } == [])
    }
}

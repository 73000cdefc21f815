import Reprise
import Testing

/// Commits that are taken back one by one, and what was done since (HIS-52 to HIS-57).
struct RevertTests {
    private func rate(_ store: Store, _ id: Track.ID, _ rating: Int?, by actor: String = "ada") throws -> Position {
        try store.write(Jukebox.by(actor)) { try $0.update(Track.self, id: id) { $0.rating = rating } }
        return try store.read { $0.head }
    }

    /// HIS-52
    @Test func `a commit is taken back and what was done since stays`() throws {
        let store = try Jukebox.filled()
        let first = try rate(store, "A", 4)
        _ = try rate(store, "B", 5)
        let report = try store.revert(commits: [first])
        #expect(report.isDone && report.takenBack == [first] && report.counts.updated == 1)
        #expect(try store.fetch(Track.self).map(\.rating) == [3, 5, 3])
        #expect(try store.verify().isSound)
    }

    /// HIS-56
    @Test func `a revert says in the log what it took back, and can be taken back itself`() throws {
        let store = try Jukebox.filled()
        let first = try rate(store, "A", 4)
        let revert = try #require(try store.revert(commits: [first]).commit)
        try store.read { state in
            try state.forEachCommit(from: revert) { commit in
                #expect(commit.intent == "revert" && commit.causation == first)
                return true
            }
        }
        #expect(try store.revert(commits: [revert]).isDone)
        #expect(try store.fetch(Track.self, id: "A")?.rating == 4)
    }

    /// HIS-52: what came in between is newer than the older of the two.
    @Test func `two commits with another one between them are taken back as far as that one`() throws {
        let store = try Jukebox.filled()
        let first = try rate(store, "A", 4)
        _ = try rate(store, "A", 5)
        let third = try rate(store, "A", 1)
        let report = try store.revert(commits: [first, third])
        #expect(report.conflicts.count == 1 && report.commit == nil)
        #expect(try store.fetch(Track.self, id: "A")?.rating == 1)
        #expect(try store.revert(commits: [third]).isDone)
        #expect(try store.fetch(Track.self, id: "A")?.rating == 5)
    }

    /// HIS-52: the row has come back in between, so that its deletion has no say any more.
    @Test func `a deletion that was made good since does not hide a later change`() throws {
        let store = try Jukebox.filled()
        try store.write { try $0.delete(Track.self, id: "C") }
        let deletion = try store.resolve(.head)
        try store.write { try $0.insert(Track(id: "C", title: "C again", rating: 2)) }
        let last = try rate(store, "C", 5)
        #expect(try store.revert(commits: [deletion, last], resolving: .ours).isDone)
        #expect(try store.fetch(Track.self, id: "C")?.rating == 2)
        #expect(try store.fetch(Track.self, id: "C")?.title == "C again")
        #expect(try store.verify().isSound)
    }

    @Test func `a stretch of the log is taken back as one, dead commits in it passed over`() throws {
        let store = try Jukebox.filled()
        let before = try store.digest()
        let first = try rate(store, "A", 4)
        _ = try rate(store, "B", 5)
        try store.rollback(to: .position(first))
        let last = try rate(store, "C", 1)
        let report = try store.revert(range: first...last)
        #expect(report.isDone && report.takenBack.count == 2)
        #expect(try store.digest() == before)
    }

    /// HIS-57
    @Test func `what a rollback has taken back, and a rollback, are refused with a sentence`() throws {
        let store = try Jukebox.filled()
        let before = try store.read { $0.head }
        let dead = try rate(store, "A", 4)
        let rollback = try store.rollback(to: .position(before)).head
        for (position, word) in [(dead, "back already"), (rollback, "is a rollback"), (rollback.next, "ends at")] {
            let error = #expect(throws: StoreError.self) { _ = try store.revert(commits: [position]) }
            #expect(error?.code == .unknownPosition && error?.message.contains(word) == true)
        }
    }

    /// HIS-53, HIS-54
    @Test func `an import is taken back but for what was edited and used since, all told at once`() throws {
        let store = try Jukebox.filled()
        let context = CommitContext(intent: "import", correlation: "m9")
        try store.write(context) { transaction in
            try transaction.insert(Album(id: "new", title: "New"))
            for name in ["X", "Y", "Z"] {
                try transaction.insert(Track(id: Track.ID(name), title: name, rating: nil, album: "new"))
            }
        }
        try store.write { transaction in
            try transaction.append(Playlist.entries, of: "list", "X")
            try transaction.update(Track.self, id: "Y") { $0.rating = 5 }
        }
        let report = try store.revert(correlation: "m9")
        #expect(report.commit == nil)
        let list = EntityReference(model: "playlist", id: "list")
        let kinds = Dictionary(grouping: report.conflicts) { $0.entity.id }.mapValues { $0.map(\.kind) }
        #expect(kinds["X"] == [.used(by: list, relationship: "playlist.entries", isDenied: false)])
        #expect(kinds["Y"] == [.changedSince(["rating"])])
        // The album stays with the tracks that stay.
        #expect(kinds["new"]?.count == 1 && kinds["Z"] == nil)
        let rest = try store.revert(correlation: "m9", resolving: .ours)
        #expect(rest.isDone && rest.counts.deleted == 1)
        #expect(try store.tracks(of: "new") == "X Y")
        #expect(try store.fetch(Track.self, id: "Z") == nil)
        #expect(try store.verify().isSound)
    }

    @Test func `a closure settles conflicts one by one`() throws {
        let store = try Jukebox.filled()
        try store.write(CommitContext(correlation: "c")) { transaction in
            try transaction.update(Track.self, id: "A") { $0.rating = 4 }
            try transaction.update(Track.self, id: "B") { $0.rating = 4 }
        }
        _ = try rate(store, "A", 5)
        _ = try rate(store, "B", 5)
        let report = try store.revert(correlation: "c", resolving: .each { $0.entity.id == "A" ? .ours : .theirs })
        #expect(report.isDone && report.settled.count == 2)
        #expect(try store.fetch(Track.self).map(\.rating) == [5, 3, 3])
    }

    @Test func `a plan says what would be done and writes nothing`() throws {
        let store = try Jukebox.filled()
        let first = try rate(store, "A", 4)
        let plan = try store.revert(commits: [first], isPlan: true)
        #expect(plan.isDone && plan.commit == nil && plan.counts.updated == 1)
        #expect(try store.read { $0.head } == first)
    }

    /// HIS-55
    @Test func `two rows that have exchanged a unique value exchange it back`() throws {
        let store = try Jukebox.filled()
        let before = try store.digest()
        try store.write { transaction in
            try transaction.update(Track.self, id: "A") { $0.title = "?" }
            try transaction.update(Track.self, id: "B") { $0.title = "A" }
            try transaction.update(Track.self, id: "A") { $0.title = "B" }
        }
        #expect(try store.undo()?.isDone == true)
        #expect(try store.digest() == before)
        #expect(try store.redo()?.isDone == true)
        #expect(try store.fetch(Track.self).map(\.title) == ["B", "A", "C"])
        try store.replay()
        #expect(try store.verify().isSound)
    }

    @Test func `an entry that somebody else has moved since is a conflict`() throws {
        let store = try Jukebox.filled()
        let entries = try store.entries()
        try store.write(Jukebox.by("ada")) {
            try $0.move(Playlist.entries, entry: entries[0], of: "list", to: .last)
        }
        try store.write(Jukebox.by("bob")) {
            try $0.move(Playlist.entries, entry: entries[0], of: "list", to: .after(entries[1]))
        }
        let report = try #require(try store.undo(by: "ada"))
        let track = EntityReference(model: "track", id: "A")
        #expect(report.conflicts.map(\.kind) == [.moved(list: "entries", target: track)])
        #expect(try store.undo(by: "ada", resolving: .theirs)?.isDone == true)
        #expect(try store.entries() == entries)
    }
}

extension Position {
    fileprivate var next: Position { Position(rawValue: rawValue + 1) }
}

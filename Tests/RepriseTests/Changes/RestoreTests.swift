import Reprise
import Testing

struct RestoreTests {
    /// HIS-55, HIS-58
    @Test func `an album comes back with its tracks and their entries, between what was added meanwhile`() throws {
        let store = try Jukebox.filled()
        try store.write { transaction in
            try transaction.insert(Track(id: "D", title: "D", rating: nil, album: nil))
            try transaction.insert(Track(id: "E", title: "E", rating: nil, album: nil))
            try transaction.insert(Playlist.entries, of: "list", "D", at: 2)
        }
        let entries = try store.entries()
        try store.write { transaction in
            _ = try transaction.delete(Album.self, id: "album")
            _ = try transaction.delete(Track.self, id: "E")
        }
        try store.write { try $0.append(Playlist.entries, of: "list", "D") }
        let report = try store.restore(Album.self, id: "album")
        #expect(report.isDone && report.counts.inserted == 4 && report.takenBack.count == 1)
        #expect(try store.tracks() == "A B C")
        #expect(Set(try store.entries()).isSuperset(of: entries))
        // What was appended stands where the list ended when it had no more.
        #expect(try store.names() == "A B D C D A")
        // Another deletion of the same commit stays.
        #expect(try store.fetch(Track.self, id: "E") == nil)
        #expect(try store.verify().isSound)
    }

    @Test func `a row gets the values of then, whether it is there or not`() throws {
        let store = try Jukebox.filled()
        let then = try store.read { $0.head }
        try store.write { try $0.update(Track.self, id: "A") { $0.rating = 5 } }
        #expect(try store.restore(Track.self, id: "A", asOf: .position(then)).isDone)
        #expect(try store.fetch(Track.self, id: "A")?.rating == 3)
        try store.write { try $0.update(Track.self, id: "A") { $0.rating = 5 } }
        try store.write { _ = try $0.delete(Track.self, id: "A") }
        #expect(try store.restore(Track.self, id: "A", asOf: .position(then)).isDone)
        #expect(try store.fetch(Track.self, id: "A")?.rating == 3)
        #expect(try store.names() == "A B C A")
    }

    @Test func `a row comes back that only a timeline has had which a rollback has left`() throws {
        let store = try Jukebox.filled()
        let start = try store.read { $0.head }
        try store.write { tx in
            try tx.insert(Track(id: "D", title: "D", rating: 4))
            try tx.insert(Playlist(id: "new", name: "New"))
            try tx.append(Playlist.entries, of: "new", contentsOf: ["D", "A", "D"])
        }
        let left = try store.read { $0.head }
        try store.rollback(to: .position(start))
        #expect(try store.restore(Track.self, id: "D", asOf: .position(left)).isDone)
        #expect(try store.fetch(Track.self, id: "D")?.rating == 4)
        #expect(try store.restore(Playlist.self, id: "new", asOf: .position(left)).isDone)
        #expect(try store.fetch(Playlist.entries, of: "new").map(\.id) == ["D", "A", "D"])
        #expect(try store.verify().isSound)
    }

    @Test func `what never was, is there, or was not there then is refused`() throws {
        let store = try Jukebox.filled()
        let then = try store.read { $0.head }
        try store.write { try $0.insert(Track(id: "D", title: "D", rating: nil, album: nil)) }
        let missing = #expect(throws: StoreError.self) { _ = try store.restore(Track.self, id: "never") }
        #expect(missing?.code == .entityMissing)
        #expect(missing?.message.contains("never had track") == true)
        let there = #expect(throws: StoreError.self) { _ = try store.restore(Track.self, id: "A") }
        #expect(there?.code == .entityExists)
        let later = #expect(throws: StoreError.self) {
            _ = try store.restore(Track.self, id: "D", asOf: .position(then))
        }
        #expect(later?.code == .entityMissing)
        #expect(later?.message.contains("at that point") == true)
    }

    @Test func `another entity with the identifier, and a name that is taken, are conflicts`() throws {
        let store = try Jukebox.filled()
        try store.write { _ = try $0.delete(Track.self, id: "A") }
        try store.write { try $0.insert(Track(id: "D", title: "A", rating: nil, album: nil)) }
        let report = try store.restore(Track.self, id: "A")
        let holder = EntityReference(model: "track", id: "D")
        #expect(report.conflicts.contains { $0.kind == .taken(attributes: ["title"], by: holder) })
        #expect(report.commit == nil)
    }

    /// HIS-58
    @Test(arguments: [false, true])
    func `a playlist that an undo has taken away comes back with its entries`(isInSteps: Bool) throws {
        var configuration = Store.Configuration()
        configuration.actor = "ada"
        if isInSteps { configuration.stepwiseChangeCountMin = 1 }
        let store = try Store.temporary(Jukebox.schema, configuration: configuration)
        try store.write(CommitContext(actor: "setup")) { transaction in
            for name in ["A", "B"] { try transaction.insert(Track(id: Track.ID(name), title: name)) }
        }
        try store.write { transaction in
            try transaction.insert(Playlist(id: "new", name: "New"))
            try transaction.append(Playlist.entries, of: "new", contentsOf: ["A", "B", "A"])
        }
        let full = try store.read { $0.digest }
        let entries = try store.entries(of: "new")
        #expect(try store.undo()?.isDone == true)
        #expect(store.stepwiseCommitCount == (isInSteps ? 1 : 0))
        #expect(try store.restore(Playlist.self, id: "new").isDone)
        #expect(try store.entries(of: "new") == entries)
        #expect(try store.read { $0.digest } == full)
        #expect(try store.verify().isSound)
    }

    /// HIS-58
    @Test func `a playlist of a branch comes back with its entries after the merge was taken back`() throws {
        let store = try Jukebox.filled()
        let branch = try Store.temporary(branchOf: store)
        try branch.write { transaction in
            try transaction.insert(Playlist(id: "new", name: "New"))
            try transaction.append(Playlist.entries, of: "new", contentsOf: ["A", "C", "A"])
        }
        let merge = try #require(try store.merge(branch).commit)
        let full = try store.read { $0.digest }
        #expect(try store.revert(commits: [merge]).isDone)
        #expect(try store.restore(Playlist.self, id: "new").isDone)
        #expect(try store.names(of: "new") == "A C A")
        #expect(try store.read { $0.digest } == full)
    }

    /// HIS-58
    @Test func `other things of the commit that deleted a row stay as they are`() throws {
        let store = try Jukebox.filled()
        try store.write { transaction in
            try transaction.update(Track.self, id: "B") { $0.title = "Going" }
            _ = try transaction.delete(Track.self, id: "C")
            let first = try transaction.entries(Playlist.entries, of: "list")[0]
            try transaction.unlink(Playlist.entries, entry: first.id, of: "list")
            _ = try transaction.delete(Playlist.self, id: "list")
            _ = try transaction.delete(Track.self, id: "B")
        }
        #expect(try store.restore(Track.self, id: "B").isDone)
        #expect(try store.fetch(Track.self, id: "B")?.title == "Going")
        #expect(try store.tracks() == "A B")
        // The entry of the track that is gone stays away, and the one that was taken out right before comes back.
        #expect(try store.restore(Playlist.self, id: "list").isDone)
        #expect(try store.names() == "A B A")
        #expect(try store.restore(Track.self, id: "C").isDone)
        #expect(try store.names() == "A B C A")
        #expect(try store.verify().isSound)
    }

    /// HIS-58
    @Test func `what led to a row that goes comes back, as far as its commit has left it so`() throws {
        let store = try Store.temporary(Schema(Shelf.self, Book.self))
        try store.write { transaction in
            for id in ["old", "other"] as [Shelf.ID] { try transaction.insert(Shelf(id: id)) }
            for id in ["before", "behind", "moved", "moved behind", "gone", "gone behind"] as [Book.ID] {
                try transaction.insert(Book(id: id, title: "Title", shelf: "old"))
            }
            try transaction.append(Shelf.shown, of: "other", contentsOf: ["before", "gone", "before"])
        }
        let shown = try store.read { try $0.entries(Shelf.shown, of: "other").map(\.id) }
        try store.write { transaction in
            try transaction.update(Book.self, id: "before") { ($0.shelf, $0.title) = (nil, "New") }
            try transaction.update(Book.self, id: "moved") { $0.shelf = nil }
            try transaction.update(Book.self, id: "moved") { $0.shelf = "other" }
            try transaction.update(Book.self, id: "gone") { $0.shelf = nil }
            try transaction.delete(Book.self, id: "gone")
            try transaction.delete(Shelf.self, id: "old")
            try transaction.update(Book.self, id: "moved behind") { $0.shelf = "other" }
            try transaction.delete(Book.self, id: "gone behind")
        }
        #expect(try store.restore(Shelf.self, id: "old").isDone)
        #expect(try store.fetch(Shelf.books, of: "old").map(\.id) == ["before", "behind"])
        #expect(try store.fetch(Book.self, id: "before")?.title == "New")
        #expect(try store.fetch(Shelf.books, of: "other").map(\.id) == ["moved", "moved behind"])
        try store.write { transaction in
            try transaction.unlink(Shelf.shown, entry: shown[2], of: "other")
            try transaction.delete(Book.self, id: "before")
        }
        #expect(try store.restore(Book.self, id: "before").isDone)
        #expect(try store.read { try $0.entries(Shelf.shown, of: "other").map(\.id) } == [shown[0], shown[2]])
        #expect(try store.verify().isSound)
    }

    /// HIS-58
    @Test func `what the commit itself has let lead to a row, and what it has made anew, stays`() throws {
        let store = try Store.temporary(Schema(Shelf.self, Book.self))
        try store.write { transaction in
            for id in ["old", "other"] as [Shelf.ID] { try transaction.insert(Shelf(id: id)) }
            try transaction.insert(Book(id: "visitor", title: "Visitor", shelf: "other"))
            try transaction.insert(Book(id: "anew", title: "Anew", shelf: "old"))
        }
        try store.write { transaction in
            try transaction.update(Book.self, id: "visitor") { $0.shelf = "old" }
            try transaction.update(Book.self, id: "visitor") { $0.shelf = nil }
            try transaction.insert(Book(id: "short", title: "Short", shelf: "old"))
            try transaction.update(Book.self, id: "short") { $0.shelf = nil }
            try transaction.update(Book.self, id: "anew") { $0.shelf = nil }
            try transaction.delete(Book.self, id: "anew")
            try transaction.insert(Book(id: "anew", title: "Another", shelf: nil))
            try transaction.delete(Shelf.self, id: "old")
        }
        #expect(try store.restore(Shelf.self, id: "old").isDone)
        #expect(try store.fetch(Book.self).allSatisfy { $0.shelf == nil })
        #expect(try store.fetch(Book.self, id: "anew")?.title == "Another")
        #expect(try store.verify().isSound)
    }

    /// HIS-58
    @Test func `an album comes back without a track that its commit has made anew`() throws {
        let store = try Jukebox.filled()
        try store.write { transaction in
            try transaction.delete(Album.self, id: "album")
            try transaction.insert(Track(id: "A", title: "A", rating: 1, album: nil))
        }
        #expect(try store.restore(Album.self, id: "album").isDone)
        #expect(try store.tracks() == "B C")
        #expect(try store.fetch(Track.self, id: "A")?.rating == 1)
        #expect(try store.verify().isSound)
    }

    /// HIS-58
    @Test func `the last one that had a partner gets it back`() throws {
        let store = try Store.temporary(Schema(Guest.self, RoomKey.self))
        try store.write { transaction in
            try transaction.insert(RoomKey(id: "key", guest: nil))
            try transaction.insert(Guest(id: "first", key: "key"))
            try transaction.insert(Guest(id: "second", key: nil))
        }
        try store.write { transaction in
            try transaction.update(Guest.self, id: "first") { $0.key = nil }
            try transaction.update(Guest.self, id: "second") { $0.key = "key" }
            try transaction.delete(RoomKey.self, id: "key")
        }
        #expect(try store.restore(RoomKey.self, id: "key").isDone)
        #expect(try store.fetch(Guest.self, id: "second")?.key == "key")
        #expect(try store.fetch(Guest.self, id: "first")?.key == nil)
        #expect(try store.verify().isSound)
    }

    /// HIS-58
    @Test func `what a to-one led to before it was changed in the same commit is no matter`() throws {
        let store = try Store.temporary(Schema(Guest.self, RoomKey.self))
        try store.write { transaction in
            try transaction.insert(Guest(id: "g", key: nil))
            try transaction.insert(RoomKey(id: "one", guest: "g"))
            try transaction.insert(RoomKey(id: "two", guest: nil))
        }
        try store.write { transaction in
            try transaction.update(Guest.self, id: "g") { $0.key = "two" }
            _ = try transaction.delete(Guest.self, id: "g")
        }
        #expect(try store.restore(Guest.self, id: "g").isDone)
        #expect(try store.fetch(Guest.self, id: "g")?.key == "two")
        #expect(try store.fetch(RoomKey.self, id: "one")?.guest == nil)
        #expect(try store.verify().isSound)
    }
}

/// A shelf whose books stay when it goes.
private struct Shelf: Model {
    var id: ID

    static let books = Relationship<Shelf, Book>("books", inverse: \.shelf)
    static let shown = Relationship<Shelf, Book>("shown")
    static let schema = ModelSchema("shelf", Self.init, .id("id", \.id)).toMany(books).toMany(shown)
}

private struct Book: Model {
    var id: ID
    var title: String
    var shelf: Shelf.ID?

    static let schema = ModelSchema(
        "book",
        Self.init,
        .id("id", \.id),
        .attribute("title", \.title),
        .toOne("shelf", \.shelf)
    )
}

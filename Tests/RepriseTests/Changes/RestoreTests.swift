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

    @Test func `what never was, is there, or was not there then is refused`() throws {
        let store = try Jukebox.filled()
        let then = try store.read { $0.head }
        try store.write { try $0.insert(Track(id: "D", title: "D", rating: nil, album: nil)) }
        let missing = #expect(throws: StoreError.self) { _ = try store.restore(Track.self, id: "never") }
        #expect(missing?.code == .entityMissing)
        let there = #expect(throws: StoreError.self) { _ = try store.restore(Track.self, id: "A") }
        #expect(there?.code == .entityExists)
        let later = #expect(throws: StoreError.self) {
            _ = try store.restore(Track.self, id: "D", asOf: .position(then))
        }
        #expect(later?.code == .entityMissing)
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
}

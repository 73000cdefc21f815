import Reprise
import Testing

struct DifferenceTests {
    /// HIS-50, HIS-51
    @Test func `a difference says what appears, goes and changes, and the way back says the reverse`() throws {
        let store = try Jukebox.filled()
        let before = try store.read { $0.position }
        try store.write { transaction in
            try transaction.update(Track.self, id: "A") { $0.rating = 5 }
            _ = try transaction.delete(Track.self, id: "B")
            try transaction.insert(Track(id: "D", title: "D", rating: nil, album: "album"))
            try transaction.update(Track.self, id: "D") { $0.rating = 1 }
            try transaction.append(Playlist.entries, of: "list", contentsOf: ["D"])
        }
        let changes = try store.difference(from: .position(before))
        #expect(changes.counts.inserted == 1 && changes.counts.deleted == 1 && changes.counts.updated == 2)
        var lines: [String] = []
        try changes.forEach { change in
            lines.append("\(change.kind) \(change.entity.id)")
            for field in change.fields { lines.append("  \(field.name) \(field.from) \(field.to)") }
            for entry in change.entries { lines.append("  \(entry.kind) \(entry.target.id)") }
            return true
        }
        #expect(lines.contains("  rating 3 5"))
        #expect(lines.contains("deleted B") && lines.contains("inserted D") && lines.contains("  linked D"))
        #expect(lines.contains("  unlinked B"))
        let digest = try store.digest()
        let back = try store.apply(changes.inverted())
        #expect(back.isDone && back.counts.inserted == 1 && back.counts.deleted == 1)
        #expect(try store.digest() == store.read(asOf: .position(before)) { $0.digest })
        #expect(try store.apply(changes).isDone)
        #expect(try store.digest() == digest)
    }

    @Test func `the changes of one model come as values of its Swift type, old and new`() throws {
        let store = try Jukebox.filled()
        let before = try store.read { $0.position }
        try store.write { transaction in
            try transaction.update(Track.self, id: "A") { $0.rating = 5 }
            _ = try transaction.delete(Track.self, id: "B")
            try transaction.insert(Track(id: "D", title: "D", rating: nil, album: nil))
        }
        let set = try store.difference(from: .position(before))
        // What comes later is not in it.
        try store.write { try $0.update(Track.self, id: "A") { $0.rating = 1 } }
        let changes = try set.changes(of: Track.self)
        #expect(changes.map { $0.old?.rating } == [3, 3, nil])
        #expect(changes.map { $0.new?.title } == ["A", nil, "D"])
        #expect(changes[0].new?.rating == 5)
        let back = try set.inverted().changes(of: Track.self)
        #expect(back.map { $0.old?.rating } == [5, nil, nil] && back[0].new?.rating == 3)
        #expect(try set.changes(of: Playlist.self).count == 1)
    }

    @Test func `what comes and goes between two points is no difference`() throws {
        let store = try Jukebox.filled()
        let before = try store.read { $0.position }
        try store.write { try $0.insert(Track(id: "D", title: "D", rating: nil, album: "album")) }
        try store.write { _ = try $0.delete(Track.self, id: "D") }
        #expect(try store.difference(from: .position(before)).isEmpty)
    }
}

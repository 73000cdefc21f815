@testable import Reprise

/// How the golden stores of changes were made: a store and a branch of it, with all that taking back, bringing together
/// and widening write into a log.
enum GoldenChanges {
    static func make(root path: String, branch branchPath: String) throws {
        let clock = TickingClock()
        let configuration = Store.Configuration(actor: "golden", now: clock.now)
        let store = try Store.open(at: path, schema: Jukebox.schema, configuration: configuration)
        try fill(store)
        try takeBack(store)
        let branch = try store.branch(to: branchPath)
        try bringTogether(store, branch)
        branch.close()
        store.close()
        // A tool widens, not the program.
        let opened = try Store.open(existing: path, configuration: configuration)
        defer { opened.close() }
        try widen(opened)
    }

    private static func fill(_ store: Store) throws {
        try store.write(CommitContext(intent: "fill", actor: "setup")) { transaction in
            try transaction.insert(Album(id: "album", title: "Blue"))
            for name in ["A", "B", "C"] {
                try transaction.insert(Track(id: Track.ID(name), title: name, rating: 3, album: "album"))
            }
            try transaction.insert(Playlist(id: "list", name: "Mix"))
            try transaction.append(Playlist.entries, of: "list", contentsOf: ["A", "B", "C", "A"])
        }
    }

    /// Entries and rows that come back: version 2 of `linked`, annotations of an undo that changes nothing.
    private static func takeBack(_ store: Store) throws {
        try store.write(Jukebox.by("ada", group: "g1")) { try $0.remove(Playlist.entries, of: "list", at: 0) }
        try store.write(Jukebox.by("ada", group: "g1")) { try $0.delete(Track.self, id: "B") }
        try store.undo(by: "ada")
        try store.redo(by: "ada")
        try store.undo(by: "ada")
        try store.write(Jukebox.by("bob")) { try $0.update(Track.self, id: "C") { $0.rating = 5 } }
        let changed = try store.head()
        try store.write(Jukebox.by("cem")) { try $0.update(Track.self, id: "C") { $0.rating = 3 } }
        try store.undo(by: "bob", resolving: .ours)
        _ = try store.revert(commits: [changed], resolving: .ours)
        try store.write(Jukebox.by("ada")) { try $0.delete(Album.self, id: "album") }
        _ = try store.restore(Album.self, id: "album")
    }

    /// A mark of a branch, marks of merges in both directions, entries of another store.
    private static func bringTogether(_ store: Store, _ branch: Store) throws {
        try branch.write { try $0.append(Playlist.entries, of: "list", contentsOf: ["B", "C"]) }
        try store.write { try $0.append(Playlist.entries, of: "list", "A") }
        try store.merge(branch)
        try branch.merge(store)
        try branch.write { try $0.remove(Playlist.entries, of: "list", at: 4) }
        try store.write { try $0.update(Track.self, id: "A") { $0.rating = 1 } }
        try store.merge(branch)
        try store.undo()
    }

    /// Schema encoding 4, and rows that a rollback brings back and the rule converts again.
    private static func widen(_ store: Store) throws {
        try store.createSnapshot(named: "numbers")
        var schema = try store.schema
        guard schema.widen("rating", of: "track", to: .string) else { return }
        try store.change(to: try Schema(schema))
        let track = EntityReference(model: "track", id: "A")
        try store.write { _ = try $0.put(track, values: ["rating": .string("very good")]) }
        try store.rollback(to: .snapshot("numbers"))
    }
}

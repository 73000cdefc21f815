import Reprise
import TestSupport
import Testing

/// Where a branch and its parent both change, it makes no difference which of them merges (HIS-54, HIS-95).
@Suite struct MeetingTests {
    private typealias Change = (inout WriteTransaction) throws -> Void

    /// Lets a store and a branch of it change, and merges them, once in each direction.
    ///
    /// - Returns: the merged stores.
    private func meet(_ begin: Change? = nil, store ours: Change, branch theirs: Change) throws -> [Store] {
        var merged: [Store] = []
        for isIntoBranch in [false, true] {
            let store = try Jukebox.filled()
            if let begin { try store.write { try begin(&$0) } }
            let branch = try Store.temporary(branchOf: store)
            try store.write { try ours(&$0) }
            try branch.write { try theirs(&$0) }
            let (into, other) = isIntoBranch ? (branch, store) : (store, branch)
            let report = try into.merge(other)
            #expect(report.conflicts.isEmpty)
            #expect(try other.merge(into).isDone)
            #expect(try other.digest() == into.digest())
            #expect(try into.verify().isSound)
            merged.append(into)
        }
        return merged
    }

    private func tracks(_ store: Store) throws -> [String] { try store.fetch(Album.tracks, of: "album").map(\.title) }

    private func entries(_ store: Store) throws -> [String] { try store.entries().map(\.target) }

    @Test func `a row goes that one deletes and the other only moves in a list`() throws {
        let merged = try meet(
            store: { try $0.move(Album.tracks, of: "album", fromOffsets: [0], toOffset: 3) },
            branch: { try $0.delete(Track.self, id: "A") }
        )
        for store in merged { #expect(try tracks(store) == ["B", "C"]) }
    }

    @Test func `a row goes that one deletes and from whose list the other only takes`() throws {
        let merged = try meet(
            store: { transaction in
                try transaction.remove(Playlist.entries, of: "list", at: 1)
                try transaction.move(Playlist.entries, of: "list", fromOffsets: [0], toOffset: 2)
            },
            branch: { try $0.delete(Playlist.self, id: "list") }
        )
        for store in merged { #expect(try store.count(Playlist.self) == 0) }
    }

    @Test func `a row into whose list the other puts something is a conflict`() throws {
        for isIntoBranch in [false, true] {
            let store = try Jukebox.filled()
            let branch = try Store.temporary(branchOf: store)
            try store.write { try $0.append(Playlist.entries, of: "list", "B") }
            try branch.write { try $0.delete(Playlist.self, id: "list") }
            let report = try isIntoBranch ? branch.merge(store) : store.merge(branch)
            #expect(report.conflicts.map(\.entity) == [EntityReference(model: "playlist", id: "list")])
        }
    }

    @Test func `what one puts behind an entry that both have moved stays behind it`() throws {
        let merged = try meet(
            store: { transaction in
                try transaction.move(Playlist.entries, of: "list", fromOffsets: [0], toOffset: 4)
                try transaction.append(Playlist.entries, of: "list", "C")
            },
            branch: { try $0.move(Playlist.entries, of: "list", fromOffsets: [0], toOffset: 4) }
        )
        // Each has moved it, to the same place.
        for store in merged { #expect(try entries(store) == ["B", "C", "A", "A", "C"]) }
    }

    @Test func `a member that both put into a list has the place that the older store gave it`() throws {
        let merged = try meet(
            { try $0.insert(Track(id: "X", title: "X")) },
            store: { try $0.insert(Album.tracks, of: "album", "X", at: 1) },
            branch: { try $0.insert(Album.tracks, of: "album", "X", at: 3) }
        )
        for store in merged { #expect(try tracks(store) == ["A", "X", "B", "C"]) }
    }

    @Test func `a row that both insert has the place that the older store gave it`() throws {
        func insert(at index: Int) -> Change {
            { transaction in
                try transaction.insert(Track(id: "X", title: "X"))
                try transaction.insert(Album.tracks, of: "album", "X", at: index)
            }
        }
        let merged = try meet(store: insert(at: 3), branch: insert(at: 0))
        for store in merged { #expect(try tracks(store) == ["A", "B", "C", "X"]) }
    }
}

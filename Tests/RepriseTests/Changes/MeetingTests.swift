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

    @Test(arguments: [false, true])
    func `an entry whose row goes because a resolution says so is not moved behind what comes`(
        isIntoBranch: Bool
    ) throws {
        for isInSteps in [false, true] {
            let store = try Store.temporary(Jukebox.schema, configuration: .merging(inSteps: isInSteps))
            try store.write { transaction in
                for name in ["A", "B"] as [Track.ID] { try transaction.insert(Track(id: name, title: name.rawValue)) }
                try transaction.insert(Playlist(id: "list", name: "Mix"))
            }
            let branch = try Store.temporary(branchOf: store)
            let (into, other) = isIntoBranch ? (branch, store) : (store, branch)
            try into.write { try $0.append(Playlist.entries, of: "list", "A") }
            try other.write { try $0.append(Playlist.entries, of: "list", "B") }
            try other.write { try $0.delete(Track.self, id: "A") }
            #expect(try into.merge(other, resolving: .theirs).isDone)
            #expect(try into.names() == "B")
            #expect(try into.verify().isSound)
            #expect(try other.merge(into).isDone)
            #expect(try other.names() == "B")
            #expect(try other.verify().isSound)
        }
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

    @Test func `an entry that both bring back has the place that the older store gave it`() throws {
        for isIntoBranch in [false, true] {
            let store = try Jukebox.filled()
            try store.write { try $0.remove(Playlist.entries, of: "list", at: 0) }
            let removal = try store.resolve(.head)
            let branch = try Store.temporary(branchOf: store)
            for store in [store, branch] { _ = try store.revert(commits: [removal]) }
            try branch.write { try $0.move(Playlist.entries, of: "list", fromOffsets: [0], toOffset: 4) }
            #expect(try branch.names() == "B C A A")
            let (into, other) = isIntoBranch ? (branch, store) : (store, branch)
            #expect(try into.merge(other).isDone)
            #expect(try into.names() == "A B C A")
            #expect(try other.merge(into).isDone)
            #expect(try other.digest() == into.digest())
        }
    }

    @Test func `an entry that both have moved alike parts what stands before it and behind it`() throws {
        let move: Change = { try $0.move(Playlist.entries, of: "list", fromOffsets: [1], toOffset: 4) }
        let merged = try meet(
            store: { transaction in
                try move(&transaction)
                try transaction.append(Playlist.entries, of: "list", contentsOf: ["C", "C", "C", "C", "C", "C"])
            },
            branch: { try move(&$0) }
        )
        for store in merged { #expect(try store.names() == "A C A B C C C C C C") }
    }

    @Test func `a member that both have put into a list parts what stands before it and behind it`() throws {
        func insert(_ names: String...) -> Change {
            { transaction in
                for name in names { try transaction.insert(Track(id: Track.ID(name), title: name, album: "album")) }
            }
        }
        let merged = try meet(store: insert("M", "N", "O", "P", "Q", "R"), branch: insert("M"))
        for store in merged { #expect(try tracks(store) == ["A", "B", "C", "M", "N", "O", "P", "Q", "R"]) }
    }

    /// Takes an entry out of the playlist and puts another one into its place.
    private func replace(at index: Int, with track: Track.ID) -> Change {
        { transaction in
            try transaction.remove(Playlist.entries, of: "list", at: index)
            try transaction.insert(Playlist.entries, of: "list", track, at: index)
        }
    }

    @Test func `what one puts behind an entry that the other replaces comes first from the older store`() throws {
        let merged = try meet(
            store: { try $0.insert(Playlist.entries, of: "list", "A", at: 2) },
            branch: replace(at: 1, with: "C")
        )
        for store in merged { #expect(try store.names() == "A A C C A") }
    }

    @Test func `what one puts before an entry that the other replaces comes last from the younger store`() throws {
        let merged = try meet(
            store: replace(at: 1, with: "C"),
            branch: { try $0.insert(Playlist.entries, of: "list", "B", at: 1) }
        )
        for store in merged { #expect(try store.names() == "A C B C A") }
    }

    @Test func `where both replace an entry, what the older store has put there comes first`() throws {
        let merged = try meet(
            store: { transaction in
                try transaction.remove(Playlist.entries, of: "list", at: 1)
                try transaction.insert(Playlist.entries, of: "list", contentsOf: ["C", "A"], at: 1)
            },
            branch: { transaction in
                try transaction.remove(Playlist.entries, of: "list", at: 1)
                try transaction.insert(Playlist.entries, of: "list", contentsOf: ["B", "B"], at: 1)
            }
        )
        for store in merged { #expect(try store.names() == "A C A B B C A") }
    }

    @Test func `where both replace one entry by one, what the older store has put there comes first`() throws {
        let merged = try meet(store: replace(at: 1, with: "A"), branch: replace(at: 1, with: "C"))
        for store in merged { #expect(try store.names() == "A A C C A") }
    }

    @Test func `what both put into one place again and again stays together`() throws {
        func insert(_ track: Track.ID) -> Change {
            { transaction in
                for _ in 0..<20 { try transaction.insert(Playlist.entries, of: "list", track, at: 1) }
            }
        }
        let merged = try meet(store: insert("B"), branch: insert("C"))
        let (ours, theirs) = ([String](repeating: "B", count: 20), [String](repeating: "C", count: 20))
        for store in merged { #expect(try entries(store) == ["A"] + ours + theirs + ["B", "C", "A"]) }
    }

    @Test func `what one puts beside members that the other takes away and moves has one order`() throws {
        let merged = try meet(
            { transaction in for id in ["X", "Y"] { try transaction.insert(Track(id: Track.ID(id), title: id)) } },
            store: { transaction in
                try transaction.insert(Album.tracks, of: "album", "X", at: 1)
                try transaction.insert(Album.tracks, of: "album", "Y", at: 3)
            },
            branch: { transaction in
                try transaction.move(Album.tracks, of: "album", fromOffsets: [0], toOffset: 2)
                try transaction.update(Track.self, id: "C") { $0.album = nil }
            }
        )
        #expect(try tracks(merged[0]) == tracks(merged[1]))
        #expect(try tracks(merged[0]) == ["X", "B", "Y", "A"])
    }
}

import Testing

@testable import Reprise

/// Large changes in which entries come to places where others stand: HIS-113, HIS-114.
@Suite struct CrowdedListTests {
    private static func store(isInSteps: Bool) throws -> Store {
        var configuration = Store.Configuration()
        configuration.actor = "ada"
        if isInSteps { configuration.stepwiseChangeCountMin = 1 }
        let store = try Store.temporary(Jukebox.schema, configuration: configuration)
        try store.write(CommitContext(actor: "setup")) { tx in
            for number in 0..<50 { try tx.insert(Track(id: Track.ID("\(number)"), title: "Title \(number)")) }
            for list in ["one", "two", "three"] as [Playlist.ID] {
                try tx.insert(Playlist(id: list, name: list.rawValue))
                try tx.append(Playlist.entries, of: list, contentsOf: (0..<50).map { Track.ID("\($0)") })
            }
        }
        return store
    }

    private static func expectUndoAndRedo(
        in store: Store,
        from before: StateDigest,
        to edited: StateDigest
    ) throws {
        #expect(try store.undo()?.isDone == true)
        #expect(try store.digest() == before)
        #expect(try store.redo()?.isDone == true)
        #expect(try store.digest() == edited)
    }

    @Test func `places that were taken meanwhile, and entries in a circle, come back in steps`() throws {
        var digests: [StateDigest] = []
        for isInSteps in [false, true] {
            let store = try Self.store(isInSteps: isInSteps)
            let before = try store.digest()
            try store.write { tx in
                // What comes to the end gets the place that the last one had.
                let last = try #require(try tx.entries(Playlist.entries, of: "one").last)
                try tx.unlink(Playlist.entries, entry: last.id, of: "one")
                try tx.append(Playlist.entries, of: "one", contentsOf: ["1", "2"])
                try tx.set(Playlist.entries, of: "two", to: (0..<50).reversed().map { Track.ID("\($0)") })
                try tx.update(Playlist.self, id: "two") { $0.name = "Backwards" }
                try tx.update(Track.self, id: "7") { $0.rating = 5 }
            }
            let edited = try store.digest()
            try Self.expectUndoAndRedo(in: store, from: before, to: edited)
            #expect(store.stepwiseCommitCount == (isInSteps ? 2 : 0))
            #expect(try store.verify().isSound)
            digests.append(edited)
        }
        #expect(digests[0] == digests[1])
    }

    /// HIS-55
    @Test func `what comes back stands behind the next one where there is no room before that`() throws {
        for isInSteps in [false, true] {
            let store = try Self.store(isInSteps: isInSteps)
            try store.write { tx in
                try tx.insert(Album(id: "album", title: "Blue"))
                try tx.append(Album.tracks, of: "album", contentsOf: (0..<10).map { Track.ID("\($0)") })
                // Each takes the middle of what was left, until three stand one behind the other.
                for number in 10..<42 {
                    try tx.insert(Playlist.entries, of: "one", Track.ID("\(number)"), at: 1)
                    try tx.insert(Album.tracks, of: "album", Track.ID("\(number)"), at: 1)
                }
            }
            try store.write { tx in
                try tx.remove(Playlist.entries, of: "one", at: 1)
                try tx.remove(Album.tracks, of: "album", at: 1)
            }
            let removal = try store.read { $0.head }
            try store.write { tx in
                try tx.insert(Playlist.entries, of: "one", "45", at: 1)
                try tx.insert(Album.tracks, of: "album", "45", at: 1)
            }
            #expect(try store.revert(commits: [removal]).isDone)
            #expect(store.stepwiseCommitCount == (isInSteps ? 1 : 0))
            try store.read { tx in
                let entries = try tx.entries(Playlist.entries, of: "one").map(\.id.target)
                #expect(entries.prefix(5).joined(separator: " ") == "0 45 40 41 39")
                let members = try tx.fetch(Album.tracks, of: "album").map(\.id.rawValue)
                #expect(members.prefix(5).joined(separator: " ") == "0 45 40 41 39")
            }
            #expect(try store.verify().isSound)
        }
    }

    /// All of them wait for places that others keep. To look for the first one that can be placed, one after the
    /// other, would take minutes.
    @Test(.timeLimit(.minutes(1)))
    func `a list that was emptied and filled again gets back all that it had`() throws {
        let count = 2000
        func ids(_ start: Int) -> [Track.ID] { (start..<start + count).map { Track.ID("t\($0)") } }
        var digests: Set<StateDigest> = []
        for isInSteps in [false, true] {
            let store = try Self.store(isInSteps: isInSteps)
            try store.write { tx in
                for id in ids(0) + ids(count) { try tx.insert(Track(id: id, title: "Title \(id)")) }
                try tx.insert(Album(id: "album", title: "Blue"))
                try tx.set(Playlist.entries, of: "one", to: ids(0))
                try tx.set(Album.tracks, of: "album", to: ids(0))
            }
            try store.write { tx in
                try tx.removeAll(Playlist.entries, of: "one")
                try tx.removeAll(Album.tracks, of: "album")
            }
            let removal = try store.read { $0.head }
            try store.write { tx in
                try tx.append(Playlist.entries, of: "one", contentsOf: ids(count))
                try tx.append(Album.tracks, of: "album", contentsOf: ids(count))
            }
            #expect(try store.revert(commits: [removal]).isDone)
            #expect(store.stepwiseCommitCount == (isInSteps ? 1 : 0))
            // Those of before stand together behind those that have their places.
            let (entries, members) = try store.read { tx in
                let entries = try tx.entries(Playlist.entries, of: "one").map(\.id.target)
                return (entries, try tx.fetch(Album.tracks, of: "album").map(\.id.rawValue))
            }
            let isInOrder = entries == (ids(count) + ids(0)).map(\.rawValue) && members == entries
            #expect(isInOrder)
            #expect(try store.verify().isSound)
            digests.insert(try store.digest())
        }
        #expect(digests.count == 1)
    }

    @Test func `two that come back to a free place stand there, whatever else comes back behind them`() throws {
        for isInSteps in [false, true] {
            let store = try Self.store(isInSteps: isInSteps)
            try store.write { tx in
                try tx.insert(Playlist(id: "list", name: "Mix"))
                try tx.insert(Album(id: "album", title: "Blue"))
            }
            func append(_ names: Track.ID...) throws {
                try store.write { tx in
                    try tx.append(Playlist.entries, of: "list", contentsOf: names)
                    try tx.append(Album.tracks, of: "album", contentsOf: names)
                }
            }
            func remove(_ name: Track.ID) throws -> Position {
                try store.write { tx in
                    try tx.remove(Playlist.entries, of: "list", name)
                    try tx.remove(Album.tracks, of: "album", name)
                }
                return try store.read { $0.head }
            }
            try append("0", "1", "3")
            var removals = [try remove("3"), try remove("1")]
            try append("2")
            removals.append(try remove("2"))
            // The place of the first two is free in the end, and that of the third one is not.
            try append("4", "5")
            _ = try remove("4")
            #expect(try store.revert(commits: removals).isDone)
            #expect(try store.names() == "0 1 2 5 3")
            let members = try store.read { try $0.fetch(Album.tracks, of: "album").map(\.id.rawValue) }
            #expect(members.joined(separator: " ") == "0 1 2 5 3")
            #expect(try store.verify().isSound)
        }
    }

    @Test func `an entry gets a place that another one leaves where there is no room before it`() throws {
        for isInSteps in [false, true] {
            let store = try Self.store(isInSteps: isInSteps)
            try store.write { tx in
                try tx.insert(Playlist(id: "list", name: "Mix"))
                try tx.append(Playlist.entries, of: "list", contentsOf: ["0", "1"])
                // Each takes the middle of what was left: the last ones stand 1, 2, 4 and 8 places behind the first.
                for number in 10..<42 { try tx.insert(Playlist.entries, of: "list", Track.ID("\(number)"), at: 1) }
            }
            func remove(at index: Int) throws -> Position {
                try store.write { try $0.remove(Playlist.entries, of: "list", at: index) }
                return try store.read { $0.head }
            }
            func insert(_ name: Track.ID, at index: Int) throws -> Position {
                try store.write { try $0.insert(Playlist.entries, of: "list", name, at: index) }
                return try store.read { $0.head }
            }
            #expect(try store.names().hasPrefix("0 41 40 39 38 "))
            // The first one comes between 40 and 39, and leaves again; the other one gets the place of 40.
            let commits = [try insert("43", at: 3), try remove(at: 2)]
            _ = try insert("44", at: 2)
            #expect(try store.names().hasPrefix("0 41 44 43 39 "))
            #expect(try store.revert(commits: commits).isDone)
            #expect(try store.names().hasPrefix("0 41 44 40 39 "))
            #expect(try store.verify().isSound)
        }
    }

    /// Each two of them wait for each other's places. To free one pair after the other, and look at all others each
    /// time, would take minutes.
    @Test(.timeLimit(.minutes(1)))
    func `members that were taken out and put back in another order change places`() throws {
        let ids = (0..<4000).map { Track.ID("t\($0)") }
        for isInSteps in [false, true] {
            let store = try Self.store(isInSteps: isInSteps)
            try store.write { tx in
                for id in ids { try tx.insert(Track(id: id, title: "Title \(id)")) }
                try tx.insert(Album(id: "album", title: "Blue"))
                try tx.append(Album.tracks, of: "album", contentsOf: ids)
            }
            let before = try store.digest()
            try store.write { tx in
                for id in ids { try tx.update(Track.self, id: id) { $0.album = nil } }
                try tx.append(Album.tracks, of: "album", contentsOf: ids.reversed())
            }
            let edited = try store.digest()
            try Self.expectUndoAndRedo(in: store, from: before, to: edited)
            #expect(store.stepwiseCommitCount == (isInSteps ? 2 : 0))
            #expect(try store.verify().isSound)
        }
    }
}

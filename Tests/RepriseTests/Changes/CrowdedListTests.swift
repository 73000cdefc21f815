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
            #expect(try store.undo()?.isDone == true)
            #expect(try store.digest() == before)
            #expect(try store.redo()?.isDone == true)
            #expect(try store.digest() == edited)
            #expect(store.stepwiseCommitCount == (isInSteps ? 2 : 0))
            #expect(try store.verify().isSound)
            digests.append(edited)
        }
        #expect(digests[0] == digests[1])
    }
}

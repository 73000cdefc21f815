import LegacyMigration
import MusicLibrary
import Reprise
import Testing

@Suite struct NewerExportTests {
    private let export = InventedLibrary(trackCount: 12)
    private let list = Playlist.ID(InventedLibrary.key(0xF1))

    private func key(_ number: Int) -> Track.ID { .init(InventedLibrary.key(0x100 + number)) }

    @Test func `only the changed attributes are written`() throws {
        let library = try TemporaryLibrary()
        try library.migrate(export.xml)
        let head = try library.head
        var newer = export
        newer.tracks[4].playCount = 9
        let report = try library.migrate(newer.xml)
        #expect(report.counts["track"]?.updated == 1 && report.writtenCount == 1)
        var changes: [[String]] = []
        try library.store.read { state in
            try state.forEachCommit(
                from: Position(rawValue: head.rawValue + 1),
                where: { $0.entity != nil }
            ) {
                changes += $0.events.map { $0.changes.map(\.name) }
                return true
            }
        }
        #expect(changes == [["playCount"]])
    }

    @Test func `entries that stay keep their identity`() throws {
        let library = try TemporaryLibrary()
        try library.migrate(export.xml)
        let before = try library.entries(of: list)
        var newer = export
        newer.playlists[1].entries.remove(at: 3)
        newer.playlists[1].entries.append(newer.playlists[1].entries.remove(at: 0))
        newer.playlists[1].entries.insert(newer.tracks[2].key, at: 5)
        try library.migrate(newer.xml)
        let after = try library.entries(of: list)
        #expect(after.map(\.target.rawValue) == newer.playlists[1].entries)
        #expect(Set(before).subtracting(after).count == 1)
        #expect(Set(after).subtracting(before).count == 1)
    }

    @Test func `what the export no longer has is deleted`() throws {
        let library = try TemporaryLibrary()
        try library.migrate(export.xml)
        var newer = export
        newer.tracks.removeFirst(3)
        newer.playlists = []
        let report = try library.migrate(newer.xml)
        #expect(report.counts["track"]?.deleted == 3)
        #expect(report.counts["album"]?.deleted == 1)
        #expect(report.counts["playlist"]?.deleted == 2)
        #expect(report.warningCounts.isEmpty)
        let fresh = try TemporaryLibrary()
        try fresh.migrate(newer.xml)
        #expect(try library.content == fresh.content)
    }

    @Test func `what was changed here is not deleted`() throws {
        let library = try TemporaryLibrary()
        try library.migrate(export.xml)
        try library.store.write { transaction in
            try transaction.update(Track.self, id: self.key(1)) { $0.rating = 80 }
            try transaction.insert(Track(id: "mine", title: "Mine"))
        }
        var newer = export
        newer.tracks.removeFirst(3)
        newer.playlists[1].entries = []
        let report = try library.migrate(newer.xml)
        #expect(report.warningCounts[.deletedInSourceButChanged] == 1)
        // The album holds the track that was kept.
        #expect(report.warningCounts[.deletedInSourceButInUse] == 1)
        #expect(report.counts["track"]?.deleted == 2)
        #expect(try library.store.fetch(Track.self, id: key(1))?.rating == 80)
        #expect(try library.store.fetch(Track.self, id: "mine") != nil)
        // And so it stays, without another word in the log.
        let head = try library.head
        #expect(try library.migrate(newer.xml).warningCounts[.deletedInSourceButChanged] == 1)
        #expect(try library.head == head)
    }

    @Test func `what was added to a list here stays in it`() throws {
        let library = try TemporaryLibrary()
        try library.migrate(export.xml)
        try library.store.write { transaction in
            try transaction.insert(Track(id: "mine", title: "Mine"))
            _ = try transaction.link(Playlist.tracks, from: self.list, to: "mine")
        }
        var newer = export
        newer.playlists[1].entries.append(newer.tracks[0].key)
        let plan = try library.plan(newer.xml)
        #expect(plan.warningCounts[.entryAddedHere] == 1)
        let report = try library.migrate(newer.xml)
        #expect(report.warningCounts[.entryAddedHere] == 1)
        let titles = try library.titles(of: list)
        #expect(titles == (0..<24).map { "T\($0 * 7 % 12)" } + ["T0", "Mine"])
        // It is said each time, also where nothing is written.
        let again = try library.migrate(newer.xml)
        #expect(again.writtenCount == 0)
        #expect(again.warningCounts[.entryAddedHere] == 1)
    }

    @Test func `where both changed the export wins, with a warning`() throws {
        let library = try TemporaryLibrary()
        try library.migrate(export.xml)
        _ = try library.store.write { transaction in
            try transaction.update(Track.self, id: self.key(1)) { $0.title = "Here" }
        }
        var newer = export
        newer.tracks[1].title = "There"
        let report = try library.migrate(newer.xml)
        #expect(report.warningCounts == [.localChangeOverwritten: 1])
        #expect(try library.store.fetch(Track.self, id: key(1))?.title == "There")
    }

    @Test func `albums and folders follow the order of the file`() throws {
        let library = try TemporaryLibrary()
        try library.migrate(export.xml)
        var newer = export
        newer.tracks.swapAt(0, 2)
        newer.playlists.append(
            .init(key: InventedLibrary.key(0xF2), name: "Second", parent: InventedLibrary.key(0xF0))
        )
        newer.playlists.swapAt(1, 2)
        let report = try library.migrate(newer.xml)
        #expect(report.counts["album"]?.updated == 1)
        let fresh = try TemporaryLibrary()
        try fresh.migrate(newer.xml)
        #expect(try library.content == fresh.content)
    }

    @Test func `rows of another library are not touched`() throws {
        let library = try TemporaryLibrary()
        try library.migrate(path: Repository.sample)
        let content = try library.content
        try library.migrate(export.xml)
        try library.migrate(InventedLibrary().xml)
        #expect(try library.content == content)
    }

    @Test(arguments: 0..<200)
    func `a newer export leads to what it leads to in an empty store`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let library = try TemporaryLibrary()
        var export = InventedLibrary(using: &random)
        try library.migrate(export.xml)
        for _ in 0..<2 {
            export = export.changed(using: &random)
            let plan = try library.plan(export.xml)
            let report = try library.migrate(
                export.xml
            )
            #expect((plan.writtenCount == 0) == (report.writtenCount == 0))
            let fresh = try TemporaryLibrary()
            try fresh.migrate(export.xml)
            #expect(try library.content == fresh.content, "seed \(seed)")
            let head = try library.head
            #expect(try library.migrate(export.xml).writtenCount == 0)
            #expect(try library.head == head)
        }
    }
}

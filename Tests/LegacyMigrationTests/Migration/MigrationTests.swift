import Foundation
import LegacyMigration
import MusicLibrary
import Reprise
import Testing

@Suite struct MigrationTests {
    @Test func `the sample library arrives whole`() throws {
        let library = try TemporaryLibrary()
        let report = try library.migrate(path: Repository.sample)
        #expect(report.counts["track"]?.inserted == 60)
        #expect(report.counts["album"]?.inserted == 8)
        #expect(report.counts["playlist"]?.inserted == 4)
        #expect(report.unchangedCount == 0)
        #expect(report.warningCounts == [.missingTrack: 1, .unmappedProperty: 10, .builtInPlaylist: 2])
        #expect(report.snapshotBefore == "before-migration-1")
        #expect(try report.digest == library.digest)
        try expectAgreement(library, path: Repository.sample)
    }

    @Test(.enabled(if: Repository.hasFixtures, "the real libraries are not here"))
    func `a real library of 1,779 tracks arrives whole`() throws {
        let path = Repository.fixture("library_1779_tracks.xml")
        let library = try TemporaryLibrary()
        let report = try library.migrate(path: path)
        #expect(report.counts["track"]?.inserted == 1779)
        #expect(report.counts["album"]?.inserted == 238)
        #expect(report.counts["playlist"]?.inserted == 2)
        try expectAgreement(library, path: path)
        let head = try library.head
        #expect(try library.migrate(path: path).unchangedCount == 1779 + 238 + 2)
        #expect(try library.head == head)
    }

    /// Reads the export once more and compares every record, list and order with the store.
    private func expectAgreement(_ library: TemporaryLibrary, path: String) throws {
        let readout = try Readout(path: path)
        var albums: [String: [String]] = [:]
        try library.store.read { state in
            for record in readout.records {
                switch record.className {
                case "track":
                    let track = try #require(try state.fetch(Track.self, id: .init(record.key)))
                    #expect(record["title"] == .string(track.title))
                    #expect(record["duration"] == track.duration.map { .double($0) })
                    #expect(record["artist"] == track.artist.map { .string($0) })
                    #expect(record["addedAt"] == track.addedAt.map { .date($0) })
                    #expect(record["rating"] == track.rating.map { .integer(Int64($0)) })
                    #expect(record["location"] == track.location.map { .string($0) })
                    #expect(record["album"] == track.album.map { .reference($0.rawValue) })
                    if let album = track.album {
                        albums[album.rawValue, default: []].append(record.key)
                    }
                case "album":
                    let album = try #require(try state.fetch(Album.self, id: .init(record.key)))
                    #expect(record["title"] == .string(album.title))
                default:
                    let list = try #require(try state.fetch(Playlist.self, id: .init(record.key)))
                    #expect(record["name"] == .string(list.name))
                    #expect(record["parent"] == list.parent.map { .reference($0.rawValue) })
                    let entries = try state.entries(Playlist.tracks, of: list.id)
                    #expect(entries.map(\.target.rawValue) == readout.entries(record.key) ?? [])
                }
            }
            for (album, tracks) in albums {
                let entries = try state.entries(Album.tracks, of: .init(album))
                #expect(entries.map(\.target.rawValue) == tracks)
            }
            #expect(state.counts.map(\.count).reduce(0, +) == readout.records.count)
        }
    }

    @Test func `the same export again writes nothing at all`() throws {
        let library = try TemporaryLibrary()
        let first = try library.migrate(path: Repository.sample)
        let head = try library.head
        let second = try library.migrate(path: Repository.sample)
        #expect(try library.head == head)
        #expect(second.writtenCount == 0 && second.unchangedCount == 72)
        #expect(second.snapshotBefore == nil && second.eventCount == 0)
        #expect(second.migration == first.migration && second.digest == first.digest)
    }

    @Test func `an empty library is migrated once`() throws {
        let library = try TemporaryLibrary()
        let report = try library.migrate(InventedLibrary().xml)
        #expect(report.snapshotBefore != nil && report.writtenCount == 0)
        let head = try library.head
        #expect(try library.migrate(InventedLibrary().xml).snapshotBefore == nil)
        #expect(try library.head == head)
    }

    @Test func `going back to the snapshot brings the exact state before`() throws {
        let library = try TemporaryLibrary()
        try library.store.write { try $0.insert(Track(id: "mine", title: "Mine")) }
        let before = try library.digest
        let report = try library.migrate(InventedLibrary(trackCount: 50).xml)
        #expect(report.digest != before)
        let name = try #require(report.snapshotBefore)
        let rollback = try library.store.rollback(to: .snapshot(name))
        #expect(rollback.digest == before)
        let again = try library.migrate(InventedLibrary(trackCount: 50).xml)
        #expect(again.digest == report.digest)
        #expect(again.migration != report.migration && again.snapshotBefore == "before-migration-2")
    }

    @Test func `a migration is one commit that names it`() throws {
        let library = try TemporaryLibrary()
        let head = try library.head
        let report = try library.migrate(InventedLibrary(trackCount: 50).xml)
        var commits: [CommitRecord] = []
        try library.store.read { state in
            try state.forEachCommit(from: Position(rawValue: head.rawValue + 1)) {
                commits.append($0)
                return true
            }
        }
        #expect(commits.allSatisfy { $0.intent == "migrate" })
        #expect(commits.map(\.correlation) == [report.migration])
        #expect(report.migration == "m\(head)")
        #expect(report.eventCount == commits.reduce(0) { $0 + $1.events.count })
    }

    @Test func `the log says what was migrated`() throws {
        let library = try TemporaryLibrary()
        let report = try library.migrate(InventedLibrary(trackCount: 4).xml)
        let record = try #require(try MigrationRecord.all(in: library.store).first)
        #expect(record.id == report.migration && record.isFinished)
        #expect(record.source == "itunes:0123456789ABCDEF")
        #expect(record.snapshotBefore == report.snapshotBefore)
        #expect(record.contentHash == report.reading.contentHash.description)
        let annotation = try library.store.read {
            try $0.annotation(name: "migration.finished", key: record.source)
        }
        let payload = try #require(annotation?.payload)
        let json = try #require(
            try JSONSerialization.jsonObject(with: Data(payload)) as? [String: Any]
        )
        #expect(json["inserted"] as? [String: Int] == ["album": 2, "playlist": 2, "track": 4])
        #expect(json["snapshot"] as? String == "before-migration-1")
    }

    @Test func `a dry run says what a run does, and writes nothing`() throws {
        let library = try TemporaryLibrary()
        let head = try library.head
        let export = InventedLibrary(trackCount: 30)
        let plan = try library.plan(export.xml)
        #expect(try library.head == head)
        let report = try library.migrate(export.xml)
        #expect(plan.counts == report.counts)
        var newer = export
        newer.tracks.removeFirst(3)
        newer.tracks[5].title = "New"
        newer.tracks.swapAt(7, 8)
        newer.playlists[1].entries.removeAll { !newer.tracks.map(\.key).contains($0) }
        let second = try library.plan(newer.xml)
        #expect(try second.counts == library.migrate(newer.xml).counts)
    }

    @Test func `a playlist is long`() throws {
        let export = InventedLibrary(trackCount: 100)
        let small = try TemporaryLibrary()
        let large = try TemporaryLibrary()
        try small.migrate(export.xml)
        try large.migrate(export.xml)
        #expect(try small.digest == large.digest)
        let titles = try small.titles(of: .init(InventedLibrary.key(0xF1)))
        #expect(titles == (0..<200).map { "T\($0 * 7 % 100)" })
    }

    @Test func `two libraries with the same identifiers stay apart`() throws {
        let library = try TemporaryLibrary()
        let export = InventedLibrary(trackCount: 10)
        try library.migrate(export.xml, name: "one")
        let content = try library.content
        let report = try library.migrate(export.xml, name: "two")
        #expect(report.warningCounts[.identifierTaken] == 12)
        #expect(report.counts["track"]?.inserted == 10)
        let after = try library.content
        #expect(Set(content).isSubset(of: after) && after.count == content.count * 2)
        #expect(try library.migrate(export.xml, name: "two").writtenCount == 0)
        #expect(try library.migrate(export.xml, name: "one").writtenCount == 0)
        // What the second lacks is taken from the second only.
        let emptied = try library.migrate(InventedLibrary().xml, name: "two")
        #expect(emptied.counts["track"]?.deleted == 10)
        #expect(try library.content == content)
    }
}

import Foundation
import LegacyMigration
import Testing

@Suite struct LibrarySourceTests {
    @Test func `the sample library arrives whole`() throws {
        let readout = try Readout(path: Repository.sample)
        #expect(readout.identity.description == "itunes:7A3C51D0E94B2F68")
        #expect(readout.reading.recordCounts == ["track": 60, "album": 8, "playlist": 4])
        #expect(readout.reading.skippedCounts == ["playlist": 2])
        #expect(readout.reading.warningCounts == [.missingTrack: 1, .unmappedProperty: 10, .builtInPlaylist: 2])
        #expect(readout.brokenReferences.isEmpty)
        let lists = readout.records.filter { $0.className == "playlist" }
        let sunday = try #require(lists.first { $0["name"] == .string("Sunday, Slowly") })
        let entries = try #require(readout.entries(sunday.key))
        #expect(entries.count == 7 && Set(entries).count == 5)
        #expect(sunday["parent"] == .reference("C0FFEE0051D0AA17"))
        #expect(readout.records.contains { $0["title"] == .string("雨のラジオ") })
    }

    @Test(.enabled(if: Repository.hasFixtures, "the real libraries are not here"))
    func `a real library of 1,779 tracks arrives whole`() throws {
        let readout = try Readout(path: Repository.fixture("library_1779_tracks.xml"))
        #expect(readout.identity.name == "EE4D51244EB39A8C")
        #expect(readout.reading.recordCounts == ["track": 1779, "album": 238, "playlist": 2])
        #expect(readout.reading.skippedCounts == ["playlist": 11])
        // As many keys have values in a track and no field, counted by another reader.
        #expect(
            readout.reading.warningCounts == [.unmappedProperty: 25, .builtInPlaylist: 5, .leftOutPlaylist: 6]
        )
        let lists = readout.records.filter { $0.className == "playlist" }
        #expect(lists.map { $0["name"] } == [.string("MamaMusic"), .string("Meuuh")])
        #expect(lists.map { readout.entries($0.key)?.count } == [27, 8])
        #expect(readout.brokenReferences.isEmpty)
        let track = try #require(readout.record("track", "01C97181E0FB3F29"))
        #expect(track["title"] == .string("The Downfall Of Us All"))
        #expect(track["duration"] == .double(209.162))
    }

    @Test(.enabled(if: Repository.hasFixtures, "the real libraries are not here"))
    func `what iTunes has chosen of them arrives where it is asked for`() throws {
        let path = Repository.fixture("library_1779_tracks.xml")
        let readout = try Readout(path: path, takesBuiltInPlaylists: true)
        #expect(readout.reading.recordCounts == ["track": 1779, "album": 238, "playlist": 9])
        #expect(readout.reading.warningCounts == [.unmappedProperty: 27, .builtInPlaylist: 4])
        let lists = readout.records.filter { $0.className == "playlist" }
        let top = try #require(lists.first { $0["name"] == .string("Top 25 Most Played") })
        #expect(readout.entries(top.key)?.count == 25)
    }

    @Test(
        .enabled(if: Repository.hasFixtures, "the real libraries are not here"),
        arguments: ["beets_itunes_library_unix.xml", "beets_itunes_library_windows.xml"]
    )
    func `small libraries of either system arrive whole`(name: String) throws {
        let readout = try Readout(path: Repository.fixture(name))
        #expect(readout.reading.recordCounts == ["track": 3, "album": 1])
        #expect(readout.reading.skippedCounts == ["playlist": 2])
        #expect(readout.reading.warningCounts == [.unmappedProperty: 14, .builtInPlaylist: 2])
    }

    @Test func `the same bytes give the same records and the same hash`() throws {
        let bytes = try [UInt8](Data(contentsOf: URL(filePath: Repository.sample)))
        let first = try Readout(bytes)
        #expect(try Readout(bytes).records == first.records)
        let hash = try TemporaryFile.with(bytes) { path in
            try ITunesLibrarySource(path: path).contentHash { _ in }
        }
        #expect(hash == first.reading.contentHash)
        #expect(hash.description.count == 64)
        #expect(first.reading.byteCount == UInt64(bytes.count))
    }

    @Test func `a library without an identity is known by its file`() throws {
        let library = LibraryText.library([LibraryText.track(1, "A")], id: nil)
        try TemporaryFile.with(library) { path in
            let readout = try Readout(path: path)
            #expect(readout.identity.name == URL(filePath: path).lastPathComponent)
            #expect(readout.count(.missingLibraryID) == 1)
            let named = try Readout(path: path, name: "mine")
            #expect(named.identity == SourceIdentity(kind: "itunes", name: "mine"))
            #expect(named.reading.warningCounts.isEmpty)
        }
    }

    @Test func `an identity after the tracks counts as well`() throws {
        let text = String(
            decoding: LibraryText.library([LibraryText.track(1, "A")], id: nil),
            as: UTF8.self
        )
        let late = text.replacing(
            "</dict></plist>",
            with: LibraryText.string("Library Persistent ID", "L") + "</dict></plist>"
        )
        #expect(try Readout(late.utf8).identity.name == "L")
    }

    @Test func `what the consumer throws ends the reading and comes out unchanged`() throws {
        struct Enough: Error, Equatable { var after: Int }
        let source = try ITunesLibrarySource(path: Repository.sample)
        var count = 0
        #expect(throws: Enough(after: 10)) {
            try source.read { _ in
                count += 1
                if count == 10 { throw Enough(after: count) }
            }
        }
        #expect(count == 10)
    }

    @Test func `progress goes up to the size of the file, twice where there are two passes`() throws
    {
        let tracks = (0..<20_000).map {
            LibraryText.track(
                $0,
                "K\($0)",
                LibraryText.string("Comments", String(repeating: "x", count: 200))
            )
        }
        for playlistsFirst in [false, true] {
            let library = LibraryText.library(tracks, playlistsFirst: playlistsFirst)
            let readout = try Readout(library)
            let total = UInt64(library.count * (playlistsFirst ? 2 : 1))
            let steps = readout.progress
            #expect(steps.count >= 1)
            #expect(steps.allSatisfy { $0.bytesRead <= $0.byteCount && $0.byteCount == total })
            #expect(zip(steps, steps.dropFirst()).allSatisfy { $0.bytesRead < $1.bytesRead })
        }
    }

    @Test func `a file that changes after it was opened is refused`() throws {
        try TemporaryFile.with(LibraryText.library([LibraryText.track(1, "A")])) { path in
            let source = try ITunesLibrarySource(path: path)
            try Data(LibraryText.library([])).write(to: URL(filePath: path))
            #expect(try code { _ = try source.read { _ in } } == .changedWhileReading)
            #expect(try code { _ = try source.contentHash { _ in } } == .changedWhileReading)
        }
    }

    @Test func `the format is told by the first bytes`() throws {
        let sample = try Data(contentsOf: URL(filePath: Repository.sample))
        #expect(ITunesLibrarySource.canRead(prefix: sample.prefix(4096)))
        #expect(ITunesLibrarySource.canRead(prefix: [0xEF, 0xBB, 0xBF] + sample.prefix(4096)))
        let others = [
            "", "bplist00", "<plist", "<plist><dict><key>CFBundleName</key>",
            "<rss><key>Tracks</key>", "see <plist><key>Tracks</key>", "title,artist\n",
        ]
        for other in others { #expect(!ITunesLibrarySource.canRead(prefix: other.utf8)) }
    }
}

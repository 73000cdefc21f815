import Foundation
import LegacyMigration
import MusicLibrary
import Reprise
import Testing

/// A playlist in a folder of its own.
enum PlaylistFile {
    static func with<R>(
        _ name: String,
        _ bytes: some Sequence<UInt8>,
        _ body: (String) throws -> R
    ) throws -> R {
        let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        let url = folder.appending(path: name)
        try Data(bytes).write(to: url)
        return try body(url.path)
    }

    static func fixture(_ name: String) -> String {
        Repository.root.appending(path: "../shared/fixtures/playlists/\(name)").standardized.path
    }

    static var hasFixtures: Bool {
        FileManager.default.fileExists(atPath: fixture("beets_playlist.m3u"))
    }
}

extension Readout {
    /// The places of the tracks, in order.
    var locations: [String] {
        records.filter { $0.className == "track" }
            .compactMap { record in
                guard case .string(let text)? = record["location"] else { return nil }
                return text
            }
    }

    /// The entries of the playlist, which comes last.
    var playlistEntries: [String] {
        guard case .references(let keys)? = records.last?["tracks"] else { return [] }
        return Array(keys)
    }
}

@Suite struct M3UTests {
    private func read(
        _ text: String,
        name: String = "Road Trip.m3u8",
        locations: (@Sendable (String) -> String?)? = nil
    ) throws -> Readout {
        try PlaylistFile.with(name, text.utf8) {
            try Conformance.read(M3USource(path: $0, libraryLocations: locations))
        }
    }

    @Test func `entries keep their order, and repeats share a track`() throws {
        let readout = try read(
            """
            #EXTM3U
            #PLAYLIST:Road Trip '99
            # a comment
            #EXTINF:214,Air - La femme d'argent
            /music/a.mp3
            #EXTINF:-1,Untitled
            /music/b.mp3
            /music/c.mp3
            /music/a.mp3
            """
        )
        #expect(readout.locations == ["/music/a.mp3", "/music/b.mp3", "/music/c.mp3"])
        let first = readout.records[0]
        #expect(first["title"] == .string("La femme d'argent") && first["artist"] == .string("Air"))
        #expect(first["duration"] == .double(214))
        #expect(readout.records[1]["title"] == .string("Untitled"))
        #expect(readout.records[1]["duration"] == nil && readout.records[1]["artist"] == nil)
        #expect(readout.records[2]["title"] == .string("c"))
        let keys = readout.keys("track")
        #expect(readout.playlistEntries == [keys[0], keys[1], keys[2], keys[0]])
        #expect(readout.records.last?["name"] == .string("Road Trip '99"))
        #expect(readout.brokenReferences.isEmpty)
        // The last entry says nothing else than the first of the same location.
        #expect(readout.warnings.isEmpty)
    }

    @Test func `a duration is a decimal number, and one below zero that is not -1 is counted`() throws {
        let readout = try read("#EXTINF:0x10,A\n/a\n#EXTINF:-5,B\n/b\n#EXTINF:-1,C\n/c\n#EXTINF:1.5,D\n/d\n")
        #expect(readout.count(.malformedNumber) == 1 && readout.count(.valueOutOfRange) == 1)
        let durations = readout.records.filter { $0.className == "track" }.map { $0["duration"] }
        #expect(durations == [nil, nil, nil, .double(1.5)])
    }

    @Test func `a second name counts and is counted, and so is what no entry comes after`() throws {
        let entries = "#EXTGENRE:X\n/a\n#EXTGENRE:Y\n#EXTGENRE:Z\n/b\n#EXTART:W\n#EXTGENRE:V\n"
        let readout = try read("#PLAYLIST:One\n#PLAYLIST:Two\n" + entries)
        #expect(readout.records.last?["name"] == .string("Two"))
        #expect(readout.records[1]["genre"] == .string("Z"))
        #expect(readout.count(.repeatedField) == 2 && readout.count(.malformedEntry) == 2)
    }

    @Test func `relative and Windows paths and file URLs have one form`() {
        func resolved(_ location: String) -> String {
            PlaylistLocation.resolved(location, in: "/people/me/lists")
        }
        #expect(resolved("../music/./a.mp3") == "/people/me/music/a.mp3")
        #expect(resolved("a b.mp3") == "/people/me/lists/a b.mp3")
        #expect(resolved("file:///music/a%20b.mp3") == "/music/a b.mp3")
        #expect(resolved("file://localhost/music/a.mp3") == "/music/a.mp3")
        #expect(resolved("file:///C:/Music/a.mp3") == "C:/Music/a.mp3")
        #expect(resolved("C:\\Music\\..\\a.mp3") == "C:/a.mp3")
        #expect(resolved("\\\\nas\\music\\a.mp3") == "//nas/music/a.mp3")
        #expect(resolved("Albums\\a.mp3") == "/people/me/lists/Albums/a.mp3")
        #expect(resolved("http://x.org/a/../b.mp3?q") == "http://x.org/a/../b.mp3?q")
        #expect(resolved("../../../../../a.mp3") == "/a.mp3")
        #expect(resolved("Artist: Title.mp3") == "/people/me/lists/Artist: Title.mp3")
        // In the root, and without any folder.
        #expect(PlaylistLocation.resolved("x.mp3", in: "/") == "/x.mp3")
        #expect(PlaylistLocation.resolved("a/../x.mp3") == "/x.mp3")
    }

    @Test func `an m3u that is no UTF-8 is told by its letters, and so is an m3u8`() throws {
        let bytes = Array("/music/".utf8) + [0xC5, 0x80, 0xE9] + Array(".mp3\r\n".utf8)
        let readout = try PlaylistFile.with("x.m3u", bytes) { try Readout(M3USource(path: $0)) }
        #expect(readout.locations == ["/music/Å€é.mp3"])
        #expect(readout.reading.warningCounts == [.guessedEncoding: 1])
        let other = try PlaylistFile.with("x.m3u8", bytes) { try Readout(M3USource(path: $0)) }
        #expect(other.locations == readout.locations)
        let utf8 = try PlaylistFile.with("x.m3u", "/é.mp3".utf8) {
            try Readout(M3USource(path: $0))
        }
        #expect(utf8.locations == ["/é.mp3"])
    }

    @Test func `a line that is no UTF-8 changes none of the others, and is counted`() throws {
        let bytes = Array("/m/Jóga.mp3\n/m/Caf".utf8) + [0xE9] + Array(".mp3\n/m/a.mp3\n".utf8)
        let readout = try PlaylistFile.with("x.m3u", bytes) { try Readout(M3USource(path: $0)) }
        #expect(readout.locations == ["/m/Jóga.mp3", "/m/Café.mp3", "/m/a.mp3"])
        #expect(readout.reading.warningCounts == [.invalidText: 1])
    }

    @Test func `an entry that is in the library becomes its track`() throws {
        let readout = try read("/music/a.mp3\n/music/b.mp3\n/music/a.mp3\n") { location in
            location == "/music/a.mp3" ? "0123456789ABCDEF" : nil
        }
        #expect(readout.locations == ["/music/b.mp3"])
        #expect(readout.playlistEntries.filter { $0 == "0123456789ABCDEF" }.count == 2)
    }

    @Test func `albums come from their lines, and unknown lines are named once`() throws {
        let readout = try read(
            "#EXTM3U\n#EXTALB:Moon Safari\n#EXTART:Air\n#EXTVLCOPT:x\n/a.mp3\n#EXTVLCOPT:y\n/b.mp3\n"
        )
        #expect(readout.reading.recordCounts == ["album": 1, "track": 2, "playlist": 1])
        #expect(readout.count(.unmappedProperty) == 1)
        #expect(readout.brokenReferences.isEmpty)
    }

    @Test func `what is said once of an album before the first entry is said of all entries`()
        throws
    {
        let all = try read(
            "#EXTM3U\n#EXTALB:Moon Safari\n#EXTART:Air\n#EXTINF:1,La femme\n/a.mp3\n/b.mp3\n/c.mp3\n"
        )
        #expect(all.reading.recordCounts == ["album": 1, "track": 3, "playlist": 1])
        let album = try #require(all.keys("album").first)
        #expect(all.record("album", album)?["artist"] == .string("Air"))
        for key in all.keys("track") {
            #expect(all.record("track", key)?["album"] == .reference(album))
        }
        // What comes again for another entry, or only there, is that entry's.
        let each = try read(
            "#EXTALB:One\n/a.mp3\n/b.mp3\n#EXTALB:Two\n#EXTGENRE:Pop\n/c.mp3\n/d.mp3\n"
        )
        #expect(
            each.records.filter { $0.className == "track" }.map { $0["album"] != nil } == [
                true, false, true, false,
            ]
        )
        #expect(each.records.filter { $0["genre"] != nil }.count == 1)
    }

    @Test func `attributes may stand before a title with commas`() throws {
        let readout = try read("#EXTINF:12.5 tvg-id=\"a,b\",One, Two\nx.mp3\n")
        #expect(readout.records[0]["title"] == .string("One, Two"))
        #expect(readout.records[0]["duration"] == .double(12.5))
    }

    @Test(arguments: ["3:45", "nan", "inf", "soon", "1e999"])
    func `a duration that is no number is left out and counted`(duration: String) throws {
        let readout = try read("#EXTINF:\(duration),Air - La femme\n/a.mp3\n")
        #expect(readout.records[0]["duration"] == nil)
        #expect(readout.records[0]["title"] == .string("La femme"))
        #expect(readout.reading.warningCounts == [.malformedNumber: 1])
        #expect(readout.warnings.first?.message.contains("\"\(duration)\" in line 1") == true)
    }

    @Test(arguments: ["-1", "0", "", "-1 tvg-id=\"\"", "12.5\ttvg-id="])
    func `a duration that is none or not said is no loss`(duration: String) throws {
        let readout = try read("#EXTINF:\(duration),One\n/a.mp3\n")
        #expect(readout.records[0]["title"] == .string("One"))
        #expect(readout.reading.warningCounts.isEmpty)
    }

    @Test func `what is said of an entry that does not come is counted, and not said of the next one`() throws {
        let readout = try read(
            "#EXTM3U\n#EXTINF:10,Air - Lost\n\n# a comment\n#EXTINF:-1,Kept\n/b.mp3\n/c.mp3\n#EXTINF:20,Last\n"
        )
        #expect(readout.reading.recordCounts == ["track": 2, "playlist": 1])
        #expect(readout.reading.warningCounts == [.malformedEntry: 2])
        #expect(readout.records[0]["title"] == .string("Kept"))
        #expect(readout.records[0]["artist"] == nil && readout.records[0]["duration"] == nil)
        #expect(readout.records[1]["title"] == .string("c"))
    }

    @Test func `the playlist keeps its key when its content changes`() throws {
        try PlaylistFile.with("x.m3u8", "/a.mp3\n".utf8) { path in
            let before = try Conformance.read(M3USource(path: path))
            try Data("/b.mp3\n/a.mp3\n".utf8).write(to: URL(filePath: path))
            let after = try Conformance.read(M3USource(path: path))
            #expect(before.keys("playlist") == after.keys("playlist"))
            #expect(Set(before.keys("track")).isSubset(of: after.keys("track")))
        }
    }

    @Test func `what is no text is refused`() throws {
        #expect(try code { _ = try read("") } == .empty)
        #expect(try code { _ = try read("a\u{0}b") } == .malformed)
        let long = String(repeating: "x", count: (1 << 20) + 1)
        #expect(try code { _ = try read(long) } == .limitExceeded)
    }

    @Test(
        .enabled(if: PlaylistFile.hasFixtures, "The fixtures are not there."),
        arguments: [
            (
                "beets_playlist.m3u",
                ["/This/is/a/path/to_a_file.mp3", "/This/is/another/path/to_a_file.mp3"]
            ),
            (
                "beets_playlist.m3u8",
                ["/This/is/å/path/to_a_file.mp3", "/This/is/another/path/tö_a_file.mp3"]
            ),
            (
                "beets_playlist_non_ext.m3u",
                ["/This/is/a/path/to_a_file.mp3", "/This/is/another/path/to_a_file.mp3"]
            ),
            (
                "beets_playlist_windows.m3u8",
                ["x:/This/is/å/path/to_a_file.mp3", "x:/This/is/another/path/tö_a_file.mp3"]
            ),
        ]
    )
    func `real playlists are read`(name: String, expected: [String]) throws {
        let readout = try Readout(M3USource(path: PlaylistFile.fixture(name)))
        #expect(readout.locations == expected)
        #expect(readout.warnings.isEmpty)
    }
}

@Suite struct PlaylistMigrationTests {
    @Test func `playlists of one name in two folders are two playlists`() throws {
        let library = try TemporaryLibrary()
        for title in ["One", "Two"] {
            let text = "#EXTM3U\n#PLAYLIST:\(title)\n01.mp3\n/shared.mp3\n"
            try PlaylistFile.with("playlist.m3u8", text.utf8) { path in
                let source = try M3USource(path: path)
                _ = try Migrator(replacing: source, store: library.store).run()
                #expect(try MigrationVerifier(source: source, store: library.store).run().isEqual)
            }
        }
        try library.store.read { state in
            let playlists = try state.records(RecordQuery(model: "playlist"))
            #expect(Set(playlists.compactMap { $0["name"] }) == [.string("One"), .string("Two")])
            for playlist in playlists {
                #expect(playlist.lists.first { $0.name == "tracks" }?.targets.count == 2)
            }
        }
    }

    @Test func `a playlist file becomes a playlist of the store, and a newer one its difference`()
        throws
    {
        let library = try TemporaryLibrary()
        func migrate(_ text: String) throws {
            try PlaylistFile.with("x.m3u8", text.utf8) { path in
                let source = try M3USource(path: path, name: "mix")
                _ = try Migrator(replacing: source, store: library.store).run { _ in true }
            }
        }
        try migrate("#EXTM3U\n#EXTINF:10,A - B\n/m/a.mp3\n/m/c.mp3\n/m/a.mp3\n")
        let id = try #require(
            try library.store.read { try $0.records(RecordQuery(model: "playlist")).first?.id }
        )
        let playlist = Playlist.ID(id)
        #expect(try library.store.read { try $0.fetch(Playlist.self, id: playlist)?.name } == "x")
        #expect(try library.titles(of: playlist) == ["B", "c", "B"])
        try migrate("#EXTM3U\n#PLAYLIST:New\n/m/c.mp3\n/m/d.mp3\n")
        #expect(try library.titles(of: playlist) == ["c", "d"])
        #expect(
            try library.store.read { try $0.records(RecordQuery(model: "track")).map(\.id).count }
                == 2
        )
    }
}

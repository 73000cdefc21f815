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
    fileprivate var locations: [String] {
        records.filter { $0.className == "track" }
            .compactMap { record in
                guard case .string(let text)? = record["location"] else { return nil }
                return text
            }
    }

    fileprivate var playlistEntries: [String] {
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
        // The last entry lacks what the first said of the same location.
        #expect(readout.count(LegacyWarning.Kind(rawValue: "differingEntry")) == 1)
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

    @Test func `an m3u that is no UTF-8 is Windows-1252, an m3u8 refused`() throws {
        let bytes = Array("/music/".utf8) + [0xC5, 0x80, 0xE9] + Array(".mp3\r\n".utf8)
        let readout = try PlaylistFile.with("x.m3u", bytes) { try Readout(M3USource(path: $0)) }
        #expect(readout.locations == ["/music/Å€é.mp3"])
        let refused = try PlaylistFile.with("x.m3u8", bytes) { path in
            try code { _ = try Readout(M3USource(path: path)) }
        }
        #expect(refused == .invalidText)
        let utf8 = try PlaylistFile.with("x.m3u", "/é.mp3".utf8) {
            try Readout(M3USource(path: $0))
        }
        #expect(utf8.locations == ["/é.mp3"])
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

    @Test func `the playlist keeps its key when its content changes`() throws {
        let before = try read("/a.mp3\n")
        let after = try read("/b.mp3\n/a.mp3\n")
        #expect(before.keys("playlist") == after.keys("playlist"))
        #expect(Set(before.keys("track")).isSubset(of: after.keys("track")))
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

@Suite struct XSPFTests {
    private func read(
        _ tracks: String,
        head: String = "",
        locations: (@Sendable (String) -> String?)? = nil
    ) throws -> Readout {
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <playlist version="1" xmlns="http://xspf.org/ns/0/">\(head)<trackList>\(tracks)</trackList></playlist>
            """
        return try PlaylistFile.with("mix.xspf", text.utf8) {
            try Conformance.read(XSPFSource(path: $0, libraryLocations: locations))
        }
    }

    @Test func `tracks, albums and the playlist are read`() throws {
        let readout = try read(
            """
            <track><location>file:///m/a%20b.mp3</location><title>T &amp; U</title><creator>C</creator>\
            <album>A</album><trackNum>3</trackNum><duration>1500</duration></track>
            <track><title>No place</title></track>
            <track><location>file:///m/a%20b.mp3</location><title>T &amp; U</title><creator>C</creator>\
            <album>A</album><trackNum>3</trackNum><duration>1500</duration></track>
            """,
            head: "<title>Mix</title><date>2005-01-08T17:10:47Z</date>"
        )
        #expect(readout.reading.recordCounts == ["album": 1, "track": 2, "playlist": 1])
        let track = try #require(readout.records.first { $0.className == "track" })
        #expect(track["title"] == .string("T & U") && track["duration"] == .double(1.5))
        #expect(track["trackNumber"] == .integer(3) && track["location"] == .string("/m/a b.mp3"))
        #expect(readout.playlistEntries.count == 3 && readout.warnings.isEmpty)
        #expect(readout.records.last?["name"] == .string("Mix"))
        #expect(
            readout.records.last?["createdAt"]
                == .date(Date(timeIntervalSince1970: 1_105_204_247))
        )
        #expect(readout.brokenReferences.isEmpty)
    }

    /// A whole file, in a folder of its own.
    private func read(file text: String) throws -> Readout {
        try PlaylistFile.with("mix.xspf", text.utf8) { try Conformance.read(XSPFSource(path: $0)) }
    }

    @Test func `relative locations go on from the base that the file names`() throws {
        let readout = try read(
            file: """
                <playlist version="1" xmlns="http://xspf.org/ns/0/" xml:base="http://x.org/m/list.xspf"><trackList>
                <track><location>a%20b.mp3</location></track>
                <track><location>../c.mp3</location></track>
                <track><location>/d.mp3</location></track>
                <track xml:base="file:///music/"><location>e%20f.mp3</location></track>
                <track xml:base="sub/"><location>g.mp3</location></track>
                <track xml:base="http://y.org"><location xml:base="z/">h.mp3</location></track>
                <track><location>file:///i.mp3</location></track>
                </trackList></playlist>
                """
        )
        #expect(
            readout.locations == [
                "http://x.org/m/a%20b.mp3", "http://x.org/c.mp3", "http://x.org/d.mp3",
                "/music/e f.mp3",
                "http://x.org/m/sub/g.mp3", "http://y.org/z/h.mp3", "/i.mp3",
            ]
        )
    }

    @Test func `a base that is relative itself goes on from the folder`() throws {
        let track = #"<track xml:base="../all%20music/"><location>x.mp3</location></track>"#
        let text =
            #"<playlist xmlns="http://xspf.org/ns/0/"><trackList>\#(track)</trackList></playlist>"#
        try PlaylistFile.with("mix.xspf", text.utf8) { path in
            let folders = path.split(separator: "/").dropLast(2).joined(separator: "/")
            let locations = try Readout(XSPFSource(path: path)).locations
            #expect(locations == ["/\(folders)/all music/x.mp3"])
        }
    }

    @Test func `elements of other namespaces say nothing of a track, whatever they are called`()
        throws
    {
        let readout = try read(
            """
            <track><location>/a</location><title>Right</title><x:title xmlns:x="urn:x">Wrong</x:title>\
            <title xmlns="urn:y">Wrong</title></track>
            """
        )
        #expect(readout.records.first?["title"] == .string("Right"))
        #expect(readout.count(.unmappedProperty) == 2)
        let prefixed = try read(
            file: """
                <s:playlist xmlns:s="http://xspf.org/ns/0/"><s:trackList><s:track><s:location>/a</s:location>\
                <s:title>Right</s:title><title>Wrong</title></s:track></s:trackList></s:playlist>
                """
        )
        #expect(prefixed.records.first?["title"] == .string("Right"))
    }

    @Test func `a date may have an offset, and a style sheet may be named`() throws {
        let readout = try read(
            file: """
                <?xml version="1.0"?>
                <?xml-stylesheet type="text/xsl" href="list.xsl"?>
                <playlist xmlns="http://xspf.org/ns/0/"><date>2005-01-08T17:10:47-05:00</date><trackList/></playlist>
                """
        )
        #expect(readout.warnings.isEmpty)
        #expect(
            readout.records.last?["createdAt"] == .date(Date(timeIntervalSince1970: 1_105_222_247))
        )
    }

    @Test(arguments: [
        "<?x?>", "<?x ?>", "<??>", "<?x\u{e9} y?>", "<?XML y?>", "<?xml version='1.0'?>", "<? x?>",
    ])
    func `other instructions are refused before a parser sees them`(text: String) throws {
        let file = #"<?xml version="1.0"?>\#(text)<playlist xmlns="http://xspf.org/ns/0/"/>"#
        let refused = try PlaylistFile.with("x.xspf", file.utf8) { path in
            try code { _ = try Readout(XSPFSource(path: path)) }
        }
        #expect(refused == .forbiddenDeclaration)
    }

    @Test func `of several locations the one in the library counts, or the first`() throws {
        let track = "<track><location>http://a/x</location><location>/b/y</location></track>"
        let first = try read(track)
        #expect(first.locations == ["http://a/x"])
        #expect(first.count(LegacyWarning.Kind(rawValue: "furtherLocation")) == 1)
        let known = try read(track) { $0 == "/b/y" ? "T1" : nil }
        #expect(known.playlistEntries == ["T1"] && known.warnings.isEmpty)
    }

    @Test func `what the library has no field for is named once`() throws {
        let readout = try read(
            "<track><location>/a</location><info>x</info></track>"
                + "<track><location>/b</location><info>y</info><trackNum>x</trackNum></track><track/>"
        )
        #expect(readout.count(.unmappedProperty) == 1)
        #expect(readout.count(.malformedNumber) == 1 && readout.count(.malformedEntry) == 1)
    }

    @Test(arguments: [
        ("", LegacyError.Code.empty), ("<rss/>", .notALibrary),
        ("<playlist><trackList>", .truncated),
        ("<!DOCTYPE x [<!ENTITY a \"b\">]><playlist/>", .forbiddenDeclaration),
        ("hello", .unknownFormat),
        ("<playlist></track>", .malformed),
    ])
    func `what is no playlist is refused`(text: String, expected: LegacyError.Code) throws {
        let refused = try PlaylistFile.with("x.xspf", text.utf8) { path in
            try code { _ = try Readout(XSPFSource(path: path)) }
        }
        #expect(refused == expected)
    }

    @Test(.enabled(if: PlaylistFile.hasFixtures, "The fixtures are not there."))
    func `a real playlist is read`() throws {
        let readout = try Readout(
            XSPFSource(path: PlaylistFile.fixture("xspf_jukebox_playlist.xspf"))
        )
        #expect(readout.playlistEntries.count == readout.keys("track").count)
        #expect(
            readout.records.first { $0.className == "track" }?["artist"] == .string("Harris Heller")
        )
        #expect(readout.brokenReferences.isEmpty)
    }

    @Test func `seeded damage gives an error or records, never a trap`() throws {
        let text = Array(
            ("<playlist xmlns=\"http://xspf.org/ns/0/\"><trackList><track><location>/a</location>"
                + "<duration>1</duration></track></trackList></playlist>")
                .utf8
        )
        var random = SeededGenerator(seed: 3)
        for _ in 0..<200 {
            var mutant = text
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: 0..<mutant.count, using: &random)
                mutant[place] = UInt8.random(in: 0...255, using: &random)
            }
            try PlaylistFile.with("x.xspf", mutant) { path in
                do {
                    _ = try Readout(XSPFSource(path: path))
                } catch is LegacyError {}
            }
            try PlaylistFile.with("x.m3u", mutant) { path in
                do {
                    _ = try Readout(M3USource(path: path))
                } catch is LegacyError {}
            }
        }
    }
}

@Suite struct PlaylistMigrationTests {
    @Test func `a playlist file becomes a playlist of the store, and a newer one its difference`()
        throws
    {
        let library = try TemporaryLibrary()
        func migrate(_ text: String) throws {
            try PlaylistFile.with("x.m3u8", text.utf8) { path in
                let source = try M3USource(path: path, name: "mix")
                _ = try Migrator(source: source, store: library.store).run { _ in true }
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

import Foundation
import LegacyMigration
import MusicLibrary
import Reprise
import TestSupport
import Testing

@testable import PlaylistSources

/// What the entries of playlists say of tracks that others, or a library, say something of as well.
struct PlaylistStatementTests {
    private func m3u(_ text: String) throws -> Readout {
        try PlaylistFile.with("list.m3u8", text.utf8) { try Conformance.read(M3USource(path: $0)) }
    }

    private func xspf(_ tracks: String) throws -> Readout {
        let text = #"<playlist version="1" xmlns="http://xspf.org/ns/0/"><trackList>\#(tracks)</trackList></playlist>"#
        return try PlaylistFile.with("list.xspf", text.utf8) { try Conformance.read(XSPFSource(path: $0)) }
    }

    // MARK: In one file

    @Test(arguments: [0, 128 << 20])
    func `an entry that says nothing contradicts nothing, wherever it stands`(byteCount: Int) throws {
        let full = "#EXTINF:10,Art - Song\n/a/b.mp3\n"
        let bare = "/a/b.mp3\n"
        for text in [full + bare, bare + full, bare + full + bare] {
            let readout = try RecordMemory.$byteCountMax.withValue(byteCount) { try m3u("#EXTM3U\n" + text) }
            #expect(readout.reading.warningCounts.isEmpty)
            let track = try #require(readout.records.first)
            #expect(track["title"] == .string("Song") && track["artist"] == .string("Art"))
            #expect(track["duration"] == .double(10))
            #expect(readout.reading.recordCounts == ["track": 1, "playlist": 1])
        }
    }

    @Test(arguments: ["123.45678901234567890123", "9007199254740993"])
    func `a duration of more digits than a number holds is counted`(digits: String) throws {
        let readout = try m3u("#EXTM3U\n#EXTINF:\(digits),Song\n/a/b.mp3\n")
        #expect(readout.reading.warningCounts == [.roundedNumber: 1])
    }

    @Test(arguments: [
        ("-5", LegacyWarning.Kind.valueOutOfRange), ("99999999999999999", .roundedNumber), ("-1", nil),
        ("1234567", nil),
    ])
    func `a duration of an xspf that is none, or too exact, is counted`(
        digits: String,
        kind: LegacyWarning.Kind?
    ) throws {
        let track = "<track><location>/a</location><title>T</title><duration>\(digits)</duration></track>"
        let found = try xspf(track).reading.warningCounts
        #expect(found == (kind.map { [$0: 1] } ?? [:]))
    }

    @Test func `later entries say what earlier ones did not, and the album is known by all of it`() throws {
        let readout = try xspf(
            """
            <track><location>/a</location><title>T</title><trackNum>2</trackNum></track>
            <track><location>/b</location></track>
            <track><location>/a</location><album>A</album></track>
            <track><location>/a</location><title>T</title><creator>C</creator><duration>1500</duration></track>
            """
        )
        #expect(readout.reading.warningCounts.isEmpty && readout.brokenReferences.isEmpty)
        #expect(readout.reading.recordCounts == ["track": 2, "album": 1, "playlist": 1])
        let track = try #require(readout.record("track", readout.keys("track")[0]))
        #expect(track["title"] == .string("T") && track["artist"] == .string("C"))
        #expect(track["duration"] == .double(1.5) && track["trackNumber"] == .integer(2))
        let album = try #require(readout.record("album", readout.keys("album")[0]))
        #expect(album["title"] == .string("A") && album["artist"] == .string("C"))
        #expect(readout.locations == ["/a", "/b"])
    }

    @Test func `an entry that contradicts is counted and named, and nothing of it is taken`() throws {
        let readout = try m3u(
            "#EXTINF:10,Song\n/a\n#EXTGENRE:Jazz\n#EXTINF:11,Art - Other\n/a\n#EXTINF:-1,Song\n/a\n"
        )
        #expect(readout.reading.warningCounts == [.differingEntry: 1])
        #expect(readout.warnings[0].message.contains("(title, duration)"))
        let track = readout.records[0]
        #expect(track["title"] == .string("Song") && track["duration"] == .double(10))
        #expect(track["artist"] == nil && track["genre"] == nil)
    }

    @Test func `a statement comes back from its text, and other texts are none`() {
        var entry = PlaylistEntry()
        entry.locations = ["/é:1"]
        entry.title = "1:2"
        entry.album = "\u{0}"
        entry.duration = 0.1
        entry.trackNumber = .min
        #expect(PlaylistEntry(packed: entry.packed) == entry)
        #expect(PlaylistEntry(packed: PlaylistEntry().packed) == PlaylistEntry())
        for text in ["", "x", ":", "-1:a:::::::", "9:a:::::::", "99999999999999999999:a", "1:é:::::::", "::::::::x"] {
            #expect(PlaylistEntry(packed: text) == nil)
        }
    }

    // MARK: Attributes and directives

    @Test func `attributes that say something are named once each`() throws {
        let readout = try m3u(
            """
            #EXTM3U url-tvg="http://l/guide" x=""
            #EXTINF:-1 tvg-id="x1" tvg-logo="http://l/l, 2.png" tvg-name="" group-title=News,Foo
            http://l/1
            #EXTINF:-1 tvg-id="x2" loose words,Bar - Baz
            http://l/2
            """
        )
        #expect(readout.reading.warningCounts == [.unmappedProperty: 5])
        for name in ["#EXTM3U url-tvg", "#EXTINF tvg-id", "#EXTINF tvg-logo", "#EXTINF group-title", "a word without"] {
            #expect(readout.warnings.filter { $0.message.contains(name) }.count == 1)
        }
        #expect(readout.records[0]["title"] == .string("Foo") && readout.records[1]["title"] == .string("Baz"))
    }

    @Test(arguments: ["#EXTM3U", "#EXTM3U ", "#EXTINF:5,One = Two", "#EXTINF:5 ,One", "#EXTINF:5 a=\"\",One"])
    func `what says nothing beside the title is no loss`(line: String) throws {
        #expect(try m3u("\(line)\n/a\n").reading.warningCounts.isEmpty)
    }

    @Test func `an artist of an album without an album is counted once`() throws {
        let readout = try m3u("#EXTART:A\n/a\n#EXTART:B\n/b\n#EXTART:C\n#EXTALB:D\n/c\n")
        #expect(readout.reading.warningCounts == [.unmappedProperty: 1])
        #expect(readout.reading.recordCounts == ["album": 1, "track": 3, "playlist": 1])
    }

    @Test func `data of an entry in directives that no player shares is named`() throws {
        let readout = try m3u("#EXTGRP:News\n#EXTIMG:a.png\n#KODIPROP:x=y\n/a\n#EXTGRP:Sport\n/b\n#NOTE:x\n/c\n")
        #expect(readout.reading.warningCounts == [.unmappedProperty: 3])
    }

    // MARK: Against the library

    /// A library with one track at `/a/b.mp3` on an album.
    private func library() throws -> TemporaryLibrary {
        let library = try TemporaryLibrary()
        _ = try library.store.write { transaction in
            try transaction.put(
                EntityReference(model: Album.schema.name, id: "A"),
                values: ["title": .string("Album"), "artist": .string("Various")]
            )
            try transaction.put(
                EntityReference(model: Track.schema.name, id: "T"),
                values: [
                    // The library keeps spaces that a playlist is read without.
                    "title": .string("Song "), "artist": .string("Art"), "location": .string("/a/b.mp3"),
                    "duration": .double(209.162), "trackNumber": .int(3), "album": .reference("A"),
                    "isFavorite": .bool(false), "playCount": .int(0),
                ]
            )
        }
        return library
    }

    /// What is said of an M3U or XSPF file whose entries are in the library.
    private func warnings(_ name: String, _ text: String) throws -> [LegacyWarning] {
        let library = try library()
        return try PlaylistFile.with(name, text.utf8) { path in
            let readout: Readout
            if name.hasSuffix("xspf") {
                let playlist = try XSPFSource(path: path)
                readout = try Readout(playlist.naming(LibraryLocations(in: library.store, of: playlist)))
            } else {
                let playlist = try M3USource(path: path)
                let all = try LibraryLocations(in: library.store, except: playlist.identity)
                readout = try Readout(playlist.naming(LibraryLocations(in: library.store, of: playlist)))
                #expect(try Readout(playlist.naming(all)).warnings == readout.warnings)
            }
            #expect(readout.keys("track").isEmpty && Set(readout.playlistEntries) == ["T"])
            return readout.warnings
        }
    }

    @Test(arguments: [
        "/a/b.mp3\n", "#EXTINF:209,Art - Song\n/a/b.mp3\n", "#EXTINF:210,Song\n/a/b.mp3\n",
        "#EXTALB:Album\n#EXTART:Various\n#EXTINF:-1,Song\n/a/b.mp3\n",
    ])
    func `a playlist that says what its library says loses nothing`(text: String) throws {
        #expect(try warnings("list.m3u8", text).isEmpty)
    }

    @Test(arguments: [
        ("#EXTINF:10,Other - Name\n", "title, artist, duration"), ("#EXTINF:-1,Name\n", "title"),
        ("#EXTINF:211,Art - Song\n", "duration"), ("#EXTGENRE:Jazz\n", "genre"),
        ("#EXTALB:Else\n#EXTART:Art\n", "album, album's artist"),
    ])
    func `what a playlist says of a track and its library does not is counted and named`(
        lines: String,
        names: String
    ) throws {
        let found = try warnings("list.m3u8", lines + "/a/b.mp3\n")
        #expect(found.map(\.kind) == [.differingEntry])
        #expect(found.first?.message.contains("(\(names))") == true)
    }

    @Test func `elements of XSPF are compared with the library as well`() throws {
        func track(_ text: String) -> String {
            #"<playlist version="1" xmlns="http://xspf.org/ns/0/"><trackList><track><location>/a/b.mp3</location>"#
                + text + "</track></trackList></playlist>"
        }
        let same = "<title>Song</title><creator>Art</creator><album>Album</album><trackNum>3</trackNum>"
        #expect(try warnings("list.xspf", track(same + "<duration>209162</duration>")).isEmpty)
        let found = try warnings("list.xspf", track("<trackNum>4</trackNum><duration>209500</duration>"))
        #expect(found.map(\.kind) == [.differingEntry])
        #expect(found.first?.message.contains("(duration, track number)") == true)
    }

    @Test func `an artist and a title that the library divides elsewhere are the same`() {
        var entry = PlaylistEntry()
        (entry.artist, entry.title, entry.isDivided) = ("A", "B - C", true)
        var track = PlaylistEntry()
        (track.artist, track.title) = ("A - B", "C")
        #expect(entry.differences(from: track).isEmpty)
        (track.artist, track.title) = (nil, "A - B - C")
        #expect(entry.differences(from: track).isEmpty)
        entry.isDivided = false
        #expect(entry.differences(from: track) == ["title", "artist"])
    }

    @Test func `a library is remembered only as far as a playlist names it`() throws {
        let library = try library()
        try PlaylistFile.with("list.m3u8", "/c.mp3\n".utf8) { path in
            let locations = try LibraryLocations(in: library.store, of: M3USource(path: path))
            #expect(try locations.track(at: "/a/b.mp3") == nil)
        }
        try PlaylistFile.with("list.m3u8", "../../../../../a/b.mp3\n".utf8) { path in
            let locations = try LibraryLocations(in: library.store, of: M3USource(path: path))
            #expect(try locations.track(at: "/a/b.mp3") == "T")
        }
    }

    @Test func `what is wrong with a playlist is said when it is read for its records`() throws {
        let library = try library()
        let text = #"<playlist xmlns="http://xspf.org/ns/0/"><trackList><track><location>/a/b.mp3</location></track>"#
        try PlaylistFile.with("list.xspf", text.utf8) { path in
            let playlist = try XSPFSource(path: path)
            let locations = try LibraryLocations(in: library.store, of: playlist)
            #expect(try locations.track(at: "/a/b.mp3") == "T")
            #expect(try code { _ = try Readout(playlist.naming(locations)) } == .truncated)
        }
    }

    @Test func `a migration of a playlist leaves the tracks of the library as they are, and says so again`() throws {
        let library = try library()
        try PlaylistFile.with("list.m3u8", "#EXTINF:10,Other - Name\n/a/b.mp3\n".utf8) { path in
            for _ in 0..<2 {
                let playlist = try M3USource(path: path)
                let source = try playlist.naming(LibraryLocations(in: library.store, of: playlist))
                let report = try Migrator(replacing: source, store: library.store).run()
                #expect(report.warningCounts == [.differingEntry: 1] && !report.isLossless)
                #expect(try MigrationVerifier(source: source, store: library.store).run().isEqual)
            }
        }
        let track = try library.store.fetch(Track.self, id: Track.ID("T"))
        #expect(track?.title == "Song " && track?.duration == 209.162)
    }

    @Test func `an encoding that the bytes have is believed, another one is counted`() throws {
        for (name, count) in [("UTF-8", 0), ("utf8", 0), ("latin1", 1)] {
            let found = try m3u("#EXTM3U\n#EXTENC:\(name)\n/a/b.mp3\n").reading.warningCounts
            #expect(found[.unmappedProperty, default: 0] == count && found.count == count)
        }
    }

    @Test func `an encoding that the bytes do not have is counted`() throws {
        let bytes = Array("#EXTM3U\n#EXTENC:UTF-8\n/m/".utf8) + [0xE9] + Array(".mp3\n".utf8)
        let readout = try PlaylistFile.with("list.m3u", bytes) { try Conformance.read(M3USource(path: $0)) }
        #expect(readout.reading.warningCounts == [.guessedEncoding: 1, .unmappedProperty: 1])
    }
}

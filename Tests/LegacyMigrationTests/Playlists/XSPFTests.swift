import Foundation
import LegacyMigration
import Testing

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

    @Test func `of two elements that count once the later one does, and is counted`() throws {
        let readout = try read(
            "<track><location>/a</location><title>One</title><title>Two</title><creator>C</creator><creator/></track>",
            head: "<title>Mix</title><title>Other</title>"
        )
        #expect(readout.records[0]["title"] == .string("Two") && readout.records[0]["artist"] == .string("C"))
        #expect(readout.records.last?["name"] == .string("Other"))
        #expect(readout.count(.repeatedField) == 2)
    }

    @Test func `a date with more digits than a date holds is rounded and counted`() throws {
        for (date, count) in [("2005-01-08T17:10:47.123456789Z", 1), ("2005-01-08T17:10:47.5+01:00", 0)] {
            let readout = try read("", head: "<date>\(date)</date>")
            #expect(readout.records.last?["createdAt"] != nil)
            #expect(readout.count(.roundedDate) == count && readout.warnings.count == count)
        }
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

    @Test func `a date of more digits than are read is counted, and the playlist comes`() throws {
        let readout = try read(
            "<track><location>/a</location></track>",
            head: "<date>2020-02-28T12:00:00.1234567891</date>"
        )
        #expect(readout.reading.warningCounts == [.malformedDate: 1])
        #expect(readout.reading.recordCounts == ["track": 1, "playlist": 1])
    }

    @Test func `what stands in an element where nothing is expected is counted, and the rest is read`() throws {
        let readout = try read(
            "stray<foo>v</foo><track>text<location>/a</location><title>Hello <b>x<c>y</c></b> World</title></track>",
            head: "<title>Mi<i>n</i>x</title><extension application=\"a\"><z>1</z></extension>"
        )
        #expect(readout.records.first?["title"] == .string("Hello  World"))
        #expect(readout.records.last?["name"] == .string("Mix"))
        let named = readout.warnings.filter { $0.kind == .unmappedProperty }.map(\.message)
        let expected = ["text in trackList", "trackList.foo", "text in track", "track.title.b", "playlist.title.i"]
        for name in expected + ["playlist.extension"] {
            #expect(named.contains { $0.contains(" for \(name);") }, "\(named)")
        }
        #expect(readout.reading.warningCounts == [.unmappedProperty: 6])
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

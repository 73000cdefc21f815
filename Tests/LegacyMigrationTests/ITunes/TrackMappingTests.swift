import Foundation
import LegacyMigration
import Testing

@Suite struct TrackMappingTests {
    private static let full =
        LibraryText.string("Artist", "A &#38; B") + LibraryText.string("Album Artist", "AA")
        + LibraryText.string("Album", "L") + LibraryText.integer("Total Time", "182674")
        + LibraryText.string("Genre", "Jazz")
        + LibraryText.date("Release Date", "1999-12-31T23:59:59Z")
        + LibraryText.integer("Year", "1999") + LibraryText.integer("Track Number", "3")
        + LibraryText.integer("Disc Number", "1") + LibraryText.integer("Play Count", "7")
        + LibraryText.integer("Rating", "80") + "<key>Loved</key><true/>"
        + LibraryText.date("Date Added", "2001-01-01T00:00:01Z")
        + LibraryText.string("Location", "file:///x") + LibraryText.string("Kind", "MPEG")

    @Test func `every field of a track arrives under its name`() throws {
        let readout = try Readout(
            LibraryText.library([LibraryText.track(1, "00000000000000AB", Self.full)])
        )
        let album = ITunesLibrarySource.albumKey(
            source: readout.identity,
            title: "L",
            artist: "AA"
        )
        let track = try #require(readout.record("track", "00000000000000AB"))
        #expect(
            track.fields == [
                LegacyField("title", .string("T")), LegacyField("artist", .string("A & B")),
                LegacyField("duration", .double(182.674)), LegacyField("genre", .string("Jazz")),
                LegacyField(
                    "releaseDate",
                    .date(Date(timeIntervalSinceReferenceDate: -31_622_401))
                ),
                LegacyField("year", .integer(1999)), LegacyField("trackNumber", .integer(3)),
                LegacyField("discNumber", .integer(1)), LegacyField("playCount", .integer(7)),
                LegacyField("rating", .integer(80)), LegacyField("isFavorite", .bool(true)),
                LegacyField("addedAt", .date(Date(timeIntervalSinceReferenceDate: 1))),
                LegacyField("location", .string("file:///x")), LegacyField("kind", .string("MPEG")),
                LegacyField("album", .reference(album)),
            ]
        )
        #expect(readout.reading.warningCounts.isEmpty)
    }

    @Test func `what the library has no field for is named once for each key`() throws {
        let more =
            LibraryText.string("Comments", "live") + LibraryText.string("Composer", "")
            + LibraryText.integer("Skip Count", "2") + "<key>Purchased</key><true/>"
            + LibraryText.date("Play Date UTC", "2001-01-01T00:00:01Z")
            + "<key>Extra</key><dict><key>Inner</key><true/></dict>"
        let readout = try Readout(
            LibraryText.library([
                LibraryText.track(1, "A", more), LibraryText.track(2, "B", more),
            ])
        )
        let keys = ["Comments", "Skip Count", "Purchased", "Play Date UTC", "Extra"]
        #expect(readout.reading.warningCounts == [.unmappedProperty: keys.count])
        for key in keys {
            #expect(readout.warnings.contains { $0.message.contains("track.\"\(key)\"") }, "\(key)")
        }
    }

    @Test func `what iTunes keeps for itself is no loss`() throws {
        let more =
            LibraryText.string("Track Type", "File") + LibraryText.integer("Play Date", "3")
            + LibraryText.integer("File Folder Count", "5")
            + LibraryText.integer("Library Folder Count", "1")
        let readout = try Readout(LibraryText.library([LibraryText.track(1, "A", more)]))
        #expect(readout.reading.warningCounts.isEmpty)
    }

    @Test func `a file with a key of its own in every track is no reason to remember them all`()
        throws
    {
        let more = (0..<3000).map { LibraryText.string("Key \($0)", "x") }.joined()
        let readout = try Readout(LibraryText.library([LibraryText.track(1, "A", more)]))
        #expect(readout.count(.unmappedProperty) == 1000)
    }

    @Test func `a bare track has a title, no plays and is no favorite`() throws {
        let readout = try Readout(LibraryText.library([LibraryText.track(1, "A", name: "N")]))
        #expect(
            readout.records == [
                LegacyRecord(
                    className: "track",
                    key: "A",
                    fields: [
                        LegacyField("title", .string("N")), LegacyField("playCount", .integer(0)),
                        LegacyField("isFavorite", .bool(false)),
                    ]
                )
            ]
        )
    }

    @Test func `a favorite is what either word says`() throws {
        let readout = try Readout(
            LibraryText.library([
                LibraryText.track(1, "A", "<key>Loved</key><false/>"),
                LibraryText.track(2, "B", "<key>Favorited</key><true/>"),
            ])
        )
        #expect(readout.record("track", "A")?["isFavorite"] == .bool(false))
        #expect(readout.record("track", "B")?["isFavorite"] == .bool(true))
    }

    @Test(arguments: [
        ("Album Artist,Compilation,Artist", "AA"), ("Compilation,Artist", "Various Artists"),
        ("Artist", "A"), ("", nil),
    ])
    func `albums are told apart by the first artist that counts`(
        keys: String,
        artist: String?
    ) throws {
        let values = [
            "Album Artist": LibraryText.string("Album Artist", "AA"),
            "Compilation": "<key>Compilation</key><true/>",
            "Artist": LibraryText.string("Artist", "A"),
        ]
        let more = keys.split(separator: ",").compactMap { values[String($0)] }.joined()
        let readout = try Readout(
            LibraryText.library([
                LibraryText.track(1, "A", LibraryText.string("Album", "L") + more)
            ])
        )
        let key = ITunesLibrarySource.albumKey(
            source: readout.identity,
            title: "L",
            artist: artist
        )
        #expect(readout.keys("album") == [key])
        let stored = readout.record("album", key)?["artist"]
        #expect(stored == artist.map { .string($0) })
    }

    @Test func `album keys are fixed for ever`() {
        let source = SourceIdentity(kind: "itunes", name: "1ABA8417E4946A32")
        let key = ITunesLibrarySource.albumKey(
            source: source,
            title: "An Awesome Wave",
            artist: "alt-J"
        )
        #expect(key == "66a596fa6c0c5f41a6a46a5a03a822a3")
        let other = ITunesLibrarySource.albumKey(
            source: source,
            title: "An Awesome Wavealt-J",
            artist: nil
        )
        #expect(other != key)
    }

    @Test func `an album comes once, before its first track, and again for no other spelling`()
        throws
    {
        let album = LibraryText.string("Album", "Caf\u{E9}")
        let decomposed = LibraryText.string("Album", "Cafe\u{301}")
        let readout = try Readout(
            LibraryText.library([
                LibraryText.track(1, "A", album), LibraryText.track(2, "B", decomposed),
                LibraryText.track(3, "C", album), LibraryText.track(4, "D", album),
            ])
        )
        #expect(
            readout.records.map(\.className) == [
                "album", "track", "album", "track", "track", "track",
            ]
        )
        #expect(readout.record("track", "A")?["album"] == readout.record("track", "D")?["album"])
        #expect(readout.brokenReferences.isEmpty)
    }

    @Test func `a track without a name is kept with an empty title`() throws {
        let readout = try Readout(LibraryText.library([LibraryText.track(1, "A", name: nil)]))
        #expect(readout.record("track", "A")?["title"] == .string(""))
        #expect(readout.count(.missingName) == 1)
    }

    @Test func `tracks with a missing or repeated key are kept under a key of their own`() throws {
        let tracks = [
            LibraryText.track(1, nil, name: "X"), LibraryText.track(2, nil, name: "X"),
            LibraryText.track(3, "00000000000000AA"), LibraryText.track(4, "00000000000000AA"),
            LibraryText.track(5, "00000000000000AA-2"), LibraryText.track(6, "00000000000000AA"),
        ]
        let library = LibraryText.library(
            tracks,
            playlists: [LibraryText.playlist("P", [1, 2, 3, 4, 5, 6])]
        )
        let readout = try Readout(library)
        #expect(Set(readout.keys("track")).count == 6)
        #expect(readout.entries("P") == readout.keys("track"))
        #expect(readout.count(.missingKey) == 2)
        #expect(readout.count(.duplicateKey) == 4)
        #expect(try Readout(library).records == readout.records)
    }

    @Test(arguments: [
        ("<key>Year</key><integer>9223372036854775808</integer>", "year", "malformedNumber"),
        ("<key>Year</key><integer>19x9</integer>", "year", "malformedNumber"),
        ("<key>Year</key><string>1999</string>", "year", "unexpectedType"),
        ("<key>Rating</key><integer>101</integer>", "rating", "valueOutOfRange"),
        ("<key>Total Time</key><integer>-1</integer>", "duration", "valueOutOfRange"),
        ("<key>Total Time</key><real>nan</real>", "duration", "malformedNumber"),
        ("<key>Date Added</key><date>2023-02-29T00:00:00Z</date>", "addedAt", "malformedDate"),
        ("<key>Date Added</key><date>tomorrow</date>", "addedAt", "malformedDate"),
        ("<key>Date Added</key><string>2023-02-28T00:00:00Z</string>", "addedAt", "unexpectedType"),
        ("<key>Genre</key><true/>", "genre", "unexpectedType"),
    ])
    func `a value that is none is left out with a warning`(
        text: String,
        field: String,
        kind: String
    ) throws {
        let readout = try Readout(LibraryText.library([LibraryText.track(1, "A", text)]))
        let track = try #require(readout.record("track", "A"))
        #expect(track[field] == nil)
        #expect(readout.reading.warningCounts == [.init(rawValue: kind): 1])
    }

    @Test func `of a value named twice the later counts`() throws {
        let more = LibraryText.integer("Year", "1") + LibraryText.integer("Year", "2")
        let readout = try Readout(LibraryText.library([LibraryText.track(1, "A", more)]))
        #expect(readout.record("track", "A")?["year"] == .integer(2))
        #expect(readout.count(.repeatedField) == 1)
    }

    @Test(arguments: [
        ("0001-01-01T00:00:00Z", -63_113_904_000.0), ("2000-02-29T12:00:00Z", -26_481_600.0),
        ("2001-01-01T00:00:00Z", 0), ("9999-12-31T23:59:59Z", 252_423_993_599.0),
    ])
    func `dates count the days of the calendar`(text: String, seconds: Double) throws {
        let readout = try Readout(
            LibraryText.library([LibraryText.track(1, "A", LibraryText.date("Date Added", text))])
        )
        let date = Date(timeIntervalSinceReferenceDate: seconds)
        #expect(readout.record("track", "A")?["addedAt"] == .date(date))
    }

    @Test func `warnings are all counted, but only the first of a kind are shown`() throws {
        let tracks = (1...100).map { LibraryText.track($0, "K\($0)", name: nil) }
        let readout = try Readout(LibraryText.library(tracks))
        #expect(readout.count(.missingName) == 100)
        #expect(readout.warnings.count == 20)
    }
}

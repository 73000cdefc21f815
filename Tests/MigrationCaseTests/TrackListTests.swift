import Foundation
import Reprise
import Testing

@testable import RepriseCLI

/// Tables and JSON that streaming services give become tracks and playlists.
@Suite struct TrackListTests {
    @Test func `a table of Exportify is a playlist of tracks`() throws {
        let files = try UserFiles("09-spotify-csv-is-no-music")
        let answer = files.migrate("Road_Trip.csv")
        #expect(answer.outcome == .done, "\(answer.diagnostics)")
        let tracks = try files.rows("track")
        #expect(tracks.count == 2)
        let first = try #require(tracks.values.first { $0["title"] == .string("Song, One") })
        #expect(first["artist"] == .string("Ann, Bob"))
        #expect(first["duration"] == .double(215))
        #expect(first["location"] == .string("spotify:track:aaa"))
        #expect(
            first["trackNumber"] == .int(2) && first["discNumber"] == .int(1)
                && first["year"] == .int(2019)
        )
        let second = try #require(tracks.values.first { $0["title"] == .string("Song Two") })
        #expect(second["year"] == .int(2001) && second["duration"] == .double(60.5))
        let playlist = try #require(try files.rows("playlist").values.first)
        #expect(playlist["name"] == .string("Road_Trip"))
        #expect(
            try files.members("tracks", of: "playlist", playlist.id) == [
                first.id, second.id, first.id,
            ]
        )
        #expect(try files.rows("album").values.map { $0["artist"] }.count == 2)
        #expect(
            answer.output.contains("holds milliseconds, because its name says so"),
            "\(answer.output)"
        )
        #expect(files.verify("Road_Trip.csv").outcome == .done)
        let head = try files.head()
        #expect(files.migrate("Road_Trip.csv").outcome == .done)
        #expect(try files.head() == head)
    }

    @Test(arguments: [
        "title;artist;album;isrc\nOne;Ann;Disc;XX1\nTwo;Bob;Other;XX2\nOne;Ann;Disc;XX1\n",
        "Track name,Artist name,Album,Playlist name,Type,ISRC\nOne,Ann,Disc,playlist,Playlist,XX1\n"
            + "Two,Bob,Other,playlist,Playlist,XX2\nOne,Ann,Disc,playlist,Playlist,XX1\n",
        "Spotify ID,Artist IDs,Track Name,Album Name,Artist Name(s),Release Date,Duration (ms)\n"
            + "a,x,One,Disc,Ann,2001-02-03,1000\nb,y,Two,Other,Bob,2002,2000\na,x,One,Disc,Ann,2001-02-03,1000\n",
    ])
    func `tables of other services are playlists, too`(text: String) throws {
        let files = try UserFiles("09-spotify-csv-is-no-music")
        try text.write(toFile: files.path("playlist.csv"), atomically: true, encoding: .utf8)
        #expect(files.migrate("playlist.csv").outcome == .done)
        let titles = try files.rows("track").mapValues { $0["title"] }
        let playlist = try #require(try files.rows("playlist").values.first)
        #expect(playlist["name"] == .string("playlist"))
        let members = try files.members("tracks", of: "playlist", playlist.id).map { titles[$0] }
        #expect(members == [.string("One"), .string("Two"), .string("One")])
        #expect(try files.rows("album").count == 2)
    }

    @Test func `a table of TuneMyMusic has as many playlists as it names`() throws {
        let files = try UserFiles("09-spotify-csv-is-no-music")
        let text =
            "Track name,Artist name,Album,Playlist name,Type,ISRC\nOne,Ann,Disc,Quiet,Playlist,X\n"
            + "Two,Bob,Other,Loud,Playlist,Y\nTwo,Bob,Other,Quiet,Playlist,Y\n"
        try text.write(toFile: files.path("My Music.csv"), atomically: true, encoding: .utf8)
        #expect(files.migrate("My Music.csv").outcome == .done)
        let lists = try files.rows("playlist").values
        #expect(Set(lists.map { $0["name"] }) == [.string("Quiet"), .string("Loud")])
        let quiet = try #require(lists.first { $0["name"] == .string("Quiet") })
        #expect(try files.members("tracks", of: "playlist", quiet.id).count == 2)
        #expect(try files.rows("track").count == 2)
    }

    @Test(arguments: [
        (
            "Playlist1.json",
            """
            {"playlists": [{"name": "Mix", "lastModifiedDate": "2020-01-01", "items": [
              {"track": {"trackName": "One", "artistName": "Ann", "albumName": "Disc", "trackUri": "spotify:track:a"},
               "episode": null, "localTrack": null, "addedDate": "2020-01-02"},
              {"track": {"trackName": "Two", "artistName": "Bob", "albumName": "Other", "trackUri": "spotify:track:b"},
               "episode": null, "localTrack": null, "addedDate": "2020-01-03"}
            ], "description": null, "numberOfFollowers": 0}]}
            """, "Mix"
        ),
        (
            "YourLibrary.json",
            """
            {"tracks": [
              {"artist": "Ann", "album": "Disc", "track": "One", "uri": "spotify:track:a"},
              {"artist": "Bob", "album": "Other", "track": "Two", "uri": "spotify:track:b"}
            ], "albums": [{"artist": "Cid", "album": "Third", "uri": "spotify:album:z"}], "shows": []}
            """, "YourLibrary"
        ),
        (
            "StreamingHistory0.json",
            """
            [{"endTime": "2020-01-01 10:00", "artistName": "Ann", "trackName": "One", "msPlayed": 1000},
             {"endTime": "2020-01-01 10:05", "artistName": "Bob", "trackName": "Two", "msPlayed": 2000}]
            """, "StreamingHistory0"
        ),
    ])
    func `Spotify's JSON becomes tracks and playlists`(name: String, text: String, list: String)
        throws
    {
        let files = try UserFiles("09-spotify-csv-is-no-music")
        try text.write(toFile: files.path(name), atomically: true, encoding: .utf8)
        let answer = files.migrate(name)
        #expect(answer.outcome == .done, "\(answer.diagnostics)")
        let titles = try files.rows("track").mapValues { $0["title"] }
        #expect(titles.count == 2)
        let playlists = try files.rows("playlist").values
        #expect(playlists.map { $0["name"] } == [.string(list)])
        let members = try files.members("tracks", of: "playlist", try #require(playlists.first).id)
        #expect(members.map { titles[$0] } == [.string("One"), .string("Two")])
        #expect(files.verify(name).outcome == .done)
    }

    @Test func `a track that another list has brought is one`() throws {
        let files = try UserFiles("09-spotify-csv-is-no-music")
        #expect(files.migrate("Road_Trip.csv").outcome == .done)
        try FileManager.default.copyItem(
            atPath: files.path("Road_Trip.csv"),
            toPath: files.path("Other.csv")
        )
        #expect(files.migrate("Other.csv").outcome == .done)
        #expect(try files.rows("track").count == 2)
        #expect(try files.rows("playlist").count == 2)
    }

    @Test(arguments: [
        ("paintings.csv", "title,artist,medium\nA,Ann,oil\nB,Bob,ink\n", "paintings"),
        ("books.csv", "title,author,album\nA,Ann,x\nB,Bob,y\n", "books"),
    ])
    func `a table of something else is no playlist`(name: String, text: String, model: String)
        throws
    {
        let files = try UserFiles("09-spotify-csv-is-no-music")
        try text.write(toFile: files.path(name), atomically: true, encoding: .utf8)
        #expect(files.migrate(name).outcome == .done)
        #expect(try files.rows(model).count == 2)
    }
}

/// Durations are seconds, whatever the export counts.
@Suite struct DurationTests {
    @Test func `a median above 10,000 is milliseconds`() throws {
        let files = try UserFiles("10-duration-in-milliseconds")
        let answer = files.migrate("songs.csv")
        #expect(answer.outcome == .done)
        #expect(
            Set(try files.rows("track").values.map { $0["duration"] }) == [
                .double(215), .double(60.5),
            ]
        )
        #expect(answer.output.contains("most of its values are above 10,000"), "\(answer.output)")
        // What was milliseconds stays so, whatever the newer values are.
        try "title,artist,duration\nOne,Ann,215000\nThree,Cid,900\nFour,Dan,800\n"
            .write(toFile: files.path("songs.csv"), atomically: true, encoding: .utf8)
        #expect(files.migrate("songs.csv", "--replace-all").outcome == .done)
        #expect(try files.rows("track").values.map { $0["duration"] }.contains(.double(0.8)))
    }

    @Test(arguments: [
        ("duration_ms", "5000", 5.0), ("Duration (ms)", "5000", 5), ("Milliseconds", "5000", 5),
        ("durationMs", "5000", 5),
        ("duration", "5000", 5000), ("length", "20000", 20),
    ])
    func `the name of the column says it first`(column: String, written: String, seconds: Double)
        throws
    {
        let files = try UserFiles("10-duration-in-milliseconds")
        try "title,artist,\(column)\nOne,Ann,\(written)\n"
            .write(toFile: files.path("songs.csv"), atomically: true, encoding: .utf8)
        let answer = files.migrate("songs.csv")
        #expect(answer.outcome == .done)
        #expect(try files.rows("track").values.map { $0["duration"] } == [.double(seconds)])
        #expect(answer.output.contains("milliseconds") == (seconds != 5000), "\(answer.output)")
    }
}

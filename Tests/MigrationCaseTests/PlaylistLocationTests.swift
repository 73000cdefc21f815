import Foundation
import Reprise
import Testing

@testable import RepriseCLI

/// The locations of a playlist are those of the library's tracks, however a player writes them.
@Suite struct PlaylistLocationTests {
    @Test func `percent-escapes are resolved where the file exists so`() throws {
        let files = try UserFiles("12-m3u-percent-encoded")
        try FileManager.default.createDirectory(
            atPath: files.path("party"),
            withIntermediateDirectories: true
        )
        try Data().write(to: URL(filePath: files.path("party/Mike P - I T.mp3")))
        #expect(files.migrate("party.m3u").outcome == .done)
        let tracks = try files.rows("track").values.map { ($0["title"], $0["location"]) }
        let found = tracks.map { "\(text($0.0)) at \(text($0.1))" }.sorted()
        #expect(
            found == [
                "09 - Time at /media/Music/Two Words/09 - Time.ogg",
                "100%25%20pure at /abs/100%25%20pure.mp3",
                "Mike P - I T at \(files.path("party/Mike P - I T.mp3"))",
            ]
        )
    }

    @Test func `a file of this name that exists stays as it is written`() throws {
        let files = try UserFiles("12-m3u-percent-encoded")
        try "a%20b.mp3\n".write(toFile: files.path("list.m3u"), atomically: true, encoding: .utf8)
        #expect(files.migrate("list.m3u").outcome == .done)
        #expect(try files.rows("track").values.map { $0["title"] } == [.string("a%20b")])
    }

    @Test func `the library's track is found behind percent-escapes`() throws {
        let files = try UserFiles("12-m3u-percent-encoded")
        let line =
            "{\"model\":\"track\",\"id\":\"T\",\"title\":\"I T\","
            + "\"location\":\"\(files.path("party/Mike P - I T.mp3"))\"}\n"
        try line.write(toFile: files.path("library.ndjson"), atomically: true, encoding: .utf8)
        #expect(files.migrate("library.ndjson", "--mapping", "music").outcome == .done)
        #expect(files.migrate("party.m3u").outcome == .done)
        let playlist = try #require(try files.rows("playlist").keys.first)
        let members = try files.members("tracks", of: "playlist", playlist)
        #expect(members.count == 3 && members[1] == "T")
        #expect(try files.rows("track").count == 3)
    }

    private func text(_ value: Value) -> String {
        if case .string(let text) = value { text } else { "\(value)" }
    }
}

import Foundation
import Reprise
import Testing

@testable import RepriseCLI

/// What tables and playlists in public repositories have shown.
@Suite struct RealTableTests {
    private func files(_ name: String, _ text: String) throws -> UserFiles {
        let files = try UserFiles("10-duration-in-milliseconds")
        try text.write(toFile: files.path(name), atomically: false, encoding: .utf8)
        return files
    }

    @Test func `the first column is the key where it is called after identifiers and each row has its own`() throws {
        let files = try files("books.csv", "Book Id,Title,My Rating\n28,Emma,5\n17,Ulysses,0\n")
        let answer = files.migrate("books.csv")
        #expect(answer.outcome == .done && !answer.output.contains("positionalKey"), "\(answer.output)")
        #expect(try Set(files.rows("books").keys) == ["17", "28"])
    }

    @Test func `a first column that repeats itself is no key`() throws {
        let files = try files("visits.csv", "user_id,place\n1,Oslo\n1,Bonn\n2,Rome\n")
        #expect(files.migrate("visits.csv").output.contains("positionalKey"))
        #expect(try files.rows("visits").count == 3)
    }

    @Test func `a key that songs share is the key of the music`() throws {
        let text = "apple_music_id,artist,name,key,bpm\nA1,Bicep,Glue,2m,130\nB2,Ash,Sun,7m,128\nC3,Eva,Moon,7m,124\n"
        let files = try files("set.csv", text)
        let answer = files.migrate("set.csv", "--mapping", "own")
        #expect(!answer.output.contains("duplicateKey"), "\(answer.output)")
        #expect(try Set(files.rows("set").keys) == ["A1", "B2", "C3"])
        #expect(try files.rows("set")["C3"]?["key"] == .string("7m"))
    }

    @Test func `a playlist with a field too many is music and not called anything else`() throws {
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <playlist version="1" xmlns="http://xspf.org/ns/0/"><trackList>
            <track><location>a.mp3</location><title>A</title><info>http://a.example</info></track>
            </trackList></playlist>
            """
        let files = try files("list.xspf", text)
        let answer = files.migrate("list.xspf")
        #expect(answer.outcome == .done)
        #expect(!answer.diagnostics.contains("own classes"), "\(answer.diagnostics)")
        #expect(try files.rows("track").count == 1)
    }
}

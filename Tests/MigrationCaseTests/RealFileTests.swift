import Foundation
import Reprise
import TestSupport
import Testing

@testable import RepriseCLI

/// What files of kinds that are common in public repositories have shown.
@Suite struct RealFileTests {
    private func files(_ name: String, _ text: String) throws -> UserFiles {
        let files = try UserFiles("10-duration-in-milliseconds")
        try text.write(toFile: files.path(name), atomically: false, encoding: .utf8)
        return files
    }

    @Test(arguments: [
        "[{\"name\":\"Dune\",\"score\":9},{\"name\":\"Emma\",\"score\":7}]",
        "[\n  {\n    \"name\": \"Dune\",\n    \"score\": 9\n  },\n  {\"name\": \"Emma\", \"score\": 7}\n]\n",
    ])
    func `an array of objects is read like lines of objects`(text: String) throws {
        let files = try files("watched.json", text)
        let answer = files.migrate("watched.json")
        #expect(answer.outcome == .done, "\(answer.diagnostics)")
        let rows = try files.rows("watched").values
        #expect(Set(rows.map { "\($0["name"]) \($0["score"])" }).count == 2)
        #expect(rows.contains { $0["name"] == .string("Emma") && $0["score"] == .int(7) })
        #expect(files.verify("watched.json").outcome == .done)
        let head = try files.head()
        #expect(files.migrate("watched.json").outcome == .done)
        #expect(try files.head() == head)
    }

    @Test func `texts of digits in an array of objects are no places of another array`() throws {
        let files = try files("films.json", "[{\"id\":\"1\",\"year\":\"1999\"},{\"id\":\"2\",\"year\":\"2001\"}]")
        let answer = files.migrate("films.json")
        #expect(answer.outcome == .done, "\(answer.diagnostics)")
        #expect(try files.rows("films")["2"]?["year"] == .string("2001"))
    }

    @Test(arguments: [
        "[{\"a\":1},{\"a\":2}] {\"a\":3}", "[{\"a\":1},2]", "{\n\"version\": 1,\n\"entries\": [{\"a\":1}]\n}",
    ])
    func `what is no array of objects is refused, and nothing is made`(text: String) throws {
        let files = try files("other.json", text)
        #expect(files.migrate("other.json").outcome == .badData)
        #expect(!FileManager.default.fileExists(atPath: files.store))
    }

    @Test func `one object is told how its rows are taken out`() throws {
        let files = try files("journal.json", "{\n\"version\": 1,\n\"entries\": [{\"a\":1}]\n}")
        let answer = files.migrate("journal.json")
        #expect(answer.diagnostics.contains("neither an array of objects"), "\(answer.diagnostics)")
        #expect(answer.diagnostics.contains("jq"), "\(answer.diagnostics)")
    }

    @Test(arguments: [
        ("<DJ_PLAYLISTS Version=\"1.0.0\">", "rekordbox", "M3U8"), ("<NML VERSION=\"15\">", "Traktor", "M3U8"),
        ("<rhythmdb version=\"2.0\">", "Rhythmbox", "M3U8"), ("<opml version=\"1.0\">", "OPML", "CSV"),
        ("<gpx version=\"1.1\">", "its root is gpx", "XSPF"),
    ])
    func `other XML has its own sentence`(root: String, what: String, advice: String) throws {
        let files = try files("file.xml", "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\r\n\r\n\(root)\r\n")
        let answer = files.migrate("file.xml")
        #expect(answer.outcome == .badData)
        #expect(answer.diagnostics.contains(what), "\(answer.diagnostics)")
        #expect(answer.diagnostics.contains(advice), "\(answer.diagnostics)")
    }

    @Test func `a moment is no yes or no because all its numbers are 0`() throws {
        let files = try UserFiles("21-sqlitedata-types")
        let database = try SQLiteScratch(at: files.path("places.sqlite"))
        try database.execute(
            """
            CREATE TABLE place(id INTEGER PRIMARY KEY, lastModified INTEGER, archived INTEGER);
            INSERT INTO place VALUES (1, 0, 0), (2, 0, 1);
            """
        )
        database.close()
        let answer = files.migrate("places.sqlite")
        #expect(answer.outcome == .done, "\(answer.diagnostics)")
        let row = try #require(try files.rows("place")["1"])
        #expect(row["lastModified"] == .int(0) && row["archived"] == .bool(false))
    }

    @Test func `the explanation of a list of tracks says what the rows are`() throws {
        let files = try files(
            "plays.csv",
            "uts,artist,album,track\n2,Can,Tago Mago,Halleluhwah\n1,Neu!,Neu!,Hallogallo\n"
        )
        let answer = files.reprise("migrate", files.path("plays.csv"), "--explain")
        #expect(answer.output.contains("The rows are the entries of a playlist, in their order."), "\(answer.output)")
        #expect(!answer.output.contains("told apart by ."))
    }
}

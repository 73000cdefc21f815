import Foundation
import MusicLibrary
import Reprise
import Testing

@testable import RepriseCLI

/// `reprise search` and the words of the music library (CLI-12).
struct SearchCommandTests {
    private let music: MusicStore

    init() throws {
        music = try MusicStore()
        for (id, title, artist) in [
            ("1", "So What", "Miles Davis"), ("2", "What is that", "Miles Davis"), ("3", "Ångström", "So Solo"),
        ] {
            let words = ["put", music.path, "track", "--id", id, "title=\(title)", "artist=\(artist)"]
            #expect(RunOutside.run(words + ["playCount=0", "isFavorite=\(id == "2")"]).outcome == .done)
        }
    }

    private func found(_ words: String...) -> [String] {
        let answer = RunOutside.run(["search", music.path, "track", "--columns", "id", "--json"] + words)
        return answer.lines.compactMap { $0.firstMatch(of: #/"id":"(\w+)"/#).map { String($0.1) } }
    }

    @Test func `words are found in titles and artists, the best first`() {
        #expect(found("what", "MILES") == ["1", "2"])
        // A word of the title counts more than one of the artist.
        #expect(found("so") == ["1", "3"])
        #expect(found("ang*") == ["3"] && found("\"what so\"").isEmpty && found("\"so what\"") == ["1"])
        #expect(found("--", "miles", "-so") == ["2"])
        #expect(found("miles", "--where", "isFavorite") == ["2"] && found("miles", "--limit", "1") == ["1"])
        #expect(found("miles", "--as-of", "1").isEmpty && found("miles", "--limit", "0").isEmpty)
        #expect(music.run("fetch", "track", "--where", "title matches \"so\"", "--count").output == "1\n")
        #expect(music.run("fetch", "track", "--where", "matches \"so wha*\"", "--count").output == "1\n")
    }

    @Test func `people get a table, and hear of no hits`() {
        let answer = music.run("search", "track", "davis", "--columns", "id,title")
        #expect(answer.output == "id  title\n1   So What\n2   What is that\n")
        let none = RunOutside.run(["search", music.path, "track", "zzz"], screen: 80)
        // CLI-11
        #expect(none.outcome == .done && none.output.isEmpty)
        #expect(none.diagnostics == "No track has these words.\n")
    }

    @Test func `albums and playlists have words, too`() throws {
        let name = try #require(
            music.run("fetch", "playlist", "--limit", "1", "--columns", "name", "--json").output
                .firstMatch(of: #/"name":"(\w+)/#)
        ).1
        #expect(!music.run("search", "playlist", String(name)).output.isEmpty)
        let artist = try #require(
            music.run("fetch", "album", "--limit", "1", "--columns", "artist", "--json").output
                .firstMatch(of: #/"artist":"(\w+)/#)
        ).1
        #expect(!music.run("search", "album", String(artist)).output.isEmpty)
    }

    @Test func `a model without searchable attributes says so`() throws {
        let store = try TestStore()
        let answer = store.run("search", "book", "pure")
        #expect(answer.outcome == .usage)
        #expect(answer.diagnostics.hasPrefix("Error: The store has no search index of book. "))
        #expect(store.run("search", "bok", "pure").diagnostics.contains("Did you mean book?"))
    }

    /// The models as they were declared before their words could be searched.
    private static func earlier() throws -> Schema {
        var schema = MusicLibrary.schema.description
        for place in schema.models.indices { schema.models[place].search = nil }
        return try Schema(schema)
    }

    @Test func `a music library from before gets the index with the next export`() throws {
        let path = music.file("earlier")
        try Store.open(at: path, schema: Self.earlier()).close()
        #expect(RunOutside.run("search", path, "track", "so").outcome == .usage)
        // A dry run changes nothing.
        #expect(RunOutside.run("migrate", MusicStore.export, "--into", path, "--dry-run").outcome == .done)
        #expect(RunOutside.run("schema", "history", path, "--json").lines.count == 1)
        #expect(RunOutside.run("migrate", MusicStore.export, "--into", path).outcome == .done)
        let history = RunOutside.run("schema", "history", path, "--json").lines
        #expect(history.count == 2)
        #expect(history.last?.contains("builds the search index of track: title, artist") == true)
        #expect(RunOutside.run("search", path, "track", "floor").outcome == .done)
        #expect(RunOutside.run("verify", "--in-this-process", path).outcome == .done)
        // And once only.
        #expect(RunOutside.run("migrate", MusicStore.export, "--into", path).outcome == .done)
        #expect(RunOutside.run("schema", "history", path, "--json").lines.count == 2)
    }

    @Test func `a music library from before gets the index when an app opens it`() throws {
        let path = music.file("earlier")
        let old = try Store.open(at: path, schema: Self.earlier())
        try old.write { try $0.insert(Track(id: "1", title: "So What")) }
        old.close()
        let store = try Store.open(at: path, schema: MusicLibrary.schema)
        defer { store.close() }
        #expect(try store.search(Track.self, "so what").map(\.model.id) == ["1"])
        #expect(try store.statistics().schemaNumber == 2)
    }

    @Test func `another library keeps its schema`() throws {
        let path = music.file("more")
        var schema = try Self.earlier().description
        schema.models.removeLast()
        schema.relations.removeAll { relation in
            ![relation.source.model, relation.target.model].allSatisfy { number in
                schema.models.contains { $0.number == number }
            }
        }
        try Store.open(at: path, schema: Schema(schema)).close()
        #expect(RunOutside.run("migrate", MusicStore.export, "--into", path).outcome == .done)
        #expect(RunOutside.run("schema", "history", path, "--json").lines.count == 1)
    }
}

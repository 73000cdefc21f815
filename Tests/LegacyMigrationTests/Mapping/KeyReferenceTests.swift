import Foundation
import LegacyMigration
import MusicLibrary
import Reprise
import Testing

/// Texts and numbers that name other records, in exports that have no other way to say a relationship.
@Suite struct KeyReferenceTests {
    /// What `reprise export` writes of a music library, playlists first.
    private static let lines = """
        {"model":"playlist","id":"p1","name":"Mix","isFolder":false,"tracks":["t2","t1","t2"],"parent":"p2"}
        {"model":"playlist","id":"p2","name":"All","isFolder":true,"tracks":[]}
        {"model":"track","id":"t1","title":"A","artist":"X","playCount":0,"isFavorite":false,"album":"a1"}
        {"model":"track","id":"t2","title":"B","artist":"X","playCount":0,"isFavorite":false}
        {"model":"album","id":"a1","title":"L"}

        """

    private func mapping(_ json: String) throws -> RecordMapping {
        try RecordMapping(json: Array(json.utf8))
    }

    /// A migration of lines into a music library, which is compared and done again.
    private func content(_ lines: String, _ mapping: RecordMapping) throws -> (
        library: [String: [String: String]], warnings: [LegacyWarning.Kind: Int]
    ) {
        try TemporaryFile.with(lines.utf8, named: "x.ndjson") { path in
            let source = try MappedSource(NDJSONSource(path: path), mapping)
            let library = try TemporaryLibrary()
            let report = try Migrator(replacing: source, store: library.store).run()
            let verification = try MigrationVerifier(source: source, store: library.store).run()
            #expect(verification.isEqual, "\(verification.differences.prefix(3))")
            #expect(try Migrator(replacing: source, store: library.store).run().eventCount == 0)
            return (try rows(library.store), report.warningCounts)
        }
    }

    private func rows(_ store: Store) throws -> [String: [String: String]] {
        try store.read { state in
            var rows: [String: [String: String]] = [:]
            for model in ["album", "track", "playlist"] {
                for record in try state.records(RecordQuery(model: model)) {
                    var values: [String: String] = [:]
                    for value in record.values {
                        if case .reference(let id) = value.value { values[value.name] = id }
                    }
                    if model == "playlist" {
                        let tracks = record.lists.first { $0.name == "tracks" }
                        values["tracks"] = tracks?.targets.joined(separator: " ")
                    }
                    rows[record.id] = values
                }
            }
            return rows
        }
    }

    @Test func `what was exported as lines of JSON comes back with its relationships`() throws {
        let (rows, warnings) = try content(Self.lines, RecordMapping(target: .music))
        #expect(rows["p1"] == ["tracks": "t2 t1 t2", "parent": "p2"])
        #expect(rows["p2"] == ["tracks": ""])
        #expect(rows["t1"] == ["album": "a1"] && rows["t2"] == [:])
        #expect(warnings[.unmappedProperty] == nil && warnings[.missingTarget] == nil)
    }

    @Test func `a rule names the field, and new identifiers are followed`() throws {
        let lines = """
            {"type":"list","id":1,"songs":"s2; s1","title":"Mix"}
            {"type":"song","id":"s1","code":71,"name":"A"}
            {"type":"song","id":"s2","code":72,"name":"B"}

            """
        let mapping = try mapping(
            """
            {"target": "music", "classes": {
              "list": {"model": "playlist", "fields": {"songs": {"to": "tracks", "split": ";", "trim": true}}},
              "song": {"model": "track", "id": "code"}}}
            """
        )
        let (rows, _) = try content(lines, mapping)
        #expect(rows["1"] == ["tracks": "72 71"])
    }

    @Test func `a key that no record has is counted`() throws {
        let lines = Self.lines.replacing("\"album\":\"a1\"", with: "\"album\":\"gone\"")
            .replacing("[\"t2\",\"t1\",\"t2\"]", with: "[\"gone\",\"t1\",\"\"]")
        let (rows, warnings) = try content(lines, RecordMapping(target: .music))
        #expect(rows["p1"]?["tracks"] == "t1" && rows["t1"] == [:])
        #expect(warnings[.missingTarget] == 2)
    }

    @Test
    func `a title of an album is no key of one, where there are no albums or a key beside it`()
        throws
    {
        let lines = """
            {"model":"track","id":"1","title":"A","album":"Blue","albumId":"7"}
            {"model":"track","id":"2","title":"B","album":"Blue","albumId":"7"}

            """
        let (rows, warnings) = try content(lines, RecordMapping(target: .music))
        #expect(rows == ["1": [:], "2": [:]])
        #expect(warnings[.unmappedProperty] == 2 && warnings[.missingTarget] == nil)
        let album = "{\"model\":\"album\",\"id\":\"7\",\"title\":\"Blue\"}\n"
        let (more, said) = try content(lines + album, RecordMapping(target: .music))
        #expect(more["1"] == ["album": "7"] && more["2"] == ["album": "7"])
        #expect(said[.unmappedProperty] == 1)
    }

    @Test(arguments: [
        #"{"target": "music", "classes": {"playlist": {"fields": {"name": "tracks"}}}}"#,
        #"{"target": "music", "classes": {"track": null, "playlist": {"fields": {"tracks": "tracks"}}}}"#,
        #"{"target": "music", "classes": {"playlist": {"fields": {"tracks": "parent"}}}}"#,
        #"{"target": "music", "classes": {"track": {"fields": {"isFavorite": "album"}}}}"#,
    ])
    func `a rule that makes a relationship of what names no record is refused`(json: String) throws
    {
        try TemporaryFile.with(Self.lines.utf8) { path in
            let source = try NDJSONSource(path: path)
            let error = try #require(throws: LegacyError.self) {
                _ = try MappedSource(source, mapping(json))
            }
            #expect(error.code == .malformed && error.message.contains("relationship"))
        }
    }
}

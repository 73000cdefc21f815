import Foundation
import LegacyMigration
import Reprise
import TestSupport
import Testing

/// Rules of a mapping that can never apply.
@Suite struct MappingRuleTests {
    private static let schema = SchemaDescription(
        models: [
            ModelDescription(
                1,
                "Song",
                [
                    ("title", .string, true), ("stars", .int, true), ("added", .date, true),
                    ("tags", .list(.string, nilElements: false), false), ("disc", .reference, true),
                    ("moods", .string, true),
                ]
            ),
            ModelDescription(2, "Disc", [("name", .string, true), ("songs", .int, true)]),
        ],
        relations: [
            RelationDescription(
                number: 1,
                kind: .reference(slot: 4),
                source: .init(model: 1, name: "disc", onDelete: .nullify),
                target: .init(model: 2, name: "content", onDelete: .nullify)
            ),
            RelationDescription(
                number: 2,
                kind: .list,
                source: .init(model: 2, name: "list", onDelete: .nullify),
                target: .init(model: 1, name: "lists", onDelete: .nullify)
            ),
        ]
    )

    private var source: InventedSource {
        var source = InventedSource(schema: Self.schema)
        source.records = [
            LegacyRecord(
                className: "Song",
                key: "1",
                fields: [LegacyField("title", .string(" a ")), LegacyField("stars", .integer(3))]
            )
        ]
        return source
    }

    private func mapped(_ source: InventedSource, _ json: String) throws -> MappedSource {
        try MappedSource(source, RecordMapping(json: Array(json.utf8)))
    }

    @Test(arguments: [
        (#"{"classes": {"Song": {"fields": {"stars": {"trim": true}}}}}"#, "Song.stars", "trim", "whole numbers"),
        (#"{"classes": {"Song": {"fields": {"added": {"split": ","}}}}}"#, "Song.added", "split", "dates"),
        (#"{"classes": {"Song": {"fields": {"tags": {"trim": true}}}}}"#, "Song.tags", "trim", "collections"),
        (#"{"classes": {"Song": {"fields": {"tags": {"default": "x"}}}}}"#, "Song.tags", "default", "collections"),
        (#"{"classes": {"Song": {"fields": {"stars": {"default": "x"}}}}}"#, "Song.stars", "default", "whole numbers"),
        (#"{"classes": {"Song": {"fields": {"stars": {"default": 1.5}}}}}"#, "Song.stars", "default", "1.5"),
        (
            #"{"classes": {"Song": {"fields": {"moods": {"split": ",", "default": "x"}}}}}"#,
            "Song.moods", "default", "text"
        ),
        (#"{"classes": {"Song": {"fields": {"disc": {"trim": true}}}}}"#, "Song.disc", "trim", "leads to a record"),
        (#"{"classes": {"Song": {"fields": {"disc": {"default": "1"}}}}}"#, "Song.disc", "default", "a record"),
        (#"{"classes": {"Disc": {"fields": {"list": {"split": ","}}}}}"#, "Disc.list", "split", "list of records"),
        (#"{"classes": {"Song": {"id": "disc"}}}"#, "Song", "id", "names no record"),
        (#"{"classes": {"Song": {"id": ["title", "added"]}}}"#, "added", "id", "dates"),
        (
            #"{"target": "music", "classes": {"Song": {"fields": {"moods": {"to": "genre", "split": ","}}}}}"#,
            "Song.moods", "split", "genre"
        ),
        (
            #"{"target": "music", "classes": {"Song": {"fields": {"stars": {"to": "rating", "default": 200}}}}}"#,
            "Song.stars", "default", "200"
        ),
        (
            #"{"target": "music", "classes": {"Song": {"fields": {"moods": {"trim": true}}}}}"#,
            "Song.moods", "trim", "no place"
        ),
    ])
    func `one is refused with the field, the rule, the reason and what to do`(
        json: String,
        place: String,
        rule: String,
        reason: String
    ) throws {
        let error = try #require(throws: LegacyError.self) { _ = try mapped(source, json) }
        #expect(error.code == .malformed)
        #expect(error.message.contains(place) && error.message.contains("\"\(rule)\""), "\(error.message)")
        #expect(error.message.contains(reason), "\(error.message)")
        #expect(!error.advice.isEmpty)
    }

    @Test func `rules that can apply are taken`() throws {
        for json in [
            #"{"classes": {"Song": {"fields": {"title": {"trim": true, "default": "x"}}}}}"#,
            #"{"classes": {"Song": {"fields": {"stars": {"default": 3}, "moods": {"split": ",", "trim": true}}}}}"#,
            #"{"classes": {"Song": {"fields": {"stars": {"default": 3.0}, "added": {"default": "2024-01-01"}}}}}"#,
            #"{"classes": {"Song": {"id": ["title", "stars"], "fields": {"disc": "d", "tags": "t"}}}}"#,
        ] { _ = try mapped(source, json) }
    }

    @Test func `where the types are told by the values, a number is trimmed and split as its text`() throws {
        var source = source
        source.infersSchema = true
        let json = #"{"classes": {"Song": {"fields": {"stars": {"split": ",", "trim": true}}}}}"#
        let readout = try Readout(try mapped(source, json))
        #expect(readout.record("Song", "1")?["stars"] == .list([.string("3")]))
        #expect(readout.reading.warningCounts.isEmpty)
    }

    @Test func `a closure may make texts of what the export has otherwise`() throws {
        let mapping = RecordMapping(
            classes: ["Song": .init(fields: ["stars": .init(isTrimmed: true)])]
        )
        #expect(throws: LegacyError.self) { _ = try MappedSource(source, mapping) }
        _ = try MappedSource(source, mapping) { $0 }
    }

    @Test func `a rule for texts of a database is taken where one of its exports has numbers alone`() throws {
        let rules = #"{"target": "own", "classes": {"t": {"fields": {"a": {"trim": true}}}}}"#
        for (value, wanted) in [("' x '", LegacyValue.string("x")), ("5", .integer(5))] {
            let sandbox = try DatabaseSandbox(
                "CREATE TABLE t(id INTEGER PRIMARY KEY, a); INSERT INTO t VALUES(1, \(value));"
            )
            let source = try MappedSource(
                SQLiteDatabaseSource(path: sandbox.path),
                RecordMapping(json: Array(rules.utf8))
            )
            #expect(try Readout(source).record("t", "1")?["a"] == wanted)
        }
    }
}

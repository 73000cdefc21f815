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

    @Test(arguments: [
        (#"{"classes": {"Disc": {"id": "list"}}}"#, "list of records"),
        (#"{"classes": {"Song": {"id": "disc"}}}"#, "a reference to a record"),
        (#"{"classes": {"Song": {"id": "added"}}}"#, "dates"),
        (#"{"classes": {"Song": {"id": ["title", "tags"]}}}"#, "collections"),
    ])
    func `an identifier that names no record is refused also where the types are told by the values`(
        json: String,
        reason: String
    ) throws {
        var source = source
        source.infersSchema = true
        let error = try #require(throws: LegacyError.self) { _ = try mapped(source, json) }
        #expect(error.code == .malformed && error.message.contains("\"id\""))
        #expect(error.message.contains(reason), "\(error.message)")
        // What a closure makes of the values nobody knows.
        let mapping = try RecordMapping(json: Array(json.utf8))
        _ = try MappedSource(source, mapping) { $0 }
    }

    @Test func `an identifier of a database that names no record is refused`() throws {
        let sandbox = try DatabaseSandbox(
            """
            CREATE TABLE Song2(id INTEGER PRIMARY KEY, name TEXT, made DATE, liked BOOLEAN, weight REAL, main INT
                REFERENCES Alb(id));
            CREATE TABLE Alb(id INTEGER PRIMARY KEY, name TEXT);
            INSERT INTO Alb VALUES(1, 'a');
            INSERT INTO Song2 VALUES(7, 'x', '2024-01-01', 1, 0.5, 1);
            CREATE TABLE Song2_Alb(song INT REFERENCES Song2(id), alb INT REFERENCES Alb(id));
            INSERT INTO Song2_Alb VALUES(7, 1);
            """
        )
        let source = try SQLiteDatabaseSource(path: sandbox.path)
        let lists = source.schema.relations.compactMap { $0.kind == .list ? $0.source.name : nil }
        #expect(lists.count == 1)
        for field in ["made", "liked", "weight", "main"] + lists {
            let mapping = RecordMapping(classes: ["Song2": .init(identifier: .field(field))])
            let error = try #require(throws: LegacyError.self) { _ = try MappedSource(source, mapping) }
            #expect(error.message.contains("Song2"), "\(field): \(error.message)")
        }
        let mapping = RecordMapping(classes: ["Song2": .init(identifier: .field("name"))])
        let readout = try Readout(MappedSource(source, mapping))
        #expect(readout.keys("Song2") == ["x"] && readout.count(.missingKey) == 0)
    }

    @Test func `a class is not called as another one is, whether that has a rule or not`() throws {
        for json in [
            #"{"classes": {"Song": {"model": "Disc"}}}"#, #"{"classes": {"Disc": {"model": "Song"}}}"#,
            #"{"classes": {"Song": {"model": "One"}, "Disc": {"model": "One"}}}"#,
        ] {
            let error = try #require(throws: LegacyError.self) { _ = try mapped(source, json) }
            #expect(error.code == .malformed && !error.advice.isEmpty)
            #expect(error.message.contains("Song") && error.message.contains("Disc"), "\(error.message)")
        }
        // Where the other one is left out or called otherwise, its name is free.
        for json in [
            #"{"classes": {"Song": {"model": "Disc"}, "Disc": null}}"#,
            #"{"classes": {"Song": {"model": "Disc"}, "Disc": {"model": "Song"}}}"#,
        ] { _ = try mapped(source, json) }
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

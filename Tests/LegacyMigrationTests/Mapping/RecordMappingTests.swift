import Foundation
import LegacyMigration
import MusicLibrary
import Reprise
import Testing

/// What becomes of records on their way.
@Suite struct RecordMappingTests {
    /// Songs of an app that calls everything by other names.
    private static let schema = SchemaDescription(
        models: [
            ModelDescription(
                number: 1,
                name: "Disc",
                version: 1,
                slotCount: 2,
                attributes: [
                    AttributeDescription(slot: 0, name: "discName", type: .string, isOptional: true),
                    AttributeDescription(slot: 1, name: "code", type: .int, isOptional: true),
                ],
                indexes: []
            ),
            ModelDescription(
                number: 2,
                name: "Song",
                version: 1,
                slotCount: 6,
                attributes: [
                    AttributeDescription(slot: 0, name: "songName", type: .string, isOptional: true),
                    AttributeDescription(slot: 1, name: "length", type: .int, isOptional: true),
                    AttributeDescription(slot: 2, name: "liked", type: .int, isOptional: true),
                    AttributeDescription(slot: 3, name: "added", type: .string, isOptional: true),
                    AttributeDescription(slot: 4, name: "moods", type: .string, isOptional: true),
                    AttributeDescription(slot: 5, name: "disc", type: .reference, isOptional: true),
                ],
                indexes: [IndexDescription(number: 1, slots: [0], isUnique: false)]
            ),
        ],
        relations: [
            RelationDescription(
                number: 1,
                kind: .reference(slot: 5),
                source: .init(model: 2, name: "disc", onDelete: .nullify),
                target: .init(model: 1, name: "songs", onDelete: .cascade)
            )
        ]
    )

    private var source: InventedSource {
        var source = InventedSource(schema: Self.schema)
        source.records = [
            LegacyRecord(
                className: "Disc",
                key: "1",
                fields: [LegacyField("discName", .string("Blue")), LegacyField("code", .integer(77))]
            ),
            LegacyRecord(
                className: "Song",
                key: "1",
                fields: [
                    LegacyField("songName", .string("  All I Want ")),
                    LegacyField("length", .integer(214)), LegacyField("liked", .integer(1)),
                    LegacyField("added", .string("2024-05-01 10:00:00.250")),
                    LegacyField("moods", .string("calm, blue,,")),
                    LegacyField("disc", .reference("1")),
                ]
            ),
            LegacyRecord(
                className: "Song",
                key: "2",
                fields: [LegacyField("songName", .string("   ")), LegacyField("liked", .integer(2))]
            ),
        ]
        return source
    }

    private func mapping(_ json: String) throws -> RecordMapping {
        try RecordMapping(json: Array(json.utf8))
    }

    /// The rows of a migration, as one line each.
    private func content(
        _ source: some LegacySource,
        warnings: inout [LegacyWarning.Kind: Int]
    ) throws -> [String] {
        let library = try TemporaryLibrary(for: source)
        warnings = try Migrator(replacing: source, store: library.store).run().warningCounts
        let verification = try MigrationVerifier(source: source, store: library.store).run()
        #expect(verification.isEqual, "\(verification.differences.prefix(3))")
        #expect(try Migrator(replacing: source, store: library.store).run().eventCount == 0)
        return try library.store.read { state in
            try state.schema.models.flatMap { model in
                try state.records(RecordQuery(model: model.name)).map { record in
                    let values = record.values.map { "\($0.name)=\(text($0.value))" }
                    return "\(record.model) \(record.id): " + values.joined(separator: " ")
                }
            }
        }
    }

    private func text(_ value: Value) -> String {
        switch value {
        case .string(let text), .reference(let text): "'\(text)'"
        case .int(let number): "\(number)"
        case .double(let number): "\(number)"
        case .bool(let flag): "\(flag)"
        case .date(let date): "\(date.timeIntervalSince1970)"
        case .list(let values): "[" + values.map(text).joined(separator: ",") + "]"
        default: "?"
        }
    }

    @Test func `without rules everything stays as it is`() throws {
        var warnings: [LegacyWarning.Kind: Int] = [:]
        let plain = try content(source, warnings: &warnings)
        #expect(try content(MappedSource(source), warnings: &warnings) == plain)
        #expect(warnings.isEmpty)
    }

    @Test func `classes and fields are renamed, trimmed, split, defaulted and dropped`() throws {
        let mapping = try mapping(
            """
            {"classes": {
              "Disc": {"model": "record", "fields": {"discName": "title", "code": null}},
              "Song": {"fields": {
                "songName": {"to": "title", "trim": true, "default": "Untitled"},
                "moods": {"split": ",", "trim": true},
                "length": {"default": 0}, "added": null}}}}
            """
        )
        var warnings: [LegacyWarning.Kind: Int] = [:]
        let found = try content(MappedSource(source, mapping), warnings: &warnings)
        #expect(
            found == [
                "record 1: title='Blue'",
                "Song 1: title='All I Want' length=214 liked=1 moods=['calm','blue'] disc='1'",
                "Song 2: title='Untitled' length=0 liked=2 moods=[]",
            ]
        )
        // The second song has no list: an empty one stands in, which is said.
        #expect(warnings == [.defaultedValue: 1])
    }

    @Test func `a field may identify records, and those that name them follow`() throws {
        let mapping = try mapping(
            #"{"classes": {"Disc": {"id": "code"}, "Song": {"id": ["songName", "length"]}}}"#
        )
        var warnings: [LegacyWarning.Kind: Int] = [:]
        let mapped = try MappedSource(source, mapping)
        let found = try content(mapped, warnings: &warnings)
        #expect(found.contains { $0.hasPrefix("Disc 77:") })
        #expect(found.contains { $0.hasPrefix("Song ") && $0.hasSuffix("disc='77'") })
        #expect(warnings.isEmpty)
    }

    @Test func `a link to a record that is not there does not become one to another`() throws {
        var source = source
        // The old key of a disc that is gone is the new one of another.
        source.records[1] = LegacyRecord(
            className: "Song",
            key: "1",
            fields: [LegacyField("disc", .reference("77"))]
        )
        let mapping = try mapping(#"{"classes": {"Disc": {"id": "code"}}}"#)
        var warnings: [LegacyWarning.Kind: Int] = [:]
        let found = try content(MappedSource(source, mapping), warnings: &warnings)
        #expect(found.contains { $0.hasPrefix("Disc 77:") })
        #expect(!found.contains { $0.contains("disc=") })
        #expect(warnings == [.missingTarget: 1])
    }

    @Test func `records that are identified alike are told apart`() throws {
        var source = source
        source.records.append(
            LegacyRecord(className: "Disc", key: "9", fields: [LegacyField("code", .integer(77))])
        )
        source.records.append(LegacyRecord(className: "Disc", key: "10", fields: []))
        let mapping = try mapping(#"{"classes": {"Disc": {"id": "code"}}}"#)
        var warnings: [LegacyWarning.Kind: Int] = [:]
        let found = try content(MappedSource(source, mapping), warnings: &warnings)
        #expect(found.contains { $0.hasPrefix("Disc 77-2:") })
        #expect(warnings == [.duplicateKey: 1, .missingKey: 1])
    }

    @Test func `a class that is dropped takes what leads to it along`() throws {
        let mapping = try mapping(#"{"classes": {"Disc": null}}"#)
        var warnings: [LegacyWarning.Kind: Int] = [:]
        let mapped = try MappedSource(source, mapping)
        #expect(mapped.schema.models.map(\.name) == ["Song"])
        #expect(mapped.schema.relations.isEmpty)
        #expect(try content(mapped, warnings: &warnings).count == 2)
        #expect(warnings == [.unmappedProperty: 1, .leftOutByMapping: 1])
    }

    @Test func `names tell what is music, and values are made to fit`() throws {
        let mapped = try MappedSource(source, RecordMapping(target: .music))
        #expect(!mapped.hasRecords(of: "album"))
        let mapping = try mapping(
            """
            {"target": "music", "classes": {
              "Disc": {"model": "album", "fields": {"discName": "title"}},
              "Song": {"fields": {"disc": "album"}}}}
            """
        )
        var warnings: [LegacyWarning.Kind: Int] = [:]
        let found = try content(MappedSource(source, mapping), warnings: &warnings)
        #expect(found.contains("album 1: title='Blue'"))
        let track = try #require(found.first { $0.hasPrefix("track 1:") })
        #expect(track.contains("title='  All I Want '"))
        #expect(track.contains("duration=214.0"))
        #expect(track.contains("isFavorite=true"))
        #expect(track.contains("addedAt=1714557600.25"))
        #expect(track.contains("album='1'"))
        // A second song that is liked twice is neither liked nor not.
        #expect(warnings == [.unexpectedType: 1, .unmappedProperty: 2, .defaultedValue: 1])
    }

    @Test func `a closure changes records, or leaves them out`() throws {
        let mapped = try MappedSource(source) { record in
            guard record.className == "Song" else { return record }
            if record.key == "2" { return nil }
            let fields = record.fields.map { field in
                guard case .string(let text) = field.value else { return field }
                return LegacyField(field.name, .string(text.uppercased()))
            }
            return LegacyRecord(className: record.className, key: record.key, fields: fields)
        }
        var warnings: [LegacyWarning.Kind: Int] = [:]
        let found = try content(mapped, warnings: &warnings)
        #expect(found.count == 2)
        #expect(found[1].contains("songName='  ALL I WANT '"))
    }

    @Test func `a Realm file goes into a music library by rules as it does by itself`() throws {
        let path = Repository.realm("music_100.realm")
        let rules = try mapping(#"{"target": "music"}"#)
        let mapped = try MappedSource(RealmStoreSource(path: path), rules)
        let library = try TemporaryLibrary()
        _ = try Migrator(replacing: mapped, store: library.store).run()
        let direct = try TemporaryLibrary()
        _ = try Migrator(replacing: RealmLibrarySource(path: path), store: direct.store).run()
        #expect(try library.content == direct.content)
        #expect(try MigrationVerifier(source: mapped, store: library.store).run().isEqual)
        #expect(try Migrator(replacing: mapped, store: library.store).run().eventCount == 0)
    }

    @Test(
        arguments: [
            #"{"classes": {"Nothing": null}}"#, #"{"classes": {"Song": {"fields": {"nothing": "x"}}}}"#,
            #"{"classes": {"Song": {"id": "nothing"}}}"#, #"{"classes": {"Song": {"id": []}}}"#,
            #"{"classes": {"Song": {"fields": {"moods": {"split": ""}}}}}"#,
            #"{"classes": {"Song": {"fields": {"moods": {"shout": true}}}}}"#,
            #"{"clases": {"Song": null}}"#, #"{"classes": {"Song": {"feilds": {"moods": null}}}}"#,
            #"{"classes": {"Song": {"ID": "songName"}}}"#,
            #"{"classes": {"Song": {"fields": {"moods": "songName"}}}}"#,
            #"{"classes": {"Song": {"fields": {"moods": "x", "added": "x"}}}}"#,
            #"{"classes": {"Song": {"fields": {"moods": "the moods"}}}}"#,
            #"{"classes": {"Song": {"fields": {"moods": "id"}}}}"#,
            #"{"classes": {"Song": {"fields": {"disc": "liked"}}}}"#,
            #"{"classes": {"Disc": {"fields": {"songs": "code"}}}}"#,
            #"{"classes": {"Song": null, "Song": {"fields": {}}}}"#,
            #"{"classes": {"Song": {"fields": {"moods": "x", "added": null, "moods": "y"}}}}"#,
            #"{"classes": {}, "target": "own", "target": "music"}"#,
            #"{"classes": [1]}"#, #"{"target": "films"}"#, "{", "",
            #"{"target": "music", "classes": {"Song": {"model": "film"}}}"#,
            #"{"target": "music", "classes": {"Song": {"model": "track", "fields": {"moods": "mood"}}}}"#,
        ]
    )
    func `a rule that cannot hold is refused by name`(json: String) throws {
        let error = try #require(throws: LegacyError.self) {
            _ = try MappedSource(source, mapping(json))
        }
        #expect(error.code == .malformed)
        #expect(!error.message.isEmpty && !error.advice.isEmpty)
    }
}

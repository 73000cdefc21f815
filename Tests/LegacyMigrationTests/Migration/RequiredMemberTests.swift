import LegacyMigration
import Reprise
import TestSupport
import Testing

/// Lists whose members must be in one, and lists of records that are refused.
@Suite struct RequiredMemberTests {
    private static let schema = SchemaDescription(
        models: [
            ModelDescription(1, "album", [("note", .string, true)]),
            ModelDescription(2, "song", [("album", .reference, false)]),
        ],
        relations: [
            RelationDescription(
                1,
                .reference(slot: 0),
                (2, "album"),
                (1, "songs"),
                onDelete: (.nullify, .cascade)
            )
        ]
    )

    private let library: TemporaryLibrary

    init() throws {
        library = try TemporaryLibrary(schema: Schema(Self.schema))
    }

    private func source(
        _ albums: KeyValuePairs<String, [String]>,
        note: String? = nil,
        isHeld: Bool = false
    ) -> InventedSource {
        var source = InventedSource(schema: Self.schema)
        source.absentFields = ["album": note == nil ? ["note"] : [], "song": ["album"]]
        for (key, songs) in albums {
            let fields = note.map { [LegacyField("note", .string($0))] } ?? []
            let list = LegacyList(
                className: "album",
                key: key,
                name: "songs",
                members: LegacyReferences(songs)
            )
            let held = [LegacyField("songs", .references(LegacyReferences(songs)))]
            source.records.append(
                LegacyRecord(className: "album", key: key, fields: isHeld ? fields + held : fields)
            )
            if !isHeld { source.lists.append(list) }
        }
        return source
    }

    /// Puts a song into an album, as an app does.
    private func put(_ song: String, into album: String) throws {
        let song = EntityReference(model: "song", id: song)
        _ = try library.store.write { try $0.put(song, values: ["album": .reference(album)]) }
    }

    private func songs(of album: String) throws -> [String] {
        try library.store.read {
            try $0.entries(of: "songs", model: "album", id: album).map(\.target)
        }
    }

    @Test func `a member that must be in a list stays where no other one takes it`() throws {
        _ = try library.migrate(source(["a": [], "b": [], "c": []]))
        try put("s", into: "c")
        _ = try library.migrate(source(["a": ["s"], "b": [], "c": []]))
        #expect(try songs(of: "a") == ["s"])
        let none = source(["a": [], "b": [], "c": []], note: "new")
        let report = try library.migrate(none)
        #expect(report.warningCounts == [.entryAddedHere: 1])
        #expect(try songs(of: "a") == ["s"])
        #expect(try library.migrate(none).eventCount == 0)
        _ = try library.migrate(source(["a": [], "b": ["s"], "c": []]))
        #expect(try songs(of: "a").isEmpty)
        #expect(try songs(of: "b") == ["s"])
    }

    @Test func `lists of a record that is refused are no difference`() throws {
        _ = try library.migrate(source(["a": [], "b": []], note: "x", isHeld: true))
        try put("s", into: "b")
        for length in 1...2 {
            // Larger than a row can be.
            let note = longText("x", count: rowByteCountMax + length)
            var export = source(["a": ["s"]], note: note, isHeld: true)
            export.records += source(["b": ["s"]], note: "x", isHeld: true).records
            let plan = try Migrator(replacing: export, store: library.store).plan()
            #expect(plan.writtenCount == 0)
            #expect(plan.warningCounts == [.refusedRecord: 1])
            #expect(try library.migrate(export).writtenCount == 0)
        }
        #expect(try songs(of: "b") == ["s"])
    }
}

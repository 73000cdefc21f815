import Testing

/// The targets of the migrator import each other one way only, and what reads formats imports nothing of Reprise.
struct MigratorRoomTests {
    private static let records: Set<String> = ["ExportFormats", "LegacyRecords"]
    private static let music = records.union(["MusicLibrary", "MusicVocabulary"])

    /// The targets, each with the targets of this package that it may import beside the engine.
    private static let rooms: [(name: String, below: Set<String>)] = [
        ("ExportFormats", []),
        ("LegacyRecords", ["ExportFormats", "SQLiteFile"]),
        ("MusicVocabulary", records),
        ("ITunesSources", music),
        ("TableSources", records.union(["MusicVocabulary", "SQLiteFile"])),
        ("PlaylistSources", music.union(["TableSources"])),
        ("RealmSources", music.union(["RealmFile"])),
        ("SQLiteSources", records.union(["SQLiteFile"])),
        ("LegacyMapping", records),
        ("MusicMapping", music.union(["LegacyMapping"])),
        ("LegacyMigrator", records.union(["LegacyMapping", "SQLiteFile"])),
        ("LegacyExport", records.union(["SQLiteFile"])),
    ]
    private static let engine: Set<String> = ["Reprise", "RepriseLMDB", "RepriseLog"]
    private static let upper: Set<String> = [
        "LegacyMigration", "MusicLibrary", "RealmFile", "RepriseCLI", "RepriseFoundation", "SQLiteFile",
    ]

    private func imports(_ path: String) throws -> [String] {
        try Repository.text(path).split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard let place = words.firstIndex(of: "import"), place <= 2, place + 2 == words.count else { return nil }
            return String(words[place + 1])
        }
    }

    @Test func `every target of the migrator imports only those below it`() throws {
        let ours = Self.engine.union(Self.upper).union(Self.rooms.map(\.name))
        var count = 0
        for room in Self.rooms {
            // The parsers know nothing of the engine either.
            let allowed = room.name == "ExportFormats" ? room.below : room.below.union(Self.engine)
            for path in try Repository.files(below: "Sources/\(room.name)", extensions: ["swift"]) {
                let found = try imports(path).filter(ours.contains)
                count += found.count
                for name in found where !allowed.contains(name) {
                    Issue.record(
                        "\(path) imports \(name), which \(room.name) may not. Move one of them, or hand in its values."
                    )
                }
            }
        }
        // So that a test that reads nothing cannot pass.
        #expect(count > 300)
    }

    @Test func `mapping and migration say nothing of music`() throws {
        for room in ["LegacyMapping", "LegacyMigrator"] {
            for path in try Repository.files(below: "Sources/\(room)", extensions: ["swift"]) {
                let code = try Repository.text(path).split(separator: "\n").filter {
                    !$0.drop { $0 == " " }.hasPrefix("//")
                }
                for word in ["Track.", "Album.", "Playlist.", "\"track\"", "\"album\"", "\"playlist\""] {
                    for line in code where line.contains(word) {
                        Issue.record("\(path) knows \(word): \(line). Put it into MusicMapping or MusicVocabulary.")
                    }
                }
            }
        }
    }
}

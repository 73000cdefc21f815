import Foundation
import LegacyMigration
import Reprise
import Testing

/// Damaged files of which a whole class cannot be read, or only an older version of the data.
@Suite struct LostClassTests {
    /// A library with the header of one array broken, which `isMeant` tells by the source.
    private func damaged(
        _ name: String = "music_tiny.realm",
        renamed: [String: String] = [:],
        _ isMeant: (RealmStoreSource) -> Bool
    ) throws -> [UInt8] {
        var bytes = try self.renamed(name, renamed)
        for place in stride(from: 24, to: bytes.count, by: 8)
        where bytes[place..<place + 4].allSatisfy({ $0 == 0x41 }) {
            let flags = bytes[place + 4]
            bytes[place + 4] = 0xff
            let isFound = try TemporaryFile.with(bytes) { path in
                guard let source = try? RealmStoreSource(path: path, salvages: true) else {
                    return false
                }
                return isMeant(source)
            }
            if isFound { return bytes }
            bytes[place + 4] = flags
        }
        throw CocoaError(.fileReadCorruptFile)
    }

    /// A library in which names have others of the same length.
    private func renamed(_ file: String, _ names: [String: String]) throws -> [UInt8] {
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: Repository.realm(file))))
        for (name, other) in names {
            try #require(name.utf8.count == other.utf8.count)
            for range in bytes.ranges(of: Array(name.utf8)) {
                bytes.replaceSubrange(range, with: Array(other.utf8))
            }
        }
        return bytes
    }

    private func withoutTracks<R>(_ body: (String) throws -> R) throws -> R {
        try TemporaryFile.with(
            damaged { $0.lostSchema.classes == ["RealmTrack"] && !$0.isOutdated },
            body
        )
    }

    private let sound = Repository.realm("music_tiny.realm")

    @Test func `a class that cannot be read is no model, and what leads to it no relationship`()
        throws
    {
        let whole = try RealmStoreSource(path: sound)
        #expect(whole.lostSchema.isEmpty && !whole.isOutdated)
        try withoutTracks { path in
            let source = try RealmStoreSource(path: path, name: "library", salvages: true)
            #expect(source.schema.models.map(\.name).sorted() == ["RealmAlbum", "RealmPlaylist"])
            #expect(source.schema.relations.isEmpty)
            #expect(
                source.lostSchema.fields == ["RealmAlbum": ["tracks"], "RealmPlaylist": ["tracks"]]
            )
            for model in source.schema.models {
                let attributes = whole.schema.model(named: model.name)?.attributes.map(\.name)
                #expect(model.attributes.map(\.name) == attributes)
            }
            let readout = try Conformance.read(source)
            #expect(readout.count(.damagedClass) == 1)
            #expect(
                readout.warnings.contains {
                    $0.kind == .damagedClass
                        && $0.message.contains("migrate a sound file into a new store")
                }
            )
            // A store that lacks the class gets it when the sound file comes; it has no empty model for it before.
            let library = try TemporaryLibrary(for: source)
            _ = try Migrator(replacing: source, store: library.store).run()
            let later = try RealmStoreSource(path: sound, name: "library")
            let report = try Migrator(replacing: later, store: library.store).run()
            #expect(report.warningCounts[.unknownClass] == nil && report.warningCounts[.unmappedProperty] == nil)
            let verification = try MigrationVerifier(source: later, store: library.store).run()
            #expect(verification.isEqual)
            // A store with all classes takes the damaged file, and loses nothing by it.
            let full = try TemporaryLibrary(for: later)
            _ = try Migrator(replacing: later, store: full.store).run()
            let content = try full.content
            _ = try Migrator(replacing: source, store: full.store).run()
            #expect(try full.content == content)
        }
    }

    @Test func `the other classes are called as they are with a class that cannot be read`() throws
    {
        // Both would become the same stored name.
        let names = [
            "class_RealmAlbum": "class_Realm-List", "class_RealmTrack": "class_Realm_List",
        ]
        let whole = try TemporaryFile.with(renamed("music_tiny.realm", names)) { path in
            Set(try RealmStoreSource(path: path).schema.models.map(\.name))
        }
        #expect(whole.count == 3)
        for lost in whole where lost != "RealmPlaylist" {
            let bytes = try damaged(renamed: names) { $0.lostSchema.classes == [lost] }
            try TemporaryFile.with(bytes) { path in
                let source = try RealmStoreSource(path: path, salvages: true)
                #expect(Set(source.schema.models.map(\.name)) == whole.subtracting([lost]))
            }
        }
    }

    @Test func `rules for what cannot be read are said to be unused, all others must hold`() throws
    {
        let json = """
            {"classes": {"RealmTrack": {"model": "song", "fields": {"title": "name"}},
                         "RealmAlbum": {"fields": {"title": "name", "tracks": "songs"}}}}
            """
        let mapping = try RecordMapping(json: Array(json.utf8))
        try withoutTracks { path in
            let source = try RealmStoreSource(path: path, salvages: true)
            let mapped = try MappedSource(source, mapping)
            #expect(mapped.schema.model(named: "RealmAlbum")?.attribute(named: "name") != nil)
            #expect(mapped.lostSchema == source.lostSchema)
            #expect(try Conformance.read(mapped).count(.unusedRule) == 2)
            for other in ["RealmTrak", "Nothing"] {
                let wrong = RecordMapping(classes: [other: .init(isDropped: true)])
                #expect(try code { _ = try MappedSource(source, wrong) } == .malformed)
            }
            let music = try MappedSource(source, RecordMapping(target: .music))
            #expect(music.lostSchema.isEmpty)
        }
    }

    @Test func `older data is not written over what the same source has in the store`() throws {
        try TemporaryFile.with(damaged("music_100.realm", \.isOutdated)) { path in
            let older = try RealmStoreSource(path: path, name: "library", salvages: true)
            let newer = try RealmStoreSource(
                path: Repository.realm("music_100.realm"),
                name: "library"
            )
            let library = try TemporaryLibrary(for: newer)
            _ = try Migrator(replacing: newer, store: library.store).run()
            let before = try library.content
            let head = try library.head
            let migrator = Migrator(source: older, store: library.store)
            let error = try #require(throws: MigrationError.self) { try migrator.run() }
            #expect(error.code == .outdatedExport)
            #expect(throws: MigrationError.self) { try migrator.plan() }
            let mapped = Migrator(source: try MappedSource(older), store: library.store)
            #expect(throws: MigrationError.self) { try mapped.run() }
            #expect(try library.content == before && library.head == head)
            // Where nothing newer was, it is taken, also again, and what is newer comes over it.
            let empty = try TemporaryLibrary(for: newer)
            let first = try Migrator(replacing: older, store: empty.store).run()
            #expect(first.reading.warningCounts[.olderVersion] == 1)
            #expect(try Migrator(replacing: older, store: empty.store).run().eventCount == 0)
            _ = try Migrator(replacing: newer, store: empty.store).run()
            #expect(throws: MigrationError.self) {
                _ = try Migrator(source: older, store: empty.store).run()
            }
            // Somebody says that it is the newest that there is.
            #expect(try Migrator(replacing: older, store: empty.store).run().eventCount > 0)
        }
    }
}

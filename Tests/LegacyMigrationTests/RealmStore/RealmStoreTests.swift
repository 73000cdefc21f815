import Foundation
import LegacyMigration
import Reprise
import Testing

/// The Realm files of any app, with their own classes.
@Suite struct RealmStoreTests {
    private static let generated = [
        ("alltypes_300", "alltypes_300"), ("bigblob", "bigblob"),
        ("music_10k_compact", "music_10k"), ("old_fmt9_5k", "old_fmt9_5k"),
        ("old_fmt20_5k", "old_fmt11_5k"),
    ]

    private func migrate(_ path: String, key: [UInt8]? = nil, _ truth: String) throws {
        let source = try RealmStoreSource(path: path, key: key)
        let library = try TemporaryLibrary(for: source)
        let empty = try library.store.read { $0.digest }
        let report = try Migrator(replacing: source, store: library.store).run()
        // The objects come in the order of their keys.
        var ids: [String: [String]] = [:]
        _ = try source.read { event in
            if case .record(let record) = event { ids[record.className, default: []].append(record.key) }
        }
        let differences = try library.store.read {
            try RealmStoreTruth(path: truth).differences($0, ids)
        }
        #expect(differences.isEmpty, "\(differences.count): \(differences.prefix(3))")
        let verification = try MigrationVerifier(source: source, store: library.store).run()
        #expect(verification.isEqual, "\(verification.differences.prefix(3))")
        #expect(try library.store.verify().isSound)
        // Again: nothing is written. And back: the state is the one before.
        #expect(try Migrator(replacing: source, store: library.store).run().eventCount == 0)
        let before = try #require(report.snapshotBefore)
        try library.store.rollback(to: .snapshot(before))
        #expect(try library.store.read { $0.digest } == empty)
    }

    @Test(arguments: ["music_tiny", "music_100", "unresolved"])
    func `a file goes into a store of its own schema, is compared and rolled back`(
        name: String
    ) throws {
        try migrate(
            Repository.realm(name + ".realm"),
            Repository.realm(name + ".truth.ndjson")
        )
    }

    @Test func `a table that is no class of an app is left out, and that is said`() throws {
        var bytes = try Data(contentsOf: URL(filePath: Repository.realm("music_100.realm")))
        let name = Data("class_RealmPlaylist".utf8)
        while let range = bytes.range(of: name) {
            bytes.replaceSubrange(range, with: Data("table_RealmPlaylist".utf8))
        }
        try TemporaryFile.with(Array(bytes)) { path in
            let readout = try Readout(RealmStoreSource(path: path))
            #expect(readout.count(.skippedTable) == 1)
            #expect(readout.warnings.contains { $0.message.contains("\"table_RealmPlaylist\"") })
            #expect(try Readout(RealmLibrarySource(path: path)).count(.skippedTable) == 1)
        }
    }

    @Test(
        .enabled(if: FileManager.default.fileExists(atPath: Repository.sharedRealm(""))),
        arguments: generated
    )
    func `every type arrives as realm-core tells it`(name: String, truth: String) throws {
        try migrate(
            Repository.sharedRealm(name + ".realm"),
            Repository.sharedRealm(truth + ".truth.ndjson")
        )
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: Repository.sharedRealm(""))))
    func `what a decimal cannot hold leaves its place in a collection empty, and that is said`()
        throws
    {
        let source = try RealmStoreSource(path: Repository.sharedRealm("alltypes_300.realm"))
        let messages = try Readout(source).warnings.filter { $0.kind == .valueOutOfRange }.map(
            \.message
        )
        #expect(!messages.isEmpty)
        for message in messages {
            let isElement = ["decOptList", "decDict"].contains {
                message.contains($0)
            }
            #expect(message.contains("nothing stands in its place") == isElement, "\(message)")
            #expect(message.contains("it was left out") != isElement, "\(message)")
        }
    }

    @Test func `an encrypted file arrives like the plain one`() throws {
        let key = try Data(contentsOf: URL(fileURLWithPath: Repository.realm("encrypted.key")))
        try migrate(
            Repository.realm("music_100_encrypted.realm"),
            key: Array(key),
            Repository.realm("music_100.truth.ndjson")
        )
    }

    @Test func `the schema is that of the file`() throws {
        let source = try RealmStoreSource(path: Repository.realm("music_tiny.realm"))
        #expect(
            source.schema.models.map(\.name).sorted() == [
                "RealmAlbum", "RealmPlaylist", "RealmTrack",
            ]
        )
        let track = try #require(source.schema.model(named: "RealmTrack"))
        #expect(track.attribute(named: "id") == nil)
        #expect(track.attribute(named: "duration")?.type == .double)
        #expect(track.attribute(named: "genre")?.isOptional == true)
        #expect(track.attribute(named: "title")?.isOptional == false)
        let lists = source.schema.relations.filter { $0.kind == .list }
        #expect(lists.compactMap(\.source.name) == ["tracks", "tracks"])
    }

    @Test func `a store that has none of the classes is refused, and stays as it is`() throws {
        let source = try RealmStoreSource(path: Repository.realm("music_tiny.realm"))
        let library = try TemporaryLibrary()
        let head = try library.store.read { $0.head }
        let error = try #require(throws: MigrationError.self) {
            try Migrator(replacing: source, store: library.store).run()
        }
        #expect(error.code == .schemaMismatch)
        #expect(try library.store.read { $0.head } == head)
    }

    @Test func `a migration that is cancelled leaves nothing`() throws {
        let source = try RealmStoreSource(path: Repository.realm("music_100.realm"))
        let whole = try TemporaryLibrary(for: source)
        let options = Migrator.Options(replacesEverything: true)
        let digest = try Migrator(source: source, store: whole.store, options: options).run().digest
        var stop = 1
        while true {
            let library = try TemporaryLibrary(for: source)
            let migrator = Migrator(source: source, store: library.store, options: options)
            var count = 0
            do {
                _ = try migrator.run { _ in
                    count += 1
                    return count < stop
                }
                break
            } catch let error as MigrationError where error.code == .cancelled {
                #expect(try MigrationRecord.all(in: library.store).isEmpty)
                #expect(try migrator.run().digest == digest, "after step \(stop)")
            }
            stop += 1
        }
        #expect(stop > 1)
    }
}

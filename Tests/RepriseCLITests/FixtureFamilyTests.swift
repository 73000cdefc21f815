import Foundation
import Reprise
import Testing

@testable import RepriseCLI

/// Every sort of legacy file goes in, is compared, is found unchanged, and goes out again.
@Suite struct FixtureFamilyTests {
    struct Family: Sendable, CustomTestStringConvertible {
        let file: String
        let mapping: ExportMapping
        /// How many records there are at least.
        let recordCount: Int
        var testDescription: String { "\(file) \(mapping)" }
    }

    private static let fixtures = RealmFixtures.generated.deletingLastPathComponent()
        .deletingLastPathComponent()

    private static let families: [Family] = [
        Family(file: "itunes/beets_itunes_library_unix.xml", mapping: .automatic, recordCount: 3),
        Family(
            file: "itunes/beets_itunes_library_windows.xml",
            mapping: .automatic,
            recordCount: 3
        ),
        Family(file: "itunes/library_1779_tracks.xml", mapping: .automatic, recordCount: 2019),
        Family(file: "realm/generated/music_100.realm", mapping: .automatic, recordCount: 93),
        Family(file: "realm/generated/alltypes_300.realm", mapping: .automatic, recordCount: 2791),
        Family(file: "realm/generated/unresolved.realm", mapping: .own, recordCount: 10),
        Family(file: "realm/generated/bigblob.realm", mapping: .own, recordCount: 3),
        Family(
            file: "coredata/osxphotos_Test-10.15.7/Photos.sqlite",
            mapping: .automatic,
            recordCount: 900
        ),
        Family(
            file: "coredata/osxphotos_Test-13.0.0/Photos.sqlite",
            mapping: .automatic,
            recordCount: 800
        ),
        Family(file: "sqlite/synthetic_swiftdata_10k.store", mapping: .own, recordCount: 9560),
        Family(file: "sqlite/synthetic_sqlitedata_10k.db", mapping: .automatic, recordCount: 9560),
        Family(file: "playlists/beets_playlist.m3u", mapping: .automatic, recordCount: 3),
        Family(file: "playlists/beets_playlist.m3u8", mapping: .automatic, recordCount: 3),
        Family(file: "playlists/beets_playlist_windows.m3u8", mapping: .automatic, recordCount: 3),
        Family(file: "playlists/beets_playlist_non_ext.m3u", mapping: .automatic, recordCount: 3),
        Family(file: "playlists/xspf_jukebox_playlist.xspf", mapping: .automatic, recordCount: 32),
    ]

    @Test(
        .enabled(if: RealmFixtures.areHere, "needs the fixtures beside the repository"),
        arguments: families
    )
    func `a file is migrated, compared, migrated again without an event, and rolled back`(
        family: Family
    ) throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).reprise").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let file = Self.fixtures.appending(path: family.file)
        let folder = file.deletingLastPathComponent().path
        let before = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        var export = ExportLocation(path: file.path)
        export.mapping = family.mapping
        let migrate = MigrateCommand(export: export, destination: path, isJSON: true)

        let first = RealmFixtures.run(migrate)
        #expect(first.outcome == .done, "\(first.diagnostics)")
        let report = try JSONValue(parsing: first.output)
        let counts = try #require(report["written"]?.members)
        let written = counts.reduce(0) { $0 + (Int($1.number ?? "") ?? 0) }
        #expect(written >= family.recordCount)
        #expect(first.output.contains("\"snapshotBefore\":\"before-migration-1\""))

        let verify = VerifyMigrationCommand(export: export, store: StoreLocation(path: path))
        let comparison = RealmFixtures.run(verify)
        #expect(comparison.outcome == .done, "\(comparison.output)")

        let again = RealmFixtures.run(migrate)
        #expect(again.outcome == .done)
        #expect(again.output.contains("\"events\":0,"))

        let store = try Store.open(existing: path)
        defer { store.close() }
        #expect(try store.verify().isSound)
        let empty = try store.read(asOf: .snapshot("before-migration-1")) { $0.digest }
        try store.rollback(to: .snapshot("before-migration-1"))
        #expect(try store.read { $0.digest } == empty)
        // Nothing was left beside the file.
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == before)
    }
}

extension JSONValue {
    fileprivate subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.name == name }?.value
    }

    fileprivate var members: [JSONValue]? {
        guard case .object(let members) = self else { return nil }
        return members.map(\.value)
    }

    fileprivate var number: String? {
        guard case .number(let text) = self else { return nil }
        return text
    }
}

import Foundation
import LegacyMigration
import MusicLibrary
import Reprise
import TestSupport
import Testing

@testable import LegacyMigrator
@testable import PlaylistSources

/// Playlists whose file name another one had before, in a library that has their tracks.
@Suite struct SameNameTests {
    private let library: TemporaryLibrary
    private let directory: TemporaryDirectory

    init() throws {
        library = try TemporaryLibrary()
        directory = try TemporaryDirectory(named: "lists")
    }

    private func migrate(_ text: String, named name: String = "list.m3u8") throws -> MigrationReport {
        let path = directory.path(name)
        let folder = URL(filePath: path).deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        let playlist = try M3USource(path: path)
        let source = try playlist.naming(LibraryLocations(in: library.store, of: playlist))
        let report = try Migrator(replacing: source, store: library.store).run()
        let differences = try MigrationVerifier(source: source, store: library.store).run().differences
        #expect(!differences.contains { !$0.isChangedHere }, "\(differences)")
        return report
    }

    private func playlists() throws -> [Record] {
        try library.store.read { try $0.records(RecordQuery(model: "playlist")) }
    }

    private func tracks(of name: String) throws -> [String] {
        let playlist = try #require(try playlists().first { $0["name"] == .string(name) })
        return try library.entries(of: "tracks", "playlist", playlist.id)
    }

    private func location(_ id: String) throws -> String? {
        try library.store.fetch(Track.self, id: Track.ID(id))?.location
    }

    @Test func `the same file once more is none, wherever its tracks are now`() throws {
        let text = "#EXTM3U\n/m/1.mp3\n/m/2.mp3\n"
        _ = try migrate(text)
        let own = try tracks(of: "list")
        for id in own {
            let location = try #require(try location(id))
            _ = try library.store.write {
                try $0.insert(Track(id: Track.ID("L" + id), title: "", location: location))
            }
        }
        _ = try migrate(text)
        #expect(try tracks(of: "list") == own.map { "L" + $0 })
    }

    @Test func `the same file is none though the library has moved its files`() throws {
        let text = "#EXTM3U\n/m/1.mp3\n"
        _ = try library.store.write { try $0.insert(Track(id: "L", title: "", location: "/m/1.mp3")) }
        _ = try migrate(text)
        _ = try library.store.write {
            try $0.put(EntityReference(model: "track", id: "L"), values: ["location": .string("/new/1.mp3")])
        }
        _ = try migrate(text)
        #expect(try tracks(of: "list").map { try location($0) } == ["/m/1.mp3"])
    }

    @Test func `with a mapping that names tracks it keeps the entries that are the library's`() throws {
        _ = try library.store.write { try $0.insert(Track(id: "L", title: "", location: "/m/1.mp3")) }
        let path = directory.path("list.m3u8")
        try "#EXTM3U\n/m/1.mp3\n/m/2.mp3\n".write(toFile: path, atomically: false, encoding: .utf8)
        let playlist = try M3USource(path: path)
        let json = #"{"target":"music","classes":{"track":{"model":"track","id":"title"}}}"#
        let source = try MappedSource(
            playlist.naming(LibraryLocations(in: library.store, of: playlist)),
            RecordMapping(json: Array(json.utf8))
        )
        let report = try Migrator(replacing: source, store: library.store).run()
        #expect(report.warningCounts[.missingTarget] == nil)
        #expect(try tracks(of: "list") == ["L", "2"])
    }

    /// As the format page has it.
    @Test func `the log names the folder of a playlist`() throws {
        func payload(_ name: String) throws -> String {
            let key = "m3u:\(PlaylistLocation.fileName(of: directory.path("list.m3u8")))"
            let annotation = try library.store.read { try $0.annotation(name: name, key: key) }
            return String(decoding: try #require(annotation).payload, as: UTF8.self)
        }
        let folder = PlaylistLocation.folder(of: directory.path("list.m3u8"))
        _ = try migrate("#EXTM3U\n/m/1.mp3\n")
        #expect(try payload("migration.started").hasSuffix(#","bytes":17}"#))
        #expect(try payload("migration.finished").contains(#"","folder":"\#(folder)","first":"#))
    }

    @Test func `a newer one is none after a library has taken its tracks over`() throws {
        let places = (1...4).map { "/m/\($0).mp3\n" }
        _ = try migrate("#EXTM3U\n" + places.prefix(3).joined())
        for (number, place) in places.prefix(3).enumerated() {
            let location = place.trimmingCharacters(in: .newlines)
            _ = try library.store.write {
                try $0.insert(Track(id: Track.ID("L\(number)"), title: "", location: location))
            }
        }
        let report = try migrate("#EXTM3U\n" + places.joined())
        #expect(report.counts["track"]?.deleted == 3)
        #expect(try tracks(of: "list").prefix(3) == ["L0", "L1", "L2"])
    }

    @Test(arguments: [["/new/1.mp3", "/m/1.mp3"], ["/m/1.mp3", "/new/1.mp3"], ["/m/1.mp3", "/new/1.mp3", "/m/1.mp3"]])
    func `a track that moved and the one where it was are told from each other in a list`(places: [String]) throws {
        _ = try migrate("#EXTM3U\n/m/1.mp3\n", named: "first.m3u8")
        let moved = try #require(try tracks(of: "first").first)
        _ = try library.store.write {
            try $0.put(EntityReference(model: "track", id: moved), values: ["location": .string("/new/1.mp3")])
        }
        let text = "#EXTM3U\n" + places.map { $0 + "\n" }.joined()
        _ = try migrate(text)
        let found = try tracks(of: "list").map { try location($0) }
        #expect(found == places)
        #expect(try migrate(text).eventCount == 0)
        #expect(try location(moved) == "/new/1.mp3")
    }
}

import LegacyMigration
import MusicLibrary
import Reprise
import Testing

/// The tracks of a store by the places of their files, in memory or not.
struct LibraryLocationsTests {
    private let identity = SourceIdentity(kind: M3USource.kind, name: "list")

    /// A store in which tracks have been put by hand, in the order of their identifiers.
    private func library(_ locations: [(id: String, location: String)]) throws -> TemporaryLibrary {
        let library = try TemporaryLibrary()
        _ = try library.store.write { transaction in
            for (id, location) in locations {
                try transaction.put(
                    EntityReference(model: Track.schema.name, id: id),
                    values: [
                        "title": .string(id), "location": .string(location),
                        "isFavorite": .bool(false), "playCount": .int(0),
                    ]
                )
            }
        }
        return library
    }

    @Test(arguments: [0, 2000, 128 << 20])
    func `a track is found by its place, the first of several, in any normal form`(
        byteCount: Int
    ) throws {
        let places = (0..<300).map {
            (id: $0 % 2 == 0 ? InventedLibrary.key($0) : "odd\($0)", location: "/music/\($0).mp3")
        }
        let library = try library(
            places + [
                ("x1", "/m/caf\u{E9}.mp3"), ("x2", "/m/cafe\u{301}.mp3"),
                ("x3", "file:///m/cafe%CC%81.mp3"), ("x4", "/m/A\u{30A}.mp3"),
                ("x5", "/m/a\u{30A}.mp3"),
            ]
        )
        let locations = try RecordMemory.$byteCountMax.withValue(byteCount) {
            try LibraryLocations(in: library.store, except: identity)
        }
        for (id, location) in places { #expect(try locations.track(at: location) == id) }
        #expect(try locations.track(at: "/m/caf\u{E9}.mp3") == "x1")
        #expect(try locations.track(at: "/m/cafe\u{301}.mp3") == "x1")
        #expect(try locations.track(at: "/m/\u{212B}.mp3") == "x4")
        #expect(try locations.track(at: "/m/\u{E5}.mp3") == "x5")
        #expect(try locations.track(at: "/m/cafe.mp3") == nil)
        #expect(try locations.track(at: "/music/300.mp3") == nil)
        #expect(try locations.track(at: "") == nil)
    }

    @Test(arguments: [0, 128 << 20])
    func `a playlist of files that the library has names its tracks, and no track is its own`(
        byteCount: Int
    ) throws {
        let library = try library([("t1", "/m/a.mp3"), ("t2", "/m/caf\u{E9}.mp3")])
        let text = "/m/cafe\u{301}.mp3\n/m/a.mp3\n/m/new.mp3\n/m/a.mp3\n"
        try PlaylistFile.with("x.m3u8", text.utf8) { path in
            // Twice: the second time the store has a track of the playlist's own.
            for _ in 0..<2 {
                try RecordMemory.$byteCountMax.withValue(byteCount) {
                    let bare = try M3USource(path: path, name: "list")
                    let locations = try LibraryLocations(in: library.store, except: bare.identity)
                    let source = try M3USource(path: path, name: "list") {
                        try locations.track(at: $0)
                    }
                    let readout = try Readout(source)
                    #expect(readout.locations == ["/m/new.mp3"])
                    let own = try #require(readout.keys("track").first)
                    #expect(readout.playlistEntries == ["t2", "t1", own, "t1"])
                    _ = try Migrator(replacing: source, store: library.store).run()
                }
            }
        }
        #expect(
            try library.store.read { try $0.count(RecordQuery(model: Track.schema.name)) } == 3
        )
    }

    @Test func `what goes wrong while a track is looked up ends the reading`() throws {
        let text = "/m/a.mp3\n"
        try PlaylistFile.with("x.m3u8", text.utf8) { path in
            let source = try M3USource(path: path) { _ in
                throw LegacyError(.inputOutput, "No room.", advice: "Make some.")
            }
            #expect(try code { _ = try Readout(source) } == .inputOutput)
        }
    }

    @Test func `places that are equal as texts have one hash, others another one`() {
        #expect(PlaceHash("caf\u{E9}") == PlaceHash("cafe\u{301}"))
        #expect(PlaceHash("\u{1E9B}\u{323}") == PlaceHash("\u{17F}\u{323}\u{307}"))
        #expect(PlaceHash("cafe") != PlaceHash("caf\u{E9}"))
        #expect(PlaceHash("a") != PlaceHash("A"))
        #expect(PlaceHash("") != PlaceHash("\u{0}"))
    }
}

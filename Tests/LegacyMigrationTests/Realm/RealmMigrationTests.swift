import Foundation
import LegacyMigration
import MusicLibrary
import Reprise
import Testing

@Suite struct RealmMigrationTests {
    private static func migrate(
        _ path: String,
        key: [UInt8]? = nil,
        into library: TemporaryLibrary,
        progress: (MigrationProgress) -> Bool = { _ in true }
    ) throws -> MigrationReport {
        let source = try RealmLibrarySource(path: path, key: key)
        let options = Migrator.Options(replacesEverything: true)
        return try Migrator(source: source, store: library.store, options: options)
            .run(progress: progress)
    }

    private static func verify(
        _ path: String,
        _ library: TemporaryLibrary
    ) throws -> MigrationVerification {
        let source = try RealmLibrarySource(path: path)
        return try MigrationVerifier(source: source, store: library.store).run()
    }

    /// What differs between the store and what realm-core says of the file: every record and list is compared.
    private func differences(_ library: TemporaryLibrary, _ truth: RealmTruth) throws -> [String] {
        var found: [String] = []
        func check(_ isRight: Bool, _ what: @autoclosure () -> String) {
            if !isRight { found.append(what()) }
        }
        try library.store.read { state in
            check(
                try state.count(FetchDescriptor<Track>()) == truth.tracks.count,
                "number of tracks"
            )
            check(
                try state.count(FetchDescriptor<Album>()) == truth.albums.count,
                "number of albums"
            )
            check(
                try state.count(FetchDescriptor<Playlist>()) == truth.playlists.count,
                "number of playlists"
            )
            for (id, expected) in truth.tracks {
                guard let track = try state.fetch(Track.self, id: .init(id)) else {
                    found.append("no track \(id)")
                    continue
                }
                check(track.title.utf8.elementsEqual(expected.title.utf8), "title of \(id)")
                check(
                    (track.artist ?? "").utf8.elementsEqual(expected.artist.utf8),
                    "artist of \(id)"
                )
                check(track.duration?.bitPattern == expected.durationBits, "duration of \(id)")
                check(track.genre == expected.genre, "genre of \(id)")
                let date = track.releaseDate?.timeIntervalSince1970
                let isSameDate =
                    switch (date, expected.releaseSeconds) {
                    case (nil, nil): true
                    case (let date?, let seconds?): abs(date - Double(seconds)) <= 1
                    default: false
                    }
                check(isSameDate, "date of \(id)")
            }
            for (id, expected) in truth.albums {
                guard let album = try state.fetch(Album.self, id: .init(id)) else {
                    found.append("no album \(id)")
                    continue
                }
                check(album.title == expected.title, "title of album \(id)")
                let tracks = try state.entries(Album.tracks, of: album.id)
                check(tracks.map(\.target.rawValue) == expected.tracks, "tracks of album \(id)")
                for track in tracks {
                    let owner = try state.fetch(Track.self, id: track.target)?.album
                    check(owner == album.id, "album of \(track.target)")
                }
            }
            // An empty primary key is no identifier: its playlist is told by its name.
            for (id, expected) in truth.playlists {
                let named = try state.fetch(
                    FetchDescriptor<Playlist>().where { $0.name == expected.name }
                )
                guard let playlist = named.first(where: { id.isEmpty || $0.id.rawValue == id })
                else {
                    found.append("no playlist \(id)")
                    continue
                }
                let entries = try state.entries(Playlist.tracks, of: playlist.id)
                check(entries.map(\.target.rawValue) == expected.tracks, "tracks of playlist \(id)")
            }
        }
        return found
    }

    /// In, compared, in again, and out.
    private func expectRoundTrip(_ path: String, truth: String) throws {
        let library = try TemporaryLibrary()
        let before = try library.digest
        let report = try Self.migrate(path, into: library)
        let truth = try RealmTruth(path: truth)
        #expect(!truth.tracks.isEmpty)
        #expect(try differences(library, truth) == [])
        let soundness = try library.store.verify()
        #expect(soundness.isSound, "\(soundness)")

        let comparison = try Self.verify(path, library)
        #expect(comparison.isEqual, "\(comparison.differences.prefix(3))")
        #expect(comparison.recordCounts["track"] == report.counts["track"]?.read)

        let head = try library.head
        let again = try Self.migrate(path, into: library)
        #expect(again.writtenCount == 0 && again.eventCount == 0)
        #expect(try library.head == head)

        let snapshot = try #require(report.snapshotBefore)
        try library.store.rollback(to: .snapshot(snapshot))
        #expect(try library.digest == before)
    }

    @Test(arguments: ["music_tiny", "music_100", "unresolved"])
    func `a Realm file goes in, is compared, writes nothing again, and goes back`(name: String)
        throws
    {
        try expectRoundTrip(
            Repository.realm("\(name).realm"),
            truth: Repository.realm("\(name).truth.ndjson")
        )
    }

    @Test(
        .enabled(if: Repository.hasFixtures, "the larger Realm files are not here"),
        arguments: [
            ("music_10k", "music_10k"), ("old_fmt9_5k", "old_fmt9_5k"),
            ("old_fmt20_5k", "old_fmt11_5k"),
        ]
    )
    func `so do large ones and those of older versions`(name: String, truth: String) throws {
        try expectRoundTrip(
            Repository.sharedRealm("\(name).realm"),
            truth: Repository.sharedRealm("\(truth).truth.ndjson")
        )
    }

    @Test func `an encrypted file arrives like the plain one`() throws {
        let plain = try TemporaryLibrary()
        _ = try Self.migrate(Repository.realm("music_100.realm"), into: plain)
        let key = [UInt8](try Data(contentsOf: URL(filePath: Repository.realm("encrypted.key"))))
        for name in ["music_100_encrypted.realm", "music_100_compact_encrypted.realm"] {
            let library = try TemporaryLibrary()
            _ = try Self.migrate(Repository.realm(name), key: key, into: library)
            #expect(try library.digest == plain.digest)
        }
        let error = #expect(throws: LegacyError.self) {
            try RealmLibrarySource(
                path: Repository.realm("music_100_encrypted.realm"),
                key: key.map { $0 ^ 1 }
            )
        }
        #expect(error?.code == .wrongKey)
    }

    @Test func `a damaged file is refused and nothing of it is written`() throws {
        let whole = [UInt8](
            try Data(contentsOf: URL(filePath: Repository.realm("music_100.realm")))
        )
        var random = SeededGenerator(seed: 4)
        var refusals = 0
        for _ in 0..<60 {
            var bytes = whole
            for _ in 0..<4 {
                bytes[Int.random(in: 24..<bytes.count, using: &random)] ^= UInt8.random(
                    in: 1...255,
                    using: &random
                )
            }
            let library = try TemporaryLibrary()
            let digest = try library.digest
            try TemporaryFile.with(bytes) { path in
                do {
                    _ = try Self.migrate(path, into: library)
                } catch let error as LegacyError {
                    refusals += 1
                    #expect(
                        [.damaged, .truncated, .notALibrary, .unsupportedVersion, .unknownFormat]
                            .contains(error.code)
                    )
                    #expect(try library.digest == digest)
                }
            }
            #expect(try library.store.verify().isSound)
        }
        #expect(refusals > 10)
    }

    @Test func `a migration that is cancelled leaves nothing`() throws {
        let path = Repository.realm("music_100.realm")
        let unbroken = try TemporaryLibrary()
        _ = try Self.migrate(path, into: unbroken)
        var calls = 1
        while true {
            let library = try TemporaryLibrary()
            var count = 0
            do {
                _ = try Self.migrate(path, into: library) { _ in
                    count += 1
                    return count < calls
                }
                break
            } catch let error as MigrationError {
                #expect(error.code == .cancelled)
            }
            #expect(try MigrationRecord.all(in: library.store).isEmpty)
            try library.reopen()
            _ = try Self.migrate(path, into: library)
            #expect(try library.digest == unbroken.digest, "after \(calls) calls")
            calls += 1
        }
        #expect(calls > 1)
    }

    @Test func `what cannot be taken over is counted`() throws {
        let library = try TemporaryLibrary()
        let tiny = try Self.migrate(Repository.realm("music_tiny.realm"), into: library)
        #expect(tiny.warningCounts == [.missingKey: 1, .roundedDate: 2])
        let other = try TemporaryLibrary()
        let unresolved = try Self.migrate(Repository.realm("unresolved.realm"), into: other)
        #expect(unresolved.warningCounts == [.unresolvedLink: 1])
    }

    /// The keys of Specs/format/migration.md, whose digits were calculated apart.
    @Test func `an object without a usable primary key has a key for ever`() throws {
        let library = try TemporaryLibrary()
        _ = try Self.migrate(Repository.realm("music_tiny.realm"), into: library)
        let empty = try library.store.fetch(
            Playlist.self,
            id: "080cb18da23c16cf4491ffe3e4ba24ec"
        )
        #expect(empty?.name == "empty pk & empty list")
    }

    @Test func `objects of a second class of one model keep keys of their own`() throws {
        var bytes = [UInt8](
            try Data(contentsOf: URL(filePath: Repository.realm("music_tiny.realm")))
        )
        // The albums become tracks by their name, and stand before the tracks in the file.
        let name = Array("class_RealmAlbum".utf8)
        let places = bytes.indices.filter { bytes[$0...].starts(with: name) }
        #expect(!places.isEmpty)
        for place in places { bytes.replaceSubrange(place + 11..<place + 16, with: "Songs".utf8) }
        let library = try TemporaryLibrary()
        try TemporaryFile.with(bytes) { path in
            let source = try RealmLibrarySource(path: path, name: "app")
            let report = try Migrator(replacing: source, store: library.store).run()
            #expect(report.counts["track"]?.inserted == 5)
            #expect(try MigrationVerifier(source: source, store: library.store).run().isEqual)
        }
        #expect(
            try library.store.fetch(Track.self, id: "a-1")?.title == "The Dark Side of the Moon"
        )
        #expect(try library.store.fetch(Track.self, id: "t-1") == nil)
        let second = "08f2d07b83304901474a576d0fa32dbd"
        #expect(try library.store.fetch(Track.self, id: .init(second))?.title == "Speak to Me")
        let entries = try library.entries(of: "p-1").map(\.target.rawValue)
        #expect(entries.count == 6 && entries[1] == second)
    }

    @Test func `a comparison tells every kind of difference`() throws {
        let path = Repository.realm("music_100.realm")
        let library = try TemporaryLibrary()
        #expect(throws: MigrationError.self) { try Self.verify(path, library) }
        _ = try Self.migrate(path, into: library)
        let (ids, playlist) = try library.store.read { state in
            let tracks = try state.fetch(FetchDescriptor<Track>().sorted(by: \.id))
            // One without a genre stands last.
            let nameless = try #require(tracks.dropFirst(3).first { $0.genre == nil })
            let ids = tracks.prefix(3).map(\.id) + [nameless.id]
            let playlists = try state.fetch(FetchDescriptor<Playlist>())
            let longest = try playlists.max {
                try state.entries(Playlist.tracks, of: $0.id).count
                    < state.entries(Playlist.tracks, of: $1.id).count
            }
            return (ids, try #require(longest).id)
        }
        try library.store.write { transaction in
            try transaction.update(Track.self, id: ids[0]) { $0.title += "!" }
            try transaction.update(Track.self, id: ids[1]) { $0.duration = nil }
            // Nothing in the export is not an empty text.
            try transaction.update(Track.self, id: ids[3]) { $0.genre = "" }
            // The export has no word for a year.
            try transaction.update(Track.self, id: ids[3]) { $0.year = 1999 }
            try transaction.insert(Track(id: "mine", title: "mine", album: nil))
            try transaction.delete(Track.self, id: ids[2])
            let first = try #require(try transaction.entries(Playlist.tracks, of: playlist).first)
            try transaction.move(Playlist.tracks, entry: first.id, of: playlist, to: .last)
        }
        let report = try Self.verify(path, library)
        #expect(!report.isEqual)
        #expect(report.differenceCounts[.differentValue] == 3)
        #expect(report.differenceCounts[.missing] == 1)
        #expect((report.differenceCounts[.differentList] ?? 0) >= 1)
        let values = report.differences.filter { $0.kind == .differentValue }
        #expect(Set(values.map(\.name)) == ["title", "duration", "genre"])
        #expect(!values.contains { !$0.isChangedHere })
    }

    @Test func `what was changed here stays when the same file is migrated again`() throws {
        let path = Repository.realm("music_100.realm")
        let library = try TemporaryLibrary()
        _ = try Self.migrate(path, into: library)
        let id = try #require(
            try library.store.read { try $0.fetch(FetchDescriptor<Track>()).first?.id }
        )
        _ = try library.store.write { transaction in
            try transaction.update(Track.self, id: id) {
                $0.year = 1999
                $0.title = "changed"
            }
        }
        let report = try Self.migrate(path, into: library)
        #expect(report.eventCount == 0)
        #expect(report.warningCounts[.localChangeKept] == 1)
        let track = try #require(try library.store.fetch(Track.self, id: id))
        #expect(track.year == 1999)
        #expect(track.title == "changed")
    }

    @Test func `what the export lost is surplus, until it is migrated again`() throws {
        let library = try TemporaryLibrary()
        let large = try RealmLibrarySource(path: Repository.realm("music_100.realm"), name: "app")
        let small = try RealmLibrarySource(path: Repository.realm("music_tiny.realm"), name: "app")
        _ = try Migrator(replacing: large, store: library.store).run()
        let before = try MigrationVerifier(source: small, store: library.store).run()
        #expect(before.differenceCounts[.surplus] == 93)
        #expect(before.differenceCounts[.missing] == 7)
        let report = try Migrator(replacing: small, store: library.store).run()
        #expect(report.counts["track"]?.deleted == 83)
        let after = try MigrationVerifier(source: small, store: library.store).run()
        #expect(after.isEqual, "\(after.differences.prefix(3))")
    }
}

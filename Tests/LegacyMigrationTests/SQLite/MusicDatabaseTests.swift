import Foundation
import LegacyMigration
import Reprise
import Testing

/// The made-up music library of the Realm fixtures, as two imitations of other stores hold it: every record and every
/// list against what realm-core says of the Realm file.
@Suite(.enabled(if: Repository.hasDatabases, "the shared databases are not here"))
struct MusicDatabaseTests {
    private static func truth() throws -> RealmTruth {
        try RealmTruth(path: Repository.sharedRealm("music_10k.truth.ndjson"))
    }

    private static func text(_ record: LegacyRecord, _ name: String) -> String? {
        guard case .string(let text) = record[name] else { return nil }
        return text
    }

    private func differences(
        _ readout: Readout,
        _ truth: RealmTruth,
        className: String,
        id: (LegacyRecord) -> String?,
        text: (LegacyRecord, String) -> String?
    ) throws -> [String] {
        var found: [String] = []
        var seen: Set<String> = []
        for record in readout.records where record.className == className {
            guard let key = id(record), let expected = truth.tracks[key] else {
                found.append("unknown track \(record.key)")
                continue
            }
            if !seen.insert(key).inserted { found.append("twice \(key)") }
            if text(record, "title")?.utf8.elementsEqual(expected.title.utf8) != true {
                found.append("title \(key)")
            }
            if text(record, "artist") != expected.artist { found.append("artist \(key)") }
            if text(record, "genre") != expected.genre { found.append("genre \(key)") }
            var bits: UInt64?
            if case .double(let value) = record["duration"] { bits = value.bitPattern }
            let duration = Double(bitPattern: expected.durationBits)
            if duration.isNaN ? bits != nil : bits != expected.durationBits {
                found.append("duration \(key)")
            }
        }
        if seen.count != truth.tracks.count { found.append("\(seen.count) tracks") }
        return found
    }

    @Test func `a database in the form of SQLiteData has every track, album and playlist`() throws {
        let path = Repository.sharedDatabase("sqlite/synthetic_sqlitedata_10k.db")
        let source = try SQLiteDatabaseSource(path: path)
        #expect(
            source.identity == SourceIdentity(kind: "sqlite", name: "synthetic_sqlitedata_10k.db")
        )
        let readout = try Readout(source)
        let truth = try Self.truth()
        let ids = Dictionary(uniqueKeysWithValues: truth.tracks.keys.map { ($0.lowercased(), $0) })
        #expect(
            try differences(
                readout,
                truth,
                className: "tracks",
                id: { ids[$0.key] },
                text: Self.text
            ) == []
        )
        for record in readout.records where record.className == "tracks" {
            let expected = try #require(ids[record.key].flatMap { truth.tracks[$0] })
            guard case .date(let date) = record["releaseDate"] else {
                #expect(expected.releaseSeconds == nil)
                continue
            }
            let seconds = try #require(expected.releaseSeconds)
            #expect(abs(date.timeIntervalSince1970 - Double(seconds)) <= 1)
        }
        #expect(readout.reading.recordCounts == ["albums": 833, "tracks": 8677, "playlists": 50])

        for (id, playlist) in truth.playlists where !playlist.tracks.isEmpty {
            let members = readout.members("playlists", id.lowercased(), "tracks")
            #expect(members == playlist.tracks.map { $0.lowercased() }, "\(id)")
        }
        #expect(readout.lists.reduce(0) { $0 + $1.members.count } == 6628)
        // The members of an album stand in the order of the records.
        var albums: [String: [String]] = [:]
        for record in readout.records where record.className == "tracks" {
            if case .reference(let album) = record["albumID"] {
                albums[album, default: []].append(record.key)
            }
        }
        for (id, album) in truth.albums where !album.tracks.isEmpty {
            #expect(albums[id.lowercased()] == album.tracks.map { $0.lowercased() }, "album \(id)")
        }
        // The file was taken without its log.
        #expect(readout.kinds() == ["bookkeepingTable", "guessedDate", "guessedFlag", "joinTable", "missingLog"])
    }

    @Test func `a database in the form of SwiftData has every track, album and playlist`() throws {
        let path = Repository.sharedDatabase("sqlite/synthetic_swiftdata_10k.store")
        #expect(try SQLiteFormat.isCoreData(path: path))
        let source = try CoreDataSource(path: path)
        #expect(
            source.identity
                == SourceIdentity(kind: "coredata", name: "00000000-0000-0000-0000-000000000005")
        )
        let readout = try Readout(source)
        let truth = try Self.truth()
        func id(_ record: LegacyRecord) -> String? {
            guard case .string(let text) = record["id_2"] else { return nil }
            return text
        }
        #expect(
            try differences(readout, truth, className: "Track", id: id, text: Self.text) == []
        )
        #expect(readout.reading.recordCounts == ["Album": 833, "Track": 8677, "Playlist": 50])
        var ids: [String: String] = [:]
        var albums: [String: [String]] = [:]
        for record in readout.records {
            ids["\(record.className) \(record.key)"] = id(record)
            guard record.className == "Track" else { continue }
            let track = try #require(id(record))
            let expected = try #require(truth.tracks[track])
            if case .date(let date) = record["releasedate"] {
                let seconds = try #require(expected.releaseSeconds)
                #expect(abs(date.timeIntervalSince1970 - Double(seconds)) <= 1)
            } else {
                #expect(expected.releaseSeconds == nil)
            }
            if case .reference(let album) = record["album"] {
                let albumID = try #require(ids["Album \(album)"])
                albums[albumID, default: []].append(track)
            }
        }
        for (id, album) in truth.albums {
            #expect(Set(albums[id] ?? []) == Set(album.tracks), "album \(id)")
        }
        // The imitation's join table cannot repeat a track: what is there is what the list has, once.
        var entryCount = 0
        for list in readout.lists {
            #expect(list.className == "Playlist" && list.name == "tracks")
            let playlistID = try #require(ids["Playlist \(list.key)"])
            let playlist = try #require(truth.playlists[playlistID])
            let members = list.members.compactMap { ids["Track \($0)"] }
            #expect(Set(members) == Set(playlist.tracks) && members.count == Set(members).count)
            entryCount += members.count
        }
        #expect(entryCount == 5311)
        // Of the playlists' tracks, and of the albums'.
        #expect(readout.count(.orderUnknown) == 2)
    }

    @Test func `a newer copy of the same database has the same hash and records`() throws {
        let path = Repository.sharedDatabase("sqlite/synthetic_swiftdata_10k.store")
        let source = try CoreDataSource(path: path)
        let first = try Readout(source)
        let second = try Readout(source)
        #expect(first.records == second.records && first.lists == second.lists)
        #expect(try source.contentHash { _ in } == first.reading.contentHash)
        var last: UInt64 = 0
        for step in first.progress {
            #expect(step.bytesRead >= last && step.bytesRead <= step.byteCount)
            last = step.bytesRead
        }
        #expect(last == source.byteCount)
    }
}

import Foundation
import LegacyMigration
import MusicLibrary
import Reprise
import Testing

/// A library that is migrated, worked on for a week and migrated again, of which the first migration is then taken
/// back: what is left is what a naive reading of HIS-52 to HIS-55 says.
@Suite struct RevertedMigrationTests {
    private static var libraries: [String] {
        [Repository.sample] + (Repository.hasFixtures ? [Repository.fixture("library_1779_tracks.xml")] : [])
    }

    @Test(arguments: libraries)
    func `what was worked on since stays, and all else that the migration brought goes`(path: String) throws {
        let library = try TemporaryLibrary()
        let store = library.store
        func migrate(_ path: String) throws -> MigrationReport {
            let options = Migrator.Options(replacesEverything: true)
            return try Migrator(source: try ITunesLibrarySource(path: path), store: store, options: options).run()
        }
        let first = try migrate(path)
        let brought = try NaiveLibrary(store)
        var week = Week(seed: 7)
        try week.work(on: store)
        let newer = library.path + ".newer.xml"
        defer { try? FileManager.default.removeItem(atPath: newer) }
        try week.export(path, to: newer)
        let second = try migrate(newer)
        let before = try NaiveLibrary(store)
        let digest = try store.digest()

        // HIS-116: all that is left of the first export the newer one has as well, or it was changed here.
        let asMigration = try store.revert(migration: first.migration, resolving: .ours)
        #expect(asMigration.newerMigrations == [second.migration])
        #expect(asMigration.report.isDone && asMigration.report.commit == nil)
        #expect(try store.digest() == digest)

        // The commit by itself.
        let open = try store.revert(correlation: first.migration)
        #expect(!open.isDone && open.commit == nil)
        #expect(try store.digest() == digest)
        let report = try store.revert(correlation: first.migration, resolving: .ours)
        #expect(report.isDone)
        #expect(Set(report.settled) == Set(open.conflicts))

        let gone = before.gone(brought: brought)
        #expect(gone.count > before.rows.count / 10 && gone.count < before.rows.count)
        let expected = before.without(gone)
        let after = try NaiveLibrary(store)
        #expect(Set(after.rows.keys) == Set(expected.rows.keys))
        for (entity, row) in expected.rows {
            let found = after.rows[entity]
            #expect(found == row, "\(entity)")
        }
        #expect(try store.verify().isSound)
        let commit = try #require(report.commit)
        #expect(try store.revert(commits: [commit]).isDone)
        #expect(try store.digest() == digest)
    }
}

extension Store {
    fileprivate func digest() throws -> StateDigest { try read { $0.digest } }
}

/// All rows of a music library, as their values by name, with the entries of playlists.
private struct NaiveLibrary {
    struct Row: Equatable {
        var values: [String: Value]
        var entries: [EntryID]

        /// Where its to-ones lead.
        func targets(_ model: String) -> [EntityReference] {
            let name = model == "track" ? "album" : "parent"
            guard case .reference(let id)? = values[name] else { return [] }
            return [EntityReference(model: model == "track" ? "album" : "playlist", id: id)]
        }
    }

    var rows: [EntityReference: Row] = [:]

    init(_ store: Store) throws {
        var rows: [EntityReference: Row] = [:]
        try store.read { state in
            for model in ["track", "album", "playlist"] {
                try state.forEachRecord(RecordQuery(model: model)) { record in
                    let values = Dictionary(uniqueKeysWithValues: record.values.map { ($0.name, $0.value) })
                    rows[EntityReference(model: model, id: record.id)] = Row(values: values, entries: [])
                    return true
                }
            }
            for reference in rows.keys where reference.model == "playlist" {
                rows[reference]?.entries = try state.entries(of: "tracks", model: "playlist", id: reference.id)
            }
        }
        self.rows = rows
    }

    private init(rows: [EntityReference: Row]) { self.rows = rows }

    /// What goes when a migration is taken back: what it brought, is as it brought it, and is used by nothing that
    /// stays.
    func gone(brought: NaiveLibrary) -> Set<EntityReference> {
        var gone: Set<EntityReference> = []
        for (reference, then) in brought.rows {
            guard let now = rows[reference], now.values == then.values else { continue }
            let known = Set(then.entries)
            if now.entries.allSatisfy(known.contains) { gone.insert(reference) }
        }
        while true {
            var used: Set<EntityReference> = []
            for (reference, row) in rows where !gone.contains(reference) {
                used.formUnion(row.targets(reference.model))
                used.formUnion(row.entries.map { EntityReference(model: "track", id: $0.target) })
            }
            let next = gone.subtracting(used)
            if next == gone { return gone }
            gone = next
        }
    }

    func without(_ gone: Set<EntityReference>) -> NaiveLibrary {
        NaiveLibrary(rows: rows.filter { !gone.contains($0.key) })
    }
}

/// What somebody does in a week, and what the other program has after it.
private struct Week {
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    private mutating func some<Element>(_ elements: [Element], _ part: Int) -> [Element] {
        Array(elements.shuffled(using: &random).prefix(max(2, elements.count / part)))
    }

    mutating func work(on store: Store) throws {
        for day in 0..<7 {
            let tracks = try store.fetch(Track.self).map(\.id).sorted { $0.rawValue < $1.rawValue }
            let albums = try store.fetch(Album.self).map(\.id).sorted { $0.rawValue < $1.rawValue }
            let lists = try store.fetch(Playlist.self).map(\.id).sorted { $0.rawValue < $1.rawValue }
            let (renamed, rated, moved) = (some(tracks, 60), some(tracks, 40), some(tracks, 150))
            let (chosen, deleted) = (some(tracks, 100), some(tracks, 300))
            let (album, list) = (albums[day % albums.count], lists[day % lists.count])
            try store.write(CommitContext(intent: "edit", actor: "anna")) { tx in
                for id in renamed { try tx.update(Track.self, id: id) { $0.title += " (\(day))" } }
                for id in rated { try tx.update(Track.self, id: id) { $0.rating = 10 * day } }
            }
            try store.write(CommitContext(intent: "collect", actor: "ben")) { tx in
                let own = Playlist(id: Playlist.ID("own \(day)"), name: "Day \(day)")
                try tx.insert(own)
                try tx.append(Playlist.tracks, of: own.id, contentsOf: chosen)
                if day.isMultiple(of: 3) { try tx.append(Playlist.tracks, of: list, contentsOf: chosen) }
                for id in moved { try tx.update(Track.self, id: id) { $0.album = album } }
                try tx.insert(Track(id: Track.ID("new \(day)"), title: "New", album: album))
            }
            try store.write(CommitContext(intent: "tidy", actor: "anna")) { tx in
                for id in deleted { try tx.delete(Track.self, id: id) }
            }
        }
    }

    /// The library as the other program has it by now: without some tracks, with other names of some, with new ones.
    mutating func export(_ path: String, to newer: String) throws {
        let data = try Data(contentsOf: URL(filePath: path))
        var library = try #require(
            unsafe try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any]
        )
        var tracks = try #require(library["Tracks"] as? [String: [String: Any]])
        let keys = tracks.keys.sorted()
        for key in some(keys, 60) { tracks[key] = nil }
        for key in some(keys, 60) where tracks[key] != nil { tracks[key]?["Name"] = "Other \(key)" }
        for number in 0..<5 {
            var track = try #require(tracks.values.first { $0["Track Type"] as? String == "File" })
            let key = "\(900_000 + number)"
            track["Track ID"] = 900_000 + number
            track["Persistent ID"] = "ABCDEF000000000\(number)"
            track["Name"] = "Bought \(number)"
            tracks[key] = track
        }
        library["Tracks"] = tracks
        let written = try PropertyListSerialization.data(fromPropertyList: library, format: .xml, options: 0)
        try written.write(to: URL(filePath: newer))
    }
}

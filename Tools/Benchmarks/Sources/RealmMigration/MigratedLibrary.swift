import Foundation
import LegacyMigration
import MusicLibrary
public import Reprise

/// A store that a Realm file was migrated into, and its rows in memory, from where they can be inserted into another.
///
/// A module of its own, because the benchmark's tracks and those of the music library have the same name.
public final class MigratedLibrary {
    public struct Counts: Equatable, Sendable {
        public var albums = 0
        public var tracks = 0
        public var playlists = 0
        public var entries = 0
        /// Bytes of identifiers and texts.
        public var textBytes = 0
    }

    private struct FilledAlbum {
        let album: Album
        let tracks: [Track]
    }

    private struct FilledPlaylist {
        let playlist: Playlist
        let tracks: [Track.ID]
    }

    private static let batchCount = 5000

    public let store: Store
    private var albums: [FilledAlbum] = []
    private var otherTracks: [Track] = []
    private var playlists: [FilledPlaylist] = []

    /// Examines, parses and migrates a file into a new store.
    public init(fromRealm file: String, into directory: String) throws {
        store = try Store.open(at: directory, schema: MusicLibrary.schema)
        let source = try RealmLibrarySource(path: file)
        _ = try Migrator(source: source, store: store).run()
    }

    public func close() {
        store.close()
    }

    /// Reads all rows into memory.
    public func gather() throws {
        try store.read { state in
            try state.forEach(FetchDescriptor<Album>()) { album in
                let tracks = try state.entries(Album.tracks, of: album.id).compactMap {
                    try state.fetch(Track.self, id: $0.target)
                }
                albums.append(FilledAlbum(album: album, tracks: tracks))
                return true
            }
            try state.forEach(FetchDescriptor<Track>()) { track in
                if track.album == nil { otherTracks.append(track) }
                return true
            }
            try state.forEach(FetchDescriptor<Playlist>()) { playlist in
                let tracks = try state.entries(Playlist.tracks, of: playlist.id).map(\.target)
                playlists.append(FilledPlaylist(playlist: playlist, tracks: tracks))
                return true
            }
        }
    }

    /// How many rows were gathered, and entries of playlists.
    public var counts: Counts {
        Counts(
            albums: albums.count,
            tracks: albums.reduce(otherTracks.count) { $0 + $1.tracks.count },
            playlists: playlists.count,
            entries: playlists.reduce(0) { $0 + $1.tracks.count },
            textBytes: textBytes
        )
    }

    private var textBytes: Int {
        func bytes(_ tracks: [Track]) -> Int {
            tracks.reduce(0) { sum, track in
                let optional = (track.artist?.utf8.count ?? 0) + (track.genre?.utf8.count ?? 0)
                return sum + track.id.rawValue.utf8.count + track.title.utf8.count + optional
            }
        }
        return bytes(otherTracks)
            + albums.reduce(0) { sum, filled in
                let album = filled.album
                return sum + album.id.rawValue.utf8.count + album.title.utf8.count + bytes(filled.tracks)
            }
            + playlists.reduce(0) { sum, filled in
                sum + filled.playlist.id.rawValue.utf8.count + filled.playlist.name.utf8.count
            }
    }

    /// Inserts what was gathered into a new store by a bulk load, in batches as large as the migrator's: each album and
    /// its tracks, the other tracks, the playlists with their entries.
    public func insertFromMemory(into directory: String) throws -> Store {
        let copy = try Store.open(at: directory, schema: MusicLibrary.schema)
        try copy.bulkLoad { loader in
            var next = 0
            while next < albums.count {
                try loader.batch { transaction in
                    var count = 0
                    while next < albums.count, count < Self.batchCount {
                        try transaction.insert(albums[next].album)
                        for track in albums[next].tracks { try transaction.insert(track) }
                        count += 1 + albums[next].tracks.count
                        next += 1
                    }
                }
            }
            for start in stride(from: 0, to: otherTracks.count, by: Self.batchCount) {
                try loader.batch { transaction in
                    for track in otherTracks[start...].prefix(Self.batchCount) {
                        try transaction.insert(track)
                    }
                }
            }
            for filled in playlists {
                try loader.batch { transaction in
                    try transaction.insert(filled.playlist)
                    for track in filled.tracks {
                        _ = try transaction.link(
                            Playlist.tracks,
                            from: filled.playlist.id,
                            to: track
                        )
                    }
                }
            }
        }
        return copy
    }

    /// Whether another store has the same rows and the same lists in the same order.
    public func isSame(as other: Store) throws -> Bool {
        let copy = MigratedLibrary(of: other)
        try copy.gather()
        return counts == copy.counts
            && zip(albums, copy.albums).allSatisfy { $0.album == $1.album && $0.tracks == $1.tracks }
            && otherTracks == copy.otherTracks
            && zip(playlists, copy.playlists).allSatisfy {
                $0.playlist == $1.playlist && $0.tracks == $1.tracks
            }
    }

    private init(of store: Store) {
        self.store = store
    }
}

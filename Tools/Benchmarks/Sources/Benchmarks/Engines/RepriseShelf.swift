import Foundation
import Reprise

final class RepriseShelf: ShelfEngine {
    static let participant = Participant.reprise

    private let store: Store

    private init(_ store: Store) {
        self.store = store
    }

    private static func path(in directory: URL) -> String {
        directory.appending(path: "shelf.reprise").path
    }

    convenience init(in directory: URL, filledBy plan: ShelfPlan) throws {
        let store = try Store.open(
            at: Self.path(in: directory),
            schema: Schema(ShelfAlbum.self, ShelfTrack.self, ShelfPlaylist.self)
        )
        self.init(store)
        try store.write { transaction in
            for i in 0..<plan.albumCount {
                try transaction.insert(
                    ShelfAlbum(id: ShelfAlbum.ID(plan.albumID(i)), title: "album \(i)")
                )
            }
            for i in 0..<plan.trackCount {
                try transaction.insert(
                    ShelfTrack(
                        id: ShelfTrack.ID(plan.trackID(i)),
                        title: "track \(i)",
                        duration: Double(i % 600),
                        album: ShelfAlbum.ID(plan.albumID(i / plan.tracksPerAlbum))
                    )
                )
            }
        }
        try store.write { transaction in
            for i in 0..<plan.playlistCount {
                let id = ShelfPlaylist.ID(plan.playlistID(i))
                try transaction.insert(ShelfPlaylist(id: id, name: "playlist \(i)"))
                for place in 0..<plan.entriesPerPlaylist {
                    let track = plan.trackID(plan.track(inPlaylist: i, at: place))
                    try transaction.link(ShelfPlaylist.tracks, from: id, to: ShelfTrack.ID(track))
                }
            }
        }
    }

    func close() {
        store.close()
    }

    func deleteAlbums(_ ids: [String]) throws {
        try store.write { transaction in
            for id in ids { try transaction.delete(ShelfAlbum.self, id: ShelfAlbum.ID(id)) }
        }
    }

    func counts() throws -> ShelfCounts {
        try Self.counts(of: ShelfAlbum.self, ShelfTrack.self, ShelfPlaylist.tracks, in: store)
    }

    private static func counts<Album: Model, Track: Model, Playlist: Model>(
        of albums: Album.Type,
        _ tracks: Track.Type,
        _ lists: Relationship<Playlist, Track>,
        in store: Store
    ) throws -> ShelfCounts {
        try store.read { transaction in
            var entries = 0
            for playlist in try transaction.fetch(FetchDescriptor<Playlist>()) {
                entries += try transaction.entries(lists, of: playlist.id).count
            }
            return ShelfCounts(
                albums: try transaction.count(FetchDescriptor<Album>()),
                tracks: try transaction.count(FetchDescriptor<Track>()),
                entries: entries
            )
        }
    }

    private static func openKept(in directory: URL) throws -> Store {
        try Store.open(
            at: path(in: directory),
            schema: Schema(KeptShelfAlbum.self, KeptShelfTrack.self, KeptShelfPlaylist.self)
        )
    }

    static func keepTracksOfDeletedAlbums(in directory: URL) throws {
        try openKept(in: directory).close()
    }

    static func countsWithoutFirstAlbum(in directory: URL, _ plan: ShelfPlan) throws -> ShelfCounts {
        let store = try openKept(in: directory)
        defer { store.close() }
        try store.write { _ = try $0.delete(KeptShelfAlbum.self, id: KeptShelfAlbum.ID(plan.albumID(0))) }
        return try counts(of: KeptShelfAlbum.self, KeptShelfTrack.self, KeptShelfPlaylist.tracks, in: store)
    }
}

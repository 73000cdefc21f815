import Foundation
import Reprise

final class RepriseShelf: ShelfEngine {
    static let participant = Participant.reprise

    private let store: Store

    init(in directory: URL, filledBy plan: ShelfPlan) throws {
        store = try Store.open(
            at: directory.appending(path: "shelf.reprise").path,
            schema: Schema(ShelfAlbum.self, ShelfTrack.self, ShelfPlaylist.self)
        )
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
        try store.read { transaction in
            var entries = 0
            for playlist in try transaction.fetch(FetchDescriptor<ShelfPlaylist>()) {
                entries += try transaction.entries(ShelfPlaylist.tracks, of: playlist.id).count
            }
            return ShelfCounts(
                albums: try transaction.count(FetchDescriptor<ShelfAlbum>()),
                tracks: try transaction.count(FetchDescriptor<ShelfTrack>()),
                entries: entries
            )
        }
    }
}

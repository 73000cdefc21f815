import Reprise

/// The models of row 11: albums with their tracks, and playlists that hold tracks.
struct ShelfAlbum: Model {
    var id: ID
    var title: String

    static let schema = ModelSchema(
        "album",
        Self.init,
        .id("id", \.id),
        .attribute("title", \.title)
    )
    .toMany("tracks", of: ShelfTrack.self, inverse: "album", onDelete: .cascade)
}

/// The next version of the models: the tracks of a deleted album stay (row 18f).
struct KeptShelfAlbum: Model {
    var id: ID
    var title: String

    static let schema = ModelSchema(
        "album",
        Self.init,
        .id("id", \.id),
        .attribute("title", \.title)
    )
    .toMany("tracks", of: KeptShelfTrack.self, inverse: "album", onDelete: .nullify)
}

struct KeptShelfTrack: Model {
    var id: ID
    var title: String
    var duration: Double
    var album: KeptShelfAlbum.ID?

    static let schema = ModelSchema(
        "track",
        Self.init,
        .id("id", \.id),
        .attribute("title", \.title),
        .attribute("duration", \.duration),
        .toOne("album", \.album)
    )
}

struct KeptShelfPlaylist: Model {
    var id: ID
    var name: String

    static let schema = ModelSchema(
        "playlist",
        Self.init,
        .id("id", \.id),
        .attribute("name", \.name)
    )
    .toMany("tracks", of: KeptShelfTrack.self, onDelete: .nullify)

    static let tracks = Relationship<KeptShelfPlaylist, KeptShelfTrack>("tracks")
}

struct ShelfTrack: Model {
    var id: ID
    var title: String
    var duration: Double
    var album: ShelfAlbum.ID?

    static let schema = ModelSchema(
        "track",
        Self.init,
        .id("id", \.id),
        .attribute("title", \.title),
        .attribute("duration", \.duration),
        .toOne("album", \.album)
    )
}

struct ShelfPlaylist: Model {
    var id: ID
    var name: String

    static let schema = ModelSchema(
        "playlist",
        Self.init,
        .id("id", \.id),
        .attribute("name", \.name)
    )
    .toMany("tracks", of: ShelfTrack.self, onDelete: .nullify)

    static let tracks = Relationship<ShelfPlaylist, ShelfTrack>("tracks")
}

/// What row 11 fills its stores with: every track is on one album and in one playlist, far from its neighbours.
struct ShelfPlan: Sendable {
    let albumCount: Int
    let tracksPerAlbum = 12
    let entriesPerPlaylist = 120

    var trackCount: Int { albumCount * tracksPerAlbum }
    var playlistCount: Int { trackCount / entriesPerPlaylist }

    func albumID(_ i: Int) -> String { SeededNumbers.name(i, salt: 1) }
    func trackID(_ i: Int) -> String { SeededNumbers.name(i, salt: 2) }
    func playlistID(_ i: Int) -> String { SeededNumbers.name(i, salt: 3) }

    /// The number of the track that stands at a place of a playlist.
    func track(inPlaylist playlist: Int, at place: Int) -> Int {
        // 7919 is a prime that does not divide the number of tracks, so this is a permutation.
        (playlist * entriesPerPlaylist + place) * 7919 % trackCount
    }
}

extension SeededNumbers {
    /// A name of 12 characters without order.
    fileprivate static func name(_ i: Int, salt: UInt64) -> String {
        let text = String(mix(UInt64(i) &* 8 &+ salt) >> 16, radix: 16)
        return String(repeating: "0", count: 12 - text.utf8.count) + text
    }
}

/// What is on a shelf; row 11 compares it between engines.
struct ShelfCounts: Hashable, CustomStringConvertible {
    var albums: Int
    var tracks: Int
    var entries: Int

    var description: String { "\(albums) albums, \(tracks) tracks, \(entries) entries" }
}

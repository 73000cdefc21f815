public import Reprise

/// A collection of tracks in an order of its own. Deleting it deletes its tracks.
public struct Album: Model, Hashable {
    public var id: ID
    public var title: String
    public var artist: String?

    public init(id: ID, title: String, artist: String? = nil) {
        self.id = id
        self.title = title
        self.artist = artist
    }

    public static let schema = ModelSchema(
        "album",
        version: 1,
        Self.init,
        .id("id", \.id),
        .attribute("title", \.title, indexed: true),
        .attribute("artist", \.artist, indexed: true)
    )
    .searchable("title", weight: 2)
    .searchable("artist")
    .toMany("tracks", of: Track.self, inverse: "album", onDelete: .cascade)

    /// The tracks in their order; the other side is ``Track/album``.
    public static let tracks = Relationship<Album, Track>("tracks")
}

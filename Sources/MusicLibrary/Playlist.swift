public import Reprise

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A list of tracks made by the user, in which a track may stand several times, or a folder of such lists.
public struct Playlist: Model, Hashable {
    public var id: ID
    public var name: String
    public var createdAt: Date?
    /// A folder holds playlists and no tracks.
    public var isFolder: Bool
    /// The folder that the playlist is in. When that is deleted, this becomes nil.
    public var parent: ID?

    public init(
        id: ID,
        name: String,
        createdAt: Date? = nil,
        isFolder: Bool = false,
        parent: ID? = nil
    ) {
        self.id = id
        self.name = name
        self.createdAt = createdAt
        self.isFolder = isFolder
        self.parent = parent
    }

    public static let schema = ModelSchema(
        "playlist",
        version: 1,
        Self.init,
        .id("id", \.id),
        .attribute("name", \.name, indexed: true),
        .attribute("createdAt", \.createdAt),
        .attribute("isFolder", \.isFolder),
        .toOne("parent", \.parent)
    )
    .searchable("name")
    .toMany("children", of: Playlist.self, inverse: "parent", onDelete: .nullify)
    .toMany("tracks", of: Track.self, onDelete: .nullify)

    /// The entries in their order, repeats kept. Deleting a track removes its entries; deleting the playlist removes
    /// its entries and no track.
    public static let tracks = Relationship<Playlist, Track>("tracks")
    /// What is in the folder, in order; the other side is ``parent``.
    public static let children = Relationship<Playlist, Playlist>("children")
}

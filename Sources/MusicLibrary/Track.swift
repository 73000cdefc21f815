public import Reprise

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One recording.
public struct Track: Model, Hashable {
    public var id: ID
    public var title: String
    public var artist: String?
    /// In seconds.
    public var duration: Double?
    public var genre: String?
    public var releaseDate: Date?
    public var year: Int?
    public var trackNumber: Int?
    public var discNumber: Int?
    public var playCount: Int
    /// From 0 to 100.
    public var rating: Int?
    public var isFavorite: Bool
    public var addedAt: Date?
    /// Where the file is, as a URL.
    public var location: String?
    public var kind: String?
    /// The album that the track is on. Setting it puts the track at the end of the album.
    public var album: Album.ID?

    public init(
        id: ID,
        title: String,
        artist: String? = nil,
        duration: Double? = nil,
        genre: String? = nil,
        releaseDate: Date? = nil,
        year: Int? = nil,
        trackNumber: Int? = nil,
        discNumber: Int? = nil,
        playCount: Int = 0,
        rating: Int? = nil,
        isFavorite: Bool = false,
        addedAt: Date? = nil,
        location: String? = nil,
        kind: String? = nil,
        album: Album.ID? = nil
    ) {
        self.id = id
        self.title = title
        self.artist = artist
        self.duration = duration
        self.genre = genre
        self.releaseDate = releaseDate
        self.year = year
        self.trackNumber = trackNumber
        self.discNumber = discNumber
        self.playCount = playCount
        self.rating = rating
        self.isFavorite = isFavorite
        self.addedAt = addedAt
        self.location = location
        self.kind = kind
        self.album = album
    }

    public static let schema = ModelSchema(
        "track",
        version: 1,
        Self.init,
        .id("id", \.id),
        .attribute("title", \.title, indexed: true),
        .attribute("artist", \.artist, indexed: true),
        .attribute("duration", \.duration),
        .attribute("genre", \.genre, indexed: true),
        .attribute("releaseDate", \.releaseDate, indexed: true),
        .attribute("year", \.year),
        .attribute("trackNumber", \.trackNumber),
        .attribute("discNumber", \.discNumber),
        .attribute("playCount", \.playCount),
        .attribute("rating", \.rating),
        .attribute("isFavorite", \.isFavorite),
        .attribute("addedAt", \.addedAt),
        .attribute("location", \.location),
        .attribute("kind", \.kind),
        .toOne("album", \.album)
    )
    .searchable("title", weight: 2)
    .searchable("artist")
    .inverse("playlists", of: Playlist.self, "tracks")

    /// The playlists that hold the track; derived from their lists.
    public static let playlists = Relationship<Track, Playlist>("playlists")
}

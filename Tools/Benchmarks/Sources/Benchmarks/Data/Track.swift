import Foundation
import Reprise

/// The one model of rows 1 to 10 and 12 to 16: about 200 bytes, a primary key without order, two indexes.
///
/// Both engines decode into this very struct.
struct Track: Model, Hashable {
    var id: ID
    var title: String
    var artist: String
    var album: String
    var genre: String
    /// In seconds.
    var duration: Double
    var releaseDate: Date
    var year: Int
    var rating: Int?
    var playCount: Int
    var bpm: Double
    var addedAt: Date?
    var location: String

    static let schema = ModelSchema(
        "track",
        Self.init,
        .id("id", \.id),
        .attribute("title", \.title),
        .attribute("artist", \.artist),
        .attribute("album", \.album),
        .attribute("genre", \.genre, indexed: true),
        .attribute("duration", \.duration),
        .attribute("releaseDate", \.releaseDate, indexed: true),
        .attribute("year", \.year),
        .attribute("rating", \.rating),
        .attribute("playCount", \.playCount),
        .attribute("bpm", \.bpm),
        .attribute("addedAt", \.addedAt),
        .attribute("location", \.location)
    )
}

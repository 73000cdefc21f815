import Foundation
import Reprise

/// Later versions of ``Track``, each with all that leads to it from every earlier one (row 18).
enum TrackVersions {
    /// A required attribute with a default is new.
    struct Moody: Model {
        var id: ID
        var title: String
        var artist: String
        var album: String
        var genre: String
        var duration: Double
        var releaseDate: Date
        var year: Int
        var rating: Int?
        var playCount: Int
        var bpm: Double
        var addedAt: Date?
        var location: String
        var mood: String
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
            .attribute("location", \.location),
            .attribute("mood", \.mood, default: "calm")
        )
    }

    /// The title has another name.
    struct Renamed: Model {
        var id: ID
        var name: String
        var artist: String
        var album: String
        var genre: String
        var duration: Double
        var releaseDate: Date
        var year: Int
        var rating: Int?
        var playCount: Int
        var bpm: Double
        var addedAt: Date?
        var location: String
        var mood: String
        static let schema = ModelSchema(
            "track",
            Self.init,
            .id("id", \.id),
            .attribute("name", \.name, renamedFrom: "title"),
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
            .attribute("location", \.location),
            .attribute("mood", \.mood, default: "calm")
        )
    }

    /// The beats a minute are removed.
    struct Slower: Model {
        var id: ID
        var name: String
        var artist: String
        var album: String
        var genre: String
        var duration: Double
        var releaseDate: Date
        var year: Int
        var rating: Int?
        var playCount: Int
        var addedAt: Date?
        var location: String
        var mood: String
        static let schema = ModelSchema(
            "track",
            Self.init,
            .id("id", \.id),
            .attribute("name", \.name, renamedFrom: "title"),
            .attribute("artist", \.artist),
            .attribute("album", \.album),
            .attribute("genre", \.genre, indexed: true),
            .attribute("duration", \.duration),
            .attribute("releaseDate", \.releaseDate, indexed: true),
            .attribute("year", \.year),
            .attribute("rating", \.rating),
            .attribute("playCount", \.playCount),
            .attribute("addedAt", \.addedAt),
            .attribute("location", \.location),
            .attribute("mood", \.mood, default: "calm")
        )
            .removed("bpm")
    }

    /// The artist has an index.
    struct Indexed: Model {
        var id: ID
        var name: String
        var artist: String
        var album: String
        var genre: String
        var duration: Double
        var releaseDate: Date
        var year: Int
        var rating: Int?
        var playCount: Int
        var addedAt: Date?
        var location: String
        var mood: String
        static let schema = ModelSchema(
            "track",
            Self.init,
            .id("id", \.id),
            .attribute("name", \.name, renamedFrom: "title"),
            .attribute("artist", \.artist, indexed: true),
            .attribute("album", \.album),
            .attribute("genre", \.genre, indexed: true),
            .attribute("duration", \.duration),
            .attribute("releaseDate", \.releaseDate, indexed: true),
            .attribute("year", \.year),
            .attribute("rating", \.rating),
            .attribute("playCount", \.playCount),
            .attribute("addedAt", \.addedAt),
            .attribute("location", \.location),
            .attribute("mood", \.mood, default: "calm")
        )
            .removed("bpm")
    }

    /// The duration is a whole number, made by a function.
    struct Whole: Model {
        var id: ID
        var name: String
        var artist: String
        var album: String
        var genre: String
        var duration: Int
        var releaseDate: Date
        var year: Int
        var rating: Int?
        var playCount: Int
        var addedAt: Date?
        var location: String
        var mood: String
        static let schema = ModelSchema(
            "track",
            Self.init,
            .id("id", \.id),
            .attribute("name", \.name, renamedFrom: "title"),
            .attribute("artist", \.artist, indexed: true),
            .attribute("album", \.album),
            .attribute("genre", \.genre, indexed: true),
            .attribute("duration", \.duration),
            .attribute("releaseDate", \.releaseDate, indexed: true),
            .attribute("year", \.year),
            .attribute("rating", \.rating),
            .attribute("playCount", \.playCount),
            .attribute("addedAt", \.addedAt),
            .attribute("location", \.location),
            .attribute("mood", \.mood, default: "calm")
        )
            .removed("bpm")
            .converting("duration", from: "duration") { (duration: Double) in Int(duration) }
    }
}

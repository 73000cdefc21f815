import Foundation
import Reprise

extension RepriseEngine {
    /// Goes by stored names, the only way in which the engine hands over results one by one.
    func stream(_ use: (Track) -> Void) throws {
        try store.read { transaction in
            try transaction.forEachRecord(RecordQuery(model: "track"), lists: false) { record in
                guard let track = Track(record) else {
                    throw BenchmarkError.missing(Track.ID(record.id))
                }
                use(track)
                return true
            }
        }
    }
}

extension Track {
    /// The track that a record holds, or nil when one of its values has another type.
    init?(_ record: Record) {
        guard
            case .string(let title) = record["title"],
            case .string(let artist) = record["artist"],
            case .string(let album) = record["album"],
            case .string(let genre) = record["genre"],
            case .double(let duration) = record["duration"],
            case .date(let releaseDate) = record["releaseDate"],
            case .int(let year) = record["year"],
            case .int(let playCount) = record["playCount"],
            case .double(let bpm) = record["bpm"],
            case .string(let location) = record["location"]
        else { return nil }
        var rating: Int?
        if case .int(let value) = record["rating"] { rating = value }
        var addedAt: Date?
        if case .date(let value) = record["addedAt"] { addedAt = value }
        self.init(
            id: ID(record.id),
            title: title,
            artist: artist,
            album: album,
            genre: genre,
            duration: duration,
            releaseDate: releaseDate,
            year: year,
            rating: rating,
            playCount: playCount,
            bpm: bpm,
            addedAt: addedAt,
            location: location
        )
    }
}

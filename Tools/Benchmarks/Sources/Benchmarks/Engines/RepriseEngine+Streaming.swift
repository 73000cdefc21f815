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
        var values: [Value] = []
        values.reserveCapacity(record.values.count)
        for value in record.values { values.append(value.value) }
        guard values.count == 12,
            case .string(let title) = values[0],
            case .string(let artist) = values[1],
            case .string(let album) = values[2],
            case .string(let genre) = values[3],
            case .double(let duration) = values[4],
            case .date(let releaseDate) = values[5],
            case .int(let year) = values[6],
            case .int(let playCount) = values[8],
            case .double(let bpm) = values[9],
            case .string(let location) = values[11]
        else { return nil }
        var rating: Int?
        if case .int(let value) = values[7] { rating = value }
        var addedAt: Date?
        if case .date(let value) = values[10] { addedAt = value }
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

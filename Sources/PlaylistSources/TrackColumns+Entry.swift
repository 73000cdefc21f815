import ExportFormats
import LegacyRecords
import MusicVocabulary

extension TrackColumns {
    /// What no list of tracks says, and this one does not either.
    var absentFields: [String: Set<String>] {
        var absent = PlaylistRecords.absentFields
        if places[.discNumber] != nil { absent["track"]?.remove("discNumber") }
        if places[.released] != nil { absent["track"]?.subtract(["releaseDate", "year"]) }
        if places[.addedAt] != nil { absent["track"]?.remove("addedAt") }
        return absent
    }

    /// What a row says, and the columns whose numbers are none.
    func entry(_ row: [CSVReader.Field]) -> (entry: PlaylistEntry, list: String?, malformed: [Int])
    {
        func text(_ field: Field) -> String? {
            guard let place = places[field], place < row.count else { return nil }
            let text = row[place].text.withoutSpacesAround
            return text.isEmpty ? nil : text
        }
        var malformed: [Int] = []
        func number<Number>(_ field: Field, _ number: (String) -> Number?) -> Number? {
            guard let written = text(field), let place = places[field] else { return nil }
            let found = number(written)
            if found == nil { malformed.append(place) }
            return found
        }
        var entry = PlaylistEntry()
        entry.title = text(.title)
        entry.artist = text(.artist)
        entry.album = text(.album)
        entry.albumArtist = text(.albumArtist)
        entry.genre = text(.genre)
        entry.released = text(.released)
        entry.addedAt = text(.addedAt)
        entry.locations = text(.location).map { [isSpotifyID ? "spotify:track:\($0)" : $0] } ?? []
        entry.trackNumber = number(.trackNumber) { Int64($0) }
        entry.discNumber = number(.discNumber) { Int64($0) }
        entry.duration = number(.duration) { CustomaryText.double($0)?.number }
            .map { isMilliseconds ? $0 / 1000 : $0 }
        return (entry, text(.list), malformed)
    }
}

/// Which column of a table of tracks holds what, told by its title in letters and digits alone: as Exportify,
/// TuneMyMusic and Soundiiz write them.
package struct TrackColumns {
    package enum Field: Hashable {
        case title, artist, album, albumArtist, duration, genre, trackNumber, discNumber, location,
            released, addedAt
        case list, recording
    }

    private static let titles: [(field: Field, titles: [String])] = [
        (
            .title,
            ["trackname", "tracktitle", "title", "track", "songname", "songtitle", "song", "name"]
        ),
        (.artist, ["artistnames", "artistname", "artists", "artist", "trackartist"]),
        (.album, ["albumname", "albumtitle", "album"]),
        (.albumArtist, ["albumartistnames", "albumartistname", "albumartists", "albumartist"]),
        (.duration, ["duration", "trackduration", "length"]),
        (.genre, ["genre", "genres", "artistgenres"]),
        (.trackNumber, ["tracknumber"]), (.discNumber, ["discnumber"]),
        (
            .location,
            ["trackuri", "spotifyuri", "uri", "spotifyid", "tracklink", "url", "location"]
        ),
        (.released, ["albumreleasedate", "releasedate"]), (.addedAt, ["addedat", "dateadded"]),
        (.list, ["playlistname"]), (.recording, ["isrc"]),
    ]

    package let places: [Field: Int]
    package let isSpotifyID: Bool
    /// Whether durations are milliseconds, as their column says or most of its values.
    package let isMilliseconds: Bool
    /// The column of the durations.
    package var durationPlace: Int? { places[.duration] }

    /// Nil where the table is none of tracks: it has no column for their titles and their artists, or none for their
    /// albums, durations, places or ISRCs.
    ///
    /// - Parameter isLarge: whether most values of a column are too large to be seconds.
    package init?(titles: [String], isLarge: (Int) -> Bool) {
        let names = titles.map { DurationUnit.withoutUnit(PropertyName.normalized($0)) }
        var places: [Field: Int] = [:]
        for (field, known) in Self.titles {
            places[field] = known.lazy.compactMap { names.firstIndex(of: $0) }.first
        }
        guard places[.title] != nil, places[.artist] != nil,
            [.album, .duration, .location, .recording].contains(where: { places[$0] != nil })
        else { return nil }
        self.places = places
        isSpotifyID = places[.location].map { names[$0] == "spotifyid" } ?? false
        isMilliseconds =
            places[.duration].map { DurationUnit.isMilliseconds(titles[$0]) || isLarge($0) }
            ?? false
    }

    /// The columns that nothing is made of.
    package func unmapped(_ count: Int) -> [Int] {
        let used = places.filter { $0.key != .recording }.values
        return (0..<count).filter { !used.contains($0) }
    }
}

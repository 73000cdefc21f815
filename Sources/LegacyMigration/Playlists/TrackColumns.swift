/// Which column of a table of tracks holds what, told by its title in letters and digits alone: as Exportify,
/// TuneMyMusic and Soundiiz write them.
struct TrackColumns {
    private enum Field: Hashable {
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

    private let places: [Field: Int]
    private let isSpotifyID: Bool
    /// Whether durations are milliseconds, as their column says or most of its values.
    let isMilliseconds: Bool
    /// The column of the durations.
    var durationPlace: Int? { places[.duration] }

    /// Nil where the table is none of tracks: it has no column for their titles and their artists, or none for their
    /// albums, durations, places or ISRCs.
    ///
    /// - Parameter isLarge: whether most values of a column are too large to be seconds.
    init?(titles: [String], isLarge: (Int) -> Bool) {
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
    func unmapped(_ count: Int) -> [Int] {
        let used = places.filter { $0.key != .recording }.values
        return (0..<count).filter { !used.contains($0) }
    }

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

/// How durations are counted.
enum DurationUnit {
    /// A value above this is no number of seconds, where most values are: no track takes three hours.
    static let secondsMax = 10_000.0

    /// Whether the name of a column says that its durations are milliseconds, as `duration_ms`, `Duration (ms)` and
    /// `Milliseconds` do.
    static func isMilliseconds(_ name: String) -> Bool {
        let name = PropertyName.normalized(name)
        return name == "milliseconds" || withoutUnit(name) != name
    }

    /// A name in letters and digits without such a unit at its end.
    static func withoutUnit(_ normalized: String) -> String {
        if normalized == "milliseconds" { return "duration" }
        let unit = ["inmilliseconds", "milliseconds", "millis", "inms", "ms"].first(
            where: normalized.hasSuffix
        )
        let name = normalized.dropLast(unit?.count ?? 0)
        return names.contains(String(name)) ? String(name) : normalized
    }

    /// What columns of durations are called.
    static let names: Set<String> = [
        "duration", "trackduration", "length", "playtime", "totaltime",
    ]
}

extension LegacyValue {
    /// A number of milliseconds in seconds.
    var inSeconds: LegacyValue {
        switch self {
        case .integer(let number): .double(Double(number) / 1000)
        case .double(let number): .double(number / 1000)
        default: self
        }
    }
}

extension LegacyWarning {
    /// Says that the durations of a column were taken for milliseconds.
    static func milliseconds(_ column: String) -> LegacyWarning {
        let reason =
            DurationUnit.isMilliseconds(column)
            ? "its name says so" : "most of its values are above 10,000"
        return LegacyWarning(
            kind: .guessedUnit,
            message:
                "The column \(column) holds milliseconds, because \(reason); they became seconds."
        )
    }
}

extension LegacyWarning.Kind {
    /// A column of durations was taken for milliseconds.
    public static let guessedUnit = Self(rawValue: "guessedUnit")
}

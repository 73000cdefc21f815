import LegacyRecords

/// The keys of a track's dictionary that become fields.
enum TrackKey: UInt32, CaseIterable {
    case trackID, persistentID, name, artist, albumArtist, album, compilation, totalTime, genre
    case releaseDate, year, trackNumber, discNumber, playCount, rating, loved, favorited, dateAdded
    case location, kind

    /// As the file spells it.
    var spelling: String {
        switch self {
        case .trackID: "Track ID"
        case .persistentID: "Persistent ID"
        case .name: "Name"
        case .artist: "Artist"
        case .albumArtist: "Album Artist"
        case .album: "Album"
        case .compilation: "Compilation"
        case .totalTime: "Total Time"
        case .genre: "Genre"
        case .releaseDate: "Release Date"
        case .year: "Year"
        case .trackNumber: "Track Number"
        case .discNumber: "Disc Number"
        case .playCount: "Play Count"
        case .rating: "Rating"
        case .loved: "Loved"
        case .favorited: "Favorited"
        case .dateAdded: "Date Added"
        case .location: "Location"
        case .kind: "Kind"
        }
    }

    static let bySpelling = Dictionary(uniqueKeysWithValues: allCases.map { ($0.spelling, $0) })
}

/// What is known of a track while its dictionary is read.
struct TrackDraft {
    /// The key of its dictionary in `Tracks`, which repeats its `Track ID`.
    var number = ""
    /// Which keys were seen, by raw value.
    var seen: UInt32 = 0
    var trackID: Int64?
    var persistentID: String?
    var name: String?
    var artist: String?
    var albumArtist: String?
    var album: String?
    var isCompilation = false
    /// Milliseconds.
    var totalTime: Double?
    var genre: String?
    /// Dates are seconds since 2001-01-01T00:00:00Z.
    var releaseDate: Double?
    var year: Int64?
    var trackNumber: Int64?
    var discNumber: Int64?
    var playCount: Int64?
    var rating: Int64?
    var isLoved = false
    var isFavorited = false
    var dateAdded: Double?
    var location: String?
    var kind: String?

    /// What tells its album apart from others of the same title. An empty text counts as none.
    var albumNames: (title: String, artist: String?)? {
        guard let album, !album.isEmpty else { return nil }
        if let albumArtist, !albumArtist.isEmpty { return (album, albumArtist) }
        if isCompilation { return (album, "Various Artists") }
        return (album, artist.flatMap { $0.isEmpty ? nil : $0 })
    }

    /// How a message names it.
    var description: String {
        "Track \(number)" + (name.map { " " + LibraryReport.quoted($0) } ?? "")
    }
}

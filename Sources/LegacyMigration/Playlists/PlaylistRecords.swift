/// What a playlist file says of one of its entries.
struct PlaylistEntry: Equatable {
    /// As written, in the order in which they should be tried.
    var locations: [String] = []
    var title: String?
    var artist: String?
    var album: String?
    var albumArtist: String?
    var genre: String?
    /// Seconds.
    var duration: Double?
    var trackNumber: Int64?
}

/// Makes the records of the music library of a playlist file: its tracks and albums as they come, then the playlist.
final class PlaylistRecords {
    /// A playlist with more entries than this is refused: about 100 MB.
    static let entryCountMax = 1 << 20

    /// What the records say nothing of, so that it stays as it is in the store.
    static let absentFields: [String: Set<String>] = [
        "track": [
            "addedAt", "discNumber", "isFavorite", "kind", "playCount", "rating", "releaseDate",
            "year",
        ],
        "playlist": ["isFolder", "parent"],
    ]

    private let identity: SourceIdentity
    private let folder: String
    private let lookUp: (@Sendable (String) throws -> String?)?
    let report: LibraryReport
    private var entries = LegacyReferences()
    /// What was said of each track, so that it is noticed when it is said differently.
    private var tracks: [ContentKey: ContentKey] = [:]
    private var albums: Set<String> = []

    init(
        _ identity: SourceIdentity,
        folder: String,
        lookUp: (@Sendable (String) throws -> String?)?,
        _ report: LibraryReport
    ) {
        self.identity = identity
        self.folder = folder
        self.lookUp = lookUp
        self.report = report
    }

    /// Adds the next entry. The record of its track is handed on where it is new.
    func add(_ entry: PlaylistEntry, line: Int) throws {
        guard entries.count < Self.entryCountMax else {
            throw LegacyError(
                .limitExceeded,
                "The playlist has more than \(Self.entryCountMax) entries.",
                advice: "Check that it is a playlist, and divide it.",
                line: line
            )
        }
        let locations = entry.locations.filter { !$0.isEmpty }
            .map { PlaylistLocation.resolved($0, in: folder) }
        for location in locations {
            guard let known = try lookUp?(location) else { continue }
            return try entries.append(RecordKey(known))
        }
        if locations.count > 1 {
            try report.warn(.furtherLocation) {
                "The entry before line \(line) names \(locations.count) locations; only the first was taken over."
            }
        }
        let said = [
            entry.artist, entry.album, entry.title, entry.duration.map { "\($0)" },
        ]
        guard locations.first != nil || said.contains(where: { $0 != nil }) else {
            return try report.warn(.malformedEntry) {
                "The entry before line \(line) says nothing of a track; it was left out."
            }
        }
        let key = ContentKey(
            locations.first.map { ["reprise location", $0] } ?? ["reprise track"] + said
        )
        try entries.append(RecordKey(key.text))
        let content = ContentKey(
            said + [entry.albumArtist, entry.genre, entry.trackNumber.map { "\($0)" }]
        )
        if let before = tracks[key] {
            guard before != content else { return }
            return try report.warn(.differingEntry) {
                "The entry before line \(line) repeats a location and says something else of it; "
                    + "what was said first counts."
            }
        }
        tracks[key] = content
        try emit(entry, location: locations.first, key: key.text)
    }

    private func emit(_ entry: PlaylistEntry, location: String?, key: String) throws {
        var fields: [LegacyField] = []
        let title = entry.title ?? location.map(PlaylistLocation.title)
        if title == nil {
            try report.warn(.missingName) { "The track \(key) has no title; it is empty." }
        }
        fields.append(LegacyField("title", .string(title ?? "")))
        if let artist = entry.artist { fields.append(LegacyField("artist", .string(artist))) }
        if let duration = entry.duration {
            fields.append(LegacyField("duration", .double(duration)))
        }
        if let genre = entry.genre { fields.append(LegacyField("genre", .string(genre))) }
        if let number = entry.trackNumber {
            fields.append(LegacyField("trackNumber", .integer(number)))
        }
        if let location { fields.append(LegacyField("location", .string(location))) }
        if let album = entry.album {
            fields.append(LegacyField("album", .reference(try albumKey(album, entry))))
        }
        try report.emit(LegacyRecord(className: "track", key: key, fields: fields))
    }

    /// The key of an album, whose record is handed on where it is new.
    private func albumKey(_ title: String, _ entry: PlaylistEntry) throws -> String {
        let artist = entry.albumArtist ?? entry.artist
        let key = ITunesLibrarySource.albumKey(source: identity, title: title, artist: artist)
        guard albums.insert(key).inserted else { return key }
        var fields = [LegacyField("title", .string(title))]
        if let artist { fields.append(LegacyField("artist", .string(artist))) }
        try report.emit(LegacyRecord(className: "album", key: key, fields: fields))
        return key
    }

    /// Hands on the playlist itself: the last thing to call.
    func finish(name: String, createdAt: LegacyValue? = nil) throws {
        var fields = [LegacyField("name", .string(name))]
        if let createdAt { fields.append(LegacyField("createdAt", createdAt)) }
        fields.append(LegacyField("isFolder", .bool(false)))
        fields.append(LegacyField("tracks", .references(entries)))
        let key = ContentKey(["reprise playlist", identity.kind, identity.name]).text
        try report.emit(LegacyRecord(className: "playlist", key: key, fields: fields))
    }
}

extension LegacyWarning.Kind {
    /// An entry of a playlist names several places of one track; the first was taken over.
    public static let furtherLocation = Self(rawValue: "furtherLocation")
    /// An entry of a playlist repeats a location with another title, artist or duration; the first counts.
    public static let differingEntry = Self(rawValue: "differingEntry")
}

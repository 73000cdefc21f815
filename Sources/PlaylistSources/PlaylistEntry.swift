/// What a playlist file says of one of its entries, or a library of one of its tracks. What is nil is not said.
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
    var discNumber: Int64?
    /// A year or a day, and a moment, in the words of the file: nobody compares them.
    var released: String?
    var addedAt: String?
    /// Whether artist and title were one text, which the library may divide elsewhere or not at all.
    var isDivided = false

    /// What it says beside the locations, in an order of its own.
    private var facts: [(name: String, text: String?)] {
        [
            ("title", title), ("artist", artist), ("album", album), ("album's artist", albumArtist),
            ("genre", genre), ("duration", duration.map { "\($0)" }),
            ("track number", trackNumber.map { "\($0)" }),
            ("disc number", discNumber.map { "\($0)" }),
        ]
    }

    // MARK: Comparing

    /// The names of what both say, each in another way.
    func contradictions(with other: PlaylistEntry) -> [String] {
        zip(facts, other.facts)
            .filter { own, others in own.text != nil && others.text != nil && own.text != others.text }
            .map { own, _ in own.name }
    }

    /// Takes over what only `later` says.
    mutating func add(_ later: PlaylistEntry) {
        title = title ?? later.title
        artist = artist ?? later.artist
        album = album ?? later.album
        albumArtist = albumArtist ?? later.albumArtist
        genre = genre ?? later.genre
        duration = duration ?? later.duration
        trackNumber = trackNumber ?? later.trackNumber
        discNumber = discNumber ?? later.discNumber
        released = released ?? later.released
        addedAt = addedAt ?? later.addedAt
    }

    /// The names of what this says of a track and its library does not, or says in another way.
    ///
    /// Durations less than a second apart are the same where one of them is in whole seconds, which is how most players
    /// write them.
    func differences(from track: PlaylistEntry) -> [String] {
        let isSameText = isDivided && oneText == track.oneText
        return zip(facts, track.facts)
            .filter { own, known in
                guard own.text != nil, own.text != known.text else { return false }
                switch own.name {
                case "title", "artist": return !isSameText
                case "duration": return !hasDuration(of: track)
                default: return true
                }
            }
            .map { own, _ in own.name }
    }

    /// Artist and title as most players write them.
    private var oneText: String { (artist.map { "\($0) - " } ?? "") + (title ?? "") }

    private func hasDuration(of track: PlaylistEntry) -> Bool {
        guard let duration, let known = track.duration else { return false }
        let isWhole = duration == duration.rounded() || known == known.rounded()
        return abs(duration - known) < (isWhole ? 1 : 0.001)
    }

    // MARK: As one text

    /// The first location and what is said, as one text to be remembered by; ``init(packed:)`` reads it.
    var packed: String {
        ([locations.first] + facts.map(\.text) + [released, addedAt]).map { part in
            part.map { "\($0.utf8.count):\($0)" } ?? ":"
        }.joined()
    }

    /// Nil for a text that ``packed`` has not made.
    init?(packed: String) {
        var parts: [String?] = []
        var rest = packed.utf8[...]
        while let colon = rest.firstIndex(of: UInt8(ascii: ":")) {
            let digits = rest[..<colon]
            rest = rest[rest.index(after: colon)...]
            guard !digits.isEmpty else {
                parts.append(nil)
                continue
            }
            guard let count = Int(Substring(digits)), count >= 0,
                let end = rest.index(rest.startIndex, offsetBy: count, limitedBy: rest.endIndex),
                let text = String(rest[..<end])
            else { return nil }
            parts.append(text)
            rest = rest[end...]
        }
        guard rest.isEmpty, parts.count == 11 else { return nil }
        locations = parts[0].map { [$0] } ?? []
        (title, artist, album, albumArtist) = (parts[1], parts[2], parts[3], parts[4])
        (genre, duration, trackNumber) = (
            parts[5], parts[6].flatMap(Double.init), parts[7].flatMap { Int64($0) }
        )
        (discNumber, released, addedAt) = (parts[8].flatMap { Int64($0) }, parts[9], parts[10])
    }

    init() {}
}

/// A track that a library has already.
struct LibraryTrack: Sendable {
    let id: String
    /// What the library says of it; nil where that is not to be compared.
    var statement: PlaylistEntry?

    /// Gives tracks of which only the identifier is known.
    static func lookUp(_ identifier: (@Sendable (String) throws -> String?)?) -> LibraryLookUp? {
        guard let identifier else { return nil }
        return { location in
            guard let id = try identifier(location) else { return nil }
            return LibraryTrack(id: id)
        }
    }
}

/// Gives the track that a library has at a location, in the form of ``PlaylistLocation/resolved(_:in:)``.
typealias LibraryLookUp = @Sendable (_ location: String) throws -> LibraryTrack?

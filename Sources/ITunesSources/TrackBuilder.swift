import ExportFormats
import LegacyRecords

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Gathers a track's dictionary, and hands on its record, its album's record before it.
final class TrackBuilder {
    private let identity: SourceIdentity
    private let report: LibraryReport
    private var draft = TrackDraft()
    private var unmapped = UnmappedKeys.ofTracks
    private let registry: KeyRegistry
    private let albums: RememberedSet<ContentKey>
    /// Tracks of an album mostly follow each other: the last album saves the hash.
    private var lastAlbum: (title: String, artist: String?, key: String)?
    /// The keys of tracks by the numbers by which playlists name them.
    private let keysByTrackID: RememberedMap<UInt64>

    init(_ identity: SourceIdentity, _ report: LibraryReport, _ memory: RecordMemory) {
        self.identity = identity
        self.report = report
        registry = KeyRegistry(in: memory)
        albums = RememberedSet(in: memory)
        keysByTrackID = RememberedMap(in: memory)
    }

    /// The key of the track that a playlist names, or nil when there is none.
    func key(ofTrackID trackID: Int64) throws(LegacyError) -> RecordKey? {
        try keysByTrackID.value(of: UInt64(bitPattern: trackID))
    }

    func begin(number: String) {
        draft = TrackDraft()
        draft.number = number
    }

    func end() throws {
        let album = try albumKey()
        if draft.name == nil {
            try report.warn(.missingName) {
                "\(draft.description) has no name; its title is empty."
            }
        }
        let key = try claimKey()
        try remember(key)
        try report.emit(
            LegacyRecord(className: "track", key: key.text, fields: fields(album: album))
        )
    }

    private func albumKey() throws -> String? {
        guard let names = draft.albumNames else { return nil }
        if let lastAlbum, lastAlbum.title == names.title, lastAlbum.artist == names.artist,
            // Swift compares text by what it looks like, a key is made from its bytes.
            lastAlbum.title.utf8.elementsEqual(names.title.utf8),
            (lastAlbum.artist ?? "").utf8.elementsEqual((names.artist ?? "").utf8)
        {
            return lastAlbum.key
        }
        let contentKey = ContentKey([
            "reprise album", identity.kind, identity.name, names.title, names.artist,
        ])
        let key = contentKey.text
        lastAlbum = (names.title, names.artist, key)
        if try albums.insert(contentKey) {
            var fields = [LegacyField("title", .string(names.title))]
            if let artist = names.artist { fields.append(LegacyField("artist", .string(artist))) }
            try report.emit(LegacyRecord(className: "album", key: key, fields: fields))
        }
        return key
    }

    private func claimKey() throws -> RecordKey {
        var proposed: RecordKey
        if let persistentID = draft.persistentID, KeyRegistry.isUsable(persistentID) {
            proposed = RecordKey(persistentID)
        } else {
            proposed = .odd(
                ContentKey([
                    "reprise track", identity.kind, identity.name, draft.name, draft.artist,
                    draft.album, draft.location, draft.totalTime.map { "\($0)" },
                    draft.discNumber.map { "\($0)" }, draft.trackNumber.map { "\($0)" },
                ]).text
            )
            try report.warn(.missingKey) {
                "\(draft.description) has no Persistent ID; it gets \(proposed.text)."
            }
        }
        let (key, isRepeated) = try registry.claim(proposed)
        if isRepeated {
            try report.warn(.duplicateKey) {
                "\(draft.description) repeats the key \(proposed.text); it gets \(key.text)."
            }
        }
        return key
    }

    private func remember(_ key: RecordKey) throws {
        guard let trackID = draft.trackID ?? Int64(draft.number) else {
            try report.warn(.missingTrackID) {
                "\(draft.description) has no Track ID; it can be in no playlist."
            }
            return
        }
        if try keysByTrackID.updateValue(key, of: UInt64(bitPattern: trackID)) {
            try report.warn(.duplicateTrackID) {
                "\(draft.description) repeats the Track ID \(trackID); playlists mean this one."
            }
        }
    }

    private func fields(album: String?) -> [LegacyField] {
        var fields: [LegacyField] = []
        fields.reserveCapacity(16)
        func add<T>(_ name: String, _ value: T?, _ wrap: (T) -> LegacyValue) {
            if let value { fields.append(LegacyField(name, wrap(value))) }
        }
        func day(_ seconds: Double) -> LegacyValue {
            .date(Date(timeIntervalSinceReferenceDate: seconds))
        }
        add("title", draft.name ?? "", LegacyValue.string)
        add("artist", draft.artist, LegacyValue.string)
        add("duration", draft.totalTime) { .double($0 / 1000) }
        add("genre", draft.genre, LegacyValue.string)
        add("releaseDate", draft.releaseDate, day)
        add("year", draft.year, LegacyValue.integer)
        add("trackNumber", draft.trackNumber, LegacyValue.integer)
        add("discNumber", draft.discNumber, LegacyValue.integer)
        add("playCount", draft.playCount ?? 0, LegacyValue.integer)
        add("rating", draft.rating, LegacyValue.integer)
        add("isFavorite", draft.isLoved || draft.isFavorited, LegacyValue.bool)
        add("addedAt", draft.dateAdded, day)
        add("location", draft.location, LegacyValue.string)
        add("kind", draft.kind, LegacyValue.string)
        add("album", album, LegacyValue.reference)
        return fields
    }
}

extension TrackBuilder {
    /// Takes over one value of the track's dictionary.
    func set(_ spelling: String, to scalar: PropertyListScalar) throws {
        guard let key = TrackKey.bySpelling[spelling] else {
            if !scalar.isEmpty { try unmapped.note(spelling, report) }
            return
        }
        let bit: UInt32 = 1 << key.rawValue
        if draft.seen & bit != 0 {
            try report.warn(.repeatedField) {
                "\(draft.description) has \(spelling) twice; the later value counts."
            }
        }
        draft.seen |= bit
        switch key {
        case .trackID: draft.trackID = try integer(scalar, key)
        case .persistentID: draft.persistentID = try string(scalar, key)
        case .name: draft.name = try string(scalar, key)
        case .artist: draft.artist = try string(scalar, key)
        case .albumArtist: draft.albumArtist = try string(scalar, key)
        case .album: draft.album = try string(scalar, key)
        case .compilation: draft.isCompilation = try bool(scalar, key)
        case .totalTime: draft.totalTime = try milliseconds(scalar, key)
        case .genre: draft.genre = try string(scalar, key)
        case .releaseDate: draft.releaseDate = try date(scalar, key)
        case .year: draft.year = try integer(scalar, key)
        case .trackNumber: draft.trackNumber = try integer(scalar, key)
        case .discNumber: draft.discNumber = try integer(scalar, key)
        case .playCount: draft.playCount = try integer(scalar, key, in: 0...Int64.max)
        case .rating: draft.rating = try integer(scalar, key, in: 0...100)
        case .loved: draft.isLoved = try bool(scalar, key)
        case .favorited: draft.isFavorited = try bool(scalar, key)
        case .dateAdded: draft.dateAdded = try date(scalar, key)
        case .location: draft.location = try string(scalar, key)
        case .kind: draft.kind = try string(scalar, key)
        }
    }

    /// Takes note of a dictionary or an array in that of the track: no field holds one.
    func leaveOutContainer(_ spelling: String) throws {
        try unmapped.note(spelling, report)
    }

    private func string(_ scalar: PropertyListScalar, _ key: TrackKey) throws -> String? {
        if let text = scalar.string { return text }
        try leaveOut(.unexpectedType, key, "is no text")
        return nil
    }

    private func bool(_ scalar: PropertyListScalar, _ key: TrackKey) throws -> Bool {
        if let bool = scalar.bool { return bool }
        try leaveOut(.unexpectedType, key, "is neither true nor false")
        return false
    }

    private func date(_ scalar: PropertyListScalar, _ key: TrackKey) throws -> Double? {
        guard scalar.kind == .date else {
            try leaveOut(.unexpectedType, key, "is no date")
            return nil
        }
        if let seconds = scalar.secondsSinceReferenceDate { return seconds }
        try leaveOut(.malformedDate, key, "is no date")
        return nil
    }

    private func integer(
        _ scalar: PropertyListScalar,
        _ key: TrackKey,
        in range: ClosedRange<Int64> = Int64.min...Int64.max
    ) throws -> Int64? {
        guard scalar.kind == .integer else {
            try leaveOut(.unexpectedType, key, "is no whole number")
            return nil
        }
        guard let number = scalar.integer else {
            try leaveOut(.malformedNumber, key, "is no whole number of 64 bits")
            return nil
        }
        guard range.contains(number) else {
            try leaveOut(.valueOutOfRange, key, "is \(number)")
            return nil
        }
        return number
    }

    private func milliseconds(_ scalar: PropertyListScalar, _ key: TrackKey) throws -> Double? {
        if scalar.kind != .real {
            return try integer(scalar, key, in: 0...Int64.max).map { Double($0) }
        }
        guard let number = scalar.double else {
            try leaveOut(.malformedNumber, key, "is no number")
            return nil
        }
        guard number >= 0 else {
            try leaveOut(.valueOutOfRange, key, "is \(number)")
            return nil
        }
        return number
    }

    private func leaveOut(_ kind: LegacyWarning.Kind, _ key: TrackKey, _ what: String) throws {
        try report.warn(kind) {
            "\(draft.description): its \(key.spelling) \(what) and was left out."
        }
    }
}

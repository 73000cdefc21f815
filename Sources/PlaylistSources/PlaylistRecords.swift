import ExportFormats
import LegacyRecords
import MusicVocabulary

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Makes the records of the music library of a playlist file: at the end, when all that its entries say of a track is
/// known, the tracks and albums in the order of the entries, then the playlist.
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
    private let lookUp: LibraryLookUp?
    let report: LibraryReport
    /// A list of the file.
    private struct List {
        /// What the file calls it; nil for the only one of a file, or what belongs to none.
        let name: String?
        var entries = LegacyReferences()
        /// The places of entries that are tracks of the library, where another playlist has named them by their
        /// location.
        var libraryPlaces: [Int] = []
    }

    private var lists: [List] = []
    private var places: [String?: Int] = [:]
    private var entryCount = 0
    /// What the entries say of each track.
    private let statements = RememberedMap<ContentKey>(in: RecordMemory())
    /// The tracks in the order of the file.
    private var tracks: [ContentKey] = []
    private var albums: Set<String> = []
    private var hasArtistWithoutAlbum = false

    init(
        _ identity: SourceIdentity,
        folder: String,
        lookUp: LibraryLookUp?,
        _ report: LibraryReport
    ) {
        self.identity = identity
        self.folder = folder
        self.lookUp = lookUp
        self.report = report
    }

    /// Adds the next entry of a list.
    ///
    /// - Parameter name: what the file calls the list; nil where the file is the list.
    func add(_ entry: PlaylistEntry, to name: String? = nil, line: Int) throws {
        guard entryCount < Self.entryCountMax else {
            throw LegacyError(
                .limitExceeded,
                "The playlist has more than \(Self.entryCountMax) entries.",
                advice: "Check that it is a playlist, and divide it.",
                line: line
            )
        }
        let written = entry.locations.filter { !$0.isEmpty }
        let locations = written.map { PlaylistLocation.resolved($0, in: folder) }
        for location in written.flatMap(candidates) {
            guard let track = try lookUp?(location) else { continue }
            try compare(entry, with: track, line)
            return try append(
                RecordKey(track.id),
                to: name,
                isOfLibrary: ContentKey(text: track.id) != nil
            )
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
        try append(RecordKey(key.text), to: name, isOfLibrary: false)
        var statement = entry
        statement.locations = written.prefix(1).map(place)
        try remember(statement, of: key, line)
    }

    private func append(_ key: RecordKey, to name: String?, isOfLibrary: Bool) throws {
        let place = places[name] ?? lists.count
        if place == lists.count {
            lists.append(List(name: name))
            places[name] = place
        }
        if isOfLibrary { lists[place].libraryPlaces.append(lists[place].entries.count) }
        try lists[place].entries.append(key)
        entryCount += 1
    }

    /// Where the file of a location may be: as it is written, and with its percent-escapes resolved.
    private func candidates(for location: String) -> [String] {
        [location, PlaylistLocation.decoded(path: location)].compactMap { $0 }
            .map { PlaylistLocation.resolved($0, in: folder) }
    }

    /// The place that a track without a library gets: with percent-escapes resolved where the file exists so. The key
    /// stays that of the location as it is written.
    private func place(of location: String) -> String {
        let places = candidates(for: location)
        guard places.count > 1 else { return places[0] }
        return places.first { FileManager.default.fileExists(atPath: $0) } ?? places[0]
    }

    /// Says what a playlist says of a track and its library does not: the track stays as it is.
    private func compare(_ entry: PlaylistEntry, with track: LibraryTrack, _ line: Int) throws {
        guard let statement = track.statement else { return }
        let names = entry.differences(from: statement)
        guard !names.isEmpty else { return }
        try report.warn(.differingEntry) {
            "The entry before line \(line) says something else of a track (\(names.joined(separator: ", "))) than the"
                + " library that has it, which counts."
        }
    }

    /// What the first entry of a track says counts, and what only later ones say as well, unless they contradict it.
    private func remember(_ entry: PlaylistEntry, of key: ContentKey, _ line: Int) throws {
        guard var statement = try statement(of: key) else {
            tracks.append(key)
            try statements.updateValue(.odd(entry.packed), of: key)
            return
        }
        let names = statement.contradictions(with: entry)
        guard names.isEmpty else {
            return try report.warn(.differingEntry) {
                "The entry before line \(line) repeats a location and says something else of it"
                    + " (\(names.joined(separator: ", "))); what was said first counts."
            }
        }
        let before = statement
        statement.add(entry)
        guard statement != before else { return }
        try statements.updateValue(.odd(statement.packed), of: key)
    }

    private func statement(of key: ContentKey) throws -> PlaylistEntry? {
        guard let packed = try statements.value(of: key) else { return nil }
        guard let statement = PlaylistEntry(packed: packed.text) else { throw LegacyError.lostStatement }
        return statement
    }

    private func emit(_ entry: PlaylistEntry, key: String) throws {
        let location = entry.locations.first
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
        if let number = entry.discNumber {
            fields.append(LegacyField("discNumber", .integer(number)))
        }
        if let released = entry.released {
            if let day = DateText.instant(released) {
                fields.append(LegacyField("releaseDate", .date(day.date)))
            }
            if let year = Int64(released.prefix(4)) {
                fields.append(LegacyField("year", .integer(year)))
            }
        }
        if let added = entry.addedAt.flatMap(DateText.instant) {
            fields.append(LegacyField("addedAt", .date(added.date)))
        }
        if let location { fields.append(LegacyField("location", .string(location))) }
        if let album = entry.album {
            fields.append(LegacyField("album", .reference(try albumKey(album, entry))))
        } else if entry.albumArtist != nil, !hasArtistWithoutAlbum {
            hasArtistWithoutAlbum = true
            try report.warn(.unmappedProperty) {
                "An entry names the artist of an album, and no album; the artist was left out."
            }
        }
        try report.emit(LegacyRecord(className: "track", key: key, fields: fields))
    }

    /// The key of an album, whose record is handed on where it is new.
    private func albumKey(_ title: String, _ entry: PlaylistEntry) throws -> String {
        let artist = entry.albumArtist ?? entry.artist
        let key = MusicKeys.album(source: identity, title: title, artist: artist)
        guard albums.insert(key).inserted else { return key }
        var fields = [LegacyField("title", .string(title))]
        if let artist { fields.append(LegacyField("artist", .string(artist))) }
        try report.emit(LegacyRecord(className: "album", key: key, fields: fields))
        return key
    }

    /// Gives tracks other keys that are called as tracks of the library are among the entries: a track of another
    /// playlist that is somewhere else now than where that had found it. They get the names that the store would give
    /// them, so that entries of both can be told from each other.
    ///
    /// - Returns: the keys of those tracks.
    private func rename() throws -> Set<ContentKey> {
        var taken: Set<ContentKey> = []
        for list in lists {
            for place in list.libraryPlaces {
                guard let key = ContentKey(text: list.entries[place]),
                    try statements.value(of: key) != nil,
                    taken.insert(key).inserted
                else { continue }
                try report.warn(.identifierTaken) {
                    "Another source's track is called \(key.text); the one where that was is named"
                        + " \(key.text + identity.suffix)."
                }
            }
        }
        guard !taken.isEmpty else { return [] }
        for number in lists.indices {
            var renamed = LegacyReferences()
            var left = lists[number].libraryPlaces[...]
            for (place, text) in lists[number].entries.enumerated() {
                let isOfLibrary = left.first == place
                if isOfLibrary { left.removeFirst() }
                let isTaken = !isOfLibrary && (ContentKey(text: text).map(taken.contains) ?? false)
                try renamed.append(RecordKey(isTaken ? text + identity.suffix : text))
            }
            lists[number].entries = renamed
        }
        return taken
    }

    /// Hands on the tracks and the playlists: the last thing to call.
    ///
    /// - Parameter name: what the file is called where it is the list.
    func finish(name: String, createdAt: LegacyValue? = nil) throws {
        let taken = try rename()
        for key in tracks {
            guard let statement = try statement(of: key) else { throw LegacyError.lostStatement }
            try emit(statement, key: taken.contains(key) ? key.text + identity.suffix : key.text)
        }
        for list in lists.isEmpty ? [List(name: nil)] : lists {
            var fields = [LegacyField("name", .string(list.name ?? name))]
            if let createdAt { fields.append(LegacyField("createdAt", createdAt)) }
            fields.append(LegacyField("isFolder", .bool(false)))
            fields.append(LegacyField("tracks", .references(list.entries)))
            let parts =
                ["reprise playlist", identity.kind, identity.name] + (list.name.map { [$0] } ?? [])
            try report.emit(
                LegacyRecord(className: "playlist", key: ContentKey(parts).text, fields: fields)
            )
        }
    }
}

extension LegacyError {
    /// What was put into a temporary file is not what comes back from it.
    static var lostStatement: LegacyError {
        LegacyError(
            .inputOutput,
            "What was put into a temporary file cannot be read back.",
            advice: "Set TMPDIR to another directory."
        )
    }
}

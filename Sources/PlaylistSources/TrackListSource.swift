public import ExportFormats
public import LegacyRecords
import MusicLibrary
import MusicVocabulary
public import Reprise
public import TableSources

/// A list of tracks that is no playlist file: a table as Exportify, TuneMyMusic and Soundiiz write it, or the JSON that
/// Spotify gives its users (`Playlist1.json`, `YourLibrary.json`, `StreamingHistory0.json`).
///
/// Each row, or each object with the names of a track and of its artist, is an entry: of the playlist that it names,
/// otherwise of one that is called as the file. The records are those of a playlist file (``M3USource``); a track's key
/// is made of its URI, or of artist, album, title and duration. Several artists stay one text. What nothing is made of
/// is named once each (`unmappedProperty`).
///
/// Memory: as of ``M3USource``.
public struct TrackListSource: PlaylistSource, InterpretingSource {
    /// The kind of the identity of Spotify's JSON. A table has that of ``CSVSource``.
    public static let kind = "spotify"

    public let identity: SourceIdentity
    public var byteCount: UInt64 { stamp.byteCount }
    public var schema: SchemaDescription { MusicLibrary.schema.description }
    public var absentFields: [String: Set<String>] { columns?.absentFields ?? Self.absentFields }
    public var namesRowsOfStore: Bool { lookUp != nil }
    public var interpretation: SourceInterpretation {
        table?.interpretation ?? SourceInterpretation()
    }

    /// Nil for JSON.
    private let table: CSVSource?
    private let columns: TrackColumns?
    private let path: String
    private let stamp: ExportFile.Stamp
    private var lookUp: LibraryLookUp?

    private static let absentFields: [String: Set<String>] = {
        var absent = PlaylistRecords.absentFields
        absent["track"]?.remove("addedAt")
        return absent
    }()

    /// Opens Spotify's JSON.
    ///
    /// - Parameters:
    ///   - path: the file. It must stay unchanged as long as the source is used.
    ///   - name: a name that takes the place of the file's name as the identity of the list.
    /// - Throws: ``LegacyError``.
    public init(path: String, name: String? = nil) throws(LegacyError) {
        try LegacyFormat.refuseForeign(path)
        identity = SourceIdentity(kind: Self.kind, name: name, fileName: SourceFile.name(of: path))
        self.path = path
        stamp = try ExportFile(path: path).stamp
        (table, columns) = (nil, nil)
    }

    /// A table as a list of tracks.
    ///
    /// - Parameter table: nil is returned unless it is one: it has a title and an artist in each row, and an album, a
    ///   duration, a place or an ISRC; no column of keys; and the file is not called after tracks itself.
    public init?(_ table: CSVSource) {
        guard let columns = table.trackColumns else { return nil }
        identity = table.identity
        (path, stamp) = (table.path, table.stamp)
        (self.table, self.columns) = (table, columns)
    }

    /// Whether JSON is Spotify's, by the names of its members.
    public static func canRead(prefix: some Sequence<UInt8>) -> Bool {
        let text = String(decoding: Array(prefix.prefix(1 << 16)), as: UTF8.self).drop(
            while: \.isWhitespace
        )
        func has(_ names: String...) -> Bool { names.allSatisfy { text.contains("\"\($0)\"") } }
        let isArray = text.hasPrefix("[")
        guard isArray || text.hasPrefix("{") else { return false }
        return isArray
            && (has("artistName", "trackName", "msPlayed") || has("master_metadata_track_name"))
            || !isArray && (has("playlists", "items", "trackName", "artistName"))
            || !isArray && has("tracks", "artist", "track") && text.contains("\"spotify:track:")
    }

    /// A table was understood before it became a list, and Spotify's JSON says all by itself.
    public func understood(as earlier: SourceInterpretation, progress: (LegacyProgress) -> Bool) -> Self { self }

    public func naming(_ locations: LibraryLocations) -> Self {
        var list = self
        list.lookUp = { try locations.libraryTrack(at: $0) }
        return list
    }

    public func read(_ consume: (LegacyEvent) throws -> Void) throws -> LegacyReading {
        try SourceFile.read(path, in: stamp, consume) { input, report in
            let records = PlaylistRecords(
                identity,
                folder: PlaylistLocation.folder(of: path),
                lookUp: lookUp,
                report
            )
            if let table, let columns {
                try table.read(input, columns, records)
            } else {
                try SpotifyReader(input, records).read()
            }
            try records.finish(name: SourceFile.stem(of: path))
        }
    }

    public func checkUnchanged() throws {
        try ExportFile.checkUnchanged(path, since: stamp)
    }

    public func contentHash(_ progress: (LegacyProgress) throws -> Void) throws -> ContentHash {
        try ExportFile.hash(of: path, in: stamp, progress)
    }
}

extension CSVSource {
    /// Reads the rows as entries of playlists.
    fileprivate func read(_ input: FileInput, _ columns: TrackColumns, _ records: PlaylistRecords)
        throws
    {
        let reader = try reader(of: input, records.report)
        for place in columns.unmapped(self.columns.count) {
            try records.report.warn(.unmappedProperty) {
                "The music library has no field for the column \(self.columns[place].title); it was left out."
            }
        }
        if columns.isMilliseconds, let place = columns.durationPlace {
            try records.report.warn(.milliseconds(self.columns[place].title))
        }
        while let row = try reader.next() {
            try checkWidth(of: row, line: reader.line, records.report)
            let (entry, list, malformed) = columns.entry(row)
            for place in malformed {
                try records.report.warn(.malformedNumber) {
                    "The \(self.columns[place].title) of the row before line \(reader.line) is no number; it was left"
                        + " out."
                }
            }
            try records.add(entry, to: list, line: reader.line)
        }
    }
}

/// Finds the tracks in the JSON that Spotify gives its users.
private final class SpotifyReader {
    private static let unknownCountMax = 100
    private static let names = (
        title: ["trackName", "track", "master_metadata_track_name"],
        artist: ["artistName", "artist", "master_metadata_album_artist_name"],
        album: ["albumName", "album", "master_metadata_album_album_name"],
        location: ["trackUri", "uri", "spotify_track_uri"]
    )

    private let reader: JSONReader
    private let records: PlaylistRecords
    private var unknown: Set<String> = []

    init(_ input: any ByteInput, _ records: PlaylistRecords) {
        reader = JSONReader(input)
        self.records = records
    }

    func read() throws {
        switch try reader.next() {
        case .beginObject: _ = try object(in: nil)
        case .beginArray: try array(in: nil)
        default: break
        }
        _ = try reader.next()
    }

    private func array(in list: String?) throws {
        var token = try reader.next()
        while token != .endArray {
            switch token {
            case .beginObject:
                if let entry = try object(in: list) {
                    try records.add(entry, to: list, line: reader.line)
                }
            case .beginArray: try array(in: list)
            default: break
            }
            token = try reader.next()
        }
    }

    /// The track that an object is or holds; nil where it is none.
    private func object(in list: String?) throws -> PlaylistEntry? {
        var texts: [String: String] = [:]
        var others: [String] = []
        var inner: PlaylistEntry?
        while case .name(let name) = try reader.next() {
            switch try reader.next() {
            case .string(let text): texts[name] = text
            case .beginObject:
                let found = try object(in: list)
                if name == "track" { inner = found }
            // What a list is called comes before what is in it.
            case .beginArray: try array(in: name == "items" ? texts["name"] ?? list : list)
            case .null: break
            default: others.append(name)
            }
        }
        func text(_ names: [String]) -> String? {
            names.lazy.compactMap { texts[$0] }.first { !$0.isEmpty }
        }
        var entry = inner
        if let title = text(Self.names.title), let artist = text(Self.names.artist) {
            var track = PlaylistEntry()
            (track.title, track.artist, track.album) = (title, artist, text(Self.names.album))
            track.locations = text(Self.names.location).map { [$0] } ?? []
            entry = track
            let known =
                Self.names.title + Self.names.artist + Self.names.album + Self.names.location
            try leaveOut(texts.keys.filter { !known.contains($0) }.sorted() + others)
        }
        if let added = texts["addedDate"] { entry?.addedAt = added }
        return entry
    }

    private func leaveOut(_ names: [String]) throws {
        for name in names
        where unknown.count < Self.unknownCountMax && unknown.insert(name).inserted {
            try records.report.warn(.unmappedProperty) {
                "The music library has no field for \(name.prefix(60)); it was left out."
            }
        }
    }
}

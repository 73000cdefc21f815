import MusicLibrary
public import Reprise

/// A playlist as M3U or M3U8: a location on each line, and lines that begin with `#`.
///
/// The records are those of the music library: a `track` for each location, whatever the number of entries that name
/// it, and one `playlist` with its entries in order, repeats kept. There is no standard; what is read is what
/// players write:
/// * `#EXTINF:duration,artist - title`, the duration in seconds, -1 and 0 for none. Attributes after the duration
///   are passed over. Without a title, the file's name without its extension is one.
/// * `#PLAYLIST:name`; otherwise the name is that of the file without its extension.
/// * `#EXTALB:album`, `#EXTART:artist of the album`, `#EXTGENRE:genre`, before the location.
/// * Other lines with `#EXT` are named once each in a warning (`unmappedProperty`); other `#` lines are comments.
///
/// A file whose name ends in `m3u8` is UTF-8. Others are UTF-8 if all of their bytes are, otherwise Windows-1252, which
/// has Latin-1's letters. Locations are brought into one form: see ``PlaylistLocation/resolved(_:in:)``.
///
/// A track's key is a content key of `reprise location` and the location, the playlist's one of `reprise playlist` and
/// the identity of the source.
///
/// Memory: about 100 bytes an entry.
public struct M3USource: LegacySource {
    /// The kind of the identity of every such playlist.
    public static let kind = "m3u"

    public let identity: SourceIdentity
    public var byteCount: UInt64 { stamp.byteCount }
    public var schema: SchemaDescription { MusicLibrary.schema.description }
    /// What no playlist says of its tracks.
    public var absentFields: [String: Set<String>] { PlaylistRecords.absentFields }
    /// The entries of files that the library has are its tracks.
    public var namesRowsOfStore: Bool { lookUp != nil }

    let path: String
    let stamp: ExportFile.Stamp
    private let encoding: TextLines.Encoding
    private let lookUp: (@Sendable (String) -> String?)?

    /// Opens a playlist and reads it once, to find out its encoding.
    ///
    /// - Parameters:
    ///   - path: the file. It must stay unchanged as long as the source is used. Relative locations go on from its
    ///     folder.
    ///   - name: a name that takes the place of the file's name as the identity of the playlist.
    ///   - libraryLocations: gives the identifier of the track that is already in the store at a location, in the
    ///     form of ``PlaylistLocation/resolved(_:in:)``; the entry becomes that track, and no record is made. Nil
    ///     makes one for all.
    /// - Throws: ``LegacyError``.
    /// - Complexity: O(bytes).
    public init(
        path: String,
        name: String? = nil,
        libraryLocations: (@Sendable (String) -> String?)? = nil
    ) throws(LegacyError) {
        identity = SourceIdentity(
            kind: Self.kind,
            name: name,
            fileName: SourceFile.name(of: path)
        )
        self.path = path
        lookUp = libraryLocations
        (stamp, encoding) = try SourceFile.typed(path) {
            let input = try FileInput(path: path)
            guard input.stamp.byteCount > 0 else {
                throw LegacyError(
                    .empty,
                    "The file is empty.",
                    advice: "Export the playlist again."
                )
            }
            let lines = TextLines(input, .unknown)
            var isUTF8 = true
            while let line = try lines.nextBytes() {
                if isUTF8, String(validating: line, as: UTF8.self) == nil { isUTF8 = false }
            }
            try input.checkUnchanged()
            let mustBeUTF8 = path.lowercased().hasSuffix(".m3u8")
            return (input.stamp, isUTF8 || mustBeUTF8 ? .utf8 : .windows1252)
        }
    }

    /// Whether the first line is `#EXTM3U`. ``TextFormat/detect(prefix:fileName:)`` goes by the file's name too.
    public static func canRead(prefix: some Sequence<UInt8>) -> Bool {
        TextFormat.detect(prefix: prefix, fileName: nil) == .m3u
    }

    public func read(_ consume: (LegacyEvent) throws -> Void) throws -> LegacyReading {
        try withoutActuallyEscaping(consume) { consume in
            let report = LibraryReport(consume)
            let input = try FileInput(path: path, stamp: stamp)
            input.onProgress = { [byteCount] bytesRead in
                try consume(.progress(LegacyProgress(bytesRead: bytesRead, byteCount: byteCount)))
            }
            let records = PlaylistRecords(
                identity,
                folder: PlaylistLocation.folder(of: path),
                lookUp: lookUp,
                report
            )
            let lines = TextLines(input, encoding)
            var parser = M3UParser()
            while let line = try lines.next() {
                switch parser.read(line) {
                case .nothing: break
                case .entry(let entry): try records.add(entry, line: lines.number)
                case .unknown(let directive):
                    try report.warn(.unmappedProperty) {
                        "The music library has no field for \(directive); it was left out."
                    }
                }
            }
            let name = parser.name ?? SourceFile.stem(of: path)
            try records.finish(name: name)
            try input.checkUnchanged()
            var reading = report.reading
            reading.byteCount = byteCount
            reading.contentHash = input.contentHash
            return reading
        }
    }

    public func contentHash(_ progress: (LegacyProgress) throws -> Void) throws -> ContentHash {
        try ExportFile.hash(of: path, in: stamp, progress)
    }
}

/// Understands the lines of an M3U file one after the other.
struct M3UParser {
    enum Meaning: Equatable {
        case nothing
        case entry(PlaylistEntry)
        /// A directive that was met for the first time and has no meaning here.
        case unknown(String)
    }

    private static let unknownCountMax = 100

    private(set) var name: String?
    private var entry = PlaylistEntry()
    private var unknown: Set<String> = []

    mutating func read(_ given: String) -> Meaning {
        let line = Self.trimmed(given[...])
        guard !line.isEmpty else { return .nothing }
        guard line.hasPrefix("#") else {
            var complete = entry
            complete.locations = [String(line)]
            entry = PlaylistEntry()
            return .entry(complete)
        }
        guard line.hasPrefix("#EXT") || line.hasPrefix("#PLAYLIST") else { return .nothing }
        let directive = String(line.prefix { $0 != ":" })
        let value = Self.trimmed(line.dropFirst(directive.count + 1))
        let text = value.isEmpty ? nil : String(value)
        switch directive {
        case "#EXTM3U": break
        case "#EXTINF": readInformation(value)
        case "#PLAYLIST": name = text ?? name
        case "#EXTALB": entry.album = text
        case "#EXTART": entry.albumArtist = text
        case "#EXTGENRE": entry.genre = text
        default:
            guard unknown.count < Self.unknownCountMax, unknown.insert(directive).inserted else {
                return .nothing
            }
            return .unknown(directive)
        }
        return .nothing
    }

    private mutating func readInformation(_ value: Substring) {
        let number = value.prefix { $0 != "," && $0 != " " }
        if let seconds = Double(number), seconds.isFinite, seconds > 0 { entry.duration = seconds }
        // A comma in quotes belongs to an attribute.
        var isQuoted = false
        let comma = value.firstIndex { character in
            if character == "\"" { isQuoted.toggle() }
            return character == "," && !isQuoted
        }
        guard let comma = comma ?? value.firstIndex(of: ",") else { return }
        let text = Self.trimmed(value[value.index(after: comma)...])
        guard !text.isEmpty else { return }
        if let dash = text.firstRange(of: " - "), dash.lowerBound > text.startIndex,
            dash.upperBound < text.endIndex
        {
            entry.artist = String(Self.trimmed(text[..<dash.lowerBound]))
            entry.title = String(Self.trimmed(text[dash.upperBound...]))
        } else {
            entry.title = String(text)
        }
    }

    private static func trimmed(_ text: Substring) -> Substring {
        var rest = text
        while let first = rest.first, first == " " || first == "\t" { rest.removeFirst() }
        while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
        return rest
    }
}

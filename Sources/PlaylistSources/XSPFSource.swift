public import ExportFormats
public import LegacyRecords
import MusicLibrary
public import Reprise

/// A playlist as XSPF, version 0 or 1 (https://xspf.org/spec).
///
/// The records are those of the music library: a `track` for each track that differs, an `album` for each `album` and
/// `creator`, and one `playlist`, called by its `title` or as the file. Of a track `location`, `title`, `creator`,
/// `album`, `trackNum` and `duration` (milliseconds) are read, of the playlist `title` and `date`; other elements
/// are named once each in a warning (`unmappedProperty`). Of two of the same that say something the later counts
/// (`repeatedField`).
///
/// Of several locations the first counts that is in the library (`libraryLocations`), or simply the first
/// (`furtherLocation`). Relative ones go on from `xml:base`, or from the folder of the file. Elements of other
/// namespaces than the playlist's are not looked at. Locations are brought into one form: see
/// ``PlaylistLocation/resolved(_:in:)``. A track's key
/// is a content key of `reprise location` and the location, or of `reprise track` and creator, album, title and
/// duration in seconds where there is none.
///
/// The file is UTF-8, or what its XML declaration names: Windows-1252 (ISO-8859-1), ISO-8859-15 or Windows-1251
/// (`guessedEncoding`). Declarations of entities and documents types with contents are refused, as in
/// ``ITunesLibrarySource``.
///
/// What tracks say of one location is put together. One that contradicts what was said before is counted
/// (`differingEntry`), and nothing of it is taken.
///
/// Memory: about 100 bytes an entry, and what is said of the tracks, up to 128 MiB, beyond which it is put into a
/// temporary file.
public struct XSPFSource: PlaylistSource {
    /// The kind of the identity of every such playlist.
    public static let kind = "xspf"

    public let identity: SourceIdentity
    public var byteCount: UInt64 { stamp.byteCount }
    public var schema: SchemaDescription { MusicLibrary.schema.description }
    /// What no playlist says of its tracks.
    public var absentFields: [String: Set<String>] { PlaylistRecords.absentFields }
    /// The entries of files that the library has are its tracks.
    public var namesRowsOfStore: Bool { lookUp != nil }
    public var folder: String? { PlaylistLocation.folder(of: path) }

    let path: String
    let stamp: ExportFile.Stamp
    private var lookUp: LibraryLookUp?

    /// Opens a playlist.
    ///
    /// - Parameters:
    ///   - path: the file. It must stay unchanged as long as the source is used. Relative locations go on from its
    ///     folder.
    ///   - name: a name that takes the place of the file's name as the identity of the playlist.
    ///   - libraryLocations: gives the identifier of the track that is already in the store at a location, in the
    ///     form of ``PlaylistLocation/resolved(_:in:)``; the entry becomes that track, and no record is made. Nil
    ///     makes one for all. What it throws ends the reading. What the entry says of the track is not compared with
    ///     anything: that does ``naming(_:)``.
    /// - Throws: ``LegacyError``.
    public init(
        path: String,
        name: String? = nil,
        libraryLocations: (@Sendable (String) throws -> String?)? = nil
    ) throws(LegacyError) {
        identity = SourceIdentity(
            kind: Self.kind,
            name: name,
            fileName: PlaylistLocation.fileName(of: path)
        )
        self.path = path
        lookUp = LibraryTrack.lookUp(libraryLocations)
        stamp = try ExportFile(path: path).stamp
    }

    /// Whether the file is XML whose root is `playlist` in the namespace of XSPF.
    public static func canRead(prefix: some Sequence<UInt8>) -> Bool {
        TextFormat.detect(prefix: prefix, fileName: nil) == .xspf
    }

    public func naming(_ locations: LibraryLocations) -> Self {
        var playlist = self
        playlist.lookUp = { try locations.libraryTrack(at: $0) }
        return playlist
    }

    public func read(_ consume: (LegacyEvent) throws -> Void) throws -> LegacyReading {
        try SourceFile.read(path, in: stamp, consume) { input, report in
            let stream = CheckedStream(input, decodesDeclared: true)
            stream.onReplacement = report.warnOfReplacement
            let records = PlaylistRecords(
                identity,
                folder: PlaylistLocation.folder(of: path),
                lookUp: lookUp,
                report
            )
            let reader = XSPFReader(stream, records)
            try reader.read()
            if let note = stream.encoding.note("the file says so") { try report.warn(LegacyWarning(note)) }
            try records.finish(
                name: reader.title ?? SourceFile.stem(of: path),
                createdAt: reader.createdAt
            )
        }
    }

    public func checkUnchanged() throws {
        try ExportFile.checkUnchanged(path, since: stamp)
    }

    public func contentHash(_ progress: (LegacyProgress) throws -> Void) throws -> ContentHash {
        try ExportFile.hash(of: path, in: stamp, progress)
    }
}

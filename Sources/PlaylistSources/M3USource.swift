public import ExportFormats
public import LegacyRecords
import MusicLibrary
public import Reprise
import TableSources

/// A playlist as M3U or M3U8: a location on each line, and lines that begin with `#`.
///
/// The records are those of the music library: a `track` for each location, whatever the number of entries that name
/// it, and one `playlist` with its entries in order, repeats kept. There is no standard; what is read is what
/// players write:
/// * `#EXTINF:duration,artist - title`, the duration in seconds, -1 and 0 for none. Attributes after the duration,
///   and after `#EXTM3U`, are named once each where they say something (`unmappedProperty`). A duration that is no
///   decimal number is left out (`malformedNumber`), one below zero other than -1, too (`valueOutOfRange`), and so is
///   an `#EXTINF` without a location after it (`malformedEntry`). Without a title, the file's name without its
///   extension is one.
/// * `#PLAYLIST:name`; otherwise the name is that of the file without its extension.
/// * `#EXTALB:album`, `#EXTART:artist of the album`, `#EXTGENRE:genre`, before the location. One that is there once,
///   before the first entry, is said of all entries: that is how a list of one album is written. One after the last
///   entry is left out (`malformedEntry`). Of two before one entry, and of two names, the later counts
///   (`repeatedField`).
///   The artist of an album without an album is left out (`unmappedProperty`).
/// * `#EXTENC:` names the encoding of a file that is no UTF-8. Where the file is read otherwise, that is named
///   (`unmappedProperty`).
/// * Other lines with `#EXT`, and `#KODIPROP`, are named once each in a warning (`unmappedProperty`); other `#` lines
///   are comments.
///
/// What entries say of one location is put together. One that contradicts what was said before is counted
/// (`differingEntry`), and nothing of it is taken.
///
/// A file is read as its byte order mark says, else as UTF-8 where it is UTF-8, else as `#EXTENC` says, else by the
/// letters that its bytes give (`guessedEncoding`): Windows-1252, ISO-8859-15, Windows-1251, Shift-JIS or GBK.
/// Locations are brought into one form: see ``PlaylistLocation/resolved(_:in:)``.
///
/// A track's key is a content key of `reprise location` and the location, the playlist's one of `reprise playlist` and
/// the identity of the source.
///
/// Memory: about 100 bytes an entry, and what is said of the tracks, up to 128 MiB, beyond which it is put into a
/// temporary file.
public struct M3USource: PlaylistSource {
    /// The kind of the identity of every such playlist.
    public static let kind = "m3u"

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
    private let encoding: TextEncoding
    private let encodingNote: LegacyWarning?
    private let common: Set<String>
    private var lookUp: LibraryLookUp?

    /// Opens a playlist and reads it once, to find out its encoding.
    ///
    /// - Parameters:
    ///   - path: the file. It must stay unchanged as long as the source is used. Relative locations go on from its
    ///     folder.
    ///   - name: a name that takes the place of the file's name as the identity of the playlist.
    ///   - libraryLocations: gives the identifier of the track that is already in the store at a location, in the
    ///     form of ``PlaylistLocation/resolved(_:in:)``; the entry becomes that track, and no record is made. Nil
    ///     makes one for all. What it throws ends the reading. What the entry says of the track is not compared with
    ///     anything: that does ``naming(_:)``.
    ///   - progress: called at the beginning, about every four megabytes and at the end, on the caller's thread;
    ///     returning false cancels.
    /// - Throws: ``LegacyError``.
    /// - Complexity: O(bytes).
    public init(
        path: String,
        name: String? = nil,
        libraryLocations: (@Sendable (String) throws -> String?)? = nil,
        progress: (LegacyProgress) -> Bool = { _ in true }
    ) throws(LegacyError) {
        identity = SourceIdentity(
            kind: Self.kind,
            name: name,
            fileName: PlaylistLocation.fileName(of: path)
        )
        self.path = path
        lookUp = LibraryTrack.lookUp(libraryLocations)
        (stamp, encoding, encodingNote, common) = try SourceFile.open(path, progress) { opening in
            // The encoding, and then what is said of all entries.
            opening.passCount = 2
            guard opening.stamp.byteCount > 0 else {
                throw LegacyError(
                    .empty,
                    "The file is empty.",
                    advice: "Export the playlist again."
                )
            }
            let (encoding, note) = try EncodingSurvey.find(
                opening.input(),
                declared: M3USurvey.encoding
            )
            let input = try opening.input()
            let lines = TextLines(DecodedInput(input, encoding))
            var survey = M3USurvey()
            while let line = try lines.nextBytes() { survey.read(line) }
            try input.checkUnchanged()
            return (input.stamp, encoding, note.map { LegacyWarning($0) }, survey.common)
        }
    }

    /// Whether the first line is `#EXTM3U`. ``TextFormat/detect(prefix:fileName:)`` goes by the file's name too.
    public static func canRead(prefix: some Sequence<UInt8>) -> Bool {
        TextFormat.detect(prefix: prefix, fileName: nil) == .m3u
    }

    public func naming(_ locations: LibraryLocations) -> Self {
        var playlist = self
        playlist.lookUp = { try locations.libraryTrack(at: $0) }
        return playlist
    }

    public func read(_ consume: (LegacyEvent) throws -> Void) throws -> LegacyReading {
        try SourceFile.read(path, in: stamp, consume) { input, report in
            let records = PlaylistRecords(
                identity,
                folder: PlaylistLocation.folder(of: path),
                lookUp: lookUp,
                report
            )
            let lines = TextLines(DecodedInput(input, encoding))
            var parser = M3UParser(common: common, encoding: encoding)
            if let encodingNote { try report.warn(encodingNote) }
            func take(_ meaning: M3UParser.Meaning) throws {
                switch meaning {
                case .entry(let entry): try records.add(entry, line: lines.number)
                case .unknown(let property):
                    try report.warn(.unmappedProperty) {
                        "The music library has no field for \(property.prefix(60)); it was left out."
                    }
                case .malformedDuration(let text):
                    try report.warn(.malformedNumber) {
                        "The duration \(LibraryReport.quoted(text)) in line \(lines.number) is no number; it was left"
                            + " out."
                    }
                case .shortenedDuration(let text):
                    try report.warn(.roundedNumber) {
                        "The duration \(LibraryReport.quoted(text)) in line \(lines.number) was rounded; a number does"
                            + " not hold so many digits."
                    }
                case .negativeDuration(let text):
                    try report.warn(.valueOutOfRange) {
                        "The duration \(LibraryReport.quoted(text)) in line \(lines.number) is below zero; it was"
                            + " left out."
                    }
                case .repeated(let directive):
                    try report.warn(.repeatedField) {
                        "Line \(lines.number) says \(directive) once more; what is said later counts."
                    }
                case .missingEntry(let directive):
                    try report.warn(.malformedEntry) {
                        "No entry comes after the last \(directive); it was left out."
                    }
                case .missingLocation:
                    try report.warn(.malformedEntry) {
                        "An #EXTINF up to line \(lines.number) has no location after it; it was left out."
                    }
                }
            }
            while let line = try lines.next() {
                for meaning in parser.read(line) { try take(meaning) }
            }
            for meaning in parser.end() { try take(meaning) }
            let name = parser.name ?? SourceFile.stem(of: path)
            try records.finish(name: name)
        }
    }

    public func checkUnchanged() throws {
        try ExportFile.checkUnchanged(path, since: stamp)
    }

    public func contentHash(_ progress: (LegacyProgress) throws -> Void) throws -> ContentHash {
        try ExportFile.hash(of: path, in: stamp, progress)
    }
}

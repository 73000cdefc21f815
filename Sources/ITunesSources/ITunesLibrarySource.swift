public import ExportFormats
public import LegacyRecords
import MusicLibrary
import MusicVocabulary
public import Reprise

/// The XML library that iTunes kept and Music exports: an XML property list.
///
/// Records, in this order of dependence (each comes after those it refers to):
/// * `album`: `title`, `artist`?
/// * `track`: `title`, `artist`?, `duration`? (seconds), `genre`?, `releaseDate`?, `year`?,
///   `trackNumber`?, `discNumber`?, `playCount`, `rating`? (0-100), `isFavorite`, `addedAt`?,
///   `location`?, `kind`?, `album`? (a reference)
/// * `playlist`: `name`, `isFolder`, `parent`? (a reference to a playlist), `tracks` (references to
///   tracks)
///
/// A track's key is its `Persistent ID`, a playlist's its `Playlist Persistent ID`. An album's is
/// made from the identity of the source and its two names; see ``albumKey(source:title:artist:)``.
/// The members of an album come in the order of the file.
///
/// Lists that iTunes makes by itself (`Master`, or with a `Distinguished Kind`) are left out, and each is named: in a
/// note where its members follow from the tracks (all music, all films), as a loss where iTunes has chosen them
/// (purchases, *Top 25 Most Played*). The latter come where that is asked for, and from then on with each newer export
/// of the library (``understood(as:progress:)``).
///
/// Memory: a table from each track's number to its key, the keys of the albums, and the entries of
/// the playlist being read (about 60 bytes a track and 20 an album), whatever the size of the file; tables and keys up
/// to 128 MiB, beyond which they are put into a temporary file. Playlists that come before their folders wait for them:
/// up to 128 MiB, beyond which the file is refused.
public struct ITunesLibrarySource: DetailedSource, InterpretingSource {
    /// The kind of the identity of every iTunes library.
    public static let kind = "itunes"

    public let identity: SourceIdentity
    public var byteCount: UInt64 { stamp.byteCount }
    public var schema: SchemaDescription { MusicLibrary.schema.description }
    public var recordOrder: [String] { MusicModel.recordOrder }
    /// iTunes does not know when a list was made. The albums' tracks and the folders' lists say themselves where they
    /// belong.
    public var absentFields: [String: Set<String>] { ["playlist": ["createdAt"]] }

    /// The keys of albums are made of the identity and titles, as are those of lists that have none.

    /// That it takes lists that iTunes makes by itself, where it does.
    public var interpretation: SourceInterpretation {
        guard takesBuiltInPlaylists else { return SourceInterpretation() }
        return SourceInterpretation([Self.playlists: Self.builtIn], asked: [Self.playlists])
    }

    let path: String
    let stamp: ExportFile.Stamp
    /// Whether the export says nothing about its identity and the file's name stands in.
    let lacksLibraryID: Bool
    /// Whether lists that iTunes makes by itself come as well, as far as it has chosen what is in them.
    private(set) var takesBuiltInPlaylists: Bool

    /// What the log calls that.
    private static let playlists = "playlists"
    private static let builtIn = ["builtIn"]

    /// Opens an export and reads as far as its `Library Persistent ID`, which Apple writes near the
    /// start; only a file that has none is read to its end.
    ///
    /// - Parameters:
    ///   - path: the file. It must stay unchanged as long as the source is used.
    ///   - name: a name that takes the place of the library's own identity.
    ///   - takesBuiltInPlaylists: whether the lists are taken that iTunes makes by itself by a choice of its own: those
    ///     with a `Distinguished Kind` but for those of all music, films, television, audiobooks, podcasts, lectures.
    ///   - progress: called at the beginning, about every four megabytes and at the end, on the caller's thread;
    ///     returning false cancels.
    /// - Throws: ``LegacyError``.
    public init(
        path: String,
        name: String? = nil,
        takesBuiltInPlaylists: Bool = false,
        progress: (LegacyProgress) -> Bool = { _ in true }
    ) throws(LegacyError) {
        self.takesBuiltInPlaylists = takesBuiltInPlaylists
        let survey = try SourceFile.open(path, progress, LibrarySurvey.run)
        self.path = path
        stamp = survey.stamp
        lacksLibraryID = survey.libraryID == nil && name == nil
        let fileName = path.split(separator: "/").last.map(String.init) ?? path
        identity = SourceIdentity(
            kind: Self.kind,
            name: name ?? survey.libraryID,
            fileName: fileName
        )
    }

    /// Takes the lists that iTunes makes by itself, too, where that was asked for once.
    public func understood(as earlier: SourceInterpretation, progress: (LegacyProgress) -> Bool) -> Self {
        var source = self
        if earlier[Self.playlists] == Self.builtIn { source.takesBuiltInPlaylists = true }
        return source
    }

    public func read(_ consume: (LegacyEvent) throws -> Void) throws -> LegacyReading {
        try withoutActuallyEscaping(consume) { consume in
            let library = LibraryReader(self, consume: consume)
            try library.pass(.tracksAndPlaylists)
            if library.mustReadPlaylistsAgain { try library.pass(.playlists) }
            return try library.finish()
        }
    }

    public func checkUnchanged() throws {
        try ExportFile.checkUnchanged(path, since: stamp)
    }

    public func contentHash(_ progress: (LegacyProgress) throws -> Void) throws -> ContentHash {
        try ExportFile.hash(of: path, in: stamp, progress)
    }

    /// The key of an album: 32 lower-case hexadecimal digits, the first 16 bytes of the SHA-256
    /// over the texts `reprise album`, the identity's kind, its name, the album's title and its
    /// artist. Each text is written as its UTF-8 byte count (8 bytes, big-endian) and its bytes; a
    /// missing artist is the count 2^64 - 1 alone.
    ///
    /// - Parameters:
    ///   - source: the identity of the library.
    ///   - title: the tracks' `Album`.
    ///   - artist: their `Album Artist`; or `Various Artists` where `Compilation` is set; or their
    ///     `Artist`.
    public static func albumKey(source: SourceIdentity, title: String, artist: String?) -> String {
        MusicKeys.album(source: source, title: title, artist: artist)
    }

    /// Whether a file that begins with `prefix` looks like such a library: an XML property list
    /// with keys that only it has. Decided by content alone; four kilobytes are enough.
    ///
    /// - Complexity: O(prefix).
    public static func canRead(prefix: some Sequence<UInt8>) -> Bool {
        let text = String(decoding: Array(prefix.prefix(1 << 16)), as: UTF8.self)
        guard let root = text.firstRange(of: "<plist") else { return false }
        let head = text[..<root.lowerBound]
        let isProlog = head.unicodeScalars.first { !$0.properties.isWhitespace && $0 != "\u{FEFF}" }
        guard isProlog == nil || isProlog == "<" else { return false }
        let body = text[root.upperBound...]
        return ["Library Persistent ID", "Music Folder", "Tracks", "Application Version"]
            .contains { body.contains("<key>\($0)</key>") }
    }
}

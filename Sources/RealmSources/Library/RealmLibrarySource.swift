public import ExportFormats
public import LegacyRecords
import MusicLibrary
import MusicVocabulary
import RealmFile
public import Reprise

/// The Realm file of a music app.
///
/// Which class is a track, an album or a playlist, and which property is which of their fields, is told by their names:
/// `RealmTrack`, `Song` and `TrackObject` are tracks; `name` is a title where there is no `title`. Properties that the
/// music library has no field for are left out, with a warning for each.
///
/// Albums come with their tracks, in the order of the album's list; then the tracks of no album; then the playlists. A
/// record's key is the object's primary key as text, or, where there is none or it cannot be used, made from the
/// class and the object's number in the file.
///
/// The file is examined first (``RealmReader/examine(progress:)``): one that is torn or damaged is refused, and
/// nothing of it is handed on, unless it is to be salvaged: then exactly those objects are that are provably whole
/// (``RealmSalvage``).
///
/// Memory: the file is mapped, and read where it is needed; a bit for each track.
public struct RealmLibrarySource: DetailedSource {
    /// The kind of the identity of every Realm file.
    public static let kind = "realm"

    public var identity: SourceIdentity { file.identity }
    public var byteCount: UInt64 { file.stamp.byteCount }
    public var isPartial: Bool { file.salvages }
    public var isOutdated: Bool { file.realm.newestFault != nil }
    public var schema: SchemaDescription { MusicLibrary.schema.description }
    public var recordOrder: [String] { MusicModel.recordOrder }
    /// What the file has no property for.
    public var absentFields: [String: Set<String>] {
        RealmLibraryReader.absentFields(of: file.realm)
    }

    /// Whether a class of the file is one of tracks. Otherwise ``read(_:)`` throws `notALibrary`; take
    /// ``RealmStoreSource``.
    public var isMusicLibrary: Bool {
        file.realm.classes.contains {
            $0.isModel && $0.kind == .topLevel && MusicModel(className: $0.name) == .track
        }
    }

    let file: RealmOpening

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - path: the file. It must stay unchanged as long as the source is used: give a copy.
    ///   - key: the 64 bytes that the app encrypted it with.
    ///   - name: a name that takes the place of the file's name as the identity of the library.
    ///   - salvages: whether a file that is torn or damaged is not refused: what is provably whole of it is handed on,
    ///     and every loss is a warning.
    ///   - progress: called at the beginning and at the end, and about every four megabytes of a file that is encrypted
    ///     or to be salvaged, on the caller's thread; returning false cancels.
    /// - Throws: ``LegacyError``.
    public init(
        path: String,
        key: [UInt8]? = nil,
        name: String? = nil,
        salvages: Bool = false,
        progress: (LegacyProgress) -> Bool = { _ in true }
    ) throws(LegacyError) {
        file = try RealmOpening(
            path: path,
            key: key,
            name: name,
            salvages: salvages,
            progress
        )
    }

    public static func canRead(prefix: some Sequence<UInt8>) -> Bool {
        RealmReader.canRead(prefix: prefix)
    }

    public func read(_ consume: (LegacyEvent) throws -> Void) throws -> LegacyReading {
        do {
            return try withoutActuallyEscaping(consume) { consume in
                let reader = try RealmLibraryReader(self, consume: consume)
                return try reader.read()
            }
        } catch let error as RealmFileError {
            throw LegacyError(error)
        }
    }

    public func checkUnchanged() throws {
        try file.checkUnchanged()
    }

    public func contentHash(_ progress: (LegacyProgress) throws -> Void) throws -> ContentHash {
        try file.contentHash(progress)
    }
}

extension LegacyError {
    /// The same failure in the words of all sources.
    init(_ error: RealmFileError) {
        let code: Code =
            switch error.code {
            case .noSuchFile: .noSuchFile
            case .notAFile: .notAFile
            case .permissionDenied: .permissionDenied
            case .inputOutput: .inputOutput
            case .notARealm: .unknownFormat
            case .wrongKey, .invalidKey: .wrongKey
            case .unsupportedFormat, .unsupportedContent: .unsupportedVersion
            case .damaged: .damaged
            case .truncated: .truncated
            case .limitExceeded: .limitExceeded
            case .invalidRequest: .malformed
            case .cancelled: .cancelled
            }
        guard code != .cancelled else {
            self = .cancelled
            return
        }
        self.init(code, error.message, advice: error.advice, byteOffset: error.offset)
    }
}

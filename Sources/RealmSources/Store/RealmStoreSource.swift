public import ExportFormats
public import LegacyRecords
import RealmFile
public import Reprise

/// The Realm file of any app, with the schema that it has itself.
///
/// Every class becomes a model, every property an attribute or a relationship, by its own name as far as a store allows
/// it:
///
/// | in Realm | in the store |
/// |---|---|
/// | `Int`, `Bool`, `Float`, `Double`, `String`, `Data`, `UUID` | the same |
/// | `Date` | a date, rounded to what a `Date` holds, with a warning where that is not all |
/// | `Decimal128` | a decimal; what a decimal cannot hold is left out with a warning |
/// | `ObjectId` | text: 24 hexadecimal digits |
/// | `Mixed` | text: JSON in which every type is told apart (see `RealmDumpWriter`) |
/// | `List`, `MutableSet`, `Map` of values | a list, a set, a map |
/// | a link | a to-one; deleting its target empties it |
/// | a link to an embedded object | a to-one that deletes its target with the owner |
/// | `List`, `MutableSet` of objects | an ordered list, of embedded objects one that deletes them with the owner |
/// | `Map` of objects | a map of their identifiers |
/// | `LinkingObjects` | nothing: the file does not keep their names |
///
/// A record's key is as that of ``RealmLibrarySource``. A primary key that is a text called `id` is the identifier
/// itself; every other one stays as an attribute, too.
///
/// The file is examined first: one that is torn or damaged is refused, and nothing of it is handed on, unless it is to
/// be salvaged: then exactly those objects are that are provably whole (``RealmSalvage``). A class of which nothing can
/// be read is no model then, and links to it are no relationships (``lostSchema``): a store that is made with that
/// schema has no place for them, and the sound file has to go into a store of its own.
///
/// Memory: the file is mapped, and read where it is needed.
public struct RealmStoreSource: DetailedSource {
    /// The kind of the identity of every Realm file.
    public static let kind = RealmLibrarySource.kind

    public var identity: SourceIdentity { file.identity }
    public var byteCount: UInt64 { file.stamp.byteCount }
    public var isPartial: Bool { file.salvages }
    public var isOutdated: Bool { file.realm.newestFault != nil }
    public var schema: SchemaDescription { store.description }
    public var lostSchema: LostSchema { store.lost }
    public var heldIdentifiers: [String: [String: HeldIdentifiers]] { store.heldIdentifiers }
    public let recordOrder: [String]

    let file: RealmOpening
    let store: RealmStoreSchema

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
        try self.init(
            RealmOpening(
                path: path,
                key: key,
                name: name,
                salvages: salvages,
                progress
            )
        )
    }

    /// The same file with its own schema, without opening it again.
    ///
    /// - Parameter library: the file as one of a music app, of which it need not be one.
    /// - Throws: ``LegacyError``.
    public init(_ library: RealmLibrarySource) throws(LegacyError) {
        try self.init(library.file)
    }

    private init(_ file: RealmOpening) throws(LegacyError) {
        self.file = file
        store = try RealmStoreSchema(file.realm)
        recordOrder = store.description.targetsFirst
    }

    public static func canRead(prefix: some Sequence<UInt8>) -> Bool {
        RealmReader.canRead(prefix: prefix)
    }

    public func read(_ consume: (LegacyEvent) throws -> Void) throws -> LegacyReading {
        do {
            return try withoutActuallyEscaping(consume) { consume in
                try RealmStoreReader(self, consume: consume).read()
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

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
public struct RealmStoreSource: LegacySource {
    /// The kind of the identity of every Realm file.
    public static let kind = RealmLibrarySource.kind

    public let identity: SourceIdentity
    public var byteCount: UInt64 { stamp.byteCount }
    public var isPartial: Bool { salvages }
    public var isOutdated: Bool { realm.newestFault != nil }
    public var schema: SchemaDescription { store.description }
    public var lostSchema: LostSchema { store.lost }
    public var heldIdentifiers: [String: [String: HeldIdentifiers]] { store.heldIdentifiers }
    public let recordOrder: [String]

    let path: String
    let stamp: ExportFile.Stamp
    let realm: RealmReader
    let salvages: Bool
    let store: RealmStoreSchema

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - path: the file. It must stay unchanged as long as the source is used: give a copy.
    ///   - key: the 64 bytes that the app encrypted it with.
    ///   - name: a name that takes the place of the file's name as the identity of the library.
    ///   - salvages: whether a file that is torn or damaged is not refused: what is provably whole of it is handed on,
    ///     and every loss is a warning.
    /// - Throws: ``LegacyError``.
    public init(
        path: String,
        key: [UInt8]? = nil,
        name: String? = nil,
        salvages: Bool = false
    ) throws(LegacyError) {
        stamp = try ExportFile(path: path).stamp
        realm = try RealmOpening.reader(path: path, key: key, salvages: salvages)
        self.salvages = salvages
        store = try RealmStoreSchema(realm)
        recordOrder = store.description.targetsFirst
        self.path = path
        let fileName = path.split(separator: "/").last.map(String.init) ?? path
        identity = SourceIdentity(
            kind: Self.kind,
            name: name,
            fileName: fileName
        )
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

    public func contentHash(_ progress: (LegacyProgress) throws -> Void) throws -> ContentHash {
        try ExportFile.hash(of: path, in: stamp, progress)
    }
}

public import Reprise

/// An export of another program, read as a stream of typed records.
///
/// A source says which schema its records have, and keeps memory bounded whatever the size of the file. It gives all
/// records first, model by model, and then the lists whose members may come after their owner. A reference may name
/// a record that comes later, or one that does not exist: that is found out when it is written. A source never
/// writes and never traps on what a file says: what it cannot repair is a ``LegacyError``, what it can is a counted
/// ``LegacyWarning``.
///
/// Most formats have to be read once to know what they hold: their sources do so when they are opened. Such an
/// initializer takes a `progress`, which is told how far that is and cancels it by returning false; then it throws
/// ``LegacyError/Code/cancelled``, and leaves nothing behind.
public protocol LegacySource: Sendable {
    /// The kind of the identities of this format, for example `itunes`.
    static var kind: String { get }

    /// Whether a file that begins with `prefix` looks like this format, by its content alone. Four
    /// kilobytes are enough.
    static func canRead(prefix: some Sequence<UInt8>) -> Bool

    /// Which library this is an export of. The same identity again is a newer export of the same
    /// library.
    var identity: SourceIdentity { get }

    /// The size of the export in bytes.
    var byteCount: UInt64 { get }

    /// The schema that the records have. Their classes, fields and lists are its models, attributes and relationships
    /// by stored names.
    var schema: SchemaDescription { get }

    /// The models in the order in which their records come. A record's to-one may name what comes later only in a
    /// model that does not stand before its own here. As in ``schema`` unless a source says otherwise; empty where they
    /// come in no order.
    var recordOrder: [String] { get }

    /// The attributes and relationships of the schema that this export says nothing of, by model: rows keep theirs.
    /// Where a list is the other side of a to-one, one of both is given and the other named here or left to follow; a
    /// record is a member of one such list at most.
    var absentFields: [String: Set<String>] { get }

    /// Whether the schema is what this very export happens to hold: a class or field that it lacks may be missing
    /// because nothing is in it any more. Then what an earlier export of the same source had is empty now; otherwise
    /// what a schema lacks nothing is said of.
    var infersSchema: Bool { get }

    /// Whether lists may name rows that are in the store already, by their identifiers there, instead of records of
    /// this export: a playlist of files that a library has.
    var namesRowsOfStore: Bool { get }

    /// The folder that relative locations of the export go on from; nil where it has none. In another folder the same
    /// bytes are another export.
    var folder: String? { get }

    /// Whether the export may lack what it once had: what was saved of a damaged file. Then nothing is deleted, taken
    /// out of a list or emptied in the store because of what it does not say.
    var isPartial: Bool { get }

    /// Whether the newest data may be missing, because it is damaged or in a file that is not there. Such an export
    /// deletes and changes nothing that the source has in a store already.
    var isOutdated: Bool { get }

    /// What a damaged export lacks of its own schema. A store that is made with ``schema`` lacks it, too, for good.
    var lostSchema: LostSchema { get }

    /// The attributes whose values are the keys of their records, in the same words, by model: whoever has no place for
    /// such an attribute loses nothing.
    var keyFields: [String: String] { get }

    /// The attributes whose numbers are milliseconds by their values, by model: as durations of a music library they
    /// become seconds.
    var millisecondFields: [String: Set<String>] { get }

    /// The attributes of which an earlier export decided a type that does not hold all values any more, by model: they
    /// have a wider one now.
    var widenedFields: [String: Set<String>] { get }

    /// The attributes that hold identifiers of records without being relationships, by model and attribute: whoever
    /// changes identifiers has to change them there, too.
    var heldIdentifiers: [String: [String: HeldIdentifiers]] { get }

    /// What the source decided on where its file does not say; nothing where that always does.
    var interpretation: SourceInterpretation { get }

    /// The same export, understood as an earlier one of the same source was, as far as its file allows. What is
    /// understood otherwise all the same is warned of when it is read.
    ///
    /// - Parameters:
    ///   - earlier: what was decided then. What it does not name is decided anew.
    ///   - progress: called now and then, on the caller's thread; returning false cancels.
    /// - Throws: ``LegacyError``.
    /// - Complexity: as that of opening the source, at most.
    func understood(
        as earlier: SourceInterpretation,
        progress: (LegacyProgress) -> Bool
    ) throws(LegacyError) -> Self

    /// Reads the whole export once, in order, handing each event to `consume` on the calling
    /// thread.
    ///
    /// - Parameter consume: called for each record, warning and step of progress. Whatever it
    ///   throws ends the reading at once and comes out of this method unchanged: that is how to
    ///   cancel.
    /// - Returns: what was read, skipped and warned about, and the hash of the bytes.
    /// - Throws: ``LegacyError`` when the export cannot be read. Records may have been handed on by
    ///   then.
    /// - Complexity: O(bytes).
    func read(_ consume: (LegacyEvent) throws -> Void) throws -> LegacyReading

    /// Asked while the export is read, before what was read of it is written: whether the file still is what it was. A
    /// source that reads a copy, or memory, need not answer.
    ///
    /// - Throws: ``LegacyError`` with the code `changedWhileReading`.
    /// - Complexity: O(1).
    func checkUnchanged() throws

    /// Hashes the export without reading records: a quick way to see that nothing changed.
    ///
    /// - Parameter progress: called now and then; throwing cancels.
    /// - Returns: the same hash as ``LegacyReading/contentHash``.
    /// - Complexity: O(bytes).
    func contentHash(_ progress: (LegacyProgress) throws -> Void) throws -> ContentHash
}

/// One thing that happens while a source is read.
public enum LegacyEvent: Sendable {
    /// The next record. The members of the lists that it holds came before it.
    case record(LegacyRecord)
    /// A list by itself, after all records.
    case list(LegacyList)
    /// Something that was repaired or left out. Only the first few of each kind arrive here; all
    /// are counted.
    case warning(LegacyWarning)
    /// About every four megabytes.
    case progress(LegacyProgress)
}

/// How far the reading of a source is, or its opening.
public struct LegacyProgress: Sendable, Equatable {
    /// Bytes read so far; never goes back.
    public var bytesRead: UInt64
    /// Bytes to be read in all: the size of the export for each pass over it. Grows once when a source turns out to
    /// need a further pass.
    public var byteCount: UInt64

    /// - Parameters:
    ///   - bytesRead: bytes read so far; never goes back.
    ///   - byteCount: bytes to be read in all.
    public init(bytesRead: UInt64, byteCount: UInt64) {
        self.bytesRead = bytesRead
        self.byteCount = byteCount
    }
}

/// Which library an export belongs to: a kind and a name.
public struct SourceIdentity: Sendable, CustomStringConvertible {
    /// The format, for example `itunes`.
    public let kind: String
    /// A name that stays the same from one export of the library to the next.
    public let name: String

    /// - Parameters:
    ///   - kind: the format, for example `itunes`.
    ///   - name: a name that stays the same from one export of the library to the next.
    public init(kind: String, name: String) {
        self.kind = kind
        self.name = name
    }

    /// - Parameters:
    ///   - kind: the format, for example `csv`.
    ///   - name: what the export or somebody calls the library, or nil.
    ///   - fileName: the name of the file, which has to do where there is no other.
    public init(kind: String, name: String?, fileName: String) {
        self.kind = kind
        self.name = name ?? fileName
    }

    /// The kind and the name, for example `itunes:1ABA8417E4946A32`.
    public var description: String { "\(kind):\(name)" }

    /// What follows an identifier that another source has taken (`migration.md`).
    var suffix: String { "-" + ContentKey(["reprise source", kind, name]).text.prefix(8) }
}

extension SourceIdentity: Hashable {
    /// Whether both are the same kind and name, however the name was found.
    public static func == (left: SourceIdentity, right: SourceIdentity) -> Bool {
        left.kind == right.kind && left.name.utf8.elementsEqual(right.name.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        for byte in name.utf8 { hasher.combine(byte) }
    }
}

/// What a completed reading found.
public struct LegacyReading: Sendable, Equatable {
    /// Records handed on, by class name.
    public internal(set) var recordCounts: [String: Int] = [:]
    /// Records left out on purpose (built-in playlists), by class name. A warning says so as well.
    public internal(set) var skippedCounts: [String: Int] = [:]
    /// All warnings, by kind.
    public internal(set) var warningCounts: [LegacyWarning.Kind: Int] = [:]
    /// The size of the export in bytes.
    public internal(set) var byteCount: UInt64 = 0
    /// The hash of the export's bytes.
    public internal(set) var contentHash: ContentHash = ContentHash(bytes: [])

    init() {}

    /// For a source of your own.
    ///
    /// - Parameters:
    ///   - recordCounts: records handed on, by class name.
    ///   - skippedCounts: records left out on purpose, by class name.
    ///   - warningCounts: all warnings, by kind, those that were not handed on included.
    ///   - byteCount: the size of the export in bytes.
    ///   - contentHash: the hash of the export's bytes.
    public init(
        recordCounts: [String: Int] = [:],
        skippedCounts: [String: Int] = [:],
        warningCounts: [LegacyWarning.Kind: Int] = [:],
        byteCount: UInt64,
        contentHash: ContentHash
    ) {
        self.recordCounts = recordCounts
        self.skippedCounts = skippedCounts
        self.warningCounts = warningCounts
        self.byteCount = byteCount
        self.contentHash = contentHash
    }
}

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
///
/// What only some sources have to say are protocols of their own: ``DetailedSource`` and ``InterpretingSource``.
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
    package var suffix: String { "-" + ContentKey(["reprise source", kind, name]).text.prefix(8) }
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
    public package(set) var recordCounts: [String: Int] = [:]
    /// Records left out on purpose (built-in playlists), by class name. A warning says so as well.
    public package(set) var skippedCounts: [String: Int] = [:]
    /// All warnings, by kind.
    public package(set) var warningCounts: [LegacyWarning.Kind: Int] = [:]
    /// The size of the export in bytes.
    public package(set) var byteCount: UInt64 = 0
    /// The hash of the export's bytes.
    public package(set) var contentHash: ContentHash = ContentHash(bytes: [])

    package init() {}

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

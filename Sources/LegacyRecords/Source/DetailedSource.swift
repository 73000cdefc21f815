import Reprise

/// A source that says more of its export than every source has to. What it leaves out is as said beside each.
public protocol DetailedSource: LegacySource {
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

    /// Whether the types of the schema are those that the values of this very export have: another export of the same
    /// source may have texts. As ``infersSchema`` unless a source says otherwise.
    var infersTypes: Bool { get }

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

    /// Asked while the export is read, before what was read of it is written: whether the file still is what it was. A
    /// source that reads a copy, or memory, need not answer.
    ///
    /// - Throws: ``LegacyError`` with the code `changedWhileReading`.
    /// - Complexity: O(1).
    func checkUnchanged() throws
}

extension DetailedSource {
    public var recordOrder: [String] { schema.models.map(\.name) }
    public var absentFields: [String: Set<String>] { [:] }
    public var infersSchema: Bool { false }
    public var infersTypes: Bool { infersSchema }
    public var namesRowsOfStore: Bool { false }
    public var folder: String? { nil }
    public var isPartial: Bool { false }
    public var isOutdated: Bool { false }
    public var lostSchema: LostSchema { LostSchema() }
    public var heldIdentifiers: [String: [String: HeldIdentifiers]] { [:] }
    public var millisecondFields: [String: Set<String>] { [:] }
    public var keyFields: [String: String] { [:] }
    public var widenedFields: [String: Set<String>] { [:] }
    public func checkUnchanged() throws {}
}

/// What is known of any source: of one that is not a ``DetailedSource``, that it has nothing to add.
extension LegacySource {
    private var details: (any DetailedSource)? { self as? any DetailedSource }

    public var recordOrder: [String] { details?.recordOrder ?? schema.models.map(\.name) }
    public var absentFields: [String: Set<String>] { details?.absentFields ?? [:] }
    public var infersSchema: Bool { details?.infersSchema ?? false }
    public var infersTypes: Bool { details?.infersTypes ?? infersSchema }
    public var namesRowsOfStore: Bool { details?.namesRowsOfStore ?? false }
    public var folder: String? { details?.folder }
    public var isPartial: Bool { details?.isPartial ?? false }
    public var isOutdated: Bool { details?.isOutdated ?? false }
    public var lostSchema: LostSchema { details?.lostSchema ?? LostSchema() }
    public var heldIdentifiers: [String: [String: HeldIdentifiers]] { details?.heldIdentifiers ?? [:] }
    public var millisecondFields: [String: Set<String>] { details?.millisecondFields ?? [:] }
    public var keyFields: [String: String] { details?.keyFields ?? [:] }
    public var widenedFields: [String: Set<String>] { details?.widenedFields ?? [:] }
    public func checkUnchanged() throws { try details?.checkUnchanged() }
}

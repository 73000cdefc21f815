internal import RepriseLMDB
internal import RepriseLog

/// A state of the store: the tables as one LMDB transaction sees them, overlaid with changes that are only in memory.
///
/// It serves three masters with one mechanism. A write gathers its changes here and flushes them in key order; a replay
/// folds events into it; a read of the past is the present overlaid with what the rows that changed since looked like
/// then. Confined to one thread at a time.
final class Workspace {
    /// How much the changes in memory may take before they are written to the tables, in bytes.
    static let flushByteCount = 96 << 20

    /// Whose names and rules hold: the schema in force, but in a read of the past that asks for the one of then.
    private(set) var schema: CompiledSchema
    /// The schema in force, which knows the numbers in all events.
    let schemaInForce: CompiledSchema
    let tables: ViewTables
    /// Whether the tables have indexes; those of a scratch store have none.
    var hasIndexes = true
    /// Whether it is looked at which event of its entity each event names as the one before it, and whether entries of
    /// lists come to places that are free and leave places where they stand.
    var checksPrevious = false
    /// The tables below the overlay; replaced when a long job moves on to its next transaction.
    var base: TableReader
    /// Where the log and its labels are, if not beside the views: those may be of a state that was built elsewhere.
    var journal: Journal?

    var rows = PendingRows()
    var lists: [ListKey: PendingList] = [:]
    var backlinks: [ListKey: PendingBacklinks] = [:]
    var uniqueClaims: [[UInt8]: [UInt8]] = [:]
    var labels = PendingLabels()

    /// The digest of the state, changes in memory included. Waits for what is being hashed.
    var digest: Digest256 {
        get {
            collectDigests()
            return knownDigest
        }
        set {
            collectDigests()
            knownDigest = newValue
        }
    }

    /// The digest without the rows that are being hashed.
    private var knownDigest: Digest256
    /// Hashes new rows while others are put together, for this object alone; set where many may be inserted.
    var rowDigests: RowDigests?
    /// How many rows each model has, by model number - 1.
    var counts: [Int]

    /// For the lookups of this type's own functions.
    var keyBuffer = KeyBuffer()
    /// For the row of the event being folded.
    var eventKey = KeyBuffer()
    /// For following references in a filter.
    var hopKey = KeyBuffer()
    /// What a bulk load has in the log only; nil elsewhere.
    var deferred: DeferredChanges?
    /// Brings the views up to date with the log; set in a bulk load.
    var foldDeferred: (() throws -> Void)?
    /// Whether that has happened.
    var hasSettled = false
    /// How the Swift type that was read last meets the schema.
    var recentBinding: ModelBinding?
    /// Attributes whose values functions of the program have made later than this state of the past.
    var unconverted = UnconvertedAttributes()
    var pendingOrder: PendingOrder?
    /// What to go back to when the commit that is being made fails; nil where nobody would.
    var undo: WorkspaceUndo?
    var scratch = RowPayloadWriter()

    init(
        schema: CompiledSchema,
        tables: ViewTables,
        base: TableReader,
        digest: Digest256,
        counts: [Int]
    ) {
        self.schema = schema
        schemaInForce = schema
        self.tables = tables
        self.base = base
        knownDigest = digest
        self.counts = counts + Array(repeating: 0, count: max(0, schema.modelCount - counts.count))
    }

    deinit {
        // Rows that are being hashed lie in memory that goes with this object.
        rowDigests?.discard()
    }

    /// Shows the state under an earlier schema of the store, once all events have been folded.
    func show(under earlier: CompiledSchema) {
        schema = earlier
        recentBinding = nil
    }

    /// Adds a share of the digest, without waiting for what is being hashed.
    func addToDigest(_ share: Digest256) { knownDigest &+= share }

    /// Takes a share out of the digest, without waiting for what is being hashed.
    func removeFromDigest(_ share: Digest256) { knownDigest &-= share }

    private func collectDigests() {
        if let rowDigests { knownDigest = knownDigest &+ rowDigests.sum() }
    }

    /// Roughly the memory that the changes take.
    var byteCount: Int { rows.byteCount + labels.byteCount + listsByteCount }

    private var listsByteCount: Int { (lists.count + backlinks.count) * 200 + entryCount * 64 }

    /// The same if some more entries had changed, each with the way back to it (measured: 221 MB for 1,000,000).
    ///
    /// - Parameter isWritten: whether the pages of lists count as well, to which these are written in the same
    ///   transaction (measured: 246 MB for 600,000 entries).
    func byteCount(withEntries count: Int, isWritten: Bool) -> Int {
        isWritten ? byteCount + 2 * listsByteCount + count * 400 : byteCount + count * 220
    }

    /// How many list entries and backlinks have changed.
    var entryCount = 0

    var isEmpty: Bool {
        rows.count == 0 && lists.isEmpty && backlinks.isEmpty && labels.isEmpty
    }

    /// Forgets all changes in memory.
    func removeAll() {
        collectDigests()
        rows.removeAll()
        lists.removeAll(keepingCapacity: true)
        backlinks.removeAll(keepingCapacity: true)
        uniqueClaims.removeAll(keepingCapacity: true)
        labels.removeAll()
        entryCount = 0
        pendingOrder = nil
    }
}

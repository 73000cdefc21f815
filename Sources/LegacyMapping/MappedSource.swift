public import ExportFormats
public import LegacyRecords
public import Reprise

/// A source whose records are changed on their way into a store: by a mapping, by a closure, or by both.
///
/// ```swift
/// let source = try RealmStoreSource(path: "app.realm")
/// let mapping = try RecordMapping(json: bytes)
/// let mapped = try MappedSource(source, mapping) { record in
///     record.className == "Draft" ? nil : record
/// }
/// let store = try Store.open(at: "app.reprise", schema: Schema(mapped.schema))
/// try Migrator(source: mapped, store: store).run()
/// ```
///
/// The identity stays that of the source. So that the same export gives the same records again, a mapping and a closure
/// must not change between its migrations, and a closure must depend on nothing but the record.
///
/// A newer export is understood as the one before it, and rules name what there is then. Where by itself it would have
/// other classes or fields, a mapping that names these needs the export as the store understands it:
/// `MappedSource(store.understood(source), mapping)`.
///
/// Memory: where the mapping says what identifies records, the identifiers of all of them, old and new, up to 128 MiB,
/// beyond which they are put into a temporary file.
public struct MappedSource: DetailedSource, InterpretingSource {
    /// Changes a record of the source before the mapping does. Nil leaves it out, with its lists; its class and its key
    /// must stay. A field of a name that the class has not in the source's schema is left out and counted
    /// (``LegacyWarning/Kind/unmappedProperty``).
    public typealias Transform = @Sendable (LegacyRecord) throws -> LegacyRecord?

    /// The kind of no identity: each is that of its source.
    public static let kind = "mapped"

    public var identity: SourceIdentity { base.identity }
    public var byteCount: UInt64 { base.byteCount }
    public var schema: SchemaDescription { plan.schema }
    public var recordOrder: [String] { plan.recordOrder }
    public var absentFields: [String: Set<String>] { plan.absentFields }
    public var namesRowsOfStore: Bool { base.namesRowsOfStore }
    public var infersSchema: Bool { base.infersSchema }
    public var folder: String? { base.folder }
    public var isPartial: Bool { base.isPartial }
    public var isOutdated: Bool { base.isOutdated }
    /// What the schema lacks; nothing where it is not the source's own.
    public var lostSchema: LostSchema { plan.isOwn ? base.lostSchema : LostSchema() }
    public var interpretation: SourceInterpretation { base.interpretation }
    public var heldIdentifiers: [String: [String: HeldIdentifiers]] { plan.heldIdentifiers }

    package let base: any LegacySource
    private let mapping: RecordMapping
    /// By class, what it has in the schema of ``base``.
    private let names: [String: Set<String>]
    package let plan: MappedPlan
    let transform: Transform?

    /// - Parameters:
    ///   - base: the export.
    ///   - mapping: what becomes of classes and fields.
    ///   - transform: what becomes of each record before that.
    /// - Throws: ``LegacyError`` with the code `malformed` where the mapping names what is not there, or has a rule
    ///   that can never apply.
    public init(
        _ base: any LegacySource,
        _ mapping: RecordMapping = RecordMapping(),
        transform: Transform? = nil
    ) throws(LegacyError) {
        let typed = mapping.classes.mapValues { rule in Set(rule.fields.filter { $0.value.type != nil }.keys) }
            .filter { !$0.value.isEmpty }
        let base = typed.isEmpty ? base : (base as? any GuessingSource)?.storedValues(of: typed) ?? base
        self.base = base
        self.mapping = mapping
        self.transform = transform
        names = transform == nil ? [:] : base.schema.namesByModel
        plan = try MappedPlan(mapping, of: base, isTransformed: transform != nil)
    }

    /// False: what a file holds is told by the source that reads it.
    public static func canRead(prefix: some Sequence<UInt8>) -> Bool { false }

    /// Whether a class has become a model with this name.
    public func hasRecords(of model: String) -> Bool {
        plan.classes.values.contains { $0.model == model }
    }

    /// Whether a class has a field or a list of this name in the schema of the export.
    func knows(_ name: String, of className: String) -> Bool {
        names[className]?.contains(name) ?? false
    }

    public func read(_ consume: (LegacyEvent) throws -> Void) throws -> LegacyReading {
        try withoutActuallyEscaping(consume) { consume in
            try MappedReader(self, consume: consume).read()
        }
    }

    public func understood(
        as earlier: SourceInterpretation,
        progress: (LegacyProgress) -> Bool
    ) throws(LegacyError) -> Self {
        try Self(base.understood(as: earlier, progress: progress), mapping, transform: transform)
    }

    public func checkUnchanged() throws {
        try base.checkUnchanged()
    }

    public func contentHash(_ progress: (LegacyProgress) throws -> Void) throws -> ContentHash {
        try base.contentHash(progress)
    }
}

internal import RepriseLMDB

/// What happens to entities between two states: what appears, what goes, which values change, and which entries come
/// into lists, leave them or move.
///
/// It is a value of its own, entity by entity in the order of model and identifier. A large one lies in a file without
/// a name, not in memory.
///
/// ```swift
/// let changes = try store.difference(from: .snapshot("before the import"))
/// print(changes.counts.inserted, "new,", changes.counts.deleted, "gone")
/// try changes.forEach { change in
///     print(change.kind, change.entity)
///     return true
/// }
/// ```
public struct ChangeSet: Sendable {
    /// The state before.
    public var from: Position { Position(home.from.position) }
    /// The state afterwards.
    public var to: Position { Position(home.to.position) }
    /// How many entities and entries it concerns.
    public let counts: ChangeSet.Counts
    let schema: CompiledSchema
    /// The log in whose terms the changes are said.
    let home: ChangeHome
    /// How many entities are among the changes.
    var recordCount: Int { records.count }
    private let records: DeltaRecords
    private let isInverted: Bool
    /// Lends the rows of the state at which the set ends, before it is inverted.
    private let readEnd: EndReader
    /// What the rows at that end do not have yet, by model.
    private let endConversions: [UInt16: [ConvertedAttribute]]

    typealias EndReader = @Sendable (_ body: (_ row: (EntityKey) throws -> [UInt8]?) throws -> Void) throws -> Void

    init(
        home: ChangeHome,
        schema: CompiledSchema,
        counts: ChangeSet.Counts,
        records: DeltaRecords,
        isInverted: Bool = false,
        endConversions: [UInt16: [ConvertedAttribute]] = [:],
        readEnd: @escaping EndReader
    ) {
        self.home = home
        self.schema = schema
        self.counts = counts
        self.records = records
        self.isInverted = isInverted
        self.endConversions = endConversions
        self.readEnd = readEnd
    }

    /// Whether nothing is different.
    public var isEmpty: Bool { records.count == 0 }

    /// The way back: what has to happen to the state afterwards so that it is the one before. O(1).
    public func inverted() -> ChangeSet {
        ChangeSet(
            home: home.inverted(),
            schema: schema,
            counts: counts.inverted(),
            records: records,
            isInverted: !isInverted,
            endConversions: endConversions,
            readEnd: readEnd
        )
    }

    /// Hands over what becomes of each entity, by model and identifier.
    ///
    /// - Parameter body: gets one entity; returns false to stop.
    /// - Throws: ``StoreError`` with the code `inputOutput` where a large set cannot be read; what `body` throws.
    public func forEach(_ body: (ChangeSet.EntityChange) throws -> Bool) throws {
        let reader = EntityChangeReader(schema: schema)
        do {
            try forEachDelta { try body(reader.change($0)) }
        } catch {
            throw StoreError.wrapping(error)
        }
    }

    /// What becomes of the entities of one model, as values of the Swift type.
    ///
    /// ```swift
    /// for change in try store.difference(from: .snapshot("yesterday")).changes(of: Task.self) {
    ///     print(change.old?.title ?? "new", change.new?.title ?? "gone")
    /// }
    /// ```
    ///
    /// - Parameter type: the model. Entities of which only lists are different are among the changes.
    /// - Returns: the changes by identifier.
    /// - Throws: ``StoreError`` with the code `unknownModel`, `schemaMismatch`, `invalidValue` where a row is none of
    ///   the Swift type, `closed` where the store that the set is of is closed, `unknownPosition` where the set was
    ///   read from a file; and as a read of the past.
    /// - Complexity: O(changes), and a read of the past at the end of the set.
    public func changes<M: Model>(of type: M.Type = M.self) throws -> [ChangeSet.ModelChange<M>] {
        var changes: [ChangeSet.ModelChange<M>] = []
        try readEnd { row in
            // In the terms of the changes: the state at the end may be of a branch with other names.
            let binding = try ModelBinding(ObjectIdentifier(M.self), M.schema.declaration, in: schema)
            let conversions = endConversions[binding.model.number] ?? []
            try records.forEach { delta in
                guard delta.entity.model == binding.model.number else { return true }
                let id = M.ID(delta.entity.text)
                func model(_ payload: [UInt8]) throws -> M {
                    try unsafe payload.withUnsafeBytes {
                        try unsafe binding.decode(M.self, id: id, RowView(created: 0, revision: 0, payload: $0))
                    }
                }
                let (old, new): (M?, M?)
                switch delta.row {
                case .inserted(let payload): (old, new) = (nil, try model(payload))
                case .deleted(let payload): (old, new) = (try model(payload), nil)
                case .same, .updated:
                    guard let payload = try row(delta.entity) else { return true }
                    let now = try conversions.upcast(row: payload)
                    var before = now
                    if case .updated(let slots) = delta.row {
                        before = try DeltaComposer.rewritten(now, slots.map { $0.inverted() })
                    }
                    (old, new) = (try model(before), try model(now))
                }
                changes.append(isInverted ? ModelChange(old: new, new: old) : ModelChange(old: old, new: new))
                return true
            }
        }
        return changes
    }

    /// - Parameter makeFile: makes the file for entries of a file of changes that do not fit into memory.
    func forEachDelta(
        _ makeFile: (() throws(LMDBError) -> SpillFile)? = nil,
        _ body: (EntityDelta) throws -> Bool
    ) throws {
        try records.forEach(makeFile) { try body(isInverted ? $0.inverted() : $0) }
    }
}

internal import RepriseLMDB
internal import RepriseLog

/// Finds out what has to happen to a store so that it is what an export says: a difference in the terms of the store.
///
/// The state before is that in which the last export of the source left the store, but for what it kept otherwise than
/// that export said (``Deviations``). So a merge knows which side has changed what.
final class IntakeComparison {
    let workspace: Workspace
    let intake: Intake
    let ours: OurChanges
    let known: Deviations
    let observer: any IntakeObserver
    /// Whether an export of the source has been taken in before.
    let isRepeated: Bool
    /// Whether the log says all that the last export of the source left otherwise than it said it. An older version did
    /// not: then what others have changed last is taken for what was kept.
    let saysKept: Bool
    let makeFile: () throws(LMDBError) -> SpillFile
    let reader: EntityChangeReader
    /// What is different in the end because it was changed here.
    var deviations = Deviations()
    /// Rows that the export has and that stay deleted.
    var staysDeleted: Set<EntityKey> = []
    /// How many rows and lists were changed here to what the export has come to say.
    var agreedCount = 0
    /// Where rows stand in lists, by the rows.
    var placements: ExternalSort
    /// What becomes of entries, by the owners of their lists.
    var listed: ExternalSort
    var key = KeyBuffer()

    private static let memoryByteCount = 24 << 20

    init(
        _ intake: Intake,
        _ ground: Store.MergeGround,
        since base: UInt64?,
        known: Deviations,
        saysKept: Bool,
        observer: any IntakeObserver
    ) throws {
        self.intake = intake
        workspace = ground.workspace
        ours = try OurChanges(since: base ?? ground.head, ground)
        isRepeated = base != nil
        (self.known, self.saysKept) = (known, saysKept)
        self.observer = observer
        makeFile = ground.makeFile
        reader = EntityChangeReader(schema: ground.workspace.schema)
        placements = ExternalSort(memoryByteCount: Self.memoryByteCount, makeFile: ground.makeFile)
        listed = ExternalSort(memoryByteCount: Self.memoryByteCount, makeFile: ground.makeFile)
    }

    var schema: CompiledSchema { workspace.schema }

    /// Hands over what has to become of each entity, in the order of their keys.
    func forEachDelta(_ body: (EntityDelta) throws -> Void) throws {
        try findDeleted()
        try compareLists()
        if intake.hasPairs { try comparePairs() }
        try compareRows(body)
    }

    func reference(_ key: EntityKey) throws -> EntityReference {
        EntityReference(model: try schema.model(key.model).name, id: key.text)
    }

    /// Whether something that the export names is there in the end.
    func resolves(_ target: EntityKey) throws -> Bool {
        try !staysDeleted.contains(target) && isKnown(target)
    }

    /// Whether the export has something that it names, or the store has it and not from an earlier export.
    func isKnown(_ target: EntityKey) throws -> Bool {
        if try observer.isStated(schema.model(target.model).name, target.text) { return true }
        guard target.id.count <= identifierByteCountMax, let row = try workspace.row(target) else { return false }
        return !isRepeated || intake.isPartial || !observer.isOwn(Position(row.created))
    }

    /// What is said of a value, as a checksum.
    static func hash(_ value: [UInt8]?) -> UInt64 {
        guard let value else { return 0 }
        return unsafe value.withUnsafeBytes { unsafe XXH64.hash($0, seed: 1) }
    }
}

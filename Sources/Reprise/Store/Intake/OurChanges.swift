internal import RepriseLMDB
internal import RepriseLog

/// What has changed in a store since the last export of a source was taken in.
struct OurChanges {
    /// By entity.
    private let rows: SpillFile
    /// What has become of places in lists, by list.
    private var places: PlaceSort
    /// The rows that were deleted.
    let deleted: Set<EntityKey>

    /// - Parameter base: the position at which the export was taken in.
    /// - Complexity: O(events since then), sorted by entity; the memory has a bound.
    init(since base: UInt64, _ ground: Store.MergeGround) throws {
        let schema = ground.workspace.schema
        var gathering = DeltaGathering(try ground.upcaster(false), makeFile: ground.makeFile)
        try ground.travel.forEachStep(from: base, to: ground.head) { try gathering.add($0, isUndone: $1) }
        let (file, places) = (try ground.makeFile(), PlaceSort(ground.makeFile))
        var writer = ByteWriter(capacity: 1 << 16)
        var deleted: Set<EntityKey> = []
        try gathering.forEachDelta { delta in
            if case .deleted = delta.row { deleted.insert(delta.entity) }
            let start = writer.count
            writer.u32(0)
            try delta.write(to: &writer)
            writer.patch(u32: UInt32(writer.count - start - 4), at: start)
            if writer.count >= 1 << 16 {
                try unsafe file.append(writer.bytes)
                writer.removeAll()
            }
            try Self.addPlaces(of: delta, schema, to: places)
        }
        try unsafe file.append(writer.bytes)
        (rows, self.places, self.deleted) = (file, places, deleted)
    }

    private static func addPlaces(of delta: EntityDelta, _ schema: CompiledSchema, to places: PlaceSort) throws {
        try delta.entries.forEach { entry in
            let list = ListKey(relation: entry.relation, id: delta.entity.id)
            try PlaceChange(serial: entry.serial, target: entry.target, from: entry.from, to: entry.to)
                .add(to: places, list)
        }
        let model = try schema.model(delta.entity.model)
        for reference in model.references {
            let (from, to): ([UInt8]?, [UInt8]?)
            switch delta.row {
            case .same: return
            case .inserted(let payload): (from, to) = (nil, try payload.rowSlot(reference.slot))
            case .deleted(let payload): (from, to) = (try payload.rowSlot(reference.slot), nil)
            case .updated(let slots):
                guard let slot = slots.first(where: { $0.slot == reference.slot }) else { continue }
                (from, to) = (slot.from, slot.to)
            }
            let (before, after) = (try ReferencePlace(from), try ReferencePlace(to))
            if let before, before.target == after?.target {
                try PlaceChange(serial: 0, target: delta.entity.id, from: before.orderKey, to: after?.orderKey)
                    .add(to: places, ListKey(relation: reference.relation.number, id: before.target))
                continue
            }
            if let before {
                try PlaceChange(serial: 0, target: delta.entity.id, from: before.orderKey, to: nil)
                    .add(to: places, ListKey(relation: reference.relation.number, id: before.target))
            }
            if let after {
                try PlaceChange(serial: 0, target: delta.entity.id, from: nil, to: after.orderKey)
                    .add(to: places, ListKey(relation: reference.relation.number, id: after.target))
            }
        }
    }

    /// Goes through what has become of entities, in the order of their keys.
    func changedRows() -> ChangedRows { ChangedRows(rows) }

    /// Names the entities that have changed, in the order of their keys.
    func forEachEntity(_ body: (EntityKey) -> Void) throws {
        var records = SpillRecords(rows, byteCount: 1 << 16)
        while let delta = try records.next({ try EntityDelta(decoding: &$0) }) { body(delta.entity) }
    }

    /// Goes through what has become of places, list by list. Once.
    func changedPlaces() throws -> ChangedPlaces { ChangedPlaces(try places.takeSorted()) }
}

/// Goes through what has become of entities.
struct ChangedRows {
    private var records: SpillRecords
    private var present: EntityDelta?
    private var isStarted = false

    fileprivate init(_ file: SpillFile) { records = SpillRecords(file, byteCount: 1 << 16) }

    /// What has become of an entity; nil where nothing has. Entities are asked for in the order of their keys.
    mutating func change(of entity: EntityKey) throws -> EntityDelta? {
        if !isStarted { try advance() }
        isStarted = true
        while let delta = present, delta.entity.precedes(entity) { try advance() }
        return present?.entity == entity ? present : nil
    }

    private mutating func advance() throws {
        present = try records.next { try EntityDelta(decoding: &$0) }
    }
}

/// What has become of the place of one entry or member in a list.
struct PlaceChange {
    let serial: UInt64
    let target: [UInt8]
    let from: UInt64?
    let to: UInt64?

    func add(to places: PlaceSort, _ list: ListKey) throws {
        var writer = ByteWriter(capacity: 64)
        writer.varint(serial)
        writer.u8((from == nil ? 0 : 1) | (to == nil ? 0 : 2))
        if let from { writer.u64(from) }
        if let to { writer.u64(to) }
        unsafe target.withUnsafeBytes { unsafe writer.bytes($0) }
        try places.add(list, 0, value: writer)
    }

    init(serial: UInt64, target: [UInt8], from: UInt64?, to: UInt64?) {
        (self.serial, self.target, self.from, self.to) = (serial, target, from, to)
    }

    fileprivate init(_ bytes: UnsafeRawBufferPointer) throws {
        var reader = unsafe ByteReader(bytes)
        serial = try reader.varint()
        let flags = try reader.u8()
        from = flags & 1 == 0 ? nil : try reader.u64()
        to = flags & 2 == 0 ? nil : try reader.u64()
        target = unsafe [UInt8](reader.rest())
    }
}

/// Goes through what has become of places in lists.
struct ChangedPlaces: ~Copyable {
    private var records: SortedRecords
    private var key = KeyBuffer()
    private var isThere = false
    private var isStarted = false

    fileprivate init(_ records: consuming SortedRecords) { self.records = records }

    /// What has become of places in a list. Lists are asked for in the order of their keys.
    mutating func changes(in list: ListKey) throws -> [PlaceChange] {
        if !isStarted { isThere = try records.next() }
        isStarted = true
        key.setEdge(list, orderKey: 0)
        var changes: [PlaceChange] = []
        while isThere {
            let order = unsafe Self.order(records.key, key.bytes)
            if order > 0 { break }
            if order == 0 { changes.append(try unsafe PlaceChange(records.value)) }
            isThere = try records.next()
        }
        return changes
    }

    /// The next list that has changes, if it comes before another one; nil where there is none.
    mutating func next(before bound: ListKey?) throws -> (list: ListKey, changes: [PlaceChange])? {
        if !isStarted { isThere = try records.next() }
        isStarted = true
        guard isThere else { return nil }
        var parser = unsafe KeyParser(records.key, skipping: 2)
        let relation = unsafe Workspace.modelNumber(of: records.key)
        let list = ListKey(relation: relation, id: try parser.identifier())
        if let bound, !list.precedes(bound) { return nil }
        return (list, try changes(in: list))
    }

    private static func order(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
        if unsafe left.elementsEqual(right) { return 0 }
        return unsafe left.lexicographicallyPrecedes(right) ? -1 : 1
    }
}

internal import RepriseLog

/// Puts the events of one entity together to what becomes of it from before the first to after the last.
struct DeltaComposer {
    private let entity: EntityKey
    /// Whether the row was there before the first event; nil while no event has told.
    private var wasThere: Bool?
    /// The whole row before the first event, once an event has told it.
    private var before: [UInt8]?
    private var isThere = false
    /// The whole row as it is now, once an event has told it.
    private var now: [UInt8]?
    /// What has changed of a row that is not known as a whole.
    private var slots: [Int: SlotDelta] = [:]
    private var entries: [EntryPlace: EntryDelta] = [:]
    private var isInterrupted = false
    /// What events that stay have changed: those before them have no say in it any more.
    private var settledSlots: Set<Int> = []
    private var settledEntries: Set<EntryPlace> = []
    private var isSettled = false

    private struct EntryPlace: Hashable {
        let relation: UInt16
        let serial: UInt64
    }

    init(_ entity: EntityKey) {
        self.entity = entity
    }

    /// Takes the next event.
    ///
    /// - Parameters:
    ///   - position: that of the event.
    ///   - isUndone: whether it is gone through from after it to before it.
    ///   - upcaster: reads older events in the terms of the present schema.
    ///   - terms: how it is said here, where it is of another store.
    mutating func add(
        _ event: Change,
        at position: UInt64,
        isUndone: Bool,
        _ upcaster: EventUpcaster?,
        _ terms: ForeignTerms? = nil
    ) throws {
        if isSettled { return }
        func here(_ serial: UInt64) throws -> UInt64 { try terms?.entries.serial(serial) ?? serial }
        func list(_ relation: UInt16) -> UInt16 { terms?.relation(relation) ?? relation }
        func row(_ payload: UnsafeRawBufferPointer, isNew: Bool) throws -> [UInt8] {
            var payload = unsafe [UInt8](payload)
            if let terms { payload = try terms.row(payload, of: entity, isNew: isNew) }
            return try upcaster?.upcast(row: payload, of: entity, at: position) ?? payload
        }
        switch event {
        case .inserted(let payload):
            let payload = try unsafe row(payload, isNew: !isUndone)
            if isUndone { try rowGoes(payload) } else { rowComes(payload) }
        case .updated(let changes):
            var slots = changes.slots.map { change in
                SlotDelta(
                    slot: change.slot,
                    from: unsafe change.from.map { unsafe [UInt8]($0) },
                    to: unsafe change.to.map { unsafe [UInt8]($0) }
                )
            }
            if let terms { slots = terms.changes(slots, of: entity) }
            var made: Set<Int> = []
            if let upcaster { (slots, made) = try upcaster.upcast(slots, of: entity, at: position) }
            slots.removeAll { settledSlots.contains($0.slot) }
            try rowChanges(isUndone ? slots.map { $0.inverted() } : slots, made: made)
        case .deleted(let image):
            let payload = try unsafe row(image.payload, isNew: isUndone)
            if isUndone { rowComes(payload) } else { try rowGoes(payload) }
            for (relation, entry) in image.entries {
                let (from, to): (UInt64?, UInt64?) = isUndone ? (nil, entry.orderKey) : (entry.orderKey, nil)
                entryGoes(list(relation), try here(entry.serial), entry.target, from: from, to: to)
            }
        case .linked(let relation, let orderKey, let serial, let target):
            let target = unsafe [UInt8](target)
            let (from, to) = isUndone ? (orderKey, nil) : (nil, orderKey)
            entryGoes(list(relation), try here(serial), target, from: from, to: to)
        case .unlinked(let relation, let orderKey, let serial, let target):
            let target = unsafe [UInt8](target)
            let (from, to) = isUndone ? (nil, orderKey) : (orderKey, nil)
            entryGoes(list(relation), try here(serial), target, from: from, to: to)
        case .moved(let relation, let from, let to, let serial, let target):
            let target = unsafe [UInt8](target)
            let (before, after) = isUndone ? (to, from) : (from, to)
            entryGoes(list(relation), try here(serial), target, from: before, to: after)
        case .schemaDeclared, .snapshotCreated, .snapshotDeleted, .rolledBack, .annotated, .unknown: break
        }
    }

    /// Takes an event that stays, between those that are undone.
    mutating func pass(_ event: Change) {
        switch event {
        case .inserted, .deleted: isSettled = true
        case .updated(let changes): settledSlots.formUnion(changes.slots.map(\.slot))
        case .linked(let relation, _, let serial, _), .unlinked(let relation, _, let serial, _),
            .moved(let relation, _, _, let serial, _):
            settledEntries.insert(EntryPlace(relation: relation, serial: serial))
        case .schemaDeclared, .snapshotCreated, .snapshotDeleted, .rolledBack, .annotated, .unknown: break
        }
    }

    /// What has become of the entity.
    consuming func finish() throws -> EntityDelta {
        let row = try rowDelta()
        let changed = entries.values.filter { $0.from != $0.to }.sorted {
            ($0.relation, $0.serial) < ($1.relation, $1.serial)
        }
        return EntityDelta(entity: entity, row: row, entries: changed, isInterrupted: isInterrupted)
    }

    private func rowDelta() throws -> RowDelta {
        switch (wasThere ?? isThere, isThere) {
        case (false, false): return .same
        case (false, true): return .inserted(now ?? [])
        case (true, false): return .deleted(before ?? [])
        case (true, true):
            let changes =
                if let before, let now { try Self.differences(before, now) } else {
                    slots.values.filter { $0.from != $0.to || $0.isInterrupted }.sorted { $0.slot < $1.slot }
                }
            return changes.isEmpty ? .same : .updated(changes)
        }
    }

    private mutating func rowComes(_ payload: [UInt8]) {
        if isThere {
            // Another event has brought it back in between: what was done to it since counts.
            isInterrupted = true
            return
        }
        if wasThere == nil { wasThere = false }
        isThere = true
        now = payload
        slots = [:]
    }

    private mutating func rowGoes(_ payload: [UInt8]) throws {
        if wasThere == false || before != nil {
            if !isThere { isInterrupted = true }
        } else {
            before = try Self.rewritten(payload, slots.values.map { $0.inverted() })
        }
        wasThere = wasThere ?? true
        isThere = false
        now = nil
        slots = [:]
    }

    /// - Parameter made: the slots that a conversion has made, which only says again in a newer schema what the row was
    ///   before.
    private mutating func rowChanges(_ changes: [SlotDelta], made: Set<Int>) throws {
        if wasThere == nil {
            wasThere = true
            isThere = true
        } else if !isThere {
            isInterrupted = true
            return
        }
        if let present = now {
            now = try Self.rewritten(present, changes)
            return
        }
        for change in changes {
            guard var known = slots[change.slot] else {
                let same = made.contains(change.slot) ? change.from ?? change.to : nil
                slots[change.slot] = SlotDelta(slot: change.slot, from: same ?? change.from, to: same ?? change.to)
                continue
            }
            if known.to != change.from { known.isInterrupted = true }
            known.to = change.to
            slots[change.slot] = known
        }
    }

    private mutating func entryGoes(
        _ relation: UInt16,
        _ serial: UInt64,
        _ target: [UInt8],
        from: UInt64?,
        to: UInt64?
    ) {
        let place = EntryPlace(relation: relation, serial: serial)
        if settledEntries.contains(place) { return }
        let known = entries[place]
        entries[place] = EntryDelta(
            relation: relation,
            serial: serial,
            target: target,
            from: known == nil ? from : known?.from,
            to: to
        )
    }
}

extension DeltaComposer {
    /// A row with some of its slots changed.
    static func rewritten(_ payload: [UInt8], _ changes: [SlotDelta]) throws -> [UInt8] {
        if changes.isEmpty { return payload }
        var writer = RowPayloadWriter(capacity: payload.count + 64)
        try unsafe payload.withUnsafeBytes { bytes in
            let old = try unsafe RowPayload(trusting: bytes)
            let slotCount = changes.reduce(old.slotCount) { max($0, $1.slot + 1) }
            var row = writer.beginRow(slotCount: slotCount)
            for slot in 0..<slotCount {
                if let change = changes.first(where: { $0.slot == slot }) {
                    guard let to = change.to else {
                        writer.skipSlot(&row)
                        continue
                    }
                    unsafe to.withUnsafeBytes { unsafe writer.append(bytes: $0) }
                } else if let kept = unsafe old.slot(slot) {
                    unsafe writer.append(bytes: kept)
                } else {
                    writer.skipSlot(&row)
                    continue
                }
                writer.endSlot(&row)
            }
            try writer.endRow(row)
        }
        return unsafe [UInt8](writer.bytes)
    }

    /// A row that has nothing but what changes make of some slots.
    static func row(of changes: [SlotDelta]) throws -> [UInt8] {
        let empty: [UInt8] = [0, 0]
        return try rewritten(empty, changes.filter { $0.to != nil })
    }

    /// A row without some of its slots, and no longer than it needs to be.
    static func removing(_ isUnwanted: (Int) -> Bool, from payload: [UInt8]) throws -> [UInt8] {
        try unsafe payload.withUnsafeBytes { bytes in
            let old = try unsafe RowPayload(trusting: bytes)
            let present = (0..<old.slotCount).filter { unsafe old.slot($0) != nil }
            let kept = present.filter { !isUnwanted($0) }
            if kept.count == present.count { return payload }
            var writer = RowPayloadWriter(capacity: payload.count)
            var row = writer.beginRow(slotCount: (kept.last ?? -1) + 1)
            for slot in 0..<(kept.last ?? -1) + 1 {
                guard kept.contains(slot), let value = unsafe old.slot(slot) else {
                    writer.skipSlot(&row)
                    continue
                }
                unsafe writer.append(bytes: value)
                writer.endSlot(&row)
            }
            try writer.endRow(row)
            return unsafe [UInt8](writer.bytes)
        }
    }

    /// The slots in which two rows differ.
    static func differences(_ from: [UInt8], _ to: [UInt8]) throws -> [SlotDelta] {
        try unsafe from.withUnsafeBytes { from in
            try unsafe to.withUnsafeBytes { to in
                let (old, new) = unsafe (try RowPayload(trusting: from), try RowPayload(trusting: to))
                return WriteSession.differences(old, new).map { change in
                    unsafe SlotDelta(
                        slot: change.slot,
                        from: change.from.map { unsafe [UInt8]($0) },
                        to: change.to.map { unsafe [UInt8]($0) }
                    )
                }
            }
        }
    }
}

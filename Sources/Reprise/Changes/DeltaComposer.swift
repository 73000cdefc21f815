internal import RepriseLMDB
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
    private var entries: EntryDeltas
    /// The entry whose steps come at the moment.
    private var entry: EntryDelta?
    private var isInterrupted = false
    /// What events that stay have changed: those before them have no say in it any more.
    private var settledSlots: Set<Int> = []
    private var isEntrySettled = false
    /// The slots that known events have set; nil where one has set all of them.
    private var knownSlots: Set<Int>? = []
    /// Whether a known event has done something to the entry.
    private var isEntryKnown = false
    /// Whether the entry had been changed before the known steps that come one after the other at the moment; nil
    /// where the last step was not known.
    private var hasEntryChanged: Bool?
    /// By slot, what it was at the beginning, and what it was before the known changes that came last.
    private var knownRuns: [Int: SlotDelta] = [:]
    private let tellsKnownPlaces: Bool
    /// The number of the first event that stays and has made the entity or taken it away.
    private var settledAt = UInt64.max

    /// - Parameters:
    ///   - tellsKnownPlaces: whether what known events have set is told as well, as a change to the same.
    ///   - makeFile: makes the file for entries that do not fit into memory; nil where all are there anyway.
    init(
        _ entity: EntityKey,
        tellsKnownPlaces: Bool = false,
        _ makeFile: (() throws(LMDBError) -> SpillFile)?
    ) {
        self.entity = entity
        self.tellsKnownPlaces = tellsKnownPlaces
        entries = EntryDeltas(makeFile)
    }

    /// Takes the next event of the row.
    ///
    /// - Parameters:
    ///   - position: that of the event.
    ///   - isUndone: whether it is gone through from after it to before it.
    ///   - isKnown: whether the state before the first event has it as well.
    ///   - upcaster: reads older events in the terms of the present schema.
    ///   - terms: how it is said here, where it is of another store.
    mutating func add(
        _ event: Change,
        at position: UInt64,
        isUndone: Bool,
        isKnown: Bool,
        _ upcaster: EventUpcaster?,
        _ terms: ForeignTerms? = nil
    ) throws {
        if settledAt != .max { return }
        func row(_ payload: UnsafeRawBufferPointer, isNew: Bool) throws -> [UInt8] {
            var payload = unsafe [UInt8](payload)
            if let terms { payload = try terms.row(payload, of: entity, isNew: isNew) }
            return try upcaster?.upcast(row: payload, of: entity, at: position) ?? payload
        }
        switch event {
        case .inserted(let payload):
            let payload = try unsafe row(payload, isNew: !isUndone)
            if isKnown { return knowRow(payload) }
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
            if isKnown { return try know(slots, terms) }
            try rowChanges(isUndone ? slots.map { $0.inverted() } : slots, made: made)
        case .deleted(let image):
            if isKnown { return knowNothing() }
            let payload = try unsafe row(image.payload, isNew: isUndone)
            if isUndone { rowComes(payload) } else { try rowGoes(payload) }
        case .linked, .unlinked, .moved: break
        case .schemaDeclared, .snapshotCreated, .snapshotDeleted, .rolledBack, .annotated, .unknown: break
        }
    }

    /// Takes an event of the row that stays, between those that are undone.
    ///
    /// - Parameter number: says which events came before it and which after it.
    mutating func pass(_ event: Change, number: UInt64) {
        switch event {
        case .inserted, .deleted: settledAt = min(settledAt, number)
        case .updated(let changes): settledSlots.formUnion(changes.slots.map(\.slot))
        case .linked, .unlinked, .moved: break
        case .schemaDeclared, .snapshotCreated, .snapshotDeleted, .rolledBack, .annotated, .unknown: break
        }
    }

    /// Takes the next step of an entry. All of one entry come one after the other, and behind the events of the row.
    mutating func add(_ step: EntryStep) throws {
        let isSame = entry.map { ($0.relation, $0.serial) == (step.relation, step.serial) && $0.target == step.target }
        if isSame != true {
            try finishEntry()
            entry = EntryDelta(
                relation: step.relation,
                serial: step.serial,
                target: step.target,
                from: step.from,
                to: step.from
            )
            isEntrySettled = false
            isEntryKnown = false
            hasEntryChanged = nil
        }
        if isEntrySettled || step.number > settledAt { return }
        if step.isPassed {
            isEntrySettled = true
            return
        }
        if step.isKnown {
            // A change that came before stays one, wherever known steps have put the entry since.
            let hasChanged = hasEntryChanged ?? (entry?.from != entry?.to)
            hasEntryChanged = hasChanged
            if !hasChanged { entry?.from = step.to }
            isEntryKnown = true
        } else {
            hasEntryChanged = nil
        }
        entry?.to = step.to
    }

    private mutating func finishEntry() throws {
        guard let entry else { return }
        let isPlaceKnown = tellsKnownPlaces && isEntryKnown && entry.to != nil
        if entry.from != entry.to || isPlaceKnown { try entries.append(entry) }
    }

    /// What has become of the entity.
    consuming func finish() throws -> EntityDelta {
        try finishEntry()
        return EntityDelta(entity: entity, row: try rowDelta(), entries: entries, isInterrupted: isInterrupted)
    }

    private func rowDelta() throws -> RowDelta {
        switch (wasThere ?? isThere, isThere) {
        case (false, false): return .same
        case (false, true): return .inserted(now ?? [])
        case (true, false): return .deleted(before ?? [])
        case (true, true):
            let changes =
                if let before, let now { try Self.differences(before, now) } else {
                    slots.values.filter { $0.from != $0.to || $0.isInterrupted }
                }
            let told = try changes + knownPlaces(beside: changes)
            return told.isEmpty ? .same : .updated(told.sorted { $0.slot < $1.slot })
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
        if !knownRuns.isEmpty { for change in changes { knownRuns[change.slot] = nil } }
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
}

/// Known events. The state before the first event has what they did as well, so they change both states.
extension DeltaComposer {
    private mutating func knowRow(_ payload: [UInt8]) {
        if wasThere != true { before = payload }
        wasThere = true
        isThere = true
        now = payload
        slots = [:]
        knownSlots = nil
        knownRuns = [:]
    }

    private mutating func knowNothing() {
        wasThere = false
        isThere = false
        before = nil
        now = nil
        slots = [:]
        knownRuns = [:]
    }

    /// Sets slots in both states. A slot that was changed before stays a change where it has the same value again, or
    /// leads to the same row from another place: a merge in steps empties it in between.
    private mutating func know(_ changes: [SlotDelta], _ terms: ForeignTerms?) throws {
        if wasThere == nil {
            wasThere = true
            isThere = true
        }
        knownSlots?.formUnion(changes.map(\.slot))
        var beginnings: [SlotDelta] = []
        for change in changes {
            let run = try knownRuns[change.slot] ?? self.run(before: change)
            knownRuns[change.slot] = run
            var base = change.to
            if run.from != run.to {
                let isPlace = terms?.match.isPlace(change.slot, ofModel: entity.model) ?? false
                let isSame =
                    try run.to == change.to
                    || isPlace && ReferencePlace(run.to)?.target == ReferencePlace(change.to)?.target
                if isSame { base = run.from }
            }
            beginnings.append(SlotDelta(slot: change.slot, from: nil, to: base))
            if now == nil { slots[change.slot] = SlotDelta(slot: change.slot, from: base, to: change.to) }
        }
        guard let present = now else { return }
        if let before, wasThere == true { self.before = try Self.rewritten(before, beginnings) }
        now = try Self.rewritten(present, changes)
    }

    /// What a slot was at the beginning, and what it is now, before the first of some known changes.
    private func run(before change: SlotDelta) throws -> SlotDelta {
        if let now {
            let begun = wasThere == true ? try before?.rowSlot(change.slot) : nil
            return SlotDelta(slot: change.slot, from: begun, to: try now.rowSlot(change.slot))
        }
        return slots[change.slot] ?? SlotDelta(slot: change.slot, from: change.from, to: change.from)
    }

    /// The slots that known events have set and that have not changed since, where they are to be told.
    private func knownPlaces(beside changes: [SlotDelta]) throws -> [SlotDelta] {
        guard tellsKnownPlaces else { return [] }
        let changed = Set(changes.map(\.slot))
        guard let now else { return slots.values.filter { $0.to != nil && !changed.contains($0.slot) } }
        return try DeltaComposer.differences([0, 0], now).compactMap { slot in
            guard knownSlots?.contains(slot.slot) ?? true, !changed.contains(slot.slot) else { return nil }
            return SlotDelta(slot: slot.slot, from: slot.to, to: slot.to)
        }
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

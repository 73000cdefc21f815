internal import RepriseLMDB
internal import RepriseLog

/// Rows, in the order of their keys.
extension IntakeComparison {
    /// All that is known of one entity.
    struct Subject {
        let entity: EntityKey
        let model: CompiledModel
        var stated: StatedRow?
        /// What lists say of its to-ones, by slot.
        var placements: [Int: MemberPlace] = [:]
        /// What becomes of entries of its lists.
        var entries: [EntryDelta] = []
        /// The row as it is.
        var present: [UInt8]?
        var created: UInt64 = 0
        var revision: UInt64 = 0
        /// The row as the last export left it.
        var base: [UInt8]?
        /// What has become of it since.
        var change: EntityDelta?
    }

    func compareRows(_ body: (EntityDelta) throws -> Void) throws {
        var stated = intake.statedRows()
        try stated.advance()
        var changes = ours.changedRows()
        var placed = none()
        var listed = none()
        swap(&placed, &placements)
        swap(&listed, &self.listed)
        var told = ToldOfRows(placements: try placed.sorted(), listed: try listed.sorted())
        try told.begin()
        var unspoken = try unspokenOf()[...]
        for model in schema.allModels.sorted(by: { $0.number < $1.number }) {
            var cursor = try workspace.base.cursor(workspace.tables.rows)
            let scans = isRepeated && !intake.isPartial
            var isThere = scans
            if scans {
                key.setRow(EntityKey(model: model.number, id: []))
                isThere = try unsafe cursor.seek(atOrAfter: key.bytes)
            }
            while true {
                var next = stated.present?.entity
                if next?.model != model.number { next = nil }
                if let entity = told.present, entity.model == model.number,
                    next.map({ entity.precedes($0) }) ?? true
                {
                    next = entity
                }
                while let entity = unspoken.first, entity.model < model.number { unspoken.removeFirst() }
                if let entity = unspoken.first, entity.model == model.number,
                    next.map({ entity.precedes($0) }) ?? true
                {
                    next = entity
                }
                if isThere, unsafe cursor.key.count < 2 || Workspace.modelNumber(of: cursor.key) != model.number {
                    isThere = false
                }
                var isCursors = false
                if isThere {
                    let entity = unsafe EntityKey(model: model.number, id: [UInt8](cursor.key.dropFirst(2)))
                    if next.map({ $0 == entity }) ?? false {
                        isCursors = true
                    } else if next.map({ entity.precedes($0) }) ?? true {
                        next = entity
                        isCursors = true
                    }
                }
                guard let entity = next else { break }
                if unspoken.first == entity { unspoken.removeFirst() }
                var subject = Subject(entity: entity, model: model)
                if stated.present?.entity == entity { subject.stated = stated.present }
                try told.take(for: &subject)
                try fill(&subject, &changes)
                if let delta = try delta(of: subject) { try body(delta) }
                if isCursors { isThere = try cursor.next() }
                while stated.present?.entity == entity { try stated.advance() }
            }
        }
    }

    /// The rows that were changed here, and of which the export need not speak, in order.
    private func unspokenOf() throws -> [EntityKey] {
        guard isRepeated else { return [] }
        if !intake.isPartial {
            let unspoken = schema.allModels.filter { model in
                !observer.looks(for: model.name)
                    && model.slots.indices.contains { hasSpoken(of: $0, model) }
            }
            let numbers = Set(unspoken.map(\.number))
            return ours.deleted.union(known.rows.filter(\.value.isDeleted).keys)
                .filter { numbers.contains($0.model) }
                .sorted { $0.precedes($1) }
        }
        var entities = Set(known.rows.keys)
        try ours.forEachEntity { entities.insert($0) }
        return entities.sorted { $0.precedes($1) }
    }

    private func none() -> ExternalSort { ExternalSort(memoryByteCount: 1 << 20, makeFile: makeFile) }

    private func fill(_ subject: inout Subject, _ changes: inout ChangedRows) throws {
        if let row = try workspace.row(subject.entity) {
            subject.present = unsafe [UInt8](row.payload)
            (subject.created, subject.revision) = (row.created, row.revision)
        }
        subject.change = try changes.change(of: subject.entity)
        switch subject.change?.row {
        case nil, .same: subject.base = subject.present
        case .inserted: subject.base = nil
        case .deleted(let payload): subject.base = payload
        case .updated(let slots):
            subject.base = try subject.present.map { present in
                try DeltaComposer.rewritten(present, slots.map { $0.inverted() })
            }
        }
    }

    private func delta(of subject: Subject) throws -> EntityDelta? {
        if let stated = subject.stated {
            if !stated.isRefused { return try delta(of: subject, stated) }
            if subject.present == nil { try keepDeleted(subject, nil) }
        }
        let isSpokenOf = isRepeated && !intake.isPartial && observer.looks(for: subject.model.name)
        if isSpokenOf, subject.stated == nil, let delta = try deletion(of: subject) { return delta }
        // A row that the export has not, and a list of it, a place in one, or its partner.
        guard let present = subject.present else {
            if !isSpokenOf { try keepDeleted(subject, nil) }
            return nil
        }
        if deviations.rows[subject.entity]?.isReleased != true { try carry(subject, but: []) }
        let kept = deviations.rows[subject.entity]?.slots ?? [:]
        var slots: [SlotDelta] = []
        for (slot, placement) in subject.placements.sorted(by: { $0.key < $1.key })
        where placement.isOfPair || placement.orderKey != 0 && kept[slot] == nil {
            let bytes = placement.owner.map { ReferencePlace.bytes(placement.orderKey, $0) }
            let before = try (subject.base ?? present).rowSlot(slot)
            if before != bytes { slots.append(SlotDelta(slot: slot, from: before, to: bytes)) }
        }
        if let refusal = try tooLarge(present, slots, reference(subject.entity)) {
            try observer.note(.tooLarge(refusal, reference(subject.entity)))
            slots = []
        }
        let delta = EntityDelta(
            entity: subject.entity,
            row: slots.isEmpty ? .same : .updated(slots),
            entries: try Self.sorted(subject.entries)
        )
        return delta.isEmpty ? nil : delta
    }

    // MARK: A row that the export has

    private func delta(of subject: Subject, _ stated: StatedRow) throws -> EntityDelta? {
        let reference = try reference(subject.entity)
        let known = known.rows[subject.entity]
        if known == nil, try isUntouched(subject, stated) {
            try observer.note(.same(reference, keeps: []))
            return nil
        }
        let wanted = try wanted(subject, stated, reference)
        guard let present = subject.present else {
            if staysDeleted.contains(subject.entity) {
                try keepDeleted(subject, stated)
                try observer.note(.staysDeleted(reference))
                return nil
            }
            let wasDeletedHere = subject.base != nil || known?.isDeleted == true
            try observer.note(.new(reference, stated.attachment, wasDeletedHere: wasDeletedHere))
            return try insertion(of: subject, stated, wanted)
        }
        var keeps: [String] = []
        // One that both have made is the source's from then on.
        var hasAgreed = isRepeated ? subject.base == nil : !observer.isOwn(Position(subject.created))
        var isOverwritten = false
        var slots: [SlotDelta] = []
        for value in wanted {
            let now = try present.rowSlot(value.slot)
            let lost = known?.lost[value.slot]
            var noted = known?.slots[value.slot] ?? lost ?? saidNarrower(value, known)
            if noted == nil, !saysKept, !value.isSame(as: now), try observer.wasChanged(reference, value.name) {
                noted = value.hash
            }
            let said = try noted ?? subject.base.map { try value.hash(of: $0) }
            let isChangedHere = try said.map { try $0 != value.hash(of: present) } ?? true
            if said == value.hash {
                if isChangedHere, now == nil, try isLost(value, wasLost: lost != nil, subject) {
                    // What was named was deleted here. It comes back with that.
                    if value.bytes != nil {
                        slots.append(SlotDelta(slot: value.slot, from: now, to: value.bytes))
                    } else {
                        deviations.rows[subject.entity, default: .init()].lost[value.slot] = value.hash
                    }
                } else if isChangedHere {
                    deviations.rows[subject.entity, default: .init()].slots[value.slot] = value.hash
                    keeps.append(value.name)
                } else if value.isPlaced, now != value.bytes {
                    slots.append(SlotDelta(slot: value.slot, from: now, to: value.bytes))
                }
                continue
            }
            if value.isUnlisted, now != nil, isChangedHere, subject.base != nil {
                // It has left the list in which it was, here as in the export.
                deviations.rows[subject.entity, default: .init()].slots[value.slot] = value.hash
                keeps.append(value.name)
                continue
            }
            if value.isSame(as: now) {
                if isChangedHere { hasAgreed = true }
                if !value.isPlaced || now == value.bytes { continue }
            } else if try isChangedHere || isOthers(value, now, subject, reference) {
                isOverwritten = true
            }
            slots.append(SlotDelta(slot: value.slot, from: now, to: value.bytes))
        }
        try carry(subject, but: Set(wanted.map(\.slot)))
        if hasAgreed { agreedCount += 1 }
        let entries = try Self.sorted(subject.entries)
        if slots.isEmpty, entries.isEmpty {
            try observer.note(.same(reference, keeps: keeps))
            return nil
        }
        if let refusal = try tooLarge(present, slots, reference) {
            try observer.note(.tooLarge(refusal, reference))
            return entries.isEmpty ? nil : EntityDelta(entity: subject.entity, row: .same, entries: entries)
        }
        try observer.note(
            .different(
                reference,
                stated.attachment,
                keeps: keeps,
                replaced: replaced(slots, present, subject.model)
            )
        )
        if isOverwritten { try observer.note(.overwritten(reference)) }
        return EntityDelta(entity: subject.entity, row: slots.isEmpty ? .same : .updated(slots), entries: entries)
    }

    private func insertion(of subject: Subject, _ stated: StatedRow, _ wanted: [WantedValue]) throws -> EntityDelta {
        var changes: [SlotDelta] = []
        for value in wanted where value.isReference {
            changes.append(SlotDelta(slot: value.slot, from: nil, to: value.bytes))
        }
        return EntityDelta(
            entity: subject.entity,
            row: .inserted(try DeltaComposer.rewritten(stated.payload, changes)),
            entries: try Self.sorted(subject.entries.filter { $0.to != nil }.map { $0.inserted() })
        )
    }

    /// A change that is too large for a row, or for one event.
    private func tooLarge(
        _ present: [UInt8],
        _ slots: [SlotDelta],
        _ reference: EntityReference
    ) throws -> StoreError? {
        if slots.isEmpty { return nil }
        let next: [UInt8]
        do {
            next = try DeltaComposer.rewritten(present, slots)
        } catch is ValueError {
            return StoreError.updateTooLarge(reference)
        }
        return try unsafe present.withUnsafeBytes { old in
            try unsafe next.withUnsafeBytes { new in
                try unsafe WriteSession.hasRoom(
                    forUpdating: RowPayload(trusting: old),
                    to: RowPayload(trusting: new)
                ) ? nil : StoreError.updateTooLarge(reference)
            }
        }
    }

    /// The first value in the place of which another one comes.
    private func replaced(
        _ slots: [SlotDelta],
        _ present: [UInt8],
        _ model: CompiledModel
    ) throws -> IntakeFinding.Replaced? {
        for change in slots where !Self.isPlaceOnly(change, model) {
            guard let now = try present.rowSlot(change.slot), now != change.to,
                let attribute = model.attribute(slot: change.slot)
            else { continue }
            return IntakeFinding.Replaced(
                name: attribute.name,
                from: try reader.value(now, attribute),
                to: try reader.value(change.to, attribute)
            )
        }
        return nil
    }

    static func isPlaceOnly(_ change: SlotDelta, _ model: CompiledModel) -> Bool {
        guard model.referenceSlots.contains(where: { $0.slot == change.slot }), let from = change.from,
            let to = change.to
        else { return false }
        return from.dropFirst(8) == to.dropFirst(8)
    }

    private static func sorted(_ entries: [EntryDelta]) throws -> EntryDeltas {
        try EntryDeltas(entries.sorted { ($0.relation, $0.to ?? 0) < ($1.relation, $1.to ?? 0) })
    }
}

extension EntryDelta {
    /// The same entry in a list that is made with its owner.
    fileprivate func inserted() -> EntryDelta {
        EntryDelta(relation: relation, serial: EntryDelta.newSerial, target: target, from: nil, to: to)
    }
}

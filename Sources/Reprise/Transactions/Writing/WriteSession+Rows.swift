internal import RepriseLMDB
internal import RepriseLog

/// Inserting and updating rows. The new content is in `workspace.scratch`, with order keys of zero in its references.
extension WriteSession {
    /// Inserts the row in `workspace.scratch`.
    func insert(_ model: CompiledModel, id: String, expecting: ExpectedRevision = .absent) throws {
        // Rows that have one are from before it was refused (VAL-03).
        if id.isEmpty { throw StoreError.emptyIdentifier(model.name) }
        let key = try unsafe self.key.row(model, id)
        let found = try unsafe workspace.find(key)
        if let row = found.row {
            if case .absent = expecting {
                throw StoreError.entityExists(EntityReference(model: model.name, id: id))
            }
            throw conflict(
                expecting,
                actual: row.revision,
                EntityReference(model: model.name, id: id)
            )
        }
        if case .exactly = expecting {
            throw conflict(expecting, actual: nil, EntityReference(model: model.name, id: id))
        }
        let payload = unsafe workspace.scratch.bytes
        let view = try unsafe RowPayload(trusting: payload)
        for reference in model.referenceSlots {
            guard let slot = unsafe view.slot(reference.slot) else { continue }
            try unsafe checkTarget(of: slot, reference, model, id: id, ownKey: key)
        }
        try unsafe claimUnique(model, key: key, payload: view)
        if !model.pairSlots.isEmpty {
            let entity = EntityKey(model: model.number, id: id)
            let error = try workspace.partnerRefusal(of: entity, model, from: nil, to: view)
            if let error { throw error }
        }
        for reference in model.references {
            guard let slot = unsafe view.slot(reference.slot) else { continue }
            try unsafe place(slot, reference)
        }
        let rowID = unsafe UnsafeRawBufferPointer(rebasing: key[2...])
        let position = try unsafe record(
            .inserted,
            model.number,
            id: rowID,
            previous: try workspace.lastPosition(of: key, found: found),
            cause: 0
        ) { unsafe $0.bytes(payload) }
        try unsafe workspace.put(
            key,
            over: found,
            created: position,
            revision: position,
            payload: payload
        )
        if !model.pairSlots.isEmpty {
            try pairAll(model, id: Array(id.utf8), cause: position)
        }
    }

    /// Replaces the row by the one in `workspace.scratch`. Returns whether anything changed.
    func update(
        _ model: CompiledModel,
        id: String,
        expecting: ExpectedRevision = .any
    ) throws -> Bool {
        let key = try unsafe self.key.row(model, id)
        try unsafe settleBeforeUpdating(model, key)
        let found = try unsafe workspace.find(key)
        guard let row = found.row else {
            throw StoreError.entityMissing(EntityReference(model: model.name, id: id))
        }
        try check(expecting, actual: row.revision, EntityReference(model: model.name, id: id))
        let payload = unsafe workspace.scratch.bytes
        let old = try unsafe RowPayload(trusting: row.payload)
        let new = try unsafe RowPayload(trusting: payload)
        for reference in model.referenceSlots {
            guard let slot = unsafe new.slot(reference.slot) else { continue }
            let before = try unsafe old.slot(reference.slot).map { try unsafe ReferenceBytes($0) }
            if let before, try unsafe before.target.hasSameBytes(as: ReferenceBytes(slot).target) {
                unsafe setOrderKey(before.orderKey, in: slot)
                continue
            }
            try unsafe checkTarget(of: slot, reference, model, id: id, ownKey: key)
        }
        let changes = Self.differences(old, new)
        if changes.allSatisfy({ $0.isOnlyDefault(of: model) }) { return false }
        guard Self.hasRoom(forUpdating: old, to: new) else {
            throw StoreError.updateTooLarge(EntityReference(model: model.name, id: id))
        }
        try unsafe claimUnique(model, key: key, payload: new)
        let pairs = model.pairSlots
        if !pairs.isEmpty {
            let entity = EntityKey(model: model.number, id: id)
            let error = try workspace.partnerRefusal(of: entity, model, from: old, to: new)
            if let error { throw error }
        }
        for reference in model.references {
            guard changes.contains(where: { $0.slot == reference.slot }),
                let slot = unsafe new.slot(reference.slot)
            else { continue }
            try unsafe place(slot, reference)
        }
        let position = try unsafe recordUpdate(
            key,
            found: found,
            row: row,
            changes: changes,
            payload: payload,
            cause: 0
        )
        for reference in pairs {
            guard let change = changes.first(where: { $0.slot == reference.slot }) else { continue }
            let before = try unsafe change.from.map {
                unsafe [UInt8](try ReferenceBytes($0).target)
            }
            try pair(
                EntityKey(model: model.number, id: id),
                reference,
                leaving: before,
                cause: position
            )
        }
        return true
    }

    /// In a bulk load, taking an entry out of a list needs the views.
    private func settleBeforeUpdating(_ model: CompiledModel, _ key: UnsafeRawBufferPointer) throws
    {
        guard workspace.deferred != nil, !model.references.isEmpty,
            let row = try unsafe workspace.find(key).row
        else { return }
        let old = try unsafe RowPayload(trusting: row.payload)
        let new = try unsafe RowPayload(trusting: workspace.scratch.bytes)
        for reference in model.references {
            guard let before = unsafe old.slot(reference.slot) else { continue }
            let from = try unsafe ReferenceBytes(before).target
            if let after = unsafe new.slot(reference.slot),
                try unsafe from.hasSameBytes(as: ReferenceBytes(after).target)
            {
                continue
            }
            return try workspace.settle()
        }
    }

    /// Changes one slot of an existing row as a consequence of something else. `bytes` is the whole new slot.
    func setSlot(
        _ entity: EntityKey,
        slot: Int,
        to bytes: [UInt8]?,
        cause: UInt64,
        isChecked: Bool = false
    ) throws {
        var key = KeyBuffer()
        key.setRow(entity)
        let found = try unsafe workspace.find(key.bytes)
        guard let row = found.row else { return }
        let old = try unsafe RowPayload(trusting: row.payload)
        let payload = try rewrite(old, of: entity, slot: slot, to: bytes)
        let changes = Self.differences(old, payload)
        if changes.isEmpty { return }
        // A row without a value takes none from another one.
        if isChecked || defersRules, bytes != nil { try unsafe checkUnique(entity, key.bytes, payload) }
        _ = try unsafe recordUpdate(
            key.bytes,
            found: found,
            row: row,
            changes: changes,
            payload: payload.bytes,
            cause: cause
        )
    }

    /// Refuses what `setSlot` would refuse.
    func checkSlot(_ entity: EntityKey, slot: Int, to bytes: [UInt8]) throws {
        var key = KeyBuffer()
        key.setRow(entity)
        guard let row = try unsafe workspace.find(key.bytes).row else { return }
        let old = try unsafe RowPayload(trusting: row.payload)
        let payload = try rewrite(old, of: entity, slot: slot, to: bytes)
        if !defersRules { try unsafe checkUnique(entity, key.bytes, payload) }
    }

    /// Writes a row into the scratch space with another value in one slot.
    private func rewrite(
        _ old: RowPayload,
        of entity: EntityKey,
        slot: Int,
        to bytes: [UInt8]?
    ) throws -> RowPayload {
        do {
            try unsafe (bytes ?? []).withUnsafeBytes { value in
                unsafe try workspace.scratch.rewrite(old, slotCount: slot + 1) {
                    index throws(ValueError) in
                    guard index == slot else { return unsafe .keep }
                    return unsafe bytes == nil ? .clear : .replace(value)
                }
            }
        } catch let error as ValueError where error.code == .tooLarge {
            throw try workspace.noRoom(for: PartnerPlace(entity: entity, slot: slot))
        }
        return try unsafe RowPayload(trusting: workspace.scratch.bytes)
    }

    private func checkUnique(
        _ entity: EntityKey,
        _ key: UnsafeRawBufferPointer,
        _ payload: RowPayload
    ) throws {
        try unsafe claimUnique(try schema.model(entity.model), key: key, payload: payload)
    }

    func recordUpdate(
        _ key: UnsafeRawBufferPointer,
        found: Workspace.Found,
        row: RowView,
        changes: [SlotChanges.SlotChange],
        payload: UnsafeRawBufferPointer,
        cause: UInt64
    ) throws -> UInt64 {
        let position = try unsafe record(
            .updated,
            Workspace.modelNumber(of: key),
            id: UnsafeRawBufferPointer(rebasing: key[2...]),
            previous: row.revision,
            cause: cause
        ) { SlotChanges(changes).write(to: &$0) }
        try unsafe workspace.put(
            key,
            over: found,
            created: row.created,
            revision: position,
            payload: payload
        )
        return position
    }

    /// Whether an event can tell how a row changes. Order keys that are not known yet do not matter.
    static func hasRoom(forUpdating old: RowPayload, to new: RowPayload) -> Bool {
        // The fields of an event, and an identifier.
        let byteCountMax = LogFormat.eventByteCountMax - 512
        if unsafe old.bytes.count + new.bytes.count <= byteCountMax / 2 { return true }
        let changes = SlotChanges(differences(old, new))
        return changes.byteCountMax <= byteCountMax
    }

    static func differences(_ old: RowPayload, _ new: RowPayload) -> [SlotChanges.SlotChange] {
        var changes: [SlotChanges.SlotChange] = []
        for slot in 0..<max(old.slotCount, new.slotCount) {
            let from = unsafe old.slot(slot)
            let to = unsafe new.slot(slot)
            if let from = unsafe from, let to = unsafe to, unsafe from.hasSameBytes(as: to) {
                continue
            }
            if unsafe from == nil && to == nil { continue }
            unsafe changes.append(SlotChanges.SlotChange(slot: slot, from: from, to: to))
        }
        return changes
    }
}

/// References.
extension WriteSession {
    private func checkTarget(
        of slot: UnsafeRawBufferPointer,
        _ reference: ReferenceSlot,
        _ model: CompiledModel,
        id: String,
        ownKey: UnsafeRawBufferPointer
    ) throws {
        let target = try unsafe ReferenceBytes(slot).target
        var key = KeyBuffer()
        unsafe key.setRow(model: reference.targetModel, id: target)
        if unsafe key.bytes.hasSameBytes(as: ownKey) { return }
        if try unsafe workspace.contains(key.bytes) { return }
        // A partner has to point back, so it has to be there. What is no identifier will never be there.
        if defersRules, reference.partnerSlot == nil, unsafe KeyCell.canBeIdentifier(target) {
            return owed.add(EntityKey(model: model.number, id: id), reference)
        }
        throw unsafe StoreError.targetMissing(
            self.reference(try schema.model(reference.targetModel), target),
            from: EntityReference(model: model.name, id: id)
        )
    }

    /// Gives a reference in the row that is being written its place at the end of the list on the other side.
    private func place(_ slot: UnsafeRawBufferPointer, _ reference: ReferenceSlot) throws {
        let list = unsafe ListKey(
            relation: reference.relation.number,
            id: [UInt8](try ReferenceBytes(slot).target)
        )
        unsafe setOrderKey(try freshAppendKey(of: list), in: slot)
    }

    private func setOrderKey(_ orderKey: UInt64, in slot: UnsafeRawBufferPointer) {
        // The slot lies in the workspace's own scratch buffer, which is ours to change.
        unsafe UnsafeMutableRawBufferPointer(mutating: slot)
            .storeBytes(of: orderKey.littleEndian, as: UInt64.self)
    }
}

/// Expectations.
extension WriteSession {
    func check(
        _ expecting: ExpectedRevision,
        actual: UInt64,
        _ entity: @autoclosure () -> EntityReference
    ) throws(StoreError) {
        switch expecting {
        case .any: return
        case .absent: throw .entityExists(entity())
        case .exactly(let revision):
            if revision.position.rawValue != actual {
                throw conflict(expecting, actual: actual, entity())
            }
        }
    }

    func conflict(
        _ expected: ExpectedRevision,
        actual: UInt64?,
        _ entity: EntityReference
    ) -> StoreError {
        let revision = actual.map { Revision(position: Position($0)) }
        return StoreError(
            .revisionConflict,
            revision.map { "\(entity) has changed since: its revision is \($0)." }
                ?? "\(entity) does not exist any more.",
            advice: "Read it again and decide anew.",
            cause: .revisionConflict(expected: expected, actual: revision)
        )
    }
}

extension SlotChanges.SlotChange {
    /// Whether a row that is older than an attribute says its default now: that is no change (STO-88).
    fileprivate func isOnlyDefault(of model: CompiledModel) -> Bool {
        guard unsafe from == nil, let to = unsafe to, let value = unsafe model.defaults?.bytes(slot) else {
            return false
        }
        return unsafe to.hasSameBytes(as: value)
    }
}

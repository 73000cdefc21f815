internal import RepriseLMDB
internal import RepriseLog

/// Rows that the export has no more: they go, but for those that were changed here.
extension IntakeComparison {
    func deletion(of subject: Subject) throws -> EntityDelta? {
        guard let base = subject.base, let present = subject.present, observer.isOwn(Position(subject.created)) else {
            return nil
        }
        let reference = try reference(subject.entity)
        let known = known.rows[subject.entity]
        var isChangedHere = known?.slots.isEmpty == false || known?.isReleased == true
        var entries: [EntryDelta] = []
        for end in subject.model.ownedLists {
            let list = ListKey(relation: end.relation.number, id: subject.entity.id)
            if self.known.lists[list] != nil { isChangedHere = true }
            let present = try workspace.entries(of: list)
            if try isChanged(present, end, subject) { isChangedHere = true }
            for entry in present {
                entries.append(
                    EntryDelta(
                        relation: list.relation,
                        serial: entry.serial,
                        target: entry.target,
                        from: entry.orderKey,
                        to: nil
                    )
                )
            }
        }
        if !saysKept, try wasChanged(present, subject, reference) { isChangedHere = true }
        let left = try DeltaComposer.rewritten(base, lostReferences(from: base, to: present, subject.model))
        let changes = try DeltaComposer.differences(left, present)
        if try isChangedHere || changes.contains(where: { !Self.isPlaceOnly($0, subject.model) })
            || observer.isChangedElsewhere(
                reference,
                created: Position(subject.created),
                revision: Position(subject.revision)
            )
        {
            // Should the export have it again, that is compared with what it said last.
            var kept = known ?? .init()
            kept.isReleased = true
            kept.isNeeded = false
            for change in changes where kept.slots[change.slot] == nil && !Self.isPlaceOnly(change, subject.model) {
                kept.slots[change.slot] = try hash(of: left, change.slot, subject.model)
            }
            deviations.rows[subject.entity] = kept
            try observer.note(.keptThoughGone(reference))
            return nil
        }
        try observer.note(.gone(reference))
        return EntityDelta(entity: subject.entity, row: .deleted(present), entries: try EntryDeltas(entries))
    }

    /// Whether others than the source have changed a row last, where the log does not say what was kept. That what a
    /// to-one led to was deleted is no change of the row.
    private func wasChanged(_ present: [UInt8], _ subject: Subject, _ reference: EntityReference) throws -> Bool {
        for attribute in subject.model.description.attributes {
            let isReference = subject.model.referenceSlots.contains { $0.slot == attribute.slot }
            if isReference, try present.rowSlot(attribute.slot) == nil { continue }
            if try observer.wasChanged(reference, attribute.name) { return true }
        }
        return try subject.model.ownedLists.contains {
            try observer.wasListChanged($0.displayName(in: schema.description), of: reference)
        }
    }

    /// The to-ones that are empty because what they led to was deleted here: that is no change of the row.
    private func lostReferences(
        from base: [UInt8],
        to present: [UInt8],
        _ model: CompiledModel
    ) throws -> [SlotDelta] {
        try model.referenceSlots.compactMap { toOne in
            guard try present.rowSlot(toOne.slot) == nil,
                let target = try ReferencePlace(base.rowSlot(toOne.slot))?.target,
                try workspace.row(EntityKey(model: toOne.targetModel, id: target)) == nil
            else { return nil }
            return SlotDelta(slot: toOne.slot, from: nil, to: nil)
        }
    }

    /// Whether a list of a row has other entries than the last export left, or has them in another order, and not
    /// because they led to rows that were deleted.
    private func isChanged(_ present: [ListEntry], _ end: RelationEnd, _ subject: Subject) throws -> Bool {
        let changes = try subject.change?.entries.filter { $0.relation == end.relation.number } ?? []
        let added = Set(changes.filter { $0.from == nil }.map(\.serial))
        if present.contains(where: { !added.contains($0.serial) && !observer.isOwn(Position($0.serial)) }) {
            return true
        }
        if changes.isEmpty { return false }
        let said = Self.before(
            changes.map { PlaceChange(serial: $0.serial, target: $0.target, from: $0.from, to: $0.to) },
            present
        )
        let there = try said.filter { try workspace.row(EntityKey(model: end.other.model, id: $0)) != nil }
        return there != present.map(\.target)
    }

    /// What is different in the end, with the rows that stay because something needs them.
    func deviations(_ report: ChangeSet.Report) throws -> Deviations {
        var deviations = deviations
        for conflict in report.settled {
            guard case .used = conflict.kind else { continue }
            let model = try schema.model(named: conflict.entity.model).number
            deviations.rows[EntityKey(model: model, id: conflict.entity.id), default: .init()].isNeeded = true
        }
        return deviations
    }
}

internal import RepriseLog

/// Rows that were deleted here, and that the export has: they stay deleted while it says of them what it had said.
extension IntakeComparison {
    func findDeleted() throws {
        let known = known.rows.filter { $0.value.isDeleted }
        if ours.deleted.isEmpty, known.isEmpty, saysKept || !isRepeated { return }
        var rows = intake.statedRows()
        try rows.advance()
        var changes = ours.changedRows()
        while let stated = rows.present {
            let entity = stated.entity
            if ours.deleted.contains(entity) || known[entity] != nil, !stated.isRefused,
                try workspace.row(entity) == nil, try isAsBefore(stated, changes.change(of: entity))
            {
                staysDeleted.insert(entity)
            }
            if isRepeated, !saysKept, !stated.isRefused, !staysDeleted.contains(entity), !ours.deleted.contains(entity),
                try workspace.row(entity) == nil, try observer.wasDeleted(reference(entity))
            {
                staysDeleted.insert(entity)
            }
            try rows.advance()
        }
    }

    private func isAsBefore(_ stated: StatedRow, _ change: EntityDelta?) throws -> Bool {
        let known = known.rows[stated.entity]
        let base = deletedBase(change)
        return try values(stated).allSatisfy { value in
            let noted = known?.slots[value.slot] ?? known?.lost[value.slot] ?? saidNarrower(value, known)
            return try value.hash == noted ?? base.map { try value.hash(of: $0) } ?? 0
        }
    }

    /// A row that was deleted here, as the last export left it.
    private func deletedBase(_ change: EntityDelta?) -> [UInt8]? {
        if case .deleted(let payload)? = change?.row { payload } else { nil }
    }

    /// Notes that a row was deleted here, with all that the export says of it, or has said.
    ///
    /// - Parameter stated: the row in the export; nil where the export says nothing of rows like it.
    func keepDeleted(_ subject: Subject, _ stated: StatedRow?) throws {
        let known = known.rows[subject.entity]
        let base = deletedBase(subject.change)
        guard known?.isDeleted == true || base != nil || staysDeleted.contains(subject.entity) else { return }
        var row = Deviations.Row()
        row.isDeleted = true
        row.slots = known?.slots ?? [:]
        for (slot, compiled) in subject.model.slots.enumerated() where compiled != nil && row.slots[slot] == nil {
            if let hash = try known?.lost[slot] ?? base.map({ try hash(of: $0, slot, subject.model) }) {
                row.slots[slot] = hash
            }
        }
        if let stated { for value in try values(stated) { row.slots[value.slot] = value.hash } }
        deviations.rows[subject.entity] = row
    }

    /// What the export says of a row, without what lists and partners say of it.
    private func values(_ stated: StatedRow) throws -> [WantedValue] {
        let model = try schema.model(stated.entity.model)
        return try model.slots.enumerated().compactMap { slot, compiled in
            guard let compiled, stated.says(slot) else { return nil }
            let attribute = model.attributesInOrder[compiled.place]
            let toOne = model.referenceSlots.first { $0.slot == slot }
            let bytes = try stated.payload.rowSlot(slot)
            return try WantedValue(slot, attribute.name, bytes, toOne, isKnown: isKnown)
        }
    }
}

internal import RepriseLMDB
internal import RepriseLog

/// Both sides of a one-to-one change together, be one of them said or both.
extension IntakeComparison {
    func comparePairs() throws {
        var rows = intake.statedRows()
        try rows.advance()
        while let stated = rows.present {
            let model = try schema.model(stated.entity.model)
            for pair in stated.isRefused ? [] : model.pairSlots where stated.says(pair.slot) {
                try compare(stated, pair)
            }
            try rows.advance()
        }
    }

    private func compare(_ stated: StatedRow, _ pair: ReferenceSlot) throws {
        guard let partnerSlot = pair.partnerSlot else { return }
        func partner(_ id: [UInt8]) -> EntityKey { EntityKey(model: pair.targetModel, id: id) }
        func present(_ entity: EntityKey, _ slot: Int) throws -> [UInt8]? {
            guard let row = try workspace.row(entity) else { return nil }
            return try ReferencePlace(unsafe [UInt8](row.payload).rowSlot(slot))?.target
        }
        var wanted = try ReferencePlace(stated.payload.rowSlot(pair.slot))?.target
        if let id = wanted, try partner(id) != stated.entity && !resolves(partner(id)) { wanted = nil }
        let before = try present(stated.entity, pair.slot)
        if wanted == before { return }
        if let wanted {
            try place(partner(wanted), partnerSlot, stated.entity.id)
            if let rival = try present(partner(wanted), partnerSlot), rival != stated.entity.id {
                try place(EntityKey(model: stated.entity.model, id: rival), pair.slot, nil)
            }
        }
        if let before { try place(partner(before), partnerSlot, nil) }
    }

    private func place(_ entity: EntityKey, _ slot: Int, _ partner: [UInt8]?) throws {
        var writer = ByteWriter(capacity: 64)
        MemberPlace(slot: slot, orderKey: 0, owner: partner, isOfPair: true).write(to: &writer)
        key.setRow(entity)
        try unsafe placements.add(key: key.bytes, value: writer.bytes)
    }
}

internal import RepriseLog

/// Partners in one-to-one relationships.
extension WriteSession {
    /// Makes both sides of every one-to-one reference of a new row agree.
    func pairAll(_ model: CompiledModel, id: [UInt8], cause: UInt64) throws {
        for reference in model.pairSlots {
            try pair(EntityKey(model: model.number, id: id), reference, leaving: nil, cause: cause)
        }
    }

    /// Makes the other side of a one-to-one reference agree: the partner that was left forgets the entity, the new
    /// partner's old one forgets it, and the new partner points back.
    func pair(
        _ entity: EntityKey,
        _ reference: ReferenceSlot,
        leaving old: [UInt8]?,
        cause: UInt64
    ) throws {
        guard let partnerSlot = reference.partnerSlot else { return }
        if let old {
            let partner = EntityKey(model: reference.targetModel, id: old)
            if try target(of: partner, slot: partnerSlot) == entity.id {
                try setSlot(partner, slot: partnerSlot, to: nil, cause: cause)
            }
        }
        guard let new = try target(of: entity, slot: reference.slot) else { return }
        let partner = EntityKey(model: reference.targetModel, id: new)
        if let rival = try target(of: partner, slot: partnerSlot) {
            if rival == entity.id { return }
            // When an entity becomes its own partner, the rival has not been told of it yet and may point elsewhere.
            let loser = EntityKey(model: entity.model, id: rival)
            if try target(of: loser, slot: reference.slot) == new {
                try setSlot(loser, slot: reference.slot, to: nil, cause: cause)
            }
        }
        try point(PartnerPlace(entity: partner, slot: partnerSlot), to: entity, cause: cause)
    }

    /// Sets one side of a one-to-one; where it is so already there is no event.
    private func point(_ place: PartnerPlace, to partner: EntityKey, cause: UInt64) throws {
        let slot = Array(repeating: 0, count: 8) + partner.id
        try setSlot(place.entity, slot: place.slot, to: slot, cause: cause)
    }

    /// What a to-one slot of an entity points to.
    func target(of entity: EntityKey, slot: Int) throws -> [UInt8]? {
        try workspace.target(of: entity, slot: slot)
    }
}

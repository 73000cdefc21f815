internal import RepriseLog

/// One side of a one-to-one relationship: a to-one of a row.
struct PartnerPlace: Hashable {
    let entity: EntityKey
    let slot: Int
}

/// That a row is to have another partner, or none.
struct PartnerWish {
    /// The row's own side.
    let place: PartnerPlace
    /// The other side of the partner that it is to have.
    let partner: PartnerPlace?
    /// Those that lose theirs by that: the partner that is left, and the row that has the new one.
    let losers: [PartnerPlace]
}

/// Partners in one-to-one relationships.
extension Workspace {
    /// What a to-one slot of an entity points to.
    func target(of entity: EntityKey, slot: Int) throws -> [UInt8]? {
        guard let row = try self.row(entity) else { return nil }
        return try unsafe RowPayload(trusting: row.payload).slot(slot)
            .map { unsafe [UInt8](try ReferenceBytes($0).target) }
    }

    /// What it comes to that a row gets another partner, as things stand; nil where the to-one is no one-to-one.
    func partnerWish(
        _ entity: EntityKey,
        _ reference: ReferenceSlot,
        leaving old: [UInt8]?,
        for new: [UInt8]?
    ) throws -> PartnerWish? {
        guard let partnerSlot = reference.partnerSlot else { return nil }
        var losers: [PartnerPlace] = []
        if let old {
            let left = EntityKey(model: reference.targetModel, id: old)
            if try target(of: left, slot: partnerSlot) == entity.id {
                losers.append(PartnerPlace(entity: left, slot: partnerSlot))
            }
        }
        let partner = new.map {
            PartnerPlace(
                entity: EntityKey(model: reference.targetModel, id: $0),
                slot: partnerSlot
            )
        }
        if let partner, let rival = try target(of: partner.entity, slot: partnerSlot),
            rival != entity.id
        {
            let rival = EntityKey(model: entity.model, id: rival)
            losers.append(PartnerPlace(entity: rival, slot: reference.slot))
        }
        return PartnerWish(
            place: PartnerPlace(entity: entity, slot: reference.slot),
            partner: partner,
            losers: losers
        )
    }

    /// What forbids the partners that a row is to have: that somebody loses one who needs one (REL-04, REL-07), or that
    /// a row is too large to point back. Nil where nothing does.
    ///
    /// - Parameter old: the row as it is; nil where there is none.
    func partnerRefusal(
        of entity: EntityKey,
        _ model: CompiledModel,
        from old: RowPayload?,
        to new: RowPayload
    ) throws -> StoreError? {
        var references = PartnerReferences()
        for reference in model.pairSlots {
            let before = try unsafe old?.slot(reference.slot)
                .map { unsafe [UInt8](try ReferenceBytes($0).target) }
            let after = try unsafe new.slot(reference.slot)
                .map { unsafe [UInt8](try ReferenceBytes($0).target) }
            if before == after { continue }
            guard let wish = try partnerWish(entity, reference, leaving: before, for: after)
            else { continue }
            for loser in wish.losers {
                if let error = try partnerNeeded(by: loser, wish) { return error }
            }
            guard let partner = wish.partner else { continue }
            let room = try partner.entity == entity ? RowRoom(new, model) : room(in: partner.entity)
            if let room, !room.holds(references.add(partner, to: entity)) {
                return try noRoom(for: partner)
            }
        }
        return nil
    }

    /// What references have room in a row; nil where there is none.
    func room(in entity: EntityKey) throws -> RowRoom? {
        guard let row = try self.row(entity) else { return nil }
        return RowRoom(
            try unsafe RowPayload(trusting: row.payload),
            try schema.model(entity.model)
        )
    }

    /// That a row has no room for a partner.
    func noRoom(for place: PartnerPlace) throws -> StoreError {
        let model = try schema.model(place.entity.model)
        return .noRoom(
            in: EntityReference(model: model.name, id: place.entity.text),
            for: try name(of: place)
        )
    }

    /// What forbids that a row loses its partner (REL-04, REL-07); nil where it may be without one.
    func partnerNeeded(by loser: PartnerPlace, _ wish: PartnerWish) throws -> StoreError? {
        let model = try schema.model(loser.entity.model)
        guard let attribute = model.attribute(slot: loser.slot), !attribute.isOptional else {
            return nil
        }
        let existing = EntityReference(model: model.name, id: loser.entity.text)
        return StoreError(
            .invalidValue,
            "\(existing) needs a \(attribute.name), which would be taken away from it.",
            advice: "Give it another one first, or delete it.",
            cause: .partnerNeeded(attribute: try name(of: wish.place), existing: existing)
        )
    }

    /// What a to-one is called.
    func name(of place: PartnerPlace) throws -> String {
        try schema.model(place.entity.model).attribute(slot: place.slot)?.name ?? ""
    }
}

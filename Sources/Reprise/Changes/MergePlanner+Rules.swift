/// What the rules of the schema say of the final state.
extension MergePlanner {
    /// Looks for what they forbid until nothing is left.
    func settle() throws {
        repeat {
            while try !isSettled() {}
        } while try !keepConsequences()
        try clearConsequences()
        forgetGoing()
    }

    /// Takes out of the plan what the rules forbid. Returns whether there was nothing.
    private func isSettled() throws -> Bool {
        var isSettled = true
        hasConsequences = false
        suitors = [:]
        forgetGoing()
        try plan.rows.forEach { entity, row in
            let isRight = try row.isDeletion ? checkDeletion(of: entity) : checkTargets(of: entity, row)
            if !isRight { isSettled = false }
        }
        if try !checkClaims() { isSettled = false }
        if try !checkEntries() { isSettled = false }
        return isSettled
    }

    /// Whether an entity is there in the final state.
    private func exists(_ entity: EntityKey) throws -> Bool {
        if found.contains(entity) { return true }
        let isThere = try plan.rows.isThere(entity) ?? workspace.contains(entity)
        if isThere { found.insert(entity) }
        return isThere
    }

    // MARK: Targets

    /// Sees to it that to-ones lead to what is there.
    private func checkTargets(of entity: EntityKey, _ planned: ChangePlan.Row) throws -> Bool {
        let model = try schema.model(entity.model)
        var isRight = true
        for reference in model.referenceSlots {
            // One reference may have changed what is planned for the next.
            let row = try isRight ? planned : plan.rows.row(of: entity)
            if let row, try isNeeded(by: reference, entity, row) {
                isRight = false
                continue
            }
            guard let row, let payload = row.payload,
                let attribute = model.attribute(slot: reference.slot),
                let place = try ReferencePlace(payload.rowSlot(reference.slot))
            else { continue }
            let target = EntityKey(model: reference.targetModel, id: place.target)
            if try target == entity || exists(target) {
                if try keepsPartner(target, reference, from: entity, row) { isRight = false }
                continue
            }
            var before: [UInt8]?
            if case .update(let from, _) = row {
                before = try from.rowSlot(reference.slot)
                // It led there before: then the deletion of the target is the conflict.
                if try ReferencePlace(before)?.target == place.target { continue }
            }
            _ = try decide(.missing(relationship: attribute.name, target: try self.reference(target)), entity)
            isRight = false
            switch row {
            case .insert where attribute.isOptional:
                try set(.insert(cleared(reference.slot, of: payload)), for: entity)
            case .update(let from, _):
                let kept = SlotDelta(slot: reference.slot, from: nil, to: before)
                try set(.update(from: from, to: DeltaComposer.rewritten(payload, [kept])), for: entity)
            default: try set(nil, for: entity)
            }
        }
        return isRight
    }

    /// Whether the target of a one-to-one has another partner in the final state, which it keeps: then the entity stays
    /// without.
    private func keepsPartner(
        _ target: EntityKey,
        _ reference: ReferenceSlot,
        from entity: EntityKey,
        _ row: ChangePlan.Row
    ) throws -> Bool {
        guard let partnerSlot = reference.partnerSlot, target != entity, let payload = row.payload
        else { return false }
        var before: [UInt8]?
        if case .update(let from, _) = row {
            before = try from.rowSlot(reference.slot)
            // The partner leaves it, and it did not ask for that partner.
            if try before == payload.rowSlot(reference.slot) { return false }
        }
        let theirs = try plan.rows.row(of: target)?.payload ?? present(target)
        let partner = try ReferencePlace(theirs?.rowSlot(partnerSlot))?.target
        guard partner != entity.id,
            let rival = partner.map({ EntityKey(model: entity.model, id: $0) })
                ?? otherSuitor(of: target, partnerSlot, beside: entity)
        else { return false }
        let model = try schema.model(entity.model)
        guard let attribute = model.attribute(slot: reference.slot) else { return false }
        _ = try decide(.taken(attributes: [attribute.name], by: try self.reference(rival)), entity)
        switch row {
        case .update(let from, _):
            let kept = SlotDelta(slot: reference.slot, from: nil, to: before)
            try set(.update(from: from, to: DeltaComposer.rewritten(payload, [kept])), for: entity)
        case .insert where attribute.isOptional:
            try set(.insert(cleared(reference.slot, of: payload)), for: entity)
        default: try set(nil, for: entity)
        }
        return true
    }

    /// Another entity of the plan that wants the target of a one-to-one, which itself says nothing of a partner: the
    /// first one gets it.
    private func otherSuitor(of target: EntityKey, _ slot: Int, beside entity: EntityKey) -> EntityKey? {
        let wish = PartnerWish(target: target, slot: slot)
        let first = suitors[wish] ?? entity
        suitors[wish] = first
        return first == entity ? nil : first
    }

    /// Whether the partner that an entity leaves in a one-to-one must have it, and has no other one in the final state:
    /// then the entity keeps that partner.
    private func isNeeded(by reference: ReferenceSlot, _ entity: EntityKey, _ row: ChangePlan.Row) throws -> Bool {
        guard let partnerSlot = reference.partnerSlot, case .update(let from, let to) = row,
            let before = try ReferencePlace(from.rowSlot(reference.slot))?.target,
            try ReferencePlace(to.rowSlot(reference.slot))?.target != before
        else { return false }
        let partner = EntityKey(model: reference.targetModel, id: before)
        guard let attribute = try schema.model(partner.model).attribute(slot: partnerSlot), !attribute.isOptional else {
            return false
        }
        let theirs: [UInt8]?
        switch try plan.rows.row(of: partner) {
        case .delete: return false
        case let planned?: theirs = planned.payload
        case nil: theirs = try present(partner)
        }
        guard try ReferencePlace(theirs?.rowSlot(partnerSlot))?.target == entity.id else { return false }
        let name = try schema.model(entity.model).attribute(slot: reference.slot)?.name ?? ""
        _ = try decide(.taken(attributes: [name], by: try self.reference(partner)), entity)
        let kept = SlotDelta(slot: reference.slot, from: nil, to: try from.rowSlot(reference.slot))
        try set(.update(from: from, to: DeltaComposer.rewritten(to, [kept])), for: entity)
        return true
    }

    private func cleared(_ slot: Int, of payload: [UInt8]) throws -> [UInt8] {
        try DeltaComposer.rewritten(payload, [SlotDelta(slot: slot, from: nil, to: nil)])
    }

    /// Sees to it that entries belong to owners that are there, and lead to targets that are.
    private func checkEntries() throws -> Bool {
        let count = plan.entries.count
        try plan.entries.removeAll { entry in
            guard entry.delta.to != nil else { return false }
            // Where the owner does not come back, the conflict is the owner's.
            guard try exists(entry.list.owner) else { return true }
            let target = EntityKey(model: entry.list.end.other.model, id: entry.delta.target)
            if try exists(target) { return false }
            let list = entry.list.end.displayName(in: schema.description)
            _ = try decide(.missing(relationship: list, target: try reference(target)), entry.list.owner)
            return true
        }
        return plan.entries.count == count
    }

    // MARK: Deletions

    /// Sees to it that no entity uses one that goes. One that goes with it by `cascade` is taken into the plan, so that
    /// the rules are looked at for it as well.
    private func checkDeletion(of entity: EntityKey) throws -> Bool {
        let planner = DeletionPlanner(workspace: workspace)
        var isRight = true
        for end in try schema.model(entity.model).ends where end.hasUsers {
            for user in try planner.partners(of: entity, end) where user != entity {
                guard try uses(user, entity, end) else { continue }
                let conflict = ChangeSet.Conflict.Kind.used(
                    by: try reference(user),
                    relationship: end.displayName(in: schema.description),
                    isDenied: end.own.onDelete == .deny
                )
                if try decide(conflict, entity) == .theirs, try isTaken(along: user, of: entity, end) {
                    if end.own.onDelete == .cascade { isRight = false } else { hasConsequences = true }
                    continue
                }
                try set(nil, for: entity)
                kept.insert(entity)
                try giveBack(takenAlongWith: entity)
                return false
            }
        }
        return isRight
    }

    /// Notes which entries the plan takes out of lists, once in a look at the rules.
    private func noteGoing() throws {
        if hasNotedGoing { return }
        hasNotedGoing = true
        try plan.entries.forEach { if $0.delta.to == nil { going.insert($0.list.key, $0.delta.identity) } }
    }

    private func forgetGoing() {
        going = PlaceTable()
        hasNotedGoing = false
    }

    /// Lets a user of an entity that goes go with it, where the rule says so. Returns false where the user stays for a
    /// reason of its own.
    private func isTaken(along user: EntityKey, of entity: EntityKey, _ end: RelationEnd) throws -> Bool {
        guard end.own.onDelete == .cascade else { return true }
        if kept.contains(user) { return false }
        let row = try plan.rows.row(of: user)
        takenAlong[entity, default: []].append((user, row))
        if case .insert? = row { try set(nil, for: user) } else { try set(.delete, for: user) }
        return true
    }

    /// Takes out of the plan that users of an entity go with it, which stays after all.
    func giveBack(takenAlongWith entity: EntityKey) throws {
        for (user, row) in takenAlong.removeValue(forKey: entity) ?? [] {
            try set(row, for: user)
            try giveBack(takenAlongWith: user)
        }
    }

    /// Lets rows that the plan changes say that they lead to nothing that goes. Of other rows that follows from the
    /// deletion.
    func clearConsequences() throws {
        try forEachConsequence { user, _, end in
            guard let slot = end.userSlot, case .update(let from, let to)? = try plan.rows.row(of: user) else { return }
            try set(.update(from: from, to: cleared(slot, of: to)), for: user)
        }
    }

    /// Hands over what follows from deletions for rows that stay: which row still leads to which one that goes, and by
    /// what.
    func forEachConsequence(
        _ body: (_ user: EntityKey, _ entity: EntityKey, _ end: RelationEnd) throws -> Void
    ) throws {
        guard hasConsequences else { return }
        let planner = DeletionPlanner(workspace: workspace)
        try plan.rows.forEach { entity, row in
            guard row.isDeletion else { return }
            for end in try schema.model(entity.model).ends where end.hasUsers {
                for user in try planner.partners(of: entity, end) where user != entity {
                    if try uses(user, entity, end) { try body(user, entity, end) }
                }
            }
        }
        forgetGoing()
    }

    /// Whether a partner of an entity still leads to it in the final state.
    private func uses(_ user: EntityKey, _ entity: EntityKey, _ end: RelationEnd) throws -> Bool {
        guard let slot = end.userSlot else {
            if case .delete? = try plan.rows.row(of: user) { return false }
            let list = ListPlace(end: RelationEnd(relation: end.relation, side: .source), owner: user)
            try noteGoing()
            return try workspace.entries(of: list, to: entity.id, behind: nil, limit: .max).contains {
                !going.contains(list.key, $0.identity)
            }
        }
        switch try plan.rows.row(of: user) {
        case .delete: return false
        case .insert(let payload), .update(_, let payload):
            return try ReferencePlace(payload.rowSlot(slot))?.target == entity.id
        case nil: return true
        }
    }
}

extension RelationEnd {
    /// Whether an entity at this end may be used by what is at the other end.
    fileprivate var hasUsers: Bool {
        switch (relation.kind, side) {
        case (.reference, .source), (.list, .source): false
        default: true
        }
    }

    /// The slot in which a row at the other end leads to the one at this end; nil where a list does.
    fileprivate var userSlot: Int? {
        switch (relation.kind, side) {
        case (.reference(let slot), _): slot
        case (.pair(let source, let target), let side): side == .source ? target : source
        case (.list, _): nil
        }
    }
}

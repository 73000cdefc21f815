/// What the rules of the schema say of the final state.
extension MergePlanner {
    /// Looks for what they forbid until nothing is left, and returns what is to be done.
    func settle() throws -> ChangePlan {
        repeat {
            while try !isSettled() {}
        } while try !keepConsequences()
        return plan
    }

    /// Takes out of the plan what the rules forbid. Returns whether there was nothing.
    private func isSettled() throws -> Bool {
        var isSettled = true
        let entities = plan.entities
        going = Set(
            plan.entries.lazy.filter { $0.delta.to == nil }.map {
                GoingEntry(list: $0.list.key, serial: $0.delta.serial)
            }
        )
        for entity in entities {
            let isRight =
                switch plan.rows[entity] {
                case .delete: try checkDeletion(of: entity)
                case .insert, .update: try checkTargets(of: entity)
                case nil: true
                }
            if !isRight { isSettled = false }
        }
        if try !checkClaims(of: entities) { isSettled = false }
        if try !checkEntries() { isSettled = false }
        return isSettled
    }

    /// Whether an entity is there in the final state.
    private func exists(_ entity: EntityKey) throws -> Bool {
        switch plan.rows[entity] {
        case .insert, .update: true
        case .delete: false
        case nil: try workspace.contains(entity)
        }
    }

    // MARK: Targets

    /// Sees to it that to-ones lead to what is there.
    private func checkTargets(of entity: EntityKey) throws -> Bool {
        let model = try schema.model(entity.model)
        var isRight = true
        for reference in model.referenceSlots {
            guard let row = plan.rows[entity], let payload = row.payload,
                let attribute = model.attribute(slot: reference.slot),
                let place = try ReferencePlace(payload.rowSlot(reference.slot))
            else { continue }
            let target = EntityKey(model: reference.targetModel, id: place.target)
            if try target == entity || exists(target) {
                if try keepsPartner(target, reference, from: entity) { isRight = false }
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
                plan.rows[entity] = .insert(try cleared(reference.slot, of: payload))
            case .update(let from, _):
                let kept = SlotDelta(slot: reference.slot, from: nil, to: before)
                plan.rows[entity] = .update(from: from, to: try DeltaComposer.rewritten(payload, [kept]))
            default: plan.rows[entity] = nil
            }
        }
        return isRight
    }

    /// Whether the target of a one-to-one has another partner in the final state, which it keeps: then the entity stays
    /// without.
    private func keepsPartner(_ target: EntityKey, _ reference: ReferenceSlot, from entity: EntityKey) throws -> Bool {
        guard let partnerSlot = reference.partnerSlot, target != entity, let row = plan.rows[entity],
            let payload = row.payload
        else { return false }
        let theirs = try plan.rows[target]?.payload ?? present(target)
        guard let partner = try ReferencePlace(theirs?.rowSlot(partnerSlot))?.target, partner != entity.id else {
            return false
        }
        let model = try schema.model(entity.model)
        guard let attribute = model.attribute(slot: reference.slot) else { return false }
        var before: [UInt8]?
        if case .update(let from, _) = row {
            before = try from.rowSlot(reference.slot)
            // The partner leaves it, and it did not ask for that partner.
            if try before == payload.rowSlot(reference.slot) { return false }
        }
        let rival = EntityKey(model: entity.model, id: partner)
        _ = try decide(.taken(attributes: [attribute.name], by: try self.reference(rival)), entity)
        switch row {
        case .update(let from, _):
            let kept = SlotDelta(slot: reference.slot, from: nil, to: before)
            plan.rows[entity] = .update(from: from, to: try DeltaComposer.rewritten(payload, [kept]))
        case .insert where attribute.isOptional:
            plan.rows[entity] = .insert(try cleared(reference.slot, of: payload))
        default: plan.rows[entity] = nil
        }
        return true
    }

    private func cleared(_ slot: Int, of payload: [UInt8]) throws -> [UInt8] {
        try DeltaComposer.rewritten(payload, [SlotDelta(slot: slot, from: nil, to: nil)])
    }

    /// Sees to it that entries belong to owners that are there, and lead to targets that are.
    private func checkEntries() throws -> Bool {
        let count = plan.entries.count
        plan.entries = try plan.entries.filter { entry in
            guard entry.delta.to != nil else { return true }
            // Where the owner does not come back, the conflict is the owner's.
            guard try exists(entry.list.owner) else { return false }
            let target = EntityKey(model: entry.list.end.other.model, id: entry.delta.target)
            if try exists(target) { return true }
            let list = entry.list.end.displayName(in: schema.description)
            _ = try decide(.missing(relationship: list, target: try reference(target)), entry.list.owner)
            return false
        }
        return plan.entries.count == count
    }

    // MARK: Unique values

    /// Sees to it that what must be unique is.
    private func checkClaims(of entities: [EntityKey]) throws -> Bool {
        var isRight = true
        /// Who has the values in the final state, among the rows of the plan.
        var holders: [[UInt8]: EntityKey] = [:]
        var claims: [(entity: EntityKey, index: CompiledIndex, bytes: [UInt8])] = []
        for entity in entities {
            guard let row = plan.rows[entity], let payload = row.payload else { continue }
            let model = try schema.model(entity.model)
            for index in model.uniqueIndexes {
                guard let claim = try claim(index, payload, model) else { continue }
                if case .update(let from, _) = row, try self.claim(index, from, model) == claim {
                    // It has them already.
                    holders[claim] = entity
                } else {
                    claims.append((entity, index, claim))
                }
            }
        }
        for (entity, index, claim) in claims {
            let holder: EntityKey?
            if let other = holders[claim] { holder = other } else { holder = try presentHolder(entity, index) }
            guard let holder else {
                holders[claim] = entity
                continue
            }
            isRight = false
            let model = try schema.model(entity.model)
            let names = index.slots.map { model.attribute(slot: $0)?.name ?? "" }
            _ = try decide(.taken(attributes: names, by: try reference(holder)), entity)
            if case .update(let from, let to)? = plan.rows[entity] {
                let kept = try index.slots.map { SlotDelta(slot: $0, from: nil, to: try from.rowSlot($0)) }
                plan.rows[entity] = .update(from: from, to: try DeltaComposer.rewritten(to, kept))
            } else {
                plan.rows[entity] = nil
            }
        }
        return isRight
    }

    private func claim(_ index: CompiledIndex, _ payload: [UInt8], _ model: CompiledModel) throws -> [UInt8]? {
        try unsafe payload.withUnsafeBytes {
            try unsafe UniqueClaim(index, RowPayload(trusting: $0, model.defaults))?.bytes
        }
    }

    /// Who has the values of a row of the plan now and keeps them.
    private func presentHolder(_ entity: EntityKey, _ index: CompiledIndex) throws -> EntityKey? {
        let model = try schema.model(entity.model)
        guard let payload = plan.rows[entity]?.payload else { return nil }
        let id = try unsafe payload.withUnsafeBytes { bytes -> [UInt8]? in
            let row = try unsafe RowPayload(trusting: bytes, model.defaults)
            guard let claim = try UniqueClaim(index, row) else { return nil }
            var key = KeyBuffer()
            key.setRow(entity)
            return try unsafe workspace.holder(of: claim, model, index, row, except: key.bytes)
        }
        guard let id else { return nil }
        let holder = EntityKey(model: entity.model, id: id)
        // What the plan makes of it was looked at.
        return plan.rows[holder] == nil ? holder : nil
    }

    // MARK: Deletions

    /// Sees to it that no entity uses one that goes. One that goes with it by `cascade` is taken into the plan, so that
    /// the rules are looked at for it as well.
    private func checkDeletion(of entity: EntityKey) throws -> Bool {
        let planner = DeletionPlanner(workspace: workspace)
        var isRight = true
        for end in try schema.model(entity.model).ends {
            if end.side == .source, end.relation.kind == .list { continue }
            if case (.reference, .source) = (end.relation.kind, end.side) { continue }
            for user in try planner.partners(of: entity, end) where user != entity {
                guard try uses(user, entity, end) else { continue }
                let conflict = ChangeSet.Conflict.Kind.used(
                    by: try reference(user),
                    relationship: end.displayName(in: schema.description),
                    isDenied: end.own.onDelete == .deny
                )
                if try decide(conflict, entity) == .theirs, try isTaken(along: user, end) {
                    isRight = isRight && end.own.onDelete != .cascade
                    continue
                }
                plan.rows[entity] = nil
                kept.insert(entity)
                return false
            }
        }
        return isRight
    }

    /// Lets a user of an entity that goes go with it, where the rule says so. Returns false where the user stays for a
    /// reason of its own.
    private func isTaken(along user: EntityKey, _ end: RelationEnd) throws -> Bool {
        guard end.own.onDelete == .cascade else { return true }
        if kept.contains(user) { return false }
        if case .insert? = plan.rows[user] { plan.rows[user] = nil } else { plan.rows[user] = .delete }
        return true
    }

    /// Whether a partner of an entity still leads to it in the final state.
    private func uses(_ user: EntityKey, _ entity: EntityKey, _ end: RelationEnd) throws -> Bool {
        let slot: Int
        switch (end.relation.kind, end.side) {
        case (.reference(let source), _): slot = source
        case (.pair(let source, let target), let side): slot = side == .source ? target : source
        case (.list, _):
            if case .delete? = plan.rows[user] { return false }
            let list = ListPlace(end: RelationEnd(relation: end.relation, side: .source), owner: user)
            return try workspace.entries(of: list, to: entity.id, behind: nil, limit: .max).contains {
                !going.contains(GoingEntry(list: list.key, serial: $0.serial))
            }
        }
        switch plan.rows[user] {
        case .delete: return false
        case .insert(let payload), .update(_, let payload):
            return try ReferencePlace(payload.rowSlot(slot))?.target == entity.id
        case nil: return true
        }
    }
}

/// An entry that a plan takes out of its list.
struct GoingEntry: Hashable {
    let list: ListKey
    let serial: UInt64
}

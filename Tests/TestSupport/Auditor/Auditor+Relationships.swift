extension Auditor {
    /// Sets a to-one, and the other side with it (REL-05 … REL-07).
    ///
    /// The member leaves its old list and is appended to the new one; naming the present target again changes
    /// nothing, not even the place. In a one-to-one the new partner's old partner is left alone.
    mutating func refer(_ entity: Entity, _ toOne: AuditRelationship, to target: Text?) -> Set<
        Refusal
    > {
        let old = state.reference(entity, toOne.name)
        guard old != target else { return [] }
        var refusals: Set<Refusal> = []
        edit { $0[entity]?.values[toOne.name] = target.map(Datum.reference) }
        guard let inverse = toOne.inverse,
            let other = schema.relationship(toOne.target, inverse)
        else { return uniqueViolations(entity) }
        if let old { leave(Entity(toOne.target, old), other, entity.id) }
        if let target {
            let partner = Entity(toOne.target, target)
            if other.shape == .toOne {
                refusals.formUnion(release(partner, other, toOne))
                edit { $0[partner]?.values[inverse] = .reference(entity.id) }
                refusals.formUnion(uniqueViolations(partner))
            } else {
                edit {
                    $0[list: .init(partner, inverse)].append(.init(ticket: 0, target: entity.id))
                }
            }
        }
        refusals.formUnion(requirements(of: Entity(toOne.target, old ?? "")))
        refusals.formUnion(uniqueViolations(entity))
        return refusals
    }

    /// The side of `partner` forgets `member`.
    private mutating func leave(_ partner: Entity, _ side: AuditRelationship, _ member: Text) {
        edit { state in
            if side.shape == .toOne {
                if state.reference(partner, side.name) == member {
                    state[partner]?.values[side.name] = nil
                }
            } else {
                state[list: .init(partner, side.name)].removeAll { $0.target == member }
            }
        }
    }

    /// Takes `partner` of a one-to-one away from the entity that has it now.
    private mutating func release(
        _ partner: Entity,
        _ side: AuditRelationship,
        _ toOne: AuditRelationship
    ) -> Set<Refusal> {
        guard let previous = state.reference(partner, side.name) else { return [] }
        let loser = Entity(side.target, previous)
        edit { $0[loser]?.values[toOne.name] = nil }
        return requirements(of: loser)
    }

    /// A required to-one that is nil now.
    private func requirements(of entity: Entity) -> Set<Refusal> {
        guard let row = state[entity], let model = schema.model(entity.model) else { return [] }
        let broken = model.relationships.contains { $0.isRequired && row.values[$0.name] == nil }
        return broken ? [.missingValue] : []
    }
}

// MARK: - Lists

extension Auditor {
    /// The result of linking: reasons against it, or the entry and its index in the list.
    package struct Linked: Sendable {
        package var refusals: Set<Refusal>
        package var entry: AuditState.Entry?
    }

    /// Adds an entry (REL-09), or brings a member into an ordered inverse, out of the list it was in (REL-08).
    package mutating func link(
        _ owner: Entity,
        _ relationship: AuditRelationship,
        to target: Text,
        at placement: AuditPlacement
    ) -> Linked {
        var entry: AuditState.Entry?
        let refusals = attempt { auditor in
            var refusals = auditor.existence(owner, relationship, target)
            let key = AuditState.ListKey(owner, relationship.name)
            let before = auditor.state[list: key]
            if case .before(let index) = placement, !before.indices.contains(index) {
                refusals.insert(.entryMissing)
            }
            if case .after(let index) = placement, !before.indices.contains(index) {
                refusals.insert(.entryMissing)
            }
            guard refusals.isEmpty else { return refusals }
            if relationship.shape == .manyToMany {
                let new = AuditState.Entry(ticket: auditor.newTicket(), target: target)
                auditor.edit { $0[list: key] = before.inserting(new, at: placement) }
                entry = new
                return []
            }
            return auditor.adopt(owner, relationship, target, placement, &entry)
        }
        return Linked(refusals: refusals, entry: refusals.isEmpty ? entry : nil)
    }

    private mutating func adopt(
        _ owner: Entity,
        _ list: AuditRelationship,
        _ target: Text,
        _ placement: AuditPlacement,
        _ entry: inout AuditState.Entry?
    ) -> Set<Refusal> {
        let member = Entity(list.target, target)
        let key = AuditState.ListKey(owner, list.name)
        guard let inverse = list.inverse, let toOne = schema.relationship(list.target, inverse)
        else { return [.entryMissing] }
        let before = state[list: key]
        let refusals = refer(member, toOne, to: owner.id)
        let new = AuditState.Entry(ticket: 0, target: target)
        // Beside which entry is said of the list as it was; the member itself may have been in it.
        let moved = before.moving(new, to: placement)
        edit { $0[list: key] = moved }
        entry = new
        return refusals
    }

    /// Takes one entry out; in an ordered inverse the member's to-one becomes nil (REL-10).
    package mutating func unlink(
        _ owner: Entity,
        _ relationship: AuditRelationship,
        at index: Int
    ) -> Set<Refusal> {
        attempt { auditor in
            let key = AuditState.ListKey(owner, relationship.name)
            guard auditor.state.exists(owner) else { return [.entityMissing] }
            guard auditor.state[list: key].indices.contains(index) else { return [.entryMissing] }
            let entry = auditor.state[list: key][index]
            if relationship.shape == .manyToMany {
                auditor.edit { _ = $0[list: key].remove(at: index) }
                return []
            }
            guard let inverse = relationship.inverse,
                let toOne = auditor.schema.relationship(relationship.target, inverse)
            else { return [.entryMissing] }
            let refusals = auditor.refer(Entity(relationship.target, entry.target), toOne, to: nil)
            return toOne.isRequired ? refusals.union([.missingValue]) : refusals
        }
    }

    /// Puts one entry elsewhere in its list (REL-11).
    package mutating func move(
        _ owner: Entity,
        _ relationship: AuditRelationship,
        at index: Int,
        to placement: AuditPlacement
    ) -> Set<Refusal> {
        attempt { auditor in
            let key = AuditState.ListKey(owner, relationship.name)
            guard auditor.state.exists(owner) else { return [.entityMissing] }
            let before = auditor.state[list: key]
            guard before.indices.contains(index) else { return [.entryMissing] }
            if case .before(let other) = placement, !before.indices.contains(other) {
                return [.entryMissing]
            }
            if case .after(let other) = placement, !before.indices.contains(other) {
                return [.entryMissing]
            }
            let after = before.moving(before[index], to: placement)
            // Written even when the order is the same: the store may record a new place.
            auditor.edit { $0[list: key] = after }
            return []
        }
    }

    private func existence(
        _ owner: Entity,
        _ relationship: AuditRelationship,
        _ target: Text
    ) -> Set<Refusal> {
        var refusals: Set<Refusal> = []
        if !state.exists(owner) { refusals.insert(.entityMissing) }
        if !state.exists(Entity(relationship.target, target)) { refusals.insert(.targetMissing) }
        return refusals
    }
}

extension Array where Element == AuditState.Entry {
    /// The list with a new entry; indices name entries of the list as it is.
    fileprivate func inserting(_ entry: Element, at placement: AuditPlacement) -> [Element] {
        var result = self
        switch placement {
        case .first: result.insert(entry, at: 0)
        case .last: result.append(entry)
        case .before(let index): result.insert(entry, at: index)
        case .after(let index): result.insert(entry, at: index + 1)
        }
        return result
    }

    /// The list with an entry of its own in another place: beside itself it stays where it is. An entry that is not
    /// in the list is inserted.
    fileprivate func moving(_ entry: Element, to placement: AuditPlacement) -> [Element] {
        let rest = filter { $0 != entry }
        switch placement {
        case .first: return [entry] + rest
        case .last: return rest + [entry]
        case .before(let index), .after(let index):
            guard self[index] != entry else { return self }
            guard let anchor = rest.firstIndex(of: self[index]) else { return self }
            if case .before = placement { return rest.inserting(entry, at: .before(anchor)) }
            return rest.inserting(entry, at: .after(anchor))
        }
    }
}

/// What stays because a row stays that the other store has deleted.
extension MergePlanner {
    /// Takes out of the plan what theirs has done only because an entity went that ours keeps: entries and to-ones that
    /// led to it stay, and so do rows that went with it (HIS-99).
    ///
    /// - Returns: whether there was nothing.
    func keepConsequences() throws -> Bool {
        guard keepsWhatLeadsToKept, !kept.isEmpty else { return true }
        let count = plan.entries.count
        plan.entries = plan.entries.filter { entry in
            if entry.delta.to != nil { return true }
            return !kept.contains(EntityKey(model: entry.list.end.other.model, id: entry.delta.target))
                && !kept.contains(entry.list.owner)
        }
        var isSettled = plan.entries.count == count
        for entity in plan.entities {
            guard let row = plan.rows[entity] else { continue }
            let model = try schema.model(entity.model)
            let before: [UInt8]?
            switch row {
            case .insert: continue
            case .update(let from, _): before = from
            case .delete: before = try present(entity)
            }
            guard let before else { continue }
            for reference in model.referenceSlots {
                guard let place = try ReferencePlace(before.rowSlot(reference.slot)) else { continue }
                let target = EntityKey(model: reference.targetModel, id: place.target)
                guard kept.contains(target) else { continue }
                switch row {
                case .delete where goesWith(reference):
                    plan.rows[entity] = nil
                    kept.insert(entity)
                    isSettled = false
                case .update(let from, let to) where try to.rowSlot(reference.slot) == nil:
                    let slot = SlotDelta(slot: reference.slot, from: nil, to: try before.rowSlot(reference.slot))
                    plan.rows[entity] = .update(from: from, to: try DeltaComposer.rewritten(to, [slot]))
                    isSettled = false
                default: continue
                }
                break
            }
        }
        return isSettled
    }

    /// Whether a row goes when the one goes that its to-one leads to.
    private func goesWith(_ reference: ReferenceSlot) -> Bool {
        let end = RelationEnd(relation: reference.relation, side: reference.side == .source ? .target : .source)
        return end.own.onDelete == .cascade
    }
}

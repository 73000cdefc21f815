/// What stays because a row stays that the other store has deleted.
extension MergePlanner {
    /// Takes out of the plan what theirs has done only because an entity went that ours keeps: entries and to-ones that
    /// led to it stay, and so do rows that went with it (HIS-99).
    ///
    /// - Returns: whether there was nothing.
    func keepConsequences() throws -> Bool {
        guard keeps != .nothing, !kept.isEmpty else { return true }
        let count = plan.entries.count
        try plan.entries.removeAll { entry in
            if entry.delta.to != nil || keeps == .toOnes { return false }
            return kept.contains(EntityKey(model: entry.list.end.other.model, id: entry.delta.target))
                || kept.contains(entry.list.owner)
        }
        var isSettled = plan.entries.count == count
        try plan.rows.forEach { entity, row in
            let model = try schema.model(entity.model)
            let before: [UInt8]?
            switch row {
            case .insert: return
            case .update(let from, _): before = from
            case .delete: before = try present(entity)
            }
            guard let before else { return }
            for reference in model.referenceSlots {
                guard let place = try ReferencePlace(before.rowSlot(reference.slot)) else { continue }
                let target = EntityKey(model: reference.targetModel, id: place.target)
                guard kept.contains(target) else { continue }
                switch row {
                case .delete where keeps == .all && goesWith(reference):
                    try set(nil, for: entity)
                    kept.insert(entity)
                    try giveBack(takenAlongWith: entity)
                    isSettled = false
                case .update(let from, let to) where try to.rowSlot(reference.slot) == nil:
                    let slot = SlotDelta(slot: reference.slot, from: nil, to: try before.rowSlot(reference.slot))
                    try set(.update(from: from, to: DeltaComposer.rewritten(to, [slot])), for: entity)
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

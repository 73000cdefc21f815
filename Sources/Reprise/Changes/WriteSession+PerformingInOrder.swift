internal import RepriseLog

/// Carrying out a plan whose steps do not stand in each other's way.
extension WriteSession {
    /// Does one step after the other. All events of an entity come one after the other, but for its deletion, so that
    /// what was done to an entity can be forgotten before the next one (HIS-113).
    ///
    /// - Parameter afterStep: called after each step, and told whether the next one is of another entity.
    func performInOrder(
        _ plan: ChangePlan,
        _ order: PlanOrder,
        afterStep: (_ isEntityDone: Bool) throws -> Void
    ) throws {
        try change {
            var entries = PlanEntryCursor(plan.entries)
            func doEntries(before bound: EntityKey?) throws {
                while let owner = entries.present?.list.owner, bound.map({ owner.precedes($0) }) ?? true {
                    try self.doEntries(of: owner, &entries, plan, order, afterStep)
                    try afterStep(true)
                }
            }
            try entries.advance()
            try plan.rows.forEach { entity, row in
                try doEntries(before: entity)
                switch row {
                case .insert(let payload): try insertRow(entity, payload)
                case .update(_, let payload): try rewriteRow(entity, to: payload)
                case .delete:
                    // What is in its lists goes with it.
                    while entries.present?.list.owner == entity { try entries.advance() }
                    return
                }
                try self.doEntries(of: entity, &entries, plan, order, afterStep)
                try afterStep(true)
            }
            try doEntries(before: nil)
            for deletions in order.deletions {
                for entity in deletions.first {
                    try deleteRow(entity, cause: 0)
                    try afterStep(true)
                }
                let gone = Set(deletions.first)
                try plan.rows.forEach { entity, row in
                    guard entity.model == deletions.model, row.isDeletion, !gone.contains(entity) else { return }
                    try deleteRow(entity, cause: 0)
                    try afterStep(true)
                }
            }
        }
    }

    private func doEntries(
        of owner: EntityKey,
        _ entries: inout PlanEntryCursor,
        _ plan: ChangePlan,
        _ order: PlanOrder,
        _ afterStep: (Bool) throws -> Void
    ) throws {
        var crowded: [ChangePlan.Entry] = []
        while let entry = entries.present, entry.list.owner == owner {
            if let to = entry.delta.to {
                if order.crowded.contains(entry.list.key) { crowded.append(entry) } else { try put(entry, at: to) }
            } else {
                try takeOut(entry)
            }
            try entries.advance()
            try afterStep(false)
        }
        if crowded.isEmpty { return }
        try bringToTheirPlaces(crowded, of: plan)
        try afterStep(false)
    }
}

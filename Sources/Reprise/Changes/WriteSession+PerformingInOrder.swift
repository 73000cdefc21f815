internal import RepriseLog

/// Carrying out a plan whose steps do not stand in each other's way.
extension WriteSession {
    /// Does one step after the other: first rows leave what others want, then come insertions, changes and entries, and
    /// deletions at last. What was done to an entity can be forgotten before the next one (HIS-113).
    ///
    /// - Parameter afterStep: called after each step, and told whether the next one is of another entity.
    func performInOrder(
        _ plan: ChangePlan,
        _ order: PlanOrder,
        afterStep: (_ isEntityDone: Bool) throws -> Void
    ) throws {
        try change {
            let left = try order.leaving.takeAll { try leave($0, afterStep) }
            try performChanges(plan, left, afterStep)
            for model in order.deletions {
                var cursor = try LeftRowCursor(left)
                try plan.rows.forEach { entity, row in
                    guard entity.model == model, row.isDeletion else { return }
                    if let row = try cursor.row(of: entity) { try resume(row) }
                    try deleteRow(entity, cause: 0)
                    try afterStep(true)
                }
            }
        }
    }

    /// Everything but deletions.
    private func performChanges(
        _ plan: ChangePlan,
        _ left: LeftRows,
        _ afterStep: (_ isEntityDone: Bool) throws -> Void
    ) throws {
        var entries = PlanEntryCursor(plan.entries)
        var left = try LeftRowCursor(left)
        func doEntries(before bound: EntityKey?) throws {
            while let owner = entries.present?.list.owner, bound.map({ owner.precedes($0) }) ?? true {
                try self.doEntries(of: owner, &entries, plan, afterStep)
                try afterStep(true)
            }
        }
        try entries.advance()
        try plan.rows.forEach { entity, row in
            try doEntries(before: entity)
            switch row {
            case .insert(let payload): try insertRow(entity, payload)
            case .update(_, let payload):
                if let row = try left.row(of: entity) { try resume(row) }
                try rewriteRow(entity, to: payload)
            case .delete:
                // What is in its lists goes with it.
                while entries.present?.list.owner == entity { try entries.advance() }
                return
            }
            try self.doEntries(of: entity, &entries, plan, afterStep)
            try afterStep(true)
        }
        try doEntries(before: nil)
    }

    private func doEntries(
        of owner: EntityKey,
        _ entries: inout PlanEntryCursor,
        _ plan: ChangePlan,
        _ afterStep: (_ isEntityDone: Bool) throws -> Void
    ) throws {
        var waiting: [ChangePlan.Entry] = []
        while let entry = entries.present, entry.list.owner == owner {
            if let to = entry.delta.to {
                let isTaken = try workspace.entry(of: entry.list.key, at: to) != nil
                if isTaken { waiting.append(entry) } else { try put(entry, at: to) }
            } else {
                try takeOut(entry)
            }
            try entries.advance()
            try afterStep(false)
        }
        if waiting.isEmpty { return }
        try bringToTheirPlaces(waiting, of: plan)
        try afterStep(false)
    }

    // MARK: Leaving

    /// Has a row leave what others want. Returns the position of its last event.
    private func leave(_ row: LeftRow, _ afterStep: (_ isEntityDone: Bool) throws -> Void) throws -> UInt64 {
        let entity = row.entity
        guard let present = try workspace.row(entity) else { throw StoreError.entityMissing(try reference(entity)) }
        if !row.slots.isEmpty { try rewriteRow(entity, to: row.left(unsafe [UInt8](present.payload))) }
        for end in try schema.model(entity.model).ownedLists where row.lists.contains(Int(end.relation.number)) {
            let list = ListPlace(end: end, owner: entity)
            for entry in try workspace.entries(of: list.key) {
                try unlink(entry, list, cause: 0)
                try afterStep(false)
            }
        }
        let revision = try workspace.row(entity)?.revision ?? 0
        try afterStep(true)
        return revision
    }

    /// Remembers a row as it was left.
    private func resume(_ row: LeftRow) throws {
        let entity = row.entity
        guard let present = try workspace.row(entity) else { throw StoreError.entityMissing(try reference(entity)) }
        try workspace.remember(entity, payload: row.left(unsafe [UInt8](present.payload)), revision: row.revision)
        for relation in row.lists {
            let list = ListKey(relation: UInt16(relation), id: entity.id)
            for entry in try workspace.entries(of: list) { workspace.removeEntry(in: list, orderKey: entry.orderKey) }
        }
    }
}

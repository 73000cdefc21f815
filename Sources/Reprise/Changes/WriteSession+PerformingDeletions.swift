/// Deleting what a plan deletes, and nothing else.
extension WriteSession {
    /// Deletes an entity unless something that goes, too, forbids it for now. Returns whether it is gone.
    func isDeleted(_ entity: EntityKey, _ plan: ChangePlan) throws -> Bool {
        guard try workspace.contains(entity) else { return true }
        let planner = DeletionPlanner(workspace: workspace)
        for element in try planner.outcome(of: entity).deleted where try isGoing(element.entity, plan) {
            try severOwn(element.entity, plan)
        }
        let outcome = try planner.outcome(of: entity)
        // One that stays has yet to leave.
        let takesAlong = try outcome.deleted.contains { element in
            try plan.rows.row(of: element.entity).map { !$0.isDeletion } ?? false
        }
        guard outcome.denials.isEmpty, !takesAlong else { return false }
        _ = try delete(entity)
        return true
    }

    /// Deletes an entity that others which go, too, forbid to go. Returns whether it is gone.
    func isForcedOut(_ entity: EntityKey, _ plan: ChangePlan) throws -> Bool {
        for element in try DeletionPlanner(workspace: workspace).outcome(of: entity).deleted
        where try isGoing(element.entity, plan) {
            try severOwn(element.entity, plan, isForced: true)
            try severUsers(of: element.entity, plan)
        }
        return try isDeleted(entity, plan)
    }

    private func isGoing(_ entity: EntityKey, _ plan: ChangePlan) throws -> Bool {
        try plan.rows.row(of: entity)?.isDeletion ?? false
    }

    /// Takes away what leads from an entity to others that stay, so that its deletion does nothing to them.
    ///
    /// - Parameter isForced: whether what leads to others that go is taken away as well: they forbid each other.
    private func severOwn(_ entity: EntityKey, _ plan: ChangePlan, isForced: Bool = false) throws {
        func stays(_ target: EntityKey) throws -> Bool { try isForced || !isGoing(target, plan) }
        for end in try schema.model(entity.model).ends {
            switch (end.relation.kind, end.side) {
            case (.reference(let slot), .source) where end.own.onDelete != .nullify:
                guard let target = try target(of: entity, slot: slot),
                    try stays(EntityKey(model: end.other.model, id: target))
                else { continue }
                try setSlot(entity, slot: slot, to: nil, cause: 0)
            case (.list, .source) where end.own.onDelete != .nullify:
                let list = ListPlace(end: end, owner: entity)
                for entry in try workspace.entries(of: list.key)
                where try stays(EntityKey(model: end.other.model, id: entry.target)) {
                    try unlink(entry, list, cause: 0)
                }
            case (.pair(let source, let target), let side):
                let (slot, partnerSlot) = side == .source ? (source, target) : (target, source)
                guard let id = try self.target(of: entity, slot: slot) else { continue }
                let partner = EntityKey(model: end.other.model, id: id)
                if try self.target(of: partner, slot: partnerSlot) == entity.id {
                    guard try isForced && isGoing(partner, plan) else { continue }
                    try setSlot(partner, slot: partnerSlot, to: nil, cause: 0)
                }
                // It has another partner by now, or none.
                try setSlot(entity, slot: slot, to: nil, cause: 0)
            default: continue
            }
        }
    }

    /// Takes away what forbids a deletion on the side of entities that go, too.
    private func severUsers(of entity: EntityKey, _ plan: ChangePlan) throws {
        let planner = DeletionPlanner(workspace: workspace)
        for end in try schema.model(entity.model).ends where end.own.onDelete == .deny {
            for user in try planner.partners(of: entity, end) where try isGoing(user, plan) {
                switch (end.relation.kind, end.side) {
                case (.reference(let slot), .target): try setSlot(user, slot: slot, to: nil, cause: 0)
                case (.pair(let source, let target), let side):
                    try setSlot(user, slot: side == .source ? target : source, to: nil, cause: 0)
                case (.list, .target):
                    let list = ListPlace(end: RelationEnd(relation: end.relation, side: .source), owner: user)
                    for entry in try workspace.entries(of: list, to: entity.id, behind: nil, limit: .max) {
                        try unlink(entry, list, cause: 0)
                    }
                default: continue
                }
            }
        }
    }
}

internal import RepriseLMDB
internal import RepriseLog

/// Finds out what a deletion does, by the rules REL-20 to REL-29 of Specs/behaviour/relationships.md.
///
/// The closure over `cascade` comes first; a `deny` or `nullify` whose partner is in the closure has nothing to say.
/// Each entity is visited once, so cycles and diamonds end.
struct DeletionPlanner {
    let workspace: Workspace
    /// Whose rules count: those of the state, or those that were in force when a deletion was recorded.
    let rules: CompiledSchema

    init(workspace: Workspace, rules: CompiledSchema? = nil) {
        self.workspace = workspace
        self.rules = rules ?? workspace.schema
    }

    /// One consequence in the making; `cause` is the index in `deleted` of what caused it.
    struct Outcome {
        var deleted: [(entity: EntityKey, cause: Int)] = []
        var nullified: [(entity: EntityKey, slot: Int, cause: Int)] = []
        var unlinked: [(list: ListPlace, entry: ListEntry, cause: Int)] = []
        var denials: [(entity: EntityKey, end: RelationEnd, partner: EntityKey)] = []
    }

    func outcome(of root: EntityKey) throws -> Outcome {
        var outcome = Outcome()
        var isDeleted: Set<EntityKey> = [root]
        outcome.deleted = [(root, 0)]
        var index = 0
        while index < outcome.deleted.count {
            let entity = outcome.deleted[index].entity
            for end in try rules.model(entity.model).ends
            where end.own.onDelete == .cascade {
                for partner in try partners(of: entity, end)
                where isDeleted.insert(partner).inserted {
                    outcome.deleted.append((partner, index))
                }
            }
            index += 1
        }
        for (cause, element) in outcome.deleted.enumerated() {
            try sever(element.entity, cause: cause, isDeleted, &outcome)
        }
        return outcome
    }

    /// What `deny` and `nullify` say about one entity that goes.
    private func sever(
        _ entity: EntityKey,
        cause: Int,
        _ isDeleted: Set<EntityKey>,
        _ outcome: inout Outcome
    ) throws {
        for end in try rules.model(entity.model).ends where end.own.onDelete != .cascade
        {
            if end.own.onDelete == .deny {
                for partner in try partners(of: entity, end) where !isDeleted.contains(partner) {
                    outcome.denials.append((entity, end, partner))
                }
                continue
            }
            switch (end.relation.kind, end.side) {
            case (.reference, .source):
                break  // The reference lies in the row that goes.
            case (.reference(let slot), .target):
                for partner in try partners(of: entity, end) where !isDeleted.contains(partner) {
                    outcome.nullified.append((partner, slot, cause))
                }
            case (.pair(let source, let target), let side):
                for partner in try partners(of: entity, end) where !isDeleted.contains(partner) {
                    outcome.nullified.append((partner, side == .source ? target : source, cause))
                }
            case (.list, .source):
                break  // The entries are recorded with the owner.
            case (.list, .target):
                try unlinkAll(entity, end, cause: cause, isDeleted, &outcome)
            }
        }
    }

    private func unlinkAll(
        _ entity: EntityKey,
        _ end: RelationEnd,
        cause: Int,
        _ isDeleted: Set<EntityKey>,
        _ outcome: inout Outcome
    ) throws {
        let target = ListKey(relation: end.relation.number, id: entity.id)
        let ownerEnd = RelationEnd(relation: end.relation, side: .source)
        // They come by owner, and those of one owner in the order of its list.
        for backlink in try workspace.backlinks(of: target) {
            let owner = EntityKey(model: end.other.model, id: backlink.owner)
            if isDeleted.contains(owner) { continue }
            let list = ListPlace(end: ownerEnd, owner: owner)
            // A list may be long and the entry is one of many: it is looked up by its place.
            if let entry = try workspace.entry(of: list.key, at: backlink.orderKey) {
                outcome.unlinked.append((list, entry, cause))
            }
        }
    }

    /// The entities at the other end, each once, in the order of the list.
    func partners(of entity: EntityKey, _ end: RelationEnd) throws -> [EntityKey] {
        var ids: [[UInt8]] = []
        switch (end.relation.kind, end.side) {
        case (.reference(let slot), .source), (.pair(let slot, _), .source),
            (.pair(_, let slot), .target):
            if let row = try workspace.row(entity),
                let bytes = try unsafe RowPayload(trusting: row.payload).slot(slot)
            {
                let partner = unsafe EntityKey(model: end.other.model, id: try ReferenceBytes(bytes).target)
                // Within a write it may lead to a row that is yet to come (REL-33).
                return try workspace.contains(partner) ? [partner] : []
            }
        case (.reference, .target):
            // A member stands in such a list once.
            return try workspace.entries(
                of: ListKey(relation: end.relation.number, id: entity.id)
            ).map { EntityKey(model: end.other.model, id: $0.target) }
        case (.list, .source):
            ids = try workspace.entries(of: ListKey(relation: end.relation.number, id: entity.id))
                .map(\.target)
        case (.list, .target):
            ids = try workspace.backlinks(of: ListKey(relation: end.relation.number, id: entity.id))
                .map(\.owner)
        }
        var seen: Set<[UInt8]> = []
        return ids.filter { seen.insert($0).inserted }.map {
            EntityKey(model: end.other.model, id: $0)
        }
    }

    /// The plan as the caller sees it.
    func plan(from outcome: Outcome) throws -> DeletionPlan {
        let schema = rules
        func reference(_ key: EntityKey) throws -> EntityReference {
            EntityReference(model: try schema.model(key.model).name, id: key.text)
        }
        var plan = DeletionPlan()
        plan.deleted = try outcome.deleted.map { try reference($0.entity) }
        plan.nullified = try outcome.nullified.map {
            DeletionPlan.NullifiedReference(
                entity: try reference($0.entity),
                attribute: try schema.model($0.entity.model).attribute(slot: $0.slot)?.name ?? ""
            )
        }
        plan.unlinked = try outcome.unlinked.map {
            DeletionPlan.UnlinkedEntry(
                owner: try reference($0.list.owner),
                relationship: $0.list.end.displayName(in: schema.description),
                entry: EntryID(
                    serial: $0.entry.serial,
                    target: String(decoding: $0.entry.target, as: UTF8.self)
                )
            )
        }
        plan.deniedBy = try outcome.denials.map {
            DeletionPlan.Denial(
                entity: try reference($0.entity),
                relationship: $0.end.displayName(in: schema.description),
                partner: try reference($0.partner)
            )
        }
        return plan
    }
}

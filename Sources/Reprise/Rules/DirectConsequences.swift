internal import RepriseLMDB
internal import RepriseLog

/// Walks through what the deletion of one entity does or is forbidden by at first hand, by the rules REL-20 to REL-23,
/// without what `cascade` leads to from there (REL-27).
///
/// Nothing is gathered: an entity may have millions of partners.
struct DirectConsequences {
    let workspace: Workspace

    enum Consequence {
        case deletes(EntityKey)
        case nullifies(EntityKey, slot: Int)
        case unlinks(ListPlace, ListEntry)
        case dropsEntry(ListPlace, ListEntry)
        case isDenied(RelationEnd, partner: EntityKey)
    }

    /// Hands them over one by one; `body` returns false to stop.
    func forEach(of entity: EntityKey, _ body: (Consequence) throws -> Bool) throws {
        let ends = try workspace.schema.model(entity.model).ends
        for end in ends where end.own.onDelete == .cascade {
            guard try walkPartners(of: entity, end, { try body(.deletes($0)) }) else { return }
        }
        for end in ends where end.own.onDelete == .deny {
            guard
                try walkPartners(of: entity, end, { try body(.isDenied(end, partner: $0)) })
            else { return }
        }
        for end in ends where end.own.onDelete == .nullify {
            guard try walkSevered(of: entity, end, body) else { return }
        }
        for end in ends where end.side == .source && end.relation.kind == .list {
            guard try walkOwnEntries(of: entity, end, body) else { return }
        }
    }

    /// Hands over those that can be taken away one by one while the entity stays: of lists, where the rule is
    /// `nullify`.
    func forEachSeverable(of entity: EntityKey, _ body: (Consequence) throws -> Bool) throws {
        let ends = try workspace.schema.model(entity.model).ends
        for end in ends where end.own.onDelete == .nullify {
            if case .pair = end.relation.kind { continue }
            guard try walkSevered(of: entity, end, body) else { return }
        }
        for end in ends
        where end.own.onDelete == .nullify && end.side == .source && end.relation.kind == .list {
            guard try walkOwnEntries(of: entity, end, body) else { return }
        }
    }

    /// What `nullify` does at one end; false when it was stopped.
    private func walkSevered(
        of entity: EntityKey,
        _ end: RelationEnd,
        _ body: (Consequence) throws -> Bool
    ) throws -> Bool {
        switch (end.relation.kind, end.side) {
        case (.reference, .source), (.list, .source):
            // The reference lies in the row that goes; the entries go with their owner.
            return true
        case (.reference(let slot), .target):
            return try walkPartners(of: entity, end) { try body(.nullifies($0, slot: slot)) }
        case (.pair(let source, let target), let side):
            let slot = side == .source ? target : source
            return try walkPartners(of: entity, end) { try body(.nullifies($0, slot: slot)) }
        case (.list, .target):
            let ownerEnd = RelationEnd(relation: end.relation, side: .source)
            let target = ListKey(relation: end.relation.number, id: entity.id)
            return try workspace.forEachBacklink(of: target) { backlink in
                let owner = EntityKey(model: end.other.model, id: backlink.owner)
                if owner == entity { return true }
                let list = ListPlace(end: ownerEnd, owner: owner)
                guard let entry = try workspace.entry(of: list.key, at: backlink.orderKey)
                else { return true }
                return try body(.unlinks(list, entry))
            }
        }
    }

    private func walkOwnEntries(
        of entity: EntityKey,
        _ end: RelationEnd,
        _ body: (Consequence) throws -> Bool
    ) throws -> Bool {
        let list = ListPlace(end: end, owner: entity)
        return try workspace.forEachEntry(of: list.key) { try body(.dropsEntry(list, $0)) }
    }

    /// The entities at the other end but the entity itself. One that a list of the entity's own has several times comes
    /// as often.
    private func walkPartners(
        of entity: EntityKey,
        _ end: RelationEnd,
        _ body: (EntityKey) throws -> Bool
    ) throws -> Bool {
        let relation = end.relation.number
        func visit(_ id: [UInt8]) throws -> Bool {
            let partner = EntityKey(model: end.other.model, id: id)
            return try partner == entity || body(partner)
        }
        switch (end.relation.kind, end.side) {
        case (.reference(let slot), .source), (.pair(let slot, _), .source),
            (.pair(_, let slot), .target):
            guard let row = try workspace.row(entity),
                let bytes = try unsafe RowPayload(trusting: row.payload).slot(slot)
            else { return true }
            let id = unsafe [UInt8](try ReferenceBytes(bytes).target)
            guard try workspace.contains(EntityKey(model: end.other.model, id: id)) else { return true }
            return try visit(id)
        case (.reference, .target), (.list, .source):
            return try workspace.forEachEntry(of: ListKey(relation: relation, id: entity.id)) {
                try visit($0.target)
            }
        case (.list, .target):
            var last: [UInt8]?
            return try workspace.forEachBacklink(of: ListKey(relation: relation, id: entity.id)) {
                // Those of one owner come one after the other.
                if $0.owner == last { return true }
                last = $0.owner
                return try visit($0.owner)
            }
        }
    }
}

extension DirectConsequences {
    /// A consequence as the caller sees it.
    func consequence(_ consequence: Consequence, of entity: EntityReference) throws
        -> DeletionConsequence
    {
        let schema = workspace.schema
        func reference(_ key: EntityKey) throws -> EntityReference {
            EntityReference(model: try schema.model(key.model).name, id: key.text)
        }
        func unlinked(_ list: ListPlace, _ entry: ListEntry, _ owner: EntityReference)
            -> DeletionPlan.UnlinkedEntry
        {
            DeletionPlan.UnlinkedEntry(
                owner: owner,
                relationship: list.end.displayName(in: schema.description),
                entry: EntryID(entry)
            )
        }
        switch consequence {
        case .deletes(let partner): return .deletes(try reference(partner))
        case .nullifies(let partner, let slot):
            let attribute = try schema.model(partner.model).attribute(slot: slot)?.name ?? ""
            return .nullifies(.init(entity: try reference(partner), attribute: attribute))
        case .unlinks(let list, let entry):
            return .unlinks(unlinked(list, entry, try reference(list.owner)))
        case .dropsEntry(let list, let entry): return .dropsEntry(unlinked(list, entry, entity))
        case .isDenied(let end, let partner):
            return .isDenied(
                .init(
                    entity: entity,
                    relationship: end.displayName(in: schema.description),
                    partner: try reference(partner)
                )
            )
        }
    }
}

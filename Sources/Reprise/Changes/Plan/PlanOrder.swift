internal import RepriseLMDB
internal import RepriseLog

/// The order in which a plan can be carried out step by step, with a look at nothing but the row of each (HIS-113).
///
/// A row that stands in the way of another one leaves first: a place in a list that another row gets, a partner that
/// goes or stays, an entity to which its deletion would reach or that goes before it. That costs one event for the row
/// more, and one for each entry of a list. Then no step depends on one that was done to another row.
struct PlanOrder {
    /// The models of which rows go: as far as possible before each come those whose rows may lead to its rows.
    let deletions: [UInt16]
    /// What rows have to leave before all else.
    let leaving: LeavingRows
    /// The entries of many-to-many lists that leave their places, and those that come to places.
    let entries: EntryPlaces

    private let ranks: [UInt16: Int]

    /// Nil where there is no such order.
    ///
    /// - Parameter leaving: the rows that have to leave their places in lists.
    init?(
        _ planner: MergePlanner,
        leaving: LeavingRows,
        makeFile: @escaping () throws(LMDBError) -> SpillFile
    ) throws {
        let (plan, workspace) = (planner.plan, planner.workspace)
        deletions = try Self.deletions(plan, workspace.schema)
        ranks = Dictionary(uniqueKeysWithValues: deletions.enumerated().map { ($1, $0) })
        self.leaving = leaving
        let pairs = PlanPairs(makeFile)
        let consequences = plan.entries.emptyCopy()
        try planner.forEachConsequence { user, entity, end in
            try Self.noteLeaving(user, entity, end, workspace, leaving, pairs, consequences)
        }
        entries = try EntryPlaces(plan, consequences, workspace, makeFile)
        guard let hasChanged = try pairs.complete(plan, workspace) else { return nil }
        if hasChanged { try planner.clearConsequences() }
        try noteWhatGoesLeaves(plan, workspace)
    }

    /// Notes that a row that stays, and of which the plan says nothing else, leaves one that goes, before that goes.
    private static func noteLeaving(
        _ user: EntityKey,
        _ entity: EntityKey,
        _ end: RelationEnd,
        _ workspace: Workspace,
        _ leaving: LeavingRows,
        _ pairs: PlanPairs,
        _ entries: PlanEntries
    ) throws {
        switch end.relation.kind {
        case .reference(let slot): try leaving.add(user, slot: slot)
        case .pair(let source, let target):
            let slot = end.side == .source ? target : source
            try leaving.add(user, slot: slot)
            let pair = try workspace.schema.model(user.model).pairSlots.first { $0.slot == slot }
            if let pair { try pairs.addLeaving(user, pair, partner: entity) }
        case .list:
            try EntryPlaces.addConsequence(user, entity, end, workspace, to: entries)
        }
    }

    // MARK: Deletions

    /// Puts the models of which rows go into an order in which users come first, where there is one.
    private static func deletions(_ plan: ChangePlan, _ schema: CompiledSchema) throws -> [UInt16] {
        var going: [CompiledModel] = []
        try plan.rows.forEach { entity, row in
            guard row.isDeletion, going.last?.number != entity.model else { return }
            going.append(try schema.model(entity.model))
        }
        var waiting = Dictionary(uniqueKeysWithValues: going.map { ($0.number, Set<UInt16>()) })
        for model in going {
            for end in model.ends where end.side == .target {
                let user = end.other.model
                if user != model.number, waiting[user] != nil { waiting[model.number]?.insert(user) }
            }
        }
        var order: [UInt16] = []
        while !waiting.isEmpty {
            var free = waiting.filter { $0.value.isEmpty }.keys.sorted()
            // Models that refer to each other in a circle: one of them has to begin.
            if free.isEmpty { free = waiting.keys.min().map { [$0] } ?? [] }
            for number in free { waiting[number] = nil }
            for number in waiting.keys { waiting[number]?.subtract(free) }
            order += free
        }
        return order
    }

    /// Notes the relations that rows have to leave before they go.
    private func noteWhatGoesLeaves(_ plan: ChangePlan, _ workspace: Workspace) throws {
        var model: CompiledModel?
        /// Where rows of the model lead to something that they may have to leave.
        var ends: [RelationEnd] = []
        try plan.rows.forEach { entity, row in
            guard row.isDeletion else { return }
            if model?.number != entity.model {
                let next = try workspace.schema.model(entity.model)
                (model, ends) = (next, next.ends.filter { mayHaveToLeave(next.number, $0) })
            }
            guard !ends.isEmpty, let present = try workspace.row(entity) else { return }
            let payload = unsafe [UInt8](present.payload)
            for end in ends {
                if let slot = end.ownSlot {
                    guard let target = try ReferencePlace(payload.rowSlot(slot))?.target else { continue }
                    let other = EntityKey(model: end.other.model, id: target)
                    if try hasToLeave(entity, other, end, plan) { try leaving.add(entity, slot: slot) }
                    continue
                }
                let list = ListKey(relation: end.relation.number, id: entity.id)
                var isInTheWay = false
                try workspace.forEachEntry(of: list) { entry in
                    let other = EntityKey(model: end.other.model, id: entry.target)
                    isInTheWay = try hasToLeave(entity, other, end, plan)
                    return !isInTheWay
                }
                if isInTheWay { try leaving.add(entity, list: end.relation.number) }
            }
        }
    }

    /// Whether rows of a model that go may have to leave what a relation leads to.
    private func mayHaveToLeave(_ model: UInt16, _ end: RelationEnd) -> Bool {
        if case .pair = end.relation.kind { return true }
        guard end.side == .source else { return false }
        guard end.own.onDelete == .nullify else { return true }
        guard let own = ranks[model], let other = ranks[end.other.model] else { return false }
        return other <= own
    }

    /// Whether a row that goes has to leave another one first: its deletion would reach that, or that goes before it.
    private func hasToLeave(
        _ entity: EntityKey,
        _ other: EntityKey,
        _ end: RelationEnd,
        _ plan: ChangePlan
    ) throws -> Bool {
        if case .pair = end.relation.kind { return true }
        guard end.own.onDelete == .nullify else { return true }
        if other.model == entity.model, entity.precedes(other) { return false }
        return try plan.rows.isThere(other) == false
    }
}

extension RelationEnd {
    /// The slot in which a row at this end says where the relation leads; nil where the other end or a list says it.
    fileprivate var ownSlot: Int? {
        switch (relation.kind, side) {
        case (.reference(let slot), .source): slot
        case (.pair(let slot, _), .source): slot
        case (.pair(_, let slot), .target): slot
        default: nil
        }
    }
}

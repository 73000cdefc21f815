internal import RepriseLMDB
internal import RepriseLog

/// The order in which a plan can be carried out step by step, with a look at nothing but the row of each (HIS-113).
///
/// It is there where no step stands in the way of another one: each place in a list is free before the first step, rows
/// and models that go do not lead to each other in a circle, no deletion has consequences, and both sides of each
/// one-to-one are in the plan.
struct PlanOrder {
    /// The rows of a model that go.
    struct Deletions {
        let model: UInt16
        /// Those that lead to others of the model. They go first, in this order, and the rest in any.
        let first: [EntityKey]
    }

    /// Before each model come those whose rows may lead to its rows.
    let deletions: [Deletions]

    /// Nil where there is no such order.
    init?(
        _ plan: ChangePlan,
        _ workspace: Workspace,
        makeFile: @escaping () throws(LMDBError) -> SpillFile
    ) throws {
        guard plan.entries.areInOrder, let going = try Self.goingModels(plan, workspace),
            let order = Self.order(going, workspace.schema),
            let first = try Self.leadingRows(plan, workspace, going),
            try Self.areFree(plan, workspace, makeFile),
            try PlanPairs.areWhole(plan, workspace.schema, makeFile)
        else { return nil }
        deletions = order.map { Deletions(model: $0, first: first[$0] ?? []) }
    }

    /// The models of which rows go; nil where one of these rows has a partner in a one-to-one.
    private static func goingModels(_ plan: ChangePlan, _ workspace: Workspace) throws -> [CompiledModel]? {
        var going: [CompiledModel] = []
        var haveNoPartners = true
        try plan.rows.forEach { entity, row in
            guard row.isDeletion else { return }
            let model = try workspace.schema.model(entity.model)
            if going.last !== model { going.append(model) }
            guard haveNoPartners, !model.pairSlots.isEmpty, let present = try workspace.row(entity) else { return }
            let payload = unsafe [UInt8](present.payload)
            haveNoPartners = try model.pairSlots.allSatisfy { try payload.rowSlot($0.slot) == nil }
        }
        return haveNoPartners ? going : nil
    }

    /// Puts models into an order in which users come first; nil where there is none, or where a deletion reaches to
    /// what a row leads to.
    private static func order(_ going: [CompiledModel], _ schema: CompiledSchema) -> [UInt16]? {
        var waiting = Dictionary(uniqueKeysWithValues: going.map { ($0.number, Set<UInt16>()) })
        for model in going {
            for end in model.ends {
                if end.side == .source, end.own.onDelete != .nullify { return nil }
                if end.side == .target, waiting[end.other.model] != nil, !Self.isOwnReference(end, model) {
                    waiting[model.number]?.insert(end.other.model)
                }
            }
        }
        var order: [UInt16] = []
        while !waiting.isEmpty {
            let free = waiting.filter { $0.value.isEmpty }.keys.sorted()
            if free.isEmpty { return nil }
            for number in free { waiting[number] = nil }
            for number in waiting.keys { waiting[number]?.subtract(free) }
            order += free
        }
        return order
    }

    /// Whether a relation is a to-one from a model to itself: then it depends on the rows.
    private static func isOwnReference(_ end: RelationEnd, _ model: CompiledModel) -> Bool {
        guard case .reference = end.relation.kind else { return false }
        return end.other.model == model.number
    }

    /// The rows that go and lead to rows of their own model that go, in turn, by model; nil where there is no such turn
    /// or it would take too much memory.
    private static func leadingRows(
        _ plan: ChangePlan,
        _ workspace: Workspace,
        _ going: [CompiledModel]
    ) throws -> [UInt16: [EntityKey]]? {
        let models = going.filter { model in model.ends.contains { Self.isOwnReference($0, model) } }
        if models.isEmpty { return [:] }
        var rows: [UInt16: RowsInTurn] = [:]
        var isTooMany = false
        try plan.rows.forEach { entity, row in
            guard !isTooMany, row.isDeletion, let model = models.first(where: { $0.number == entity.model }),
                let present = try workspace.row(entity)
            else { return }
            let payload = unsafe [UInt8](present.payload)
            var targets: [EntityKey] = []
            for end in model.ends where end.side == .source && isOwnReference(end, model) {
                guard case .reference(let slot) = end.relation.kind,
                    let target = try ReferencePlace(payload.rowSlot(slot))?.target
                else { continue }
                targets.append(EntityKey(model: model.number, id: target))
            }
            if targets.isEmpty { return }
            rows[model.number, default: RowsInTurn()].add(entity, leadingTo: targets)
            isTooMany = rows[model.number]?.isTooMany == true
        }
        if isTooMany { return nil }
        var order: [UInt16: [EntityKey]] = [:]
        for (number, rows) in rows {
            guard let turn = rows.ordered() else { return nil }
            order[number] = turn
        }
        return order
    }

    /// Whether all places in lists that are wanted are free now, and each is wanted once.
    private static func areFree(
        _ plan: ChangePlan,
        _ workspace: Workspace,
        _ makeFile: @escaping () throws(LMDBError) -> SpillFile
    ) throws -> Bool {
        let places = PlaceSort(makeFile)
        var isFree = true
        func want(_ list: ListKey, _ orderKey: UInt64) throws {
            if try workspace.entry(of: list, at: orderKey) != nil { isFree = false }
            try places.add(list, orderKey)
        }
        try plan.rows.forEach { entity, row in
            guard isFree, let payload = row.payload else { return }
            for reference in try workspace.schema.model(entity.model).references {
                guard let place = try ReferencePlace(payload.rowSlot(reference.slot)) else { continue }
                if case .update(let from, _) = row, try ReferencePlace(from.rowSlot(reference.slot)) == place {
                    continue
                }
                try want(ListKey(relation: reference.relation.number, id: place.target), place.orderKey)
            }
        }
        try plan.entries.forEach { entry in
            guard isFree, let to = entry.delta.to else { return }
            try want(entry.list.key, to)
        }
        guard isFree else { return false }
        var last: [UInt8] = []
        try unsafe places.takeAll { key, _ in
            if unsafe key.elementsEqual(last) { isFree = false }
            last = unsafe [UInt8](key)
        }
        return isFree
    }
}

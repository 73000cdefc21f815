internal import RepriseLMDB
internal import RepriseLog

/// The order in which a plan can be carried out step by step, with a look at nothing but the row of each (HIS-113).
///
/// It is there where no step stands in the way of another one: each place in a list is free before the first step, no
/// row that goes leads to one of its own model that goes, nor in a circle of models, no deletion has consequences, and
/// both sides of each one-to-one are in the plan.
struct PlanOrder {
    /// The models of which rows go. Before each come those whose rows may lead to its rows.
    let deletions: [UInt16]

    /// Nil where there is no such order.
    init?(
        _ plan: ChangePlan,
        _ workspace: Workspace,
        makeFile: @escaping () throws(LMDBError) -> SpillFile
    ) throws {
        guard plan.entries.areInOrder, let going = try Self.goingModels(plan, workspace),
            let order = Self.order(going, workspace.schema),
            try Self.areFree(plan, workspace, makeFile),
            try PlanPairs.areWhole(plan, workspace.schema, makeFile)
        else { return nil }
        deletions = order
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
                if end.side == .target, waiting[end.other.model] != nil {
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

internal import RepriseLMDB
internal import RepriseLog

/// The order in which a plan can be carried out step by step, with a look at nothing but the row of each (HIS-113).
///
/// It is there where no step stands in the way of one of another row: each place among the members of a list is free
/// before the first step, rows and models that go do not lead to each other in a circle, no deletion has consequences,
/// and both sides of each one-to-one are in the plan.
struct PlanOrder {
    /// The rows of a model that go.
    struct Deletions {
        let model: UInt16
        /// Those that lead to others of the model. They go first, in this order, and the rest in any.
        let first: [EntityKey]
    }

    /// Before each model come those whose rows may lead to its rows.
    let deletions: [Deletions]
    /// Lists in which entries come to places where others stand. These entries are brought there together.
    let crowded: Set<ListKey>
    /// Of how many crowded lists, and of how many entries of one, a plan can have an order: they are in memory.
    static let crowdedCountMax = 65_536

    /// Nil where there is no such order.
    init?(
        _ plan: ChangePlan,
        _ workspace: Workspace,
        makeFile: @escaping () throws(LMDBError) -> SpillFile
    ) throws {
        guard plan.entries.areInOrder, let going = try Self.goingModels(plan, workspace),
            let order = Self.order(going, workspace.schema),
            let first = try Self.leadingRows(plan, workspace, going),
            let crowded = try Self.crowdedLists(plan, workspace, makeFile),
            try PlanPairs.areWhole(plan, workspace.schema, makeFile)
        else { return nil }
        self.crowded = crowded
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

    /// The lists in which entries come to places where others stand; nil where they are too many, where members come to
    /// such places, or where two come to one place.
    private static func crowdedLists(
        _ plan: ChangePlan,
        _ workspace: Workspace,
        _ makeFile: @escaping () throws(LMDBError) -> SpillFile
    ) throws -> Set<ListKey>? {
        let places = PlaceSort(makeFile)
        var isFree = true
        var crowded: Set<ListKey> = []
        try plan.rows.forEach { entity, row in
            guard isFree, let payload = row.payload else { return }
            for reference in try workspace.schema.model(entity.model).references {
                guard let place = try ReferencePlace(payload.rowSlot(reference.slot)) else { continue }
                if case .update(let from, _) = row, try ReferencePlace(from.rowSlot(reference.slot)) == place {
                    continue
                }
                let list = ListKey(relation: reference.relation.number, id: place.target)
                if try workspace.entry(of: list, at: place.orderKey) != nil { isFree = false }
                try places.add(list, place.orderKey)
            }
        }
        try plan.entries.forEach { entry in
            guard isFree, let to = entry.delta.to else { return }
            if try workspace.entry(of: entry.list.key, at: to) != nil { crowded.insert(entry.list.key) }
            try places.add(entry.list.key, to)
            if crowded.count > crowdedCountMax { isFree = false }
        }
        guard isFree else { return nil }
        var last: [UInt8] = []
        try unsafe places.takeAll { key, _ in
            if unsafe key.elementsEqual(last) { isFree = false }
            last = unsafe [UInt8](key)
        }
        guard isFree, !crowded.isEmpty else { return isFree ? [] : nil }
        var counts: [ListKey: Int] = [:]
        try plan.entries.forEach { if crowded.contains($0.list.key) { counts[$0.list.key, default: 0] += 1 } }
        return counts.values.allSatisfy { $0 <= crowdedCountMax } ? crowded : nil
    }
}

/// Conditions that relationships answer: their lists lead to the rows.
extension QueryPlanner {
    /// A plan that walks lists, with the number of their entries.
    struct ListedPlan {
        let plan: QueryPlan
        let count: Double
        /// Whether the entries were counted to their end.
        let isCounted: Bool
    }

    /// A plan for each condition that says which entity a relationship leads to.
    func listedPlans() throws -> [ListedPlan] {
        let rowLists = RowLists(model: model)
        var plans: [ListedPlan] = []
        for (place, condition) in question.conditions.enumerated() {
            guard let lists = rowLists.lists(for: condition) else { continue }
            plans.append(try plan(lists, answering: place))
        }
        return plans
    }

    /// A plan for each condition on an attribute of what a to-one leads to: the entities that fulfil it are found
    /// first, where that costs less than the best plan so far, and their lists lead to the rows.
    func joinedPlans(cheaperThan costMax: Double) throws -> [QueryPlan] {
        let rowLists = RowLists(model: model)
        var plans: [QueryPlan] = []
        for (place, condition) in question.conditions.enumerated() {
            guard let (name, inner) = condition.splitAtToOne,
                let slot = model.attribute(named: name)?.slot,
                let reference = model.referenceSlots.first(where: { $0.slot == slot }),
                let ids = try statistics.identifiers(
                    of: reference.targetModel,
                    fulfilling: inner,
                    upTo: RowLists.countMax,
                    cheaperThan: costMax
                ),
                let lists = rowLists.lists(throughToOne: name, ids)
            else { continue }
            plans.append(try plan(lists, answering: place).plan)
        }
        return plans
    }

    /// The walk along a list. Nothing else gives its order, so nothing is estimated.
    func plan(members list: ListPlace) -> QueryPlan {
        finish(
            .members(list),
            isInIdentifierOrder: true,
            residual: rest([]),
            isCovering: false,
            visits: 0,
            matches: 0,
            cost: 0
        )
    }

    private func plan(_ lists: [RowList], answering place: Int) throws -> ListedPlan {
        let limit = Self.countedEntryMax
        var count = 0.0
        for list in lists where count <= Double(limit) {
            count += Double(try statistics.rowCount(in: list, upTo: limit + 1 - Int(count)))
        }
        let isCounted = count <= Double(limit)
        if !isCounted { count = max(count, try statistics.share(of: [place]) * Double(statistics.rowCount)) }
        let residual = rest([place])
        let isCovering = residual.isEmpty && question.needsNothing
        let each = PlanCost.entry + (isCovering ? 0 : PlanCost.lookup)
        let plan = finish(
            .lists(lists),
            isInIdentifierOrder: true,
            residual: residual,
            isCovering: isCovering,
            visits: count,
            matches: residual.isEmpty || isCounted ? count : try matchCount(atMost: count),
            cost: Double(lists.count) * PlanCost.seek + PlanCost.sort(count)
                + count * (each + Double(residual.count) * PlanCost.condition)
        )
        return ListedPlan(plan: plan, count: count, isCounted: isCounted)
    }
}

extension PlanQuestion {
    /// Whether nothing is wanted of the rows but their identifiers.
    fileprivate var needsNothing: Bool {
        guard case .slots(let slots) = needs, slots.isEmpty else { return false }
        return !isOrderWanted || sort.isEmpty
    }
}

extension FilterExpression {
    /// A condition on an attribute of what a to-one leads to: the name of the to-one, and the condition as the entity
    /// there is asked it. Nil for conditions that hold where the to-one is nil.
    fileprivate var splitAtToOne: (name: String, inner: FilterExpression)? {
        func split(_ path: FieldPath, _ inner: (FieldPath) -> FilterExpression) -> (String, FilterExpression)? {
            guard path.components.count > 1 else { return nil }
            return (path.components[0], inner(FieldPath(Array(path.components.dropFirst()))))
        }
        switch self {
        case .compare(let path, let comparison, let value):
            if comparison == .notEqual || value.isNull { return nil }
            return split(path) { .compare($0, comparison, value) }
        case .isIn(let path, let values):
            if values.contains(where: \.isNull) { return nil }
            return split(path) { .isIn($0, values) }
        case .startsWith(let path, let text): return split(path) { .startsWith($0, text) }
        case .endsWith(let path, let text): return split(path) { .endsWith($0, text) }
        case .contains(let path, let value): return split(path) { .contains($0, value) }
        case .text(let path, let operation, let text, let options):
            return split(path) { .text($0, operation, text, options) }
        case .any(let path, let condition): return split(path) { .any($0, condition) }
        default: return nil
        }
    }
}

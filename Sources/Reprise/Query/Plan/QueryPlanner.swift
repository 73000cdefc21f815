/// Chooses how a query gets at its rows. A pure function of the question, the schema and what the statistics answer,
/// which no result depends on (QRY-24).
struct QueryPlanner<Statistics: QueryStatistics> {
    /// How many entries are counted to learn the size of a stretch. What has fewer is small whatever it costs.
    static var countedEntryMax: Int { 1024 }

    let question: PlanQuestion
    let compiler: FilterCompiler
    let statistics: Statistics

    var model: CompiledModel { question.model }

    func plan() throws -> QueryPlan {
        if question.conditions.contains(.or([])) { return nothing }
        if let list = question.list { return plan(members: list) }
        let builder = SpanBuilder(question.conditions, model: model, compiler: compiler)
        var scan: QueryPlan?
        switch builder.identifiers() {
        case .points(let ids, let places): return plan(ids, places)
        case .range(let range, let places): scan = try plan(range, places)
        case nil: break
        }
        var candidates: [QueryPlan] = []
        let searches = try searches()
        var spans: [Measured] = []
        for index in model.indexes {
            guard let span = try builder.span(of: index) else { continue }
            if span.ranges.isEmpty { return nothing }
            spans.append(try measure(span))
        }
        let listed = try listedPlans()
        // The smallest stretch or list that was counted to its end needs no further thought.
        var small = listed.filter(\.isCounted).map { (plan: $0.plan, count: $0.count) }
        if let span = spans.filter(\.isCounted).min(by: { $0.count < $1.count }) {
            small.append((try plan(span), span.count))
        }
        if let small = small.min(by: { $0.count < $1.count }) {
            candidates.append(small.plan)
            if question.sort.isEmpty || question.wantedCount == nil || small.count < 64 { return small.plan }
        } else {
            candidates += listed.map(\.plan)
            for span in spans { candidates.append(try plan(span)) }
            if let both = try intersection(of: spans) { candidates.append(both) }
            if let either = try union() { candidates.append(either) }
            candidates += searches
            if searches.isEmpty { candidates.append(try scan ?? wholeScan()) }
            if let best = candidates.map(\.cost).min() { candidates += try joinedPlans(cheaperThan: best) }
        }
        // Other ways would cut row after row into words, which an estimate makes too little of.
        if searches.isEmpty { candidates += try orderedWalks(builder) }
        guard let best = candidates.min(by: { $0.cost < $1.cost }) else { return try wholeScan() }
        return best
    }

    /// A stretch with the number of its entries, counted or estimated.
    struct Measured {
        let span: IndexSpan
        let count: Double
        let isCounted: Bool
    }

    func measure(_ span: IndexSpan) throws -> Measured {
        let limit = Self.countedEntryMax
        let counted = try statistics.entryCount(in: span, upTo: limit)
        if counted <= limit { return Measured(span: span, count: Double(counted), isCounted: true) }
        let share = try span.answered.isEmpty ? 1 : statistics.share(of: span.answered)
        let estimate = max(Double(limit + 1), share * Double(statistics.rowCount))
        return Measured(span: span, count: estimate, isCounted: false)
    }
}

// MARK: - Candidates

extension QueryPlanner {
    private var nothing: QueryPlan {
        QueryPlan(
            access: .nothing,
            order: .asFound,
            residual: [],
            isCovering: true,
            estimatedVisits: 0,
            estimatedMatches: 0,
            cost: 0
        )
    }

    private func plan(_ ids: [[UInt8]], _ places: Set<Int>) -> QueryPlan {
        let visits = Double(ids.count)
        return finish(
            .identifiers(ids),
            isInIdentifierOrder: true,
            residual: rest(places),
            isCovering: false,
            visits: visits,
            matches: visits,
            cost: visits * PlanCost.lookup
        )
    }

    private func plan(_ range: KeyRange, _ places: Set<Int>) throws -> QueryPlan {
        let visits = try statistics.share(of: places) * Double(statistics.rowCount)
        return try scan(range, visits: visits, answered: places)
    }

    private func wholeScan() throws -> QueryPlan {
        let number = [UInt8(model.number >> 8), UInt8(model.number & 0xFF)]
        return try scan(
            .beginning(with: number),
            visits: Double(statistics.rowCount),
            answered: []
        )
    }

    private func scan(
        _ range: KeyRange,
        visits: Double,
        answered: Set<Int>
    ) throws -> QueryPlan {
        var range = range
        if question.sort.isEmpty, let cursor = question.cursor {
            // The next greater identifier is the same with a zero at its end.
            let beyond = range.lower.prefix(2) + Array(cursor.id.utf8) + [0]
            range = range.intersection(KeyRange(lower: Array(beyond), upper: range.upper))
        }
        let residual = rest(answered)
        let matches = try matchCount(atMost: visits)
        var visited = visits
        if question.sort.isEmpty, let wanted = question.wantedCount {
            visited = min(visits, Double(wanted) * visits / max(matches, 1))
        }
        let each = PlanCost.scannedRow + Double(residual.count) * PlanCost.condition
        return finish(
            .scan(range),
            isInIdentifierOrder: true,
            residual: residual,
            isCovering: false,
            visits: visited,
            matches: matches,
            cost: PlanCost.seek + visited * each
        )
    }

    private func plan(_ measured: Measured) throws -> QueryPlan {
        var span = measured.span
        if question.sort.isEmpty, let cursor = question.cursor, span.isInIdentifierOrder {
            // The next greater identifier is the same with a zero at its end.
            let beyond = span.fixedPrefix + Array(cursor.id.utf8) + [0]
            span.ranges = span.ranges.map {
                $0.intersection(KeyRange(lower: beyond, upper: $0.upper))
            }
        }
        let residual = rest(span.answered)
        let isCovering = covers(span.index, residual)
        let each = isCovering ? PlanCost.coveredEntry : PlanCost.entry + PlanCost.lookup
        let matches =
            residual.isEmpty
            ? measured.count
            : measured.isCounted ? measured.count : try matchCount(atMost: measured.count)
        return finish(
            .index(span),
            isInIdentifierOrder: span.isInIdentifierOrder,
            residual: residual,
            isCovering: isCovering,
            visits: measured.count,
            matches: matches,
            cost: Double(span.ranges.count) * PlanCost.seek
                + measured.count * (each + Double(residual.count) * PlanCost.condition)
        )
    }

    /// Two stretches whose common rows are far fewer than either has.
    private func intersection(of spans: [Measured]) throws -> QueryPlan? {
        let useful = spans.filter { !$0.span.answered.isEmpty }
            .sorted { $0.count < $1.count }
        guard useful.count >= 2 else { return nil }
        let (first, second) = (useful[0], useful[1])
        guard !second.span.answered.isSubset(of: first.span.answered) else { return nil }
        let answered = first.span.answered.union(second.span.answered)
        let common = try statistics.share(of: answered) * Double(statistics.rowCount)
        let residual = rest(answered)
        let each = PlanCost.lookup + Double(residual.count) * PlanCost.condition
        return finish(
            .intersection([first.span, second.span]),
            isInIdentifierOrder: true,
            residual: residual,
            isCovering: false,
            visits: first.count + second.count,
            matches: try matchCount(atMost: common),
            cost: (first.count + second.count) * PlanCost.entry * 2
                + PlanCost.sort(first.span.isInIdentifierOrder ? 0 : first.count)
                + PlanCost.sort(second.span.isInIdentifierOrder ? 0 : second.count)
                + common * each
        )
    }

    /// The alternatives of one condition, where an index serves each of them.
    private func union() throws -> QueryPlan? {
        var best: QueryPlan?
        for case .or(let parts) in question.conditions where !parts.isEmpty && parts.count <= 64 {
            var spans: [IndexSpan] = []
            var visits = 0.0
            for part in parts {
                guard let measured = try smallestSpan(for: part) else { break }
                spans.append(measured.span)
                visits += measured.count
            }
            guard spans.count == parts.count else { continue }
            // Every condition is asked again: what an alternative leaves open is not followed here.
            let residual = rest([])
            let each = PlanCost.entry * 2 + PlanCost.lookup
            let plan = finish(
                .union(spans),
                isInIdentifierOrder: true,
                residual: residual,
                isCovering: false,
                visits: visits,
                matches: try matchCount(atMost: visits),
                cost: visits * (each + Double(residual.count) * PlanCost.condition)
                    + PlanCost.sort(visits)
            )
            if plan.cost < best?.cost ?? .infinity { best = plan }
        }
        return best
    }

    /// The searches that an index serves. How many rows they find is not known; few, as a rule.
    private func searches() throws -> [QueryPlan] {
        var plans: [QueryPlan] = []
        for (place, condition) in question.conditions.enumerated() {
            guard case .matches(let path, let text) = condition else { continue }
            let search = try compiler.search(text, path)
            guard search.hasIndex else { continue }
            let residual = rest([place])
            let visits = Double(statistics.rowCount) * PlanCost.searchedShare
            let each =
                PlanCost.entry + PlanCost.lookup + Double(residual.count) * PlanCost.condition
            plans.append(
                finish(
                    .search(search),
                    isInIdentifierOrder: true,
                    residual: residual,
                    isCovering: false,
                    visits: visits,
                    matches: residual.isEmpty ? visits : try matchCount(atMost: visits),
                    cost: PlanCost.seek + visits * each
                )
            )
        }
        return plans
    }

    private func smallestSpan(for part: FilterExpression) throws -> Measured? {
        var conditions = [part]
        if case .and(let parts) = part { conditions = parts }
        let builder = SpanBuilder(conditions, model: model, compiler: compiler)
        var best: Measured?
        for index in model.indexes {
            guard var span = try builder.span(of: index) else { continue }
            // The places are those of the alternative's conditions and mean nothing outside.
            span.answered = []
            let limit = Self.countedEntryMax
            let counted = try statistics.entryCount(in: span, upTo: limit)
            let isCounted = counted <= limit
            let count = isCounted ? Double(counted) : Double(statistics.rowCount) / 4
            if count < best?.count ?? .infinity {
                best = Measured(span: span, count: count, isCounted: isCounted)
            }
        }
        return best
    }
}

// MARK: - Parts of plans

extension QueryPlanner {
    /// The conditions that are not answered.
    func rest(_ answered: Set<Int>) -> [Int] {
        question.conditions.indices.filter { !answered.contains($0) }
    }

    /// How many rows pass the whole filter, of so many that are looked at.
    func matchCount(atMost visits: Double) throws -> Double {
        if question.conditions.isEmpty { return visits }
        let share = try statistics.share(of: Set(question.conditions.indices))
        return min(visits, share * Double(statistics.rowCount))
    }

    /// Whether an index says all that is asked of a row.
    func covers(_ index: CompiledIndex, _ residual: [Int]) -> Bool {
        guard case .slots(var slots) = question.needs else { return false }
        for place in residual {
            guard let more = question.conditionSlots[place] else { return false }
            slots.formUnion(more)
        }
        if question.isOrderWanted {
            for key in question.sort {
                guard let slot = key.slot else { return false }
                slots.insert(slot)
            }
        }
        // The bytes of a decimal in a key cannot be read back.
        return slots.isSubset(of: index.slots) && !index.types.contains(.decimal)
    }

    /// Adds what the order costs.
    func finish(
        _ access: AccessPath,
        isInIdentifierOrder: Bool,
        residual: [Int],
        isCovering: Bool,
        visits: Double,
        matches: Double,
        cost: Double
    ) -> QueryPlan {
        var plan = QueryPlan(
            access: access,
            order: .asFound,
            residual: residual,
            isCovering: isCovering,
            estimatedVisits: Int(visits.rounded()),
            estimatedMatches: Int(matches.rounded()),
            cost: cost
        )
        if !question.isOrderWanted || (question.sort.isEmpty && isInIdentifierOrder) { return plan }
        if let wanted = question.wantedCount {
            plan.order = .best(wanted)
            plan.cost +=
                matches * PlanCost.comparison * 2 + PlanCost.sort(min(matches, Double(wanted)))
        } else {
            plan.order = .sorted
            plan.cost += PlanCost.sort(matches)
        }
        return plan
    }
}

/// Indexes that have the wanted order.
extension QueryPlanner {
    /// A plan for each index that can be walked in the order of the sort keys.
    func orderedWalks(_ builder: SpanBuilder) throws -> [QueryPlan] {
        guard question.isOrderWanted, !question.sort.isEmpty else { return [] }
        var plans: [QueryPlan] = []
        for index in model.indexes {
            let span = try builder.span(of: index) ?? IndexSpan(index: index)
            guard let walk = try walk(span) else { continue }
            plans.append(try plan(walk, isBounded: !span.answered.isEmpty))
        }
        return plans
    }

    /// The stretches of an index in the order in which they give the wanted order; nil where it has another.
    private func walk(_ span: IndexSpan) throws(StoreError) -> IndexSpan? {
        let components = span.index.slots.dropFirst(span.fixedCount)
        let keys = question.sort
        guard components.count == keys.count,
            zip(components, keys).allSatisfy({ $0 == $1.slot }),
            keys.allSatisfy({ $0.isDescending == keys[0].isDescending })
        else { return nil }
        let isDescending = keys[0].isDescending
        var walk = span
        // nil is the smallest value of a component; elsewhere it can stand only where it is alone.
        if keys.contains(where: { $0.hasNilFirst == $0.isDescending }) {
            guard keys.count == 1, span.ranges.count == 1 else { return nil }
            // Where conditions bound the component, nil is not among what they leave, or is all of it.
            if !span.boundsBeyondFixed {
                let prefix = span.fixedPrefix
                let (nils, values) = (prefix + [0], prefix + [1])
                walk.ranges = (keys[0].hasNilFirst ? [nils, values] : [values, nils])
                    .map { KeyRange.beginning(with: $0) }
            }
        } else if isDescending {
            walk.ranges.reverse()
        }
        return try fromCursor(walk)
    }

    /// Leaves out what lies before the place where the results begin, as far as the index tells.
    private func fromCursor(_ walk: IndexSpan) throws(StoreError) -> IndexSpan {
        guard let cursor = question.cursor, cursor.values.count == question.sort.count else {
            return walk
        }
        var place = walk.fixedPrefix
        for (component, value) in cursor.values.enumerated() {
            let encoder = ComponentEncoder(
                compiler: compiler,
                path: question.sort[component].path,
                type: walk.index.types[walk.fixedCount + component],
                componentCount: walk.index.slots.count
            )
            let points = try encoder.points([value])
            place += points.bytes[0]
            if !points.isExact { break }
        }
        // The stretch in which the place lies; those before it are over.
        guard let index = walk.ranges.firstIndex(where: { $0.contains(place) }) else { return walk }
        var copy = walk
        copy.ranges.removeFirst(index)
        let range = copy.ranges[0]
        let bound =
            question.sort[0].isDescending
            ? KeyRange(lower: range.lower, upper: KeyRange.successor(of: place))
            : KeyRange(lower: place, upper: range.upper)
        copy.ranges[0] = range.intersection(bound)
        return copy
    }

    private func plan(_ walk: IndexSpan, isBounded: Bool) throws -> QueryPlan {
        let residual = rest(walk.answered)
        let isCovering = covers(walk.index, residual)
        var entries = Double(statistics.rowCount)
        if isBounded { entries = try measure(walk).count }
        let matches = try matchCount(atMost: entries)
        var visits = entries
        if let wanted = question.wantedCount {
            visits = min(entries, Double(wanted) * entries / max(matches, 1))
        }
        let each = isCovering ? PlanCost.coveredEntry : PlanCost.entry + PlanCost.lookup
        return QueryPlan(
            access: .ordered(walk, isDescending: question.sort[0].isDescending),
            order: .asFound,
            residual: residual,
            isCovering: isCovering,
            estimatedVisits: Int(visits.rounded()),
            estimatedMatches: Int(matches.rounded()),
            cost: PlanCost.seek + visits * (each + Double(residual.count) * PlanCost.condition)
        )
    }
}

extension CompiledIndex {
    /// What all its keys begin with.
    var keyPrefix: [UInt8] { [UInt8(number >> 8), UInt8(number & 0xFF)] }
}

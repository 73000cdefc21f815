internal import RepriseLMDB

/// Runs one query over a workspace.
///
/// A state is tables and an overlay of changed rows that the indexes know nothing of. So every walk leaves out the rows
/// that the overlay has, and those of the overlay that match are merged in, in the order of the results.
final class QueryExecutor {
    let workspace: Workspace
    let model: CompiledModel
    let query: RecordQuery
    let order: RowOrder
    let plan: QueryPlan
    /// The list whose members are asked for; nil where all rows of the model are.
    private let list: ListPlace?
    /// What was done, for those who ask how a query went.
    var tally = QueryTally()

    /// All conditions, for rows that no index knows.
    private let filter: FilterNode
    /// What the access path leaves to be asked.
    let residual: FilterNode?
    private let cursor: CursorPlace?
    private let isOrderWanted: Bool
    /// Whether rows may be handed over before anybody looked at their checksums; ``RowHit/isUnchecked`` says which.
    /// Only for results in the order in which they are found: sorting looks at the rows.
    private(set) var leavesUnchecked = false

    /// - Parameters:
    ///   - needs: what is wanted of each row; with less than the row an index may do.
    ///   - isOrderWanted: false where any order will do.
    init(
        _ query: RecordQuery,
        needs: PlanQuestion.Needs = .row,
        isOrderWanted: Bool = true,
        in workspace: Workspace,
        _ samples: RowSamples
    ) throws {
        guard query.offset >= 0, query.limit ?? 0 >= 0 else {
            throw StoreError(
                .invalidQuery,
                "A limit or an offset is negative.",
                advice: "Use zero or more."
            )
        }
        try workspace.settle()
        self.workspace = workspace
        let query = try query.countingInList()
        self.query = query
        self.isOrderWanted = isOrderWanted
        model = try workspace.schema.model(named: query.model)
        list = try query.list.map { [model, schema = workspace.schema] in
            try schema.list($0, of: model)
        }
        let compiler = FilterCompiler(
            schema: workspace.schema,
            model: model,
            unconverted: workspace.unconverted
        )
        order = try RowOrder(query.sort, compiler, in: workspace)
        let order = order
        cursor = try query.after.map { cursor in try CursorPlace(cursor, order, compiler) }
        let conditions = try query.filter.map { try $0.conditions() } ?? []
        var nodes: [FilterNode] = []
        for condition in conditions { nodes.append(try compiler.compile(condition)) }
        filter = nodes.count == 1 ? nodes[0] : ConjunctionNode(nodes)
        let use = FieldUse(model: model)
        let question = PlanQuestion(
            model: model,
            conditions: conditions,
            conditionSlots: conditions.map { use.slots(of: $0) },
            sort: zip(query.sort, order.keys).map { key, compiled in
                PlanSortKey(
                    slot: compiled.field.slot,
                    isDescending: key.isDescending,
                    hasNilFirst: key.hasNilFirst,
                    path: key.path
                )
            },
            wantedCount: query.limit.map { query.offset.addingSaturated($0) },
            needs: query.after == nil ? needs : .row,
            cursor: query.after,
            isOrderWanted: isOrderWanted,
            list: list
        )
        let statistics = TableStatistics(
            model,
            conditions: zip(conditions, nodes).map { use.isLocal($0) ? $1 : nil },
            guesses: conditions.map { condition in
                // Half of the rows, for want of knowledge; a search finds few.
                if case .matches = condition { PlanCost.searchedShare } else { 0.5 }
            },
            samples: samples,
            in: workspace
        )
        plan = try QueryPlanner(question: question, compiler: compiler, statistics: statistics)
            .plan()
        let left = plan.residual.map { nodes[$0] }
        residual = left.isEmpty ? nil : left.count == 1 ? left[0] : ConjunctionNode(left)
    }

    /// Leaves looking at checksums to the one who is handed the rows, where that is possible.
    func leaveUnchecked() {
        if case .asFound = plan.order { leavesUnchecked = cursor == nil && query.offset == 0 }
    }

    /// Hands over the results in their order; `body` returns false to stop.
    func forEach(_ body: (RowHit) throws -> Bool) throws {
        if query.limit == 0 { return }
        var skip = query.offset
        var left = query.limit ?? .max
        func deliver(_ hit: RowHit) throws -> Bool {
            if skip > 0 {
                skip -= 1
                return true
            }
            left -= 1
            tally.delivered += 1
            return try body(hit) && left > 0
        }
        switch plan.order {
        case .asFound: try forEachMatch(deliver)
        case .sorted: try forEachSorted(keeping: nil, deliver)
        case .best(let count): try forEachSorted(keeping: count, deliver)
        }
    }

    /// How many rows match, limit and offset applied.
    func count() throws -> Int {
        var count = 0
        if query.filter == nil, let list {
            count = try memberCount(of: list)
        } else if query.filter == nil, query.after == nil {
            count = workspace.counts[Int(model.number) - 1]
        } else {
            let wanted = query.limit.map { query.offset.addingSaturated($0) } ?? .max
            if wanted == 0 { return 0 }
            try forEachMatch { _ in
                count += 1
                return count < wanted
            }
        }
        return min(max(0, count - query.offset), query.limit ?? .max)
    }

    /// Whether a row of the overlay, or of a path that asks for nothing, belongs to the results.
    func isWanted(_ hit: RowHit) throws -> Bool {
        guard let cursor else { return true }
        return try cursor.precedes(hit.subject, in: order, workspace)
    }
}

// MARK: - Places

extension QueryExecutor {
    /// The place of a row in the results.
    ///
    /// - Parameter count: how many results there are up to it.
    func cursor(at hit: RowHit, count: Int) throws -> QueryCursor {
        if list != nil { return QueryCursor(countInList: query.offset.addingSaturated(count)) }
        var values: [Value] = []
        for key in order.keys {
            if let bytes = try unsafe key.field.bytes(of: hit.subject, in: workspace) {
                values.append(try unsafe Value(bare: bytes, as: key.field.type))
            } else {
                values.append(.null)
            }
        }
        return QueryCursor(values: values, id: unsafe String(decoding: hit.id, as: UTF8.self))
    }
}

// MARK: - Matches

extension QueryExecutor {
    /// All matches, in the order of the access path with the overlay merged in.
    private func forEachMatch(_ body: (RowHit) throws -> Bool) throws {
        let pending = try pendingMatches()
        guard !pending.isEmpty else {
            try forEachFound { hit in
                tally.matched += 1
                return try body(hit)
            }
            return
        }
        var next = 0
        var goesOn = true
        try forEachFound { hit in
            while next < pending.count,
                try !isOrderWanted || order.compare(pending[next].subject, hit.subject) < 0
            {
                tally.matched += 1
                goesOn = try body(pending[next])
                next += 1
                if !goesOn { return false }
            }
            tally.matched += 1
            goesOn = try body(hit)
            return goesOn
        }
        while goesOn, next < pending.count {
            tally.matched += 1
            goesOn = try body(pending[next])
            next += 1
        }
    }

    /// The matches of the overlay, sorted.
    private func pendingMatches() throws -> [RowHit] {
        // The walk along a list meets those rows too.
        guard workspace.rows.count > 0, list == nil else { return [] }
        var hits: [RowHit] = []
        try unsafe workspace.forEachPendingRow(of: model) { key, row in
            let hit = unsafe try RowHit(key: key, view: row, of: model)
            if try filter.matches(hit.subject, in: workspace), try isWanted(hit) {
                hits.append(hit)
            }
            return true
        }
        if isOrderWanted { try hits.sort { try order.compare($0.subject, $1.subject) < 0 } }
        return hits
    }

    /// Hands over the matches sorted; at most `count` of them where only so many are wanted.
    private func forEachSorted(keeping count: Int?, _ body: (RowHit) throws -> Bool) throws {
        let kept = KeptRows(model, order, limit: count, copiesPayload: plan.isCovering)
        for hit in try pendingMatches() {
            tally.matched += 1
            try kept.add(hit)
        }
        try forEachFound { hit in
            tally.matched += 1
            try kept.add(hit)
            return true
        }
        tally.sorted = kept.count
        try kept.forEach(body)
    }
}

/// What running a query took.
struct QueryTally {
    /// Entries of indexes that were stepped over.
    var entries = 0
    /// Rows that were looked up one by one, or stepped over in the table.
    var rows = 0
    var matched = 0
    var sorted = 0
    var delivered = 0
}

extension FilterExpression {
    /// What is joined by "and" at the top, however it is bracketed.
    func conditions() throws(StoreError) -> [FilterExpression] {
        var conditions: [FilterExpression] = []
        try gather(into: &conditions, depth: 0)
        return conditions
    }

    private func gather(
        into conditions: inout [FilterExpression],
        depth: Int
    ) throws(StoreError) {
        guard case .and(let parts) = self else {
            conditions.append(self)
            return
        }
        guard depth < FilterCompiler.depthMax else {
            throw StoreError(
                .invalidQuery,
                "The filter is nested deeper than \(FilterCompiler.depthMax) levels.",
                advice: "Write it flatter."
            )
        }
        for part in parts { try part.gather(into: &conditions, depth: depth + 1) }
    }
}

extension Int {
    func addingSaturated(_ other: Int) -> Int {
        let (sum, isOver) = addingReportingOverflow(other)
        return isOver ? .max : sum
    }
}

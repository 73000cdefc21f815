/// Runs an aggregate query: one walk over the rows, or over an index that has all that is asked.
struct GroupedRun {
    private let query: AggregateQuery
    private let executor: QueryExecutor
    /// For planning queries of the same rows in another order.
    private let samples: RowSamples
    /// The slots that keys and figures look at.
    private let needs: PlanQuestion.Needs
    private let keys: [CompiledField]
    private let figures: [(field: CompiledField?, aggregate: Aggregate)]
    /// Whether some rows are left out.
    private let isCut: Bool

    init(_ query: AggregateQuery, in workspace: Workspace, _ samples: RowSamples) throws {
        self.query = query
        let schema = workspace.schema
        let model = try schema.model(named: query.rows.model)
        let compiler = FilterCompiler(schema: schema, model: model, unconverted: workspace.unconverted)
        let use = FieldUse(model: model)
        var slots: Set<Int>? = []
        func note(_ path: FieldPath) {
            guard let more = use.slots(of: path) else {
                slots = nil
                return
            }
            slots?.formUnion(more)
        }
        var keys: [CompiledField] = []
        for path in query.keys {
            let field = try compiler.field(path)
            try Self.check(field, path, "group by")
            keys.append(field)
            note(path)
        }
        self.keys = keys
        var figures: [(CompiledField?, Aggregate)] = []
        for aggregate in query.aggregates {
            guard let path = aggregate.path else {
                figures.append((nil, aggregate))
                continue
            }
            let field = try compiler.field(path)
            if case .countOf = aggregate {} else { try Self.check(field, path, "aggregate") }
            figures.append((field, aggregate))
            note(path)
        }
        self.figures = figures
        try Self.check(query)
        // Which rows are meant depends on the order only where some are left out.
        isCut = query.rows.limit != nil || query.rows.offset > 0 || query.rows.after != nil
        self.samples = samples
        needs = slots.map { .slots($0) } ?? .row
        executor = try QueryExecutor(
            query.rows,
            needs: needs,
            isOrderWanted: isCut,
            in: workspace,
            samples
        )
    }

    private static func check(
        _ field: CompiledField,
        _ path: FieldPath,
        _ purpose: String
    ) throws(StoreError) {
        guard field.type.isIndexable else {
            throw StoreError(
                .invalidQuery,
                "\(path) is a \(field.type.displayName), which one cannot \(purpose).",
                advice: "Use an attribute that has an order."
            )
        }
    }

    private static func check(_ query: AggregateQuery) throws(StoreError) {
        guard query.limit ?? 0 >= 0 else {
            throw StoreError(.invalidQuery, "A limit is negative.", advice: "Use zero or more.")
        }
        for key in query.groupOrder {
            let isThere =
                switch key.subject {
                case .key(let index): query.keys.indices.contains(index)
                case .aggregate(let index): query.aggregates.indices.contains(index)
                }
            guard isThere else {
                throw StoreError(
                    .invalidQuery,
                    "The order of the groups names a key or a figure that the query does not have.",
                    advice: "Name one by its place in the query, from 0."
                )
            }
        }
    }

    /// The groups in the wanted order. Without keys there is one group, even when no row matches.
    func groups() throws -> [AggregateGroup] {
        if keys.isEmpty, query.aggregates.allSatisfy({ $0 == .count }) {
            let count = try executor.count()
            return ordered([
                AggregateGroup(keys: [], values: query.aggregates.map { _ in .int(count) })
            ])
        }
        if let values = try extremes() { return [AggregateGroup(keys: [], values: values)] }
        let accumulators = try figures.map { try Self.accumulator($0.aggregate, $0.field) }
        let names = try gather(accumulators)
        var groups: [AggregateGroup] = []
        for (group, keys) in names.enumerated() {
            groups.append(
                AggregateGroup(
                    keys: keys,
                    values: try accumulators.map { try $0.value(of: group) }
                )
            )
        }
        return ordered(groups)
    }

    /// The least and greatest values: the first ones from the ends of their indexes. Nil where an index does not have
    /// the order of each, or other figures are asked for as well.
    private func extremes() throws -> [Value]? {
        if isCut || !keys.isEmpty { return nil }
        var values: [Value] = []
        for (field, aggregate) in figures {
            let (path, isLeast): (FieldPath, Bool)
            switch aggregate {
            case .min(let least): (path, isLeast) = (least, true)
            case .max(let greatest): (path, isLeast) = (greatest, false)
            default: return nil
            }
            guard let field else { return nil }
            var rows = query.rows
            rows.sort = [SortKey(path, descending: !isLeast, nils: .last)]
            rows.limit = 1
            let ordered = try QueryExecutor(rows, needs: needs, in: executor.workspace, samples)
            guard case .asFound = ordered.plan.order else { return nil }
            let extreme = ExtremeAccumulator(field.type, least: isLeast)
            extreme.addGroup()
            try ordered.forEach { hit in
                guard let bytes = try unsafe field.bytes(of: hit.subject, in: ordered.workspace) else { return true }
                unsafe extreme.add(bytes, to: 0)
                return true
            }
            values.append(try extreme.value(of: 0))
        }
        return values
    }

    /// Takes all rows in. Returns the keys of each group.
    private func gather(_ accumulators: [Accumulator]) throws -> [[Value]] {
        let grouping = Grouping(keys)
        let workspace = executor.workspace
        if keys.isEmpty {
            for accumulator in accumulators { accumulator.addGroup() }
        }
        try executor.forEach { hit in
            let subject = hit.subject
            let (group, isNew) = try grouping.group(of: subject, in: workspace)
            if isNew {
                for accumulator in accumulators { accumulator.addGroup() }
            }
            for (index, accumulator) in accumulators.enumerated() {
                if let field = figures[index].field {
                    if let bytes = try unsafe field.bytes(of: subject, in: workspace) {
                        try unsafe accumulator.add(bytes, to: group)
                    }
                } else {
                    try unsafe accumulator.add(
                        UnsafeRawBufferPointer(start: nil, count: 0),
                        to: group
                    )
                }
            }
            return true
        }
        return try grouping.keys()
    }

    private static func accumulator(
        _ aggregate: Aggregate,
        _ field: CompiledField?
    ) throws(StoreError) -> Accumulator {
        guard let field else { return CountAccumulator() }
        switch aggregate {
        case .count, .countOf: return CountAccumulator()
        case .countDistinct: return DistinctAccumulator(field.type)
        case .min: return ExtremeAccumulator(field.type, least: true)
        case .max: return ExtremeAccumulator(field.type, least: false)
        case .sum(let path): return try sum(path, field.type, isAverage: false)
        case .average(let path): return try sum(path, field.type, isAverage: true)
        }
    }

    private static func sum(
        _ path: FieldPath,
        _ type: ValueType,
        isAverage: Bool
    ) throws(StoreError) -> Accumulator {
        switch type {
        case .int: return IntSumAccumulator(path, isAverage: isAverage)
        case .double, .float: return DoubleSumAccumulator(isAverage: isAverage)
        case .decimal: return DecimalSumAccumulator(isAverage: isAverage)
        default:
            throw StoreError(
                .invalidQuery,
                "\(path) is a \(type.displayName), which cannot be added up.",
                advice: "Sums and averages are made of numbers; ask for count, min or max."
            )
        }
    }

    private func ordered(_ groups: [AggregateGroup]) -> [AggregateGroup] {
        let sorted = groups.sorted { left, right in
            for key in query.groupOrder {
                let order =
                    switch key.subject {
                    case .key(let index): Value.compare(left.keys[index], right.keys[index])
                    case .aggregate(let index):
                        Value.compare(left.values[index], right.values[index])
                    }
                if order != 0 { return key.isDescending ? order > 0 : order < 0 }
            }
            for (a, b) in zip(left.keys, right.keys) {
                let order = Value.compare(a, b)
                if order != 0 { return order < 0 }
            }
            return false
        }
        return Array(sorted.prefix(query.limit ?? .max))
    }
}

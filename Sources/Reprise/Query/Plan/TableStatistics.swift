internal import RepriseLMDB

/// Answers the planner from the tables.
final class TableStatistics: QueryStatistics {
    private let workspace: Workspace
    private let model: CompiledModel
    /// The query's conditions; nil for those that look beyond the row, which are not tried on the sample.
    private let conditions: [FilterNode?]
    /// The share that a condition is taken to leave which is not tried.
    private let guesses: [Double]
    private let samples: RowSamples
    private var known: [Set<Int>: Double] = [:]

    init(
        _ model: CompiledModel,
        conditions: [FilterNode?],
        guesses: [Double],
        samples: RowSamples,
        in workspace: Workspace
    ) {
        self.model = model
        self.conditions = conditions
        self.guesses = guesses
        self.samples = samples
        self.workspace = workspace
    }

    var rowCount: Int { workspace.counts[Int(model.number) - 1] }

    func entryCount(in span: IndexSpan, upTo limit: Int) throws -> Int {
        var count = 0
        var cursor = try workspace.base.cursor(workspace.tables.index)
        for range in span.ranges {
            var isThere = try unsafe range.lower.withUnsafeBytes {
                try unsafe cursor.seek(atOrAfter: $0)
            }
            while isThere, unsafe cursor.key.isBefore(range.upper) {
                count += 1
                if count > limit { return count }
                isThere = try cursor.next()
            }
        }
        return count
    }

    func rowCount(in list: RowList, upTo limit: Int) throws -> Int {
        var count = 0
        try unsafe list.forEachRow(in: workspace, checksEntries: false) { _ in
            count += 1
            return count < limit
        }
        return count
    }

    func identifiers(
        of model: UInt16,
        fulfilling condition: FilterExpression,
        upTo limit: Int,
        cheaperThan costMax: Double
    ) throws -> [[UInt8]]? {
        let executor = try QueryExecutor(
            RecordQuery(model: workspace.schema.model(model).name, filter: condition, limit: limit + 1),
            needs: .slots([]),
            isOrderWanted: false,
            in: workspace,
            samples
        )
        guard executor.plan.cost < costMax else { return nil }
        var ids: [[UInt8]] = []
        try executor.forEach { hit in
            ids.append(unsafe [UInt8](hit.id))
            return true
        }
        return ids.count <= limit ? ids : nil
    }

    func share(of places: Set<Int>) throws -> Double {
        if let share = known[places] { return share }
        let sample = try samples.sample(of: model, in: workspace)
        let tried = places.compactMap { conditions[$0] }
        var matches = 0
        for row in sample.rows where try row.fulfils(tried, model, in: workspace) { matches += 1 }
        // Half a row where none was found: the share is small, but not nothing.
        var share = sample.rows.isEmpty ? 1 : max(0.5, Double(matches)) / Double(sample.rows.count)
        for place in places where conditions[place] == nil { share *= guesses[place] }
        known[places] = share
        return share
    }
}

extension RowSample.Row {
    fileprivate func fulfils(
        _ conditions: [FilterNode],
        _ model: CompiledModel,
        in workspace: Workspace
    ) throws -> Bool {
        try unsafe id.withUnsafeBytes { id in
            try unsafe payload.withUnsafeBytes { payload in
                let subject = unsafe FilterSubject(
                    id: id,
                    payload: try RowPayload(trusting: payload, model.defaults)
                )
                for condition in conditions
                where try !condition.matches(subject, in: workspace) { return false }
                return true
            }
        }
    }
}

extension UnsafeRawBufferPointer {
    /// Whether these bytes come before others.
    @inline(__always)
    func isBefore(_ bytes: [UInt8]) -> Bool {
        unsafe bytes.withUnsafeBytes { unsafe order(against: $0) < 0 }
    }

    @inline(__always)
    func isBefore(_ bytes: UnsafeRawBufferPointer) -> Bool {
        unsafe order(against: bytes) < 0
    }
}

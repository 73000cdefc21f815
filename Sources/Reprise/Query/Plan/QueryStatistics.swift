/// What the planner asks of the data.
protocol QueryStatistics {
    /// How many rows the model has.
    var rowCount: Int { get }

    /// How many entries the stretches of an index have, counted up to `limit`: more are `limit + 1`.
    func entryCount(in span: IndexSpan, upTo limit: Int) throws -> Int

    /// The share of rows that fulfil all of these conditions, estimated: above 0, at most 1.
    func share(of conditions: Set<Int>) throws -> Double
}

/// What the planner asks of the data.
protocol QueryStatistics {
    /// How many rows the model has.
    var rowCount: Int { get }

    /// How many entries the stretches of an index have, counted up to `limit`: more are `limit + 1`.
    func entryCount(in span: IndexSpan, upTo limit: Int) throws -> Int

    /// How many rows a list leads to, counted up to `limit`; one that it has several times counts as often.
    func rowCount(in list: RowList, upTo limit: Int) throws -> Int

    /// The identifiers of the rows of another model that fulfil a condition; nil where they are more than `limit`, or
    /// where finding them costs more than `costMax`.
    func identifiers(
        of model: UInt16,
        fulfilling condition: FilterExpression,
        upTo limit: Int,
        cheaperThan costMax: Double
    ) throws -> [[UInt8]]?

    /// The share of rows that fulfil all of these conditions, estimated: above 0, at most 1.
    func share(of conditions: Set<Int>) throws -> Double
}

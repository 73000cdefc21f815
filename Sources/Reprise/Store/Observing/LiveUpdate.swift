/// A result of an observed query, with what changed since the last one that was handed over.
public struct LiveUpdate<Item: Sendable>: Sendable {
    /// All results, in the order of the query.
    public let results: [Item]
    /// What leads from the results before to these. The first time everything is inserted.
    public let difference: LiveDifference
    /// The position whose state this is.
    public let position: Position
}

/// The results of a typed query, again and again.
public typealias LiveResults<M: Model> = LiveSequence<LiveUpdate<M>>

/// The results of a query by names, again and again.
public typealias LiveRecords = LiveSequence<LiveUpdate<Record>>

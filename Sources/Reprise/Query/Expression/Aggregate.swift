/// A figure over many rows, computed from the rows' bytes without making models of them.
///
/// Rows without a value count in ``count`` only. A `sum` of integers is an integer, and `invalidQuery` when it does not
/// fit 64 bits; of doubles and floats it is the double nearest to the exact sum, whatever the order of the rows; of
/// decimals a decimal. An `average` is a double, of decimals a decimal. A `sum` over no value is 0, `average`, `min`
/// and
/// `max` are then ``Value/null``.
public enum Aggregate: Sendable, Hashable {
    /// How many rows.
    case count
    /// How many rows have a value.
    case countOf(FieldPath)
    /// How many different values there are, nil not counted.
    case countDistinct(FieldPath)
    /// The sum of the values.
    case sum(FieldPath)
    /// The average of the values.
    case average(FieldPath)
    /// The least value.
    case min(FieldPath)
    /// The greatest value.
    case max(FieldPath)

    /// What it is computed from; nil for ``count``.
    var path: FieldPath? {
        switch self {
        case .count: nil
        case .countOf(let path), .countDistinct(let path), .sum(let path), .average(let path),
            .min(let path), .max(let path):
            path
        }
    }
}

/// Aggregates over the rows of a query, one set for each group.
public struct AggregateQuery: Sendable, Hashable {
    /// Which rows, limit and offset applied. Without these its order means nothing.
    public var rows: RecordQuery
    /// What rows of one group have in common; without keys all rows are one group.
    public var keys: [FieldPath]
    /// The figures, in the order in which results have them.
    public var aggregates: [Aggregate]
    /// What the groups are sorted by; without it by their keys, ascending, nil first. Ties are broken by the keys.
    public var groupOrder: [GroupSortKey]
    /// At most this many groups; nil is all.
    public var limit: Int?

    /// Makes a query. A name that the schema does not have is found when the query runs.
    ///
    /// - Parameters:
    ///   - rows: which rows.
    ///   - keys: what rows of one group have in common.
    ///   - aggregates: the figures.
    ///   - groupOrder: what the groups are sorted by.
    ///   - limit: at most this many groups; nil is all.
    public init(
        _ rows: RecordQuery,
        by keys: [FieldPath] = [],
        _ aggregates: [Aggregate],
        order groupOrder: [GroupSortKey] = [],
        limit: Int? = nil
    ) {
        self.rows = rows
        self.keys = keys
        self.aggregates = aggregates
        self.groupOrder = groupOrder
        self.limit = limit
    }
}

/// One key to sort groups by.
public struct GroupSortKey: Sendable, Hashable {
    /// What of a group is looked at.
    public enum Subject: Sendable, Hashable {
        /// The key of this index in ``AggregateQuery/keys``.
        case key(Int)
        /// The figure of this index in ``AggregateQuery/aggregates``.
        case aggregate(Int)
    }

    /// What of a group is looked at.
    public var subject: Subject
    /// Whether the largest value comes first.
    public var isDescending: Bool

    /// Makes a key.
    public init(_ subject: Subject, descending: Bool = false) {
        self.subject = subject
        isDescending = descending
    }
}

/// The rows that have the same values in the keys of a query, and figures over them.
public struct AggregateGroup: Sendable, Hashable {
    /// The values of the keys.
    public let keys: [Value]
    /// The figures, in the order in which they were asked for.
    public let values: [Value]

    /// Makes a group, as for a test.
    public init(keys: [Value], values: [Value]) {
        self.keys = keys
        self.values = values
    }
}

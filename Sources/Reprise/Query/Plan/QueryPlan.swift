/// How a query gets at its rows.
enum AccessPath {
    /// No row can fulfil the filter.
    case nothing
    /// Single rows by their identifiers, ascending.
    case identifiers([[UInt8]])
    /// A stretch of the table of rows, in the order of identifiers.
    case scan(KeyRange)
    /// Stretches of an index, as they lie there.
    case index(IndexSpan)
    /// An index walked for its order. The stretches stand in the order in which they are walked.
    case ordered(IndexSpan, isDescending: Bool)
    /// The rows that a search finds in its index, in the order of identifiers.
    case search(SearchCondition)
    /// The members of the list that the query asks for, in its order, those of the overlay among them.
    case members(ListPlace)
    /// The rows that one of several lists leads to, each once, in the order of identifiers.
    case lists([RowList])
    /// The rows that are found in each of several indexes.
    case intersection([IndexSpan])
    /// The rows that are found in one of several stretches, each row once.
    case union([IndexSpan])
}

/// A query's way to its results: a value that says what will be done, before anything is read.
struct QueryPlan {
    /// How rows come by the wanted order.
    enum Order {
        /// They are found in it.
        case asFound
        /// All matches are gathered and sorted.
        case sorted
        /// The best so many are kept while the matches go by.
        case best(Int)
    }

    var access: AccessPath
    var order: Order
    /// The conditions that have to be asked of each row, by their place among the query's.
    var residual: [Int]
    /// Whether the index says all that is asked, so that rows need not be looked up.
    var isCovering: Bool
    /// How many rows or entries will be looked at, and how many rows of them will pass.
    var estimatedVisits: Int
    var estimatedMatches: Int
    /// What it is thought to cost, in nanoseconds of a machine that nobody has; only the ratio between plans counts.
    var cost: Double
}

/// What the planner must know of the query.
struct PlanQuestion {
    /// What is wanted of each row.
    enum Needs {
        /// The whole row.
        case row
        /// These slots; an index that has them will do.
        case slots(Set<Int>)
    }

    let model: CompiledModel
    /// What is joined by "and".
    let conditions: [FilterExpression]
    /// The slots that each condition looks at; nil where an index cannot stand in for the row.
    let conditionSlots: [Set<Int>?]
    let sort: [PlanSortKey]
    /// Offset and limit together; nil is all.
    let wantedCount: Int?
    let needs: Needs
    /// Where the results begin, when not at the front.
    let cursor: QueryCursor?
    /// Whether the order of the results matters: it does not for a count.
    let isOrderWanted: Bool
    /// The list whose members are asked for.
    let list: ListPlace?
}

/// One sort key as the planner sees it.
struct PlanSortKey {
    /// The slot, for a field of the row itself.
    let slot: Int?
    let isDescending: Bool
    let hasNilFirst: Bool
    let path: FieldPath
}

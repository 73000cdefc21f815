/// A query by stored names, for tools that know a store only from its own schema.
public struct RecordQuery: Sendable, Hashable {
    /// The model's stored name.
    public var model: String
    /// The list whose members are asked for, each as often as it stands there; nil asks for all rows of the model.
    public var list: ListReference?
    /// The condition that results fulfil; nil for none.
    public var filter: FilterExpression?
    /// Without keys the order is that of the list, or of the identifiers' bytes where there is no list.
    public var sort: [SortKey]
    /// At most this many; nil is all.
    public var limit: Int?
    /// How many of the first results are left out.
    public var offset: Int
    /// Only what comes after this place in the order; see ``QueryCursor``.
    public var after: QueryCursor?

    /// Makes a query.
    public init(
        model: String,
        list: ListReference? = nil,
        filter: FilterExpression? = nil,
        sort: [SortKey] = [],
        limit: Int? = nil,
        offset: Int = 0,
        after: QueryCursor? = nil
    ) {
        self.model = model
        self.list = list
        self.filter = filter
        self.sort = sort
        self.limit = limit
        self.offset = offset
        self.after = after
    }
}

/// A to-many relationship of one entity, by stored names.
public struct ListReference: Sendable, Hashable {
    /// The entity that has the relationship.
    public var owner: EntityReference
    /// The stored name of the relationship.
    public var relationship: String

    /// Names a list. Whether the schema has it is seen when it is used.
    public init(_ relationship: String, of owner: EntityReference) {
        self.owner = owner
        self.relationship = relationship
    }
}

/// A place in the results of a query: the sort keys of one row and its identifier.
///
/// The page after it begins with the first row that comes later in the order, whatever was inserted or deleted since.
/// Unlike an offset it costs the same for the first page as for the thousandth, where an index has the order.
///
/// In a list an entity can stand several times, so there the place is a count: the next page begins behind as many
/// members, and costs as much as these.
///
/// ```swift
/// var query = FetchDescriptor<Note>().sorted(by: \.title).limit(50)
/// while true {
///     let page = try store.fetchPage(query)
///     show(page.models)
///     guard let next = page.next else { break }
///     query = query.after(next)
/// }
/// ```
public struct QueryCursor: Sendable, Hashable {
    /// The values of the sort keys, in their order; ``Value/null`` where the row had none.
    public let values: [Value]
    /// The identifier of the row; it decides where sort keys are equal.
    public let id: String

    /// Makes a place, as from one that a program has kept in a form of its own.
    public init(values: [Value], id: String) {
        self.values = values
        self.id = id
    }
}

extension QueryCursor {
    /// A place in a list: behind so many members.
    init(countInList count: Int) { self.init(values: [.int(count)], id: "") }

    /// How many members of a list come before it; nil where it is no place in a list.
    fileprivate var countInList: Int? {
        guard id.isEmpty, values.count == 1, case .int(let count) = values[0], count >= 0 else { return nil }
        return count
    }
}

extension RecordQuery {
    /// The same query, with an offset for a place in a list.
    ///
    /// - Throws: `invalidQuery` for a place of a query without a list, and for one in a list where there is none.
    func countingInList() throws(StoreError) -> RecordQuery {
        guard let after else { return self }
        guard list != nil else {
            guard after.countInList != nil else { return self }
            throw StoreError(
                .invalidQuery,
                "This is a place in a list, and the query asks for no list.",
                advice: "Go on from a place that a page of the same query has given."
            )
        }
        guard let count = after.countInList else {
            throw StoreError(
                .invalidQuery,
                "This is no place in a list.",
                advice: "Go on from a place that a page of the same list has given."
            )
        }
        var query = self
        (query.after, query.offset) = (nil, offset.addingSaturated(count))
        return query
    }
}

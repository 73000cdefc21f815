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

/// A query for models of one type, as a value: it can be kept, passed on and refined.
///
/// ```swift
/// let long = FetchDescriptor<Note>()
///     .where { $0.topic == "Travel" && $0.length > 200 }
///     .sorted(by: \.title)
///     .limit(50)
/// let notes = try store.fetch(long)
/// ```
public struct FetchDescriptor<M: Model>: Sendable {
    public var filter: Filter<M>?
    /// Without keys the order is that of the identifiers' bytes.
    public var sort: [SortKey]
    /// At most this many; nil is all.
    public var limit: Int?
    /// How many of the first results are left out.
    public var offset: Int

    public init(filter: Filter<M>? = nil, sort: [SortKey] = [], limit: Int? = nil, offset: Int = 0)
    {
        self.filter = filter
        self.sort = sort
        self.limit = limit
        self.offset = offset
    }

    /// Which way to sort.
    public enum Order: Sendable {
        case ascending, descending
    }

    /// The same with a further condition, which must hold as well.
    public func `where`(_ build: (Fields<M>) -> Filter<M>) -> FetchDescriptor {
        var copy = self
        let more = Filter(build)
        copy.filter = filter.map { $0 && more } ?? more
        return copy
    }

    /// The same with a further sort key of lower rank.
    public func sorted<V>(by property: KeyPath<M, V>, _ order: Order = .ascending)
        -> FetchDescriptor
    {
        var copy = self
        copy.sort.append(SortKey([M.storedName(of: property)], descending: order == .descending))
        return copy
    }

    public func limit(_ count: Int) -> FetchDescriptor {
        var copy = self
        copy.limit = count
        return copy
    }

    public func offset(_ count: Int) -> FetchDescriptor {
        var copy = self
        copy.offset = count
        return copy
    }

    @usableFromInline var query: RecordQuery {
        RecordQuery(
            model: M.schema.name,
            filter: filter?.expression,
            sort: sort,
            limit: limit,
            offset: offset
        )
    }
}

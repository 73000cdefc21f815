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
    /// The list whose members are asked for; nil asks for all entities of the model.
    public var list: ListReference?
    /// The condition that results fulfil; nil for none.
    public var filter: Filter<M>?
    /// Without keys the order is that of the list, or of the identifiers' bytes where there is no list.
    public var sort: [SortKey]
    /// At most this many; nil is all.
    public var limit: Int?
    /// How many of the first results are left out.
    public var offset: Int
    /// Only what comes after this place in the order.
    public var after: QueryCursor?

    /// Asks for all entities of the model that fulfil the condition.
    public init(
        filter: Filter<M>? = nil,
        sort: [SortKey] = [],
        limit: Int? = nil,
        offset: Int = 0,
        after: QueryCursor? = nil
    ) {
        self.filter = filter
        self.sort = sort
        self.limit = limit
        self.offset = offset
        self.after = after
    }

    /// Asks for the members of a to-many relationship, in its order, repeats kept. Filters, sort keys, offset and limit
    /// work as in other queries; a place to go on from (``after(_:)``) counts members (``QueryCursor``).
    ///
    /// ```swift
    /// let open = FetchDescriptor(Project.tasks, of: project.id).where { $0.isDone == false }
    /// for try await update in store.observe(open) { show(update.results) }
    /// ```
    ///
    /// - Parameters:
    ///   - relationship: an ordered relationship, or the derived side of one.
    ///   - owner: the entity that has it. One that does not exist has no members.
    public init<Owner>(_ relationship: Relationship<Owner, M>, of owner: Owner.ID) {
        self.init()
        list = ListReference(relationship.name, of: EntityReference(owner))
    }

    /// Which way to sort.
    public enum Order: Sendable {
        /// The smallest value first, nil before it.
        case ascending
        /// The largest value first, nil at the end.
        case descending
    }

    /// The same with a further condition, which must hold as well.
    public func `where`(_ build: (Fields<M>) -> Filter<M>) -> FetchDescriptor {
        `where`(Filter(build))
    }

    /// The same with a further condition, which must hold as well.
    public func `where`(_ more: Filter<M>) -> FetchDescriptor {
        var copy = self
        copy.filter = filter.map { $0 && more } ?? more
        return copy
    }

    /// The same with a further sort key of lower rank.
    ///
    /// - Parameters:
    ///   - property: what to sort by.
    ///   - order: which way.
    ///   - nils: where rows without a value stand; without it nil is the smallest value.
    public func sorted<V>(
        by property: KeyPath<M, V>,
        _ order: Order = .ascending,
        nils: NilPlacement? = nil
    ) -> FetchDescriptor {
        var copy = self
        copy.sort.append(
            SortKey(
                [M.storedName(of: property)],
                descending: order == .descending,
                nils: nils
            )
        )
        return copy
    }

    /// The same with a further sort key of lower rank: a field of what a to-one points to.
    ///
    /// ```swift
    /// FetchDescriptor<Note>().sorted { $0.folder.title }
    /// ```
    public func sorted<V>(
        _ order: Order = .ascending,
        nils: NilPlacement? = nil,
        by field: (Fields<M>) -> FieldExpression<M, V>
    ) -> FetchDescriptor {
        var copy = self
        copy.sort.append(
            SortKey(field(Fields()).path, descending: order == .descending, nils: nils)
        )
        return copy
    }

    /// The same with at most this many results. A negative number is `invalidQuery` when the query runs.
    public func limit(_ count: Int) -> FetchDescriptor {
        var copy = self
        copy.limit = count
        return copy
    }

    /// The same without the first results. A negative number is `invalidQuery` when the query runs.
    public func offset(_ count: Int) -> FetchDescriptor {
        var copy = self
        copy.offset = count
        return copy
    }

    /// The same from a place in the order on: the next page. The sort keys must be those that the cursor was made with.
    public func after(_ cursor: QueryCursor) -> FetchDescriptor {
        var copy = self
        copy.after = cursor
        // What was left out before the first page is behind.
        copy.offset = 0
        return copy
    }

    /// The same by stored names.
    public var query: RecordQuery {
        RecordQuery(
            model: M.schema.name,
            list: list,
            filter: filter?.expression,
            sort: sort,
            limit: limit,
            offset: offset,
            after: after
        )
    }
}

/// Questions about the present, each a read of its own. Several that belong together go into one ``Store/read(_:)``, so
/// that they see the same state.
extension Store {
    /// Whether the descriptor finds anything.
    public func exists<M: Model>(_ descriptor: FetchDescriptor<M>) throws -> Bool {
        try read { try $0.exists(descriptor) }
    }

    /// The identifiers of the results, in their order.
    public func fetchIDs<M: Model>(_ descriptor: FetchDescriptor<M>) throws -> [M.ID] {
        try read { try $0.fetchIDs(descriptor) }
    }

    /// One page of results, and where the next one begins.
    @inlinable
    public func fetchPage<M: Model>(_ descriptor: FetchDescriptor<M>) throws -> ResultPage<M> {
        try read { try $0.fetchPage(descriptor) }
    }

    /// Hands the results over one by one, all of one state. Do not write to the store in `body`.
    @inlinable
    public func forEach<M: Model>(
        _ descriptor: FetchDescriptor<M>,
        _ body: (M) throws -> Bool
    ) throws {
        try read { try $0.forEach(descriptor, body) }
    }

    /// The sum of a property; 0 over no value.
    public func sum<M: Model, V: SummableValue>(
        _ property: KeyPath<M, V>,
        of descriptor: FetchDescriptor<M> = FetchDescriptor()
    ) throws -> V.Sum {
        try read { try $0.sum(property, of: descriptor) }
    }

    /// The average of a property; nil over no value.
    public func average<M: Model, V: SummableValue>(
        _ property: KeyPath<M, V>,
        of descriptor: FetchDescriptor<M> = FetchDescriptor()
    ) throws -> V.Average {
        try read { try $0.average(property, of: descriptor) }
    }

    /// Figures for each value of a property, by ascending value, nil first.
    public func group<M: Model, Key: StoredValue, each Result: StoredValue>(
        _ descriptor: FetchDescriptor<M>,
        by property: KeyPath<M, Key>,
        _ aggregates: repeat AggregateExpression<M, each Result>
    ) throws -> [(Key, repeat each Result)] {
        try read { try $0.group(descriptor, by: property, repeat each aggregates) }
    }

    /// How a query is answered, and what that took.
    public func explain<M: Model>(
        _ descriptor: FetchDescriptor<M>,
        run: Bool = true
    ) throws -> QueryExplanation {
        try read { try $0.explain(descriptor, run: run) }
    }

    /// As the search of a transaction, on the state as it is now.
    public func search<M: Model>(
        _ type: M.Type = M.self,
        _ text: String,
        completing: Bool = false,
        limit: Int? = 50,
        where filter: ((Fields<M>) -> Filter<M>)? = nil
    ) throws -> [SearchHit<M>] {
        try read {
            try $0.search(type, text, completing: completing, limit: limit, where: filter)
        }
    }
}

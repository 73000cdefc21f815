/// Figures over the rows of the present, each a read of its own, computed where the rows lie. O(rows looked at).
///
/// Each throws ``StoreError`` as ``Store/read(_:)`` does, and what the function of the same name on a transaction
/// throws.
extension Store {
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

    /// The least value of a property; nil where there is none. Without a filter O(log n) where the property is
    /// indexed.
    public func min<M: Model, V: StoredValue>(
        _ property: KeyPath<M, V>,
        of descriptor: FetchDescriptor<M> = FetchDescriptor()
    ) throws -> V? {
        try read { try $0.min(property, of: descriptor) }
    }

    /// The least value of a property; nil where there is none. Without a filter O(log n) where the property is
    /// indexed.
    public func min<M: Model, V: StoredValue>(
        _ property: KeyPath<M, V?>,
        of descriptor: FetchDescriptor<M> = FetchDescriptor()
    ) throws -> V? {
        try read { try $0.min(property, of: descriptor) }
    }

    /// The greatest value of a property; nil where there is none. Without a filter O(log n) where the property is
    /// indexed.
    public func max<M: Model, V: StoredValue>(
        _ property: KeyPath<M, V>,
        of descriptor: FetchDescriptor<M> = FetchDescriptor()
    ) throws -> V? {
        try read { try $0.max(property, of: descriptor) }
    }

    /// The greatest value of a property; nil where there is none. Without a filter O(log n) where the property is
    /// indexed.
    public func max<M: Model, V: StoredValue>(
        _ property: KeyPath<M, V?>,
        of descriptor: FetchDescriptor<M> = FetchDescriptor()
    ) throws -> V? {
        try read { try $0.max(property, of: descriptor) }
    }

    /// The different values of a property, ascending, nil first.
    public func distinct<M: Model, V: StoredValue>(
        _ property: KeyPath<M, V>,
        of descriptor: FetchDescriptor<M> = FetchDescriptor()
    ) throws -> [V] {
        try read { try $0.distinct(property, of: descriptor) }
    }

    /// Several figures over the same rows, in one walk.
    public func aggregate<M: Model, each Result: StoredValue>(
        _ descriptor: FetchDescriptor<M>,
        _ aggregates: repeat AggregateExpression<M, each Result>
    ) throws -> (repeat each Result) {
        try read { try $0.aggregate(descriptor, repeat each aggregates) }
    }

    /// Figures for each value of a property, by ascending value, nil first.
    public func group<M: Model, Key: StoredValue, each Result: StoredValue>(
        _ descriptor: FetchDescriptor<M>,
        by property: KeyPath<M, Key>,
        _ aggregates: repeat AggregateExpression<M, each Result>
    ) throws -> [(Key, repeat each Result)] {
        try read { try $0.group(descriptor, by: property, repeat each aggregates) }
    }
}

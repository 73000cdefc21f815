/// Figures over rows, computed where the rows lie.
extension StateReading where Self: ~Copyable {
    /// Figures by stored names.
    ///
    /// - Returns: one group for each combination of keys that occurs; without keys one group, also when no row matches.
    /// - Throws: `unknownModel`, `invalidQuery` for a name that is not there, a type that has no such figure, and a
    /// sum of
    ///   integers beyond 64 bits.
    /// - Complexity: O(rows looked at); memory grows with the number of groups. Where only minima and maxima of indexed
    ///   attributes are asked for, without keys, O(log n) and what the filter leaves out on the way.
    public func groups(_ query: AggregateQuery) throws -> [AggregateGroup] {
        try access.run {
            try access.synchronize?()
            return try GroupedRun(query, in: access).groups()
        }
    }

    /// Figures for each value of a property. A raw value that the enum does not have is a group of its own, whose key
    /// is what is declared with `unknown:`.
    ///
    /// ```swift
    /// for (topic, count, length) in try transaction.group(
    ///     FetchDescriptor<Note>(), by: \.topic, .count, .sum(\.length)) { … }
    /// ```
    ///
    /// - Returns: the value and its figures, by ascending value, nil first.
    /// - Throws: as ``groups(_:)``.
    public func group<M: Model, Key: StoredValue, each Result: StoredValue>(
        _ descriptor: FetchDescriptor<M>,
        by property: KeyPath<M, Key>,
        _ aggregates: repeat AggregateExpression<M, each Result>
    ) throws -> [(Key, repeat each Result)] {
        var wanted: [Aggregate] = []
        repeat wanted.append((each aggregates).aggregate)
        let path: FieldPath = [M.storedName(of: property)]
        let groups = try groups(AggregateQuery(descriptor.query, by: [path], wanted))
        let field = M.field(of: property)
        return try access.run {
            try groups.map { group in
                var values = group.values.makeIterator()
                return (
                    try Key.make(from: group.keys[0], of: field),
                    repeat try (each Result).make(from: values.next() ?? .null)
                )
            }
        }
    }

    /// Several figures over the same rows, in one walk.
    ///
    /// ```swift
    /// let (count, longest) = try transaction.aggregate(notes, .count, .max(\.length))
    /// ```
    ///
    /// - Throws: as ``groups(_:)``.
    public func aggregate<M: Model, each Result: StoredValue>(
        _ descriptor: FetchDescriptor<M>,
        _ aggregates: repeat AggregateExpression<M, each Result>
    ) throws -> (repeat each Result) {
        var wanted: [Aggregate] = []
        repeat wanted.append((each aggregates).aggregate)
        let groups = try groups(AggregateQuery(descriptor.query, wanted))
        return try access.run {
            var values = (groups.first?.values ?? []).makeIterator()
            return (repeat try (each Result).make(from: values.next() ?? .null))
        }
    }

    /// The sum of a property; 0 over no value. Of doubles it is the double nearest to the exact sum.
    public func sum<M: Model, V: SummableValue>(
        _ property: KeyPath<M, V>,
        of descriptor: FetchDescriptor<M> = FetchDescriptor()
    ) throws -> V.Sum {
        try aggregate(descriptor, .sum(property))
    }

    /// The average of a property; nil over no value.
    public func average<M: Model, V: SummableValue>(
        _ property: KeyPath<M, V>,
        of descriptor: FetchDescriptor<M> = FetchDescriptor()
    ) throws -> V.Average {
        try aggregate(descriptor, .average(property))
    }

    /// The least value of a property; nil where there is none. Without a filter O(log n) where the property is
    /// indexed.
    public func min<M: Model, V: StoredValue>(
        _ property: KeyPath<M, V>,
        of descriptor: FetchDescriptor<M> = FetchDescriptor()
    ) throws -> V? {
        try aggregate(descriptor, AggregateExpression<M, V?>.min(property))
    }

    /// The least value of a property; nil where there is none. Without a filter O(log n) where the property is
    /// indexed.
    public func min<M: Model, V: StoredValue>(
        _ property: KeyPath<M, V?>,
        of descriptor: FetchDescriptor<M> = FetchDescriptor()
    ) throws -> V? {
        try aggregate(descriptor, AggregateExpression<M, V?>.min(property))
    }

    /// The greatest value of a property; nil where there is none. Without a filter O(log n) where the property is
    /// indexed.
    public func max<M: Model, V: StoredValue>(
        _ property: KeyPath<M, V>,
        of descriptor: FetchDescriptor<M> = FetchDescriptor()
    ) throws -> V? {
        try aggregate(descriptor, AggregateExpression<M, V?>.max(property))
    }

    /// The greatest value of a property; nil where there is none. Without a filter O(log n) where the property is
    /// indexed.
    public func max<M: Model, V: StoredValue>(
        _ property: KeyPath<M, V?>,
        of descriptor: FetchDescriptor<M> = FetchDescriptor()
    ) throws -> V? {
        try aggregate(descriptor, AggregateExpression<M, V?>.max(property))
    }

    /// The different values of a property, ascending, nil first. What is declared with `unknown:` stands for each raw
    /// value that the enum does not have.
    public func distinct<M: Model, V: StoredValue>(
        _ property: KeyPath<M, V>,
        of descriptor: FetchDescriptor<M> = FetchDescriptor()
    ) throws -> [V] {
        let path: FieldPath = [M.storedName(of: property)]
        let groups = try groups(AggregateQuery(descriptor.query, by: [path], []))
        let field = M.field(of: property)
        return try access.run { try groups.map { try V.make(from: $0.keys[0], of: field) } }
    }
}

extension StateReading where Self: ~Copyable {
    /// How a query is answered.
    ///
    /// - Parameters:
    ///   - descriptor: the query.
    ///   - run: whether to run it too, so that the estimates can be compared with what there was. The results are
    ///     thrown away.
    public func explain<M: Model>(
        _ descriptor: FetchDescriptor<M>,
        run: Bool = true
    ) throws -> QueryExplanation {
        try explain(descriptor.query, run: run)
    }

    /// How a query by names is answered.
    public func explain(_ query: RecordQuery, run: Bool = true) throws -> QueryExplanation {
        try access.run {
            try access.synchronize?()
            let executor = try QueryExecutor(query, in: access)
            if run { try executor.forEach { _ in true } }
            return executor.explanation(afterRun: run)
        }
    }
}

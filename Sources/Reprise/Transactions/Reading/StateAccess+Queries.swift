extension QueryExecutor {
    /// On the state of a transaction.
    convenience init(
        _ query: RecordQuery,
        needs: PlanQuestion.Needs = .row,
        isOrderWanted: Bool = true,
        in access: StateAccess
    ) throws {
        try self.init(
            query,
            needs: needs,
            isOrderWanted: isOrderWanted,
            in: access.workspace,
            access.shared.samples
        )
    }
}

extension GroupedRun {
    /// On the state of a transaction.
    init(_ query: AggregateQuery, in access: StateAccess) throws {
        try self.init(query, in: access.workspace, access.shared.samples)
    }
}

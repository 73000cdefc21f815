extension Store {
    /// What opening the store at `path` with a declaration would do to its schema, without doing it (STO-87).
    ///
    /// The store is opened for reading only and nothing of it is changed. Rows are counted and not looked at: that two
    /// of them forbid a unique index, or that one has no value for an attribute that becomes required, is found when
    /// the change is made, which then throws `uniqueViolation` or `invalidValue` and changes nothing.
    ///
    /// - Parameters:
    ///   - schema: the models of the program.
    ///   - path: the directory of a store that exists, and that this process does not have open.
    ///   - configuration: how the store is opened; `readOnly` makes no difference.
    /// - Throws: ``StoreError`` as ``open(existing:configuration:)`` for a store that is only read. A declaration that
    ///   would be refused is a plan with ``SchemaPlan/refusals``, and no error.
    /// - Complexity: O(size of the schemas · declarations), whatever the number of rows.
    public static func plan(
        _ schema: Schema,
        at path: String,
        configuration: Configuration = Configuration()
    ) throws -> SchemaPlan {
        var configuration = configuration
        configuration.readOnly = true
        let store = try open(existing: path, configuration: configuration)
        defer { store.close() }
        return try store.read { transaction in
            SchemaPlan(
                of: schema,
                after: try SchemaHistory(of: transaction.state, transaction.access.workspace.base, store.tables),
                rowCounts: Dictionary(uniqueKeysWithValues: transaction.counts.map { ($0.model, $0.count) })
            )
        }
    }

    /// The declaration that was in force at a point; ``SchemaDeclaration/none`` before the first.
    ///
    /// - Throws: `unknownPosition`, `unknownSnapshot`.
    package func schemaDeclaration(asOf point: Point) throws -> SchemaDeclaration {
        let position = try resolve(point)
        return try read { transaction in
            try transaction.schemaDeclarations().last { $0.position <= position } ?? .none
        }
    }
}

/// What all transactions of a store share.
final class StoreShared: Sendable {
    let tables: StoreTables
    /// How Swift types meet the schema.
    let bindings = ModelBindings()
    /// What the planner of queries knows of the rows.
    let samples = RowSamples()

    init(_ tables: StoreTables) {
        self.tables = tables
    }
}

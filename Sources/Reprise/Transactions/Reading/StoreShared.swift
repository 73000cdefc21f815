/// What all transactions of a store share.
final class StoreShared: Sendable {
    let tables: StoreTables
    /// How Swift types meet the schema.
    let bindings: ModelBindings
    /// What the planner of queries knows of the rows.
    let samples = RowSamples()
    /// The rows that lists leave out.
    let leftOut: UnreadableRows

    init(_ tables: StoreTables, _ leftOut: UnreadableRows) {
        self.tables = tables
        self.leftOut = leftOut
        bindings = ModelBindings()
    }

    /// For reads of a state that was built elsewhere, whose rows are others.
    init(beside store: StoreShared) {
        tables = store.tables
        leftOut = store.leftOut
        bindings = store.bindings
    }
}

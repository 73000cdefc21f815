internal import RepriseLMDB

/// The log of a store and the labels on it, for a workspace whose views lie in another environment.
struct Journal {
    /// Reads the store.
    let reader: TableReader
    /// The labels that serve.
    let labels: Table
}

extension Workspace {
    /// Reads the tables of the store, where the log is.
    var logBase: TableReader { journal?.reader ?? base }

    /// The labels on the log. Those of the present: snapshots, annotations and rollbacks are no part of a state.
    var labelScan: LabelScan { LabelScan(logBase, journal?.labels ?? tables.labels) }
}

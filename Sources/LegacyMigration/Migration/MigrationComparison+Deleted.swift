import Reprise

/// Rows that somebody has deleted in the store.
extension MigrationComparison {
    /// Notes a row that stays deleted, as somebody else has left it.
    ///
    /// - Parameter awaited: what makes it come back nevertheless, where one of them comes.
    func noteDeleted(
        _ row: MigrationPass.Row,
        _ lists: [ShapedRecord.List],
        unless awaited: [LateReference] = []
    ) throws(LegacyError) {
        hasCommon = true
        for given in lists { try noteGiven(given.list, of: row.reference) }
        for reference in awaited { try deletedUnless.append(reference) }
        guard !awaited.isEmpty else { return }
        try undecided.insert(row.reference)
        try pass.forgetSeen(row)
    }

    /// Now that all records have come: which rows that somebody has deleted come back. Only those that do not are
    /// among the undecided afterwards.
    func countDeleted() throws {
        try store.read { state in
            var next = 0
            while next < deletedUnless.count {
                let first = try deletedUnless.reference(at: next)
                var comesBack = false
                while next < deletedUnless.count {
                    let reference = try deletedUnless.reference(at: next)
                    guard reference.number == first.number else { break }
                    if try resolves(reference, in: state) { comesBack = true }
                    next += 1
                }
                if comesBack {
                    try undecided.remove(first.row.id, of: first.row.model)
                    try warnRestored(first.row)
                    try count(first.row, .absent)
                } else {
                    try pass.noteDeleted(first.row)
                }
            }
        }
    }

    func warnRestored(_ row: EntityReference) throws(LegacyError) {
        guard try pass.overwritten.insert(row) else { return }
        pass.warn(
            .localChangeOverwritten,
            "The \(row.model) \(LibraryReport.quoted(row.id)) was deleted here since the last migration; it would be"
                + " there again."
        )
    }
}

import Reprise

/// What an export lacks.
extension MigrationComparison {
    /// Counts the rows that would be deleted; where only one thing is asked, looks whether any can be.
    func countMissing() throws {
        if mayStop { return }
        let missing = try pass.missing(from: store)
        if missing.isEmpty { return }
        if mayBeUnrelated {
            try store.read { state in
                for index in 0..<missing.count {
                    let row = try missing.row(at: index)
                    guard let found = try state.revision(of: row) else { continue }
                    let isOfBefore = found.created.rawValue < pass.firstPosition
                    guard try isOfBefore || !wasMadeByRun(row, in: state) else { continue }
                    common.missingCounts[row.model, default: 0] += 1
                }
                if pass.firstPosition < .max { try countDeleted(in: state) }
            }
        }
        if stopsEarly || !hasFound {
            goesForSure = try store.read { try pass.canAnyGo(missing, in: $0) }
            guard goesForSure else { return try warnInUse(missing) { _ in true } }
            if stopsEarly { return pass.count(try missing.row(at: 0).model) { $0.deleted += 1 } }
        }
        try noteHeld()
        let left = try store.read { try pass.leaving(missing, in: $0) }
        leaving = try MissingRows(left, in: pass.memory)
        try noteDoubts(ofDeleting: left)
        for index in 0..<missing.count {
            let row = try missing.row(at: index)
            if try leaving.contains(row) { pass.count(row.model) { $0.deleted += 1 } }
        }
        try warnInUse(missing) { row in try !leaving.contains(row) }
    }

    /// Counts the rows of before that the migration which is to be taken up has deleted.
    private func countDeleted(in state: borrowing ReadTransaction) throws {
        for model in state.schema.models {
            try state.forEachDeletion(of: model.name) { row, position in
                if pass.isNoPartOfRun(position) { return true }
                if try !wasMadeByRun(row, in: state) { common.deletedCounts[model.name, default: 0] += 1 }
                return true
            }
        }
    }

    /// Whether a row was not there when the migration began which is to be taken up: what has been deleted and made
    /// again since is of before.
    ///
    /// - Complexity: O(log n) for each event of the row since then.
    private func wasMadeByRun(_ row: EntityReference, in state: borrowing ReadTransaction) throws -> Bool {
        var wasThere = false
        try state.forEachEvent(of: row) { event in
            if event.position.rawValue >= pass.firstPosition { return true }
            wasThere = event.type != "deleted"
            return false
        }
        return !wasThere
    }

    private func warnInUse(
        _ missing: RememberedRows,
        where isKept: (EntityReference) throws -> Bool
    ) throws {
        let known = try MissingRows(missing, in: pass.memory)
        try store.read { state in
            for index in 0..<missing.count {
                let row = try missing.row(at: index)
                if try isKept(row) { try pass.warnInUse(row, missing: known, in: state) }
            }
        }
    }
}

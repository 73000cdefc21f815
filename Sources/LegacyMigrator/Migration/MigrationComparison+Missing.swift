import LegacyRecords
import Reprise

/// What an export lacks.
extension MigrationComparison {
    /// Counts the rows that would be deleted; where only one thing is asked, looks whether any can be.
    func countMissing() throws {
        if mayStop { return }
        let missing = try pass.missing(from: store)
        if missing.isEmpty { return }
        try noteReplacement(byDeleting: missing)
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

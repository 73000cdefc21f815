import ExportFormats
import LegacyRecords
import Reprise

/// Rows that somebody has deleted in the store.
extension MigrationComparison {
    /// Notes a row that stays deleted, as somebody else has left it.
    func noteDeleted(
        _ row: MigrationPass.Row,
        _ record: ShapedRecord
    ) throws(LegacyError) {
        for given in record.lists { try noteGiven(given.list, of: row.reference) }
    }

    /// Notes a row that stays deleted unless one of those comes that its to-ones name.
    func noteUndecided(
        _ row: MigrationPass.Row,
        _ record: ShapedRecord
    ) throws(LegacyError) {
        try noteDeleted(row, record)
        try undecided.insert(row.reference)
        try pass.forget(row)
        try deletedUnless.append(record, row.reference, holder: nil)
    }

    /// Now that all records have come: which of the undecided come back. Only those that do not are among them
    /// afterwards.
    func compareDeleted() throws {
        guard !deletedUnless.isEmpty else { return }
        try store.read { state in
            var last = -1
            while let next = try deletedUnless.first(after: last) {
                last = next.number
                guard var row = try pass.row(next.record, isFirstTry: false, in: state) else {
                    continue
                }
                switch try pass.leaveLocalChanges(&row, isLast: false, in: state) {
                case .deletedUnless(let awaited):
                    // That it names itself brings nobody back.
                    let comesBack = try awaited.contains {
                        let target = EntityReference(model: $0.targetModel, id: $0.target)
                        return try target != row.reference && pass.hasSeen(target.model, target.id)
                    }
                    guard comesBack else {
                        _ = try pass.leaveLocalChanges(&row, isLast: true, in: state)
                        continue
                    }
                    try undecided.remove(row.id, of: row.shape.model)
                    try compare(row, next.record, in: state)
                case .deleted, .written: continue
                }
            }
        }
    }
}

import Reprise

/// Rows that the store would not take as it is now.
struct RefusedRows {
    /// A row that wants a unique value of another one.
    struct Unique {
        let row: EntityReference
        /// What it is to have; empty where too many rows are refused.
        var values: [Value?]
        /// To-ones that were left out of the values.
        let late: [LateReference]
        /// Nil where the row was counted by itself, and only a to-one of it is refused.
        let standing: MigrationPass.Standing?
        let error: StoreError
    }

    private(set) var unique: [Unique] = []
    /// Rows whose required to-ones have no target yet.
    var awaiting: [(row: EntityReference, targets: [LateReference])] = []

    mutating func addUnique(
        _ row: EntityReference,
        _ values: [Value?],
        _ late: [LateReference],
        _ standing: MigrationPass.Standing?,
        _ error: StoreError
    ) {
        let isKept = unique.count < MigrationWriter.postponedCountMax
        unique.append(
            Unique(
                row: row,
                values: isKept ? values : [],
                late: isKept ? late : [],
                standing: standing,
                error: error
            )
        )
    }
}

extension MigrationComparison {
    /// A unique value that is taken now may be free when the rows that have it have changed or gone. Where nothing else
    /// changes it stays taken, unless the rows that want it can change together (STO-48).
    func countUnique(in store: Store) throws {
        let unique = refused.unique
        if unique.isEmpty { return }
        let changesAnyway = hasFound
        let moving = changesAnyway ? [] : try store.read { try self.moving(unique, in: $0) }
        for refusal in unique {
            var isWritten = changesAnyway || moving.contains(refusal.row)
            if case .uniqueViolation(_, let holder)? = refusal.error.cause, moving.contains(holder)
            {
                isWritten = true
            }
            if !isWritten {
                warnRefused(refusal.row, .uniqueValueTaken, refusal.error.message)
            } else if let standing = refusal.standing {
                count(refusal.row, standing)
            } else {
                didFind(refusal.row)
            }
        }
    }

    /// Those of the rows that can be updated together.
    private func moving(
        _ unique: [RefusedRows.Unique],
        in state: borrowing ReadTransaction
    ) throws -> Set<EntityReference> {
        var rows: [RowValues] = []
        var places: [EntityReference: Int] = [:]
        for refusal in unique where !refusal.values.isEmpty {
            if case .absent? = refusal.standing { continue }
            var values = refusal.values
            for reference in refusal.late
            where try pass.resolves(reference.targetModel, reference.target, in: state) {
                values[reference.place] = .reference(reference.target)
            }
            let toOnes = pass.shape.classes[refusal.row.model]?.toOnes ?? []
            for toOne in toOnes where toOne.isPaired { values[toOne.place] = nil }
            guard let place = places[refusal.row] else {
                places[refusal.row] = rows.count
                rows.append(RowValues(refusal.row, values))
                continue
            }
            // A row and a to-one of it.
            let known = rows[place].values
            rows[place] = RowValues(refusal.row, zip(known, values).map { $1 ?? $0 })
        }
        let refusals = try state.refusals(together: rows)
        return Set(zip(rows, refusals).lazy.filter { $1 == nil }.map(\.0.reference))
    }
}

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
    /// Rows that are not there, and will not be.
    private var absent: Set<EntityReference> = []

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

    mutating func addAbsent(_ row: EntityReference) { absent.insert(row) }

    /// Whether a row is not there, and will not be.
    func isAbsent(_ row: EntityReference) -> Bool { absent.contains(row) }

    /// Finds out, when all records have come, which of the rows that are not there will not be.
    mutating func settle(of comparison: MigrationComparison, in store: Store) throws {
        guard unique.contains(where: \.isNew) else { return }
        let written = try comparison.written(of: unique, in: store)
        for refusal in unique where refusal.isNew && !written.contains(refusal.row) {
            absent.insert(refusal.row)
        }
    }
}

extension RefusedRows.Unique {
    fileprivate var isNew: Bool {
        if case .absent? = standing { true } else { false }
    }

    /// The row that has the value.
    fileprivate var holder: EntityReference? {
        if case .uniqueViolation(_, let holder)? = error.cause { holder } else { nil }
    }
}

extension MigrationComparison {
    /// A unique value that is taken now may be free when the row that has it has changed or gone; rows that want each
    /// other's can change together (STO-48).
    func countUnique(in store: Store) throws {
        let unique = refused.unique
        if unique.isEmpty || mayStop { return }
        let written = try written(of: unique, in: store)
        for refusal in unique {
            if !written.contains(refusal.row) {
                warnRefused(refusal.row, .uniqueValueTaken, refusal.error.message)
            } else if let standing = refusal.standing {
                try count(refusal.row, standing)
            } else {
                try didFind(refusal.row)
            }
        }
    }

    /// Those of the rows that find their values free in the end.
    fileprivate func written(
        of unique: [RefusedRows.Unique],
        in store: Store
    ) throws -> Set<EntityReference> {
        var written = try store.read { try moving(unique, in: $0) }
        // Of the others at least what is not refused changes.
        let refused = Set(unique.lazy.filter { $0.standing != nil }.map(\.row))
        var left = unique
        while true {
            let waiting = try left.filter { refusal in
                guard let holder = refusal.holder, !written.contains(refusal.row) else {
                    return false
                }
                let changes =
                    try different.contains(holder.id, of: holder.model)
                    || leaving.contains(holder)
                let isFree = written.contains(holder) || changes && !refused.contains(holder)
                if isFree { written.insert(refusal.row) }
                return !isFree
            }
            if waiting.count == left.count { return written }
            // In a chain each row waits for the one before it, or for the one after.
            left = waiting.reversed()
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

import Reprise

/// Rows that the store would not take as it is now: about seventy bytes each and the message of the store, where their
/// identifiers are sixteen upper-case hexadecimal digits; beyond a ``RecordMemory`` on disk.
final class RefusedRows {
    /// The rows that want unique values of others. One comes twice where a to-one of it is refused as well.
    private let rows: RememberedRows
    /// The rows that have the values.
    private let holders: RememberedRows
    private let standings: RememberedIdentifiers
    private let messages: RememberedIdentifiers
    /// What those of them that are there are to have.
    let wanted: PostponedRecords
    /// Those that were not counted by themselves.
    private let uncounted: RememberedKeys
    private var hasNew = false
    /// What rows wait for whose required to-ones have no target yet, that of each row one after the other.
    let awaited: LateReferences
    /// Rows that are not there, and will not be.
    private let absent: RememberedKeys

    init(in memory: RecordMemory) {
        rows = RememberedRows(in: memory)
        holders = RememberedRows(in: memory)
        standings = RememberedIdentifiers(in: memory)
        messages = RememberedIdentifiers(in: memory)
        wanted = PostponedRecords(PostponedRecords.bounds, in: memory)
        uncounted = RememberedKeys(in: memory)
        awaited = LateReferences(in: memory)
        absent = RememberedKeys(in: memory)
    }

    /// Notes a row that wants a unique value of another one.
    ///
    /// - Parameters:
    ///   - values: what it is to have.
    ///   - standing: nil where the row was counted by itself, and only a to-one of it is refused.
    func addUnique(
        _ row: EntityReference,
        _ values: ShapedRecord,
        _ standing: MigrationPass.Standing?,
        _ error: StoreError
    ) throws(LegacyError) {
        if case .absent? = standing {
            hasNew = true
        } else if let known = try wanted.waiting(at: values.number) {
            // A row and a to-one of it.
            let both = ShapedRecord(
                values.shape,
                number: values.number,
                values: zip(known.record.values, values.values).map { $1 ?? $0 },
                byteCount: known.record.byteCount
            )
            try wanted.replace(.init(record: both, row: row, holder: known.holder))
        } else {
            try wanted.append(values, row, holder: error.holder)
        }
        if standing != nil { try uncounted.insert(row) }
        try rows.append(row)
        try holders.append(error.holder ?? row)
        try standings.append(.number(Self.number(of: standing)))
        try messages.append(RecordKey(error.message))
    }

    /// How many rows want unique values of others.
    var uniqueCount: Int { rows.count }

    func row(at index: Int) throws(LegacyError) -> EntityReference { try rows.row(at: index) }

    func message(at index: Int) throws(LegacyError) -> String {
        try messages.key(at: index).text
    }

    /// The row that has the value that a row wants; nil where that is not known.
    func holder(at index: Int) throws(LegacyError) -> EntityReference? {
        let holder = try holders.row(at: index)
        return try holder == row(at: index) ? nil : holder
    }

    /// Whether a row that is refused was not counted by itself.
    func isUncounted(_ row: EntityReference) throws(LegacyError) -> Bool {
        try uncounted.contains(row)
    }

    func addAbsent(_ row: EntityReference) throws(LegacyError) {
        try absent.insert(row)
    }

    /// Whether a row is not there, and will not be.
    func isAbsent(_ row: EntityReference) throws(LegacyError) -> Bool {
        try absent.contains(row)
    }

    /// Finds out, when all records have come, which of the rows that are not there will not be.
    func settle(of comparison: MigrationComparison, in store: Store) throws {
        guard hasNew else { return }
        let written = try comparison.written(in: store)
        for index in 0..<uniqueCount {
            guard case .absent? = try standing(at: index) else { continue }
            let row = try row(at: index)
            if try !written.contains(row) { try absent.insert(row) }
        }
    }

    // MARK: Standings

    func standing(at index: Int) throws(LegacyError) -> MigrationPass.Standing? {
        switch try standings.number(at: index) {
        case 0: nil
        case 1: .absent
        case 2: .same
        case let number: .different(isChangedHere: number == 4)
        }
    }

    private static func number(of standing: MigrationPass.Standing?) -> UInt64 {
        switch standing {
        case nil: 0
        case .absent: 1
        case .same: 2
        case .different(let isChangedHere): isChangedHere ? 4 : 3
        }
    }
}

extension MigrationComparison {
    /// A unique value that is taken now may be free when the row that has it has changed or gone; rows that want each
    /// other's can change together (STO-48).
    func countUnique(in store: Store) throws {
        if refused.uniqueCount == 0 || mayStop { return }
        let written = try written(in: store)
        for index in 0..<refused.uniqueCount {
            let row = try refused.row(at: index)
            if try !written.contains(row) {
                warnRefused(row, .uniqueValueTaken, try refused.message(at: index))
            } else if let standing = try refused.standing(at: index) {
                try count(row, standing)
            } else {
                try didFind(row)
            }
        }
    }

    /// Those of the rows that find their values free in the end.
    func written(in store: Store) throws -> RememberedKeys {
        let written = RememberedKeys(in: pass.memory)
        try store.read { try insertMoving(into: written, in: $0) }
        try pass.memory.settle(refused.uniqueCount) { index in
            let row = try refused.row(at: index)
            guard let holder = try refused.holder(at: index), try !written.contains(row)
            else { return true }
            if try !written.contains(holder) {
                let changes =
                    try different.contains(holder.id, of: holder.model)
                    || leaving.contains(holder)
                // Of the others at least what is not refused changes.
                guard changes, try !refused.isUncounted(holder) else { return false }
            }
            try written.insert(row)
            return true
        }
        return written
    }

    /// Adds those of the rows that can be updated together.
    private func insertMoving(
        into written: RememberedKeys,
        in state: borrowing ReadTransaction
    ) throws {
        try WaitingChains(refused.wanted, in: pass.memory).forEachGroup { group in
            var rows: [RowValues] = []
            for waiting in group {
                var values = waiting.record.values
                for toOne in waiting.record.shape.toOnes {
                    guard case .reference(let target)? = values[toOne.place] else { continue }
                    if try !toOne.isPaired && pass.resolves(toOne.target, target, in: state) {
                        continue
                    }
                    values[toOne.place] = nil
                }
                rows.append(RowValues(waiting.row, values))
            }
            let refusals = try state.refusals(together: rows)
            for (row, refusal) in zip(rows, refusals) where refusal == nil {
                try written.insert(row.reference)
            }
        }
    }
}

extension ShapedRecord {
    /// What a row is to have, with the to-ones that were left out of its values.
    convenience init(_ row: MigrationPass.Row, _ late: [LateReference]) {
        var values = row.values
        for reference in late { values[reference.place] = .reference(reference.target) }
        self.init(row.shape, number: row.number, values: values, byteCount: row.byteCount)
    }
}

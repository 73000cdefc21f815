import ExportFormats
import LegacyRecords
import Reprise

/// Rows that the store would not take as it is now: about seventy bytes each and the message of the store, where their
/// identifiers are sixteen upper-case hexadecimal digits; beyond a ``RecordMemory`` on disk.
final class RefusedRows {
    /// The rows that want unique values or partners of others. One comes twice where a to-one of it is refused as well.
    private let rows: RememberedRows
    /// The rows that have these.
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
    /// Those of them that want something of others as well.
    private let takenAndAwaiting: RememberedKeys
    /// Those of them whose targets will not be there.
    private let lacking: RememberedKeys
    /// Rows that are not there, and will not be.
    private let absent: RememberedKeys
    /// Rows that are not there, and of which it is known at the end whether they come.
    private let expected: RememberedKeys

    init(in memory: RecordMemory) {
        rows = RememberedRows(in: memory)
        holders = RememberedRows(in: memory)
        standings = RememberedIdentifiers(in: memory)
        messages = RememberedIdentifiers(in: memory)
        wanted = PostponedRecords(PostponedRecords.bounds, in: memory)
        uncounted = RememberedKeys(in: memory)
        awaited = LateReferences(in: memory)
        takenAndAwaiting = RememberedKeys(in: memory)
        lacking = RememberedKeys(in: memory)
        absent = RememberedKeys(in: memory)
        expected = RememberedKeys(in: memory)
    }

    /// Notes a row that wants a unique value or the partner of another one.
    ///
    /// - Parameters:
    ///   - values: what it is to have.
    ///   - standing: nil where the row was counted by itself, and only a to-one of it is refused.
    ///   - isAwaiting: whether it waits for the target of a required to-one, too.
    func addTaken(
        _ row: EntityReference,
        _ values: ShapedRecord,
        _ standing: MigrationPass.Standing?,
        _ error: StoreError,
        isAwaiting: Bool = false
    ) throws(LegacyError) {
        if isAwaiting { try takenAndAwaiting.insert(row) }
        if case .absent? = standing {
            hasNew = true
            try expected.insert(row)
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
        let mark = error.isOfPartner ? UInt64(Self.partnerMark) : 0
        try standings.append(.number(Self.number(of: standing) | mark))
        try messages.append(RecordKey(error.message))
    }

    /// How many rows want unique values or partners of others.
    var takenCount: Int { rows.count }

    func row(at index: Int) throws(LegacyError) -> EntityReference { try rows.row(at: index) }

    func message(at index: Int) throws(LegacyError) -> String {
        try messages.key(at: index).text
    }

    /// The row that has the value or the partner that a row wants, or needs the one that it would leave; nil where that
    /// is not known.
    func holder(at index: Int) throws(LegacyError) -> EntityReference? {
        let holder = try holders.row(at: index)
        return try holder == row(at: index) ? nil : holder
    }

    /// Whether a row that is refused was not counted by itself.
    func isUncounted(_ row: EntityReference) throws(LegacyError) -> Bool {
        try uncounted.contains(row)
    }

    /// Whether a row waits for the target of a required to-one, and wants something of others as well.
    func isTakenAndAwaiting(_ row: EntityReference) throws(LegacyError) -> Bool {
        try takenAndAwaiting.contains(row)
    }

    /// Notes that a row that is not there waits for the target of a required to-one.
    func addAwaited(_ reference: LateReference) throws(LegacyError) {
        try awaited.append(reference)
        try expected.insert(reference.row)
    }

    func noteLackingTarget(_ row: EntityReference) throws(LegacyError) {
        try lacking.insert(row)
        try absent.insert(row)
    }

    /// Whether a row is refused because the target of a required to-one will not be there.
    func lacksTarget(_ row: EntityReference) throws(LegacyError) -> Bool {
        try lacking.contains(row)
    }

    func addAbsent(_ row: EntityReference) throws(LegacyError) {
        try absent.insert(row)
    }

    /// Whether a row is not there, and will not be.
    func isAbsent(_ row: EntityReference) throws(LegacyError) -> Bool {
        try absent.contains(row)
    }

    /// Whether a row is not there whose record has come, and may not be there in the end.
    func mayStayAway(_ row: EntityReference) throws(LegacyError) -> Bool {
        if try expected.contains(row) { return true }
        return try absent.contains(row)
    }

    /// Finds out, when all records have come, which of the rows that are not there will not be.
    func settle(of comparison: MigrationComparison, in store: Store) throws {
        guard hasNew else { return }
        let written = try comparison.written(in: store)
        for index in 0..<takenCount {
            guard case .absent? = try standing(at: index) else { continue }
            let row = try row(at: index)
            if try !written.contains(row) { try absent.insert(row) }
        }
    }

    // MARK: Standings

    /// Stands beside the standing of a row that wants a partner.
    private static let partnerMark = 8

    /// Whether it is a partner that a row wants.
    func isOfPartner(at index: Int) throws(LegacyError) -> Bool {
        try standings.number(at: index) & Self.partnerMark != 0
    }

    func standing(at index: Int) throws(LegacyError) -> MigrationPass.Standing? {
        switch try standings.number(at: index) & ~Self.partnerMark {
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
    /// What of rows that want each other's values and partners can be written together.
    private struct Moving {
        /// All that they want.
        let whole: RememberedKeys
        /// All but a partner.
        let partly: RememberedKeys
    }

    /// A unique value or a partner that is taken now may be free when the row that has it has changed or gone; rows
    /// that want each other's can change together (STO-48).
    func countTaken(in store: Store) throws {
        if refused.takenCount == 0 || mayStop { return }
        let moving = try store.read { try self.moving(in: $0) }
        let written = try written(moving)
        for index in 0..<refused.takenCount {
            let row = try refused.row(at: index)
            // That has been said.
            if try refused.lacksTarget(row) { continue }
            if try !written.contains(row) {
                let kind: LegacyWarning.Kind =
                    try refused.isOfPartner(at: index) ? .refusedRecord : .uniqueValueTaken
                warnRefused(row, kind, try refused.message(at: index))
                if try moving.partly.contains(row) { try didFind(row) }
            } else if let standing = try refused.standing(at: index) {
                try count(row, standing)
            } else {
                try didFind(row)
            }
        }
    }

    /// Those of the rows that find their values and partners free in the end.
    func written(in store: Store) throws -> RememberedKeys {
        try written(try store.read { try moving(in: $0) })
    }

    private func written(_ moving: Moving) throws -> RememberedKeys {
        let written = moving.whole
        try pass.memory.settle(refused.takenCount) { index in
            let row = try refused.row(at: index)
            guard let holder = try refused.holder(at: index), try !written.contains(row)
            else { return true }
            let isGivenUp =
                try written.contains(holder)
                || !refused.isOfPartner(at: index) && moving.partly.contains(holder)
            if !isGivenUp {
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

    /// Those of the rows that can be updated together.
    private func moving(in state: borrowing ReadTransaction) throws -> Moving {
        let moving = Moving(
            whole: RememberedKeys(in: pass.memory),
            partly: RememberedKeys(in: pass.memory)
        )
        try WaitingChains(refused.wanted, in: pass.memory).forEachGroup { group in
            var rows: [RowValues] = []
            // Of several that want the same the first gets it, as in a run.
            for waiting in group.sorted(by: { $0.record.number < $1.record.number }) {
                var values = waiting.record.values
                for toOne in waiting.record.shape.toOnes {
                    guard case .reference(let target)? = values[toOne.place],
                        try !pass.resolves(toOne.target, target, in: state)
                    else { continue }
                    values[toOne.place] = nil
                }
                rows.append(RowValues(waiting.row, values))
            }
            var others: [RowValues] = []
            for (row, refusal) in zip(rows, try state.refusals(together: rows)) {
                if refusal == nil {
                    try moving.whole.insert(row.reference)
                } else if let rest = try withoutPartners(row, in: state) {
                    others.append(rest)
                }
            }
            for (row, refusal) in zip(others, try state.refusals(together: others))
            where refusal == nil {
                try moving.partly.insert(row.reference)
            }
        }
        return moving
    }

    /// What else a row is to have; nil where that is nothing.
    private func withoutPartners(
        _ row: RowValues,
        in state: borrowing ReadTransaction
    ) throws -> RowValues? {
        let toOnes = pass.shape.classes[row.reference.model]?.toOnes ?? []
        var values = row.values
        for toOne in toOnes where toOne.isPaired { values[toOne.place] = nil }
        if values == row.values { return nil }
        do {
            let standing = try state.standing(of: row.reference, inOrder: values)
            return standing?.isSame == false ? RowValues(row.reference, values) : nil
        } catch let error as StoreError where MigrationWriter.refusals.contains(error.code) {
            // The store cannot hold it at all.
            return nil
        }
    }
}

extension ShapedRecord {
    /// What a row is to have, with the to-ones that were left out of its values.
    convenience init(_ row: MigrationPass.Row, _ late: [LateReference]) {
        var values = row.values
        for reference in late { values[reference.place] = .reference(reference.target) }
        // The same as the record's, so that a plan finds as many that fit together.
        let byteCount = row.byteCount - values.count * MemoryLayout<Value?>.stride
        self.init(row.shape, number: row.number, values: values, byteCount: byteCount)
    }
}

import ExportFormats
import LegacyRecords
import Reprise

/// Rows that take each other's unique values and partners (STO-48).
extension MigrationWriter {
    /// Updates together what waits for a unique value or a partner that another row that waits has. What is refused
    /// goes on waiting.
    ///
    /// - Parameter isLast: whether a to-one that has to have a target goes on waiting for it.
    /// - Returns: whether a row was updated.
    func writeTogether(isLast: Bool, _ loader: inout BulkLoader) throws -> Bool {
        if postponed.isEmpty { return false }
        let records = takePostponed()
        var hasUpdated = false
        let chains = WaitingChains(records, in: pass.memory)
        try chains.forEachGroup { group in
            if try writeTogether(group, isLast: isLast, &loader) { hasUpdated = true }
        }
        // What is in no group waits on.
        try chains.forEachLeftOver { waiting throws(LegacyError) in
            try postponed.append(waiting.record, waiting.row, holder: waiting.holder)
        }
        return hasUpdated
    }

    private func writeTogether(
        _ group: [PostponedRecords.Waiting],
        isLast: Bool,
        _ loader: inout BulkLoader
    ) throws -> Bool {
        var hasUpdated = false
        try batch(.writing, &loader) { transaction in
            var candidates: [Candidate] = []
            // They may name each other.
            let rows = try group.map { waiting in
                try rowAgain(waiting.record, in: transaction)
            }
            for (waiting, row) in zip(group, rows) {
                guard let row else { continue }
                let record = waiting.record
                if try !waitingRows.isLeftOut(row.reference), try !isClaimed(row, in: transaction),
                    let candidate = try candidate(record, row, isLast: isLast, in: transaction)
                {
                    candidates.append(candidate)
                } else {
                    // It may have waited for the one before it.
                    try pass.forget(row)
                    let outcome = try write(record, mayPostpone: true, &transaction)
                    if outcome == .inserted || outcome == .updated { hasUpdated = true }
                }
            }
            if candidates.isEmpty { return }
            // Of several that want the same the first gets it.
            candidates.sort { $0.record.number < $1.record.number }
            let losers = try candidates.map { try pass.losers(to: $0.row, in: transaction) }
            var refusals = try transaction.update(
                together: candidates.map { RowValues($0.row.reference, $0.values) }
            )
            // Those that go on waiting for a partner exchange what else they can.
            var rest: [Int] = []
            for place in candidates.indices where refusals[place] != nil {
                if try candidates[place].leavePartners(pass, in: transaction) {
                    rest.append(place)
                }
            }
            let others = try transaction.update(
                together: rest.map {
                    RowValues(candidates[$0].row.reference, candidates[$0].values)
                }
            )
            for (place, refusal) in zip(rest, others) { refusals[place] = refusal }
            for (place, candidate) in candidates.enumerated() {
                if let refusal = refusals[place] {
                    try postpone(candidate.record, candidate.row, holder: refusal.holder)
                } else {
                    hasUpdated = true
                    try complete(candidate, losers[place], &transaction)
                }
            }
        }
        return hasUpdated
    }

    /// Writes of each row that waits what nobody stands in the way of any more.
    ///
    /// - Returns: whether anything was written.
    func writeRests(_ loader: inout BulkLoader) throws -> Bool {
        var hasUpdated = false
        try writeAgain(takePostponed(), &loader) { record, transaction in
            guard let row = try rowAgain(record, in: transaction) else { return }
            if try !waitingRows.isLeftOut(row.reference),
                let candidate = try candidate(record, row, isLast: true, in: transaction)
            {
                var rest = row
                rest.values = candidate.values
                if try writeRest(rest, nil, &transaction) { hasUpdated = true }
            }
            try postpone(record, row)
        }
        return hasUpdated
    }

    /// A row that is updated together with others.
    private struct Candidate {
        let record: ShapedRecord
        var row: MigrationPass.Row
        /// Those of its values that can be written together with others.
        var values: [Value?]
        /// To-ones whose targets are not there yet.
        var late: [ClassShape.ToOne]
        let isChangedHere: Bool
        /// Whether it waits for its partners by itself.
        var lacksPartners = false

        /// Leaves the partners as they are.
        ///
        /// - Returns: whether there are any, and more than them is to be written.
        mutating func leavePartners(
            _ pass: MigrationPass,
            in state: borrowing WriteTransaction
        ) throws -> Bool {
            for toOne in row.shape.toOnes where toOne.isPaired && values[toOne.place] != nil {
                values[toOne.place] = nil
                lacksPartners = true
            }
            guard lacksPartners else { return false }
            var rest = row
            rest.values = values
            if case .different = try pass.standing(of: rest, in: state) { return true }
            return false
        }
    }

    /// What can be written of a record together with others; nil where its row is not there or needs a target that has
    /// not come.
    private func candidate(
        _ record: ShapedRecord,
        _ row: MigrationPass.Row,
        isLast: Bool,
        in transaction: borrowing WriteTransaction
    ) throws -> Candidate? {
        guard case .different(let isChangedHere) = try pass.standing(of: row, in: transaction)
        else { return nil }
        var candidate = Candidate(
            record: record,
            row: row,
            values: row.values,
            late: [],
            isChangedHere: isChangedHere
        )
        let isLate = try lateRows.contains(row.reference)
        for toOne in row.shape.toOnes {
            guard let value = row.values[toOne.place] else { continue }
            guard case .reference(let target) = value else { continue }
            if toOne.standsAlone {
                candidate.values[toOne.place] = nil
                if !isLate { candidate.late.append(toOne) }
                continue
            }
            let isThere = try exists(toOne.target, target, in: transaction)
            if isThere, try pass.resolves(toOne.target, target, in: transaction) { continue }
            guard isLast || row.shape.attributes[toOne.place].isOptional else { return nil }
            candidate.values[toOne.place] = nil
            candidate.late.append(toOne)
        }
        let isWhole = candidate.values == row.values
        if isWhole, !row.shape.toOnes.contains(where: \.isPaired) { return candidate }
        // One that only waits for what can be set apart does so: a partner, or a target.
        var rest = row
        rest.values = candidate.values
        guard case .different = try pass.standing(of: rest, in: transaction) else { return nil }
        return candidate
    }

    /// Writes what could not be written together with others.
    ///
    /// - Parameter losers: who loses a partner when it gets its own.
    private func complete(
        _ candidate: Candidate,
        _ losers: [MigrationPass.Loser],
        _ transaction: inout WriteTransaction
    ) throws {
        var row = candidate.row
        for toOne in candidate.late {
            guard case .reference(let target)? = row.values[toOne.place] else { continue }
            try setLater(toOne, target, &row)
        }
        try didUpdate(row, isChangedHere: candidate.isChangedHere)
        do {
            if candidate.lacksPartners {
                try transaction.put(row.reference, inOrder: row.values)
            }
            for loser in losers { try pass.warn(of: loser) }
        } catch let error as StoreError where error.isOfHolder {
            // It waits for its partner.
            try postpone(candidate.record, candidate.row, holder: error.holder)
        } catch let error as StoreError where Self.refusals.contains(error.code) {
            warnOfRefusal(row.reference, error)
        }
    }

    /// Sets to-ones together that each other's rows stood in the way of: because they are part of what must be unique,
    /// or lead to partners that others must have.
    ///
    /// - Parameter isLast: whether what is refused stays as it is, or is tried again when rows have been deleted.
    func writeRefusedReferences(isLast: Bool, _ loader: inout BulkLoader) throws {
        let references = refusedReferences
        refusedReferences = []
        guard !references.isEmpty else { return }
        try batch(.writing, &loader) { transaction in
            var refused = try setTogether(references, &transaction)
            var countBefore = references.count
            var roundCount = 1
            // Each that is set may make room for others.
            while refused.count < countBefore, roundCount < Self.lastRoundCountMax {
                countBefore = refused.count
                refused = try setTogether(refused.map(\.reference), &transaction)
                roundCount += 1
            }
            for (reference, error) in refused { try goOn(reference, error, isLast: isLast) }
        }
    }

    /// Sets to-ones together as far as others do not stand in their way; returns those that are refused.
    private func setTogether(
        _ references: [LateReference],
        _ transaction: inout WriteTransaction
    ) throws -> [(reference: LateReference, error: StoreError)] {
        var rows: [RowValues] = []
        var places: [EntityReference: Int] = [:]
        var wanted: [(reference: LateReference, place: Int)] = []
        for reference in references {
            let row = reference.row
            let record = try transaction.record(model: row.model, id: row.id, lists: false)
            // An interrupted run may have set it.
            guard let record, record[reference.name] != .reference(reference.target)
            else { continue }
            let place = places[row] ?? rows.count
            var values: [Value?]
            if place < rows.count {
                values = rows[place].values
            } else {
                let count = pass.shape.classes[row.model]?.attributes.count ?? 0
                values = Array(repeating: nil, count: count)
                places[row] = place
                rows.append(RowValues(row, values))
            }
            values[reference.place] = .reference(reference.target)
            rows[place] = RowValues(row, values)
            wanted.append((reference, place))
        }
        let changed = try wanted.map { wanted in
            try pass.isChangedHere(
                wanted.reference.row,
                to: wanted.reference.name,
                in: transaction
            )
        }
        let losers = try wanted.map { try loser(by: $0.reference, in: transaction) }
        var refusals = try transaction.update(together: rows)
        // What goes on waiting for a partner does so by itself.
        var apart: [Int: RowValues] = [:]
        for (reference, place) in wanted where refusals[place] != nil && isPaired(reference) {
            var values = (apart[place] ?? rows[place]).values
            values[reference.place] = nil
            apart[place] = RowValues(reference.row, values)
        }
        let rest = apart.sorted { $0.key < $1.key }
        let others = try transaction.update(together: rest.map(\.value))
        for ((place, _), refusal) in zip(rest, others) { refusals[place] = refusal }
        var alone: [(reference: LateReference, loser: MigrationPass.Loser?)] = []
        var refused: [(reference: LateReference, error: StoreError)] = []
        for (index, ((reference, place), loser)) in zip(wanted, losers).enumerated() {
            if apart[place] != nil, isPaired(reference) {
                alone.append((reference, loser))
            } else if let refusal = refusals[place] {
                refused.append((reference, refusal))
            } else {
                if let loser { try pass.warn(of: loser) }
                try didSet(reference, isChangedHere: changed[index])
            }
        }
        for (reference, loser) in alone {
            let isChangedHere = try pass.isChangedHere(
                reference.row,
                to: reference.name,
                in: transaction
            )
            do {
                let value = Value.reference(reference.target)
                try transaction.put(reference.row, values: [reference.name: value])
                if let loser { try pass.warn(of: loser) }
                try didSet(reference, isChangedHere: isChangedHere)
            } catch let error as StoreError where error.isOfHolder {
                refused.append((reference, error))
            } catch let error as StoreError where Self.refusals.contains(error.code) {
                // No other row stands in its way.
                warnOfRefusal(reference.row, error)
            }
        }
        return refused
    }

    private func isPaired(_ reference: LateReference) -> Bool {
        pass.shape.classes[reference.row.model]?.toOnes
            .contains { $0.place == reference.place && $0.isPaired } == true
    }

    /// Lets a to-one wait on, or leaves it as it is for good.
    private func goOn(
        _ reference: LateReference,
        _ refusal: StoreError,
        isLast: Bool
    ) throws(LegacyError) {
        if isLast {
            warnOfTaken(reference.row, refusal)
            try waitingRows.leaveOut(reference.toOne)
        } else {
            try lateReferences.append(reference)
        }
    }
}

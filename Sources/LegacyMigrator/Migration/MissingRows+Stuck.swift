import LegacyRecords
import Reprise

/// Rows that can never go, because each of them can only go after another one.
extension MigrationPass {
    /// Takes rows out of those that are known that can only go after each other: none of them can let go of what it
    /// forbids to go, and nothing takes any of them along. So they keep what they lead to from the beginning.
    ///
    /// - Returns: whether there were any.
    /// - Complexity: O(what forbids the rows to go · log n) as a rule; where rows forbid others of their model to go,
    ///   be it by way of other models, each such row is read as well.
    func removeStuck(
        _ rows: RememberedRows,
        from known: MissingRows,
        in state: borrowing ReadTransaction
    ) throws -> Bool {
        guard try mayBeStuck(rows, known, in: state) else { return false }
        let held = RememberedRows(in: memory)
        // The rows that each of them can only go after, one after the other, and where those of the next begin.
        let holders = RememberedRows(in: memory)
        let ends = RememberedIdentifiers(in: memory)
        let isTakenAlong = RememberedKeys(in: memory)
        for index in 0..<rows.count {
            let row = try rows.row(at: index)
            let start = holders.count
            try forEachHolder(of: row, in: state) { consequence in
                switch consequence {
                case .deletes(let other): try isTakenAlong.insert(other)
                case .isDenied(let denial):
                    if try known.contains(denial.partner), try isLasting(denial, in: state) {
                        try holders.append(denial.partner)
                    }
                default: break
                }
            }
            guard holders.count > start else { continue }
            try held.append(row)
            try ends.append(.number(UInt64(holders.count)))
        }
        let stuck = try MissingRows(held, in: memory)
        try memory.settle(held.count, lookCountMax: .max / 2) { index in
            let row = try held.row(at: index)
            if try !isTakenAlong.contains(row) {
                let start = index == 0 ? 0 : try ends.number(at: index - 1)
                for holder in start..<(try ends.number(at: index))
                where try stuck.contains(holders.row(at: holder)) { return false }
            }
            try stuck.remove(row)
            return true
        }
        var hasStuck = false
        for index in 0..<held.count {
            let row = try held.row(at: index)
            guard try stuck.contains(row) else { continue }
            try known.remove(row)
            hasStuck = true
        }
        return hasStuck
    }

    /// Whether there is a circle of models whose rows forbid rows of the next one to go.
    private func mayBeStuck(
        _ rows: RememberedRows,
        _ known: MissingRows,
        in state: borrowing ReadTransaction
    ) throws -> Bool {
        var holders: [String: Set<String>] = [:]
        for index in 0..<rows.count {
            let row = try rows.row(at: index)
            try forEachHolder(of: row, in: state) { consequence in
                guard case .isDenied(let denial) = consequence else { return }
                let model = denial.partner.model
                if holders[row.model]?.contains(model) == true { return }
                holders[row.model, default: []].insert(model)
            }
        }
        // What nothing forbids to go, and what is forbidden by such rows only, is in no circle.
        while let model = holders.keys.first(where: { model in
            holders[model]?.allSatisfy { holders[$0] == nil } == true
        }) {
            holders[model] = nil
        }
        return !holders.isEmpty
    }

    /// Walks through what goes along with a row and what forbids it to go.
    private func forEachHolder(
        of row: EntityReference,
        in state: borrowing ReadTransaction,
        _ body: (DeletionConsequence) throws -> Void
    ) throws {
        try state.forEachConsequence(ofDeletingMissing: row) { consequence in
            switch consequence {
            case .deletes, .isDenied: try body(consequence)
            // Nothing of that comes after these.
            case .nullifies, .unlinks, .dropsEntry: return false
            }
            return true
        }
    }
}

import LegacyRecords
import Reprise

/// Rows that hold each other in circles.
extension MigrationPass {
    /// Rows that nothing but each other keeps, through lists, or to-ones of which enough may be empty.
    ///
    /// Which ones these are does not depend on the order in which others are found out not to be.
    func circles<State: StateReading & ~Copyable>(
        among rows: RememberedRows,
        in state: borrowing State
    ) throws -> RememberedRows {
        var rows = rows
        let known = try MissingRows(rows, in: memory)
        while !rows.isEmpty {
            // What stays keeps others, one after the other: all of them are found before the rest is looked through.
            rows = try settle(rows, known) { row, countMax in
                try isHeld(row, by: known, countMax: countMax, in: state)
            }
            let count = rows.count
            let closures = DeletionClosures(among: known, within: deletionBounds, in: memory)
            let held = RememberedRows(in: memory)
            // The rows that each of them can only go after, one after the other, and where its own begin and end.
            let holders = RememberedRows(in: memory)
            let starts = RememberedIdentifiers(in: memory)
            let ends = RememberedIdentifiers(in: memory)
            for index in 0..<count {
                let row = try rows.row(at: index)
                let start = holders.count
                guard
                    try isHeld(row, by: known, closures, in: state, { try holders.append($0) })
                else { continue }
                try held.append(row)
                try starts.append(.number(UInt64(start)))
                try ends.append(.number(UInt64(holders.count)))
            }
            // Where a to-one may not be empty its row has to go first.
            let stuck = try MissingRows(held, in: memory)
            try memory.settle(held.count) { index in
                for holder in try starts.number(at: index)..<ends.number(at: index)
                where try stuck.contains(holders.row(at: holder)) { return false }
                try stuck.remove(held.row(at: index))
                return true
            }
            let left = RememberedRows(in: memory)
            for index in 0..<held.count {
                let row = try held.row(at: index)
                if try !stuck.contains(row) { try left.append(row) }
            }
            if left.count == count { break }
            let isLeft = try MissingRows(left, in: memory)
            for index in 0..<count {
                let row = try rows.row(at: index)
                if try !isLeft.contains(row) { try known.remove(row) }
            }
            rows = left
        }
        return rows
    }

    /// Whether nothing keeps a row at first hand but rows that are known; nil where there is more than `countMax` that
    /// might.
    ///
    /// - Parameter mayEmptyLists: whether what is taken out of its lists does not keep it.
    func isHeld<State: StateReading & ~Copyable>(
        _ row: EntityReference,
        by known: MissingRows,
        countMax: Int,
        mayEmptyLists: Bool = false,
        in state: borrowing State
    ) throws -> Bool? {
        var isHeld = true
        var count = 0
        try state.forEachConsequence(ofDeletingMissing: row) { consequence in
            let other: EntityReference
            var toOne: String?
            switch consequence {
            case .deletes(let deleted): other = deleted
            case .isDenied(let denial): other = denial.partner
            case .nullifies(let reference):
                other = reference.entity
                toOne = reference.attribute
            case .unlinks(let entry): other = entry.owner
            // Nothing else comes after these.
            case .dropsEntry: return false
            }
            isHeld =
                try known.contains(other)
                || mayEmptyLists && isTakenOut(other, toOne, ofListsOf: row, in: state)
            count += 1
            return isHeld && count <= countMax
        }
        if !isHeld { return false }
        return count > countMax ? nil : true
    }

    /// Whether nothing keeps a row but rows that are known. Names those that it can only go after, which may be some of
    /// them even where it is not so.
    private func isHeld<State: StateReading & ~Copyable>(
        _ row: EntityReference,
        by known: MissingRows,
        _ closures: DeletionClosures,
        in state: borrowing State,
        _ body: (EntityReference) throws -> Void
    ) throws -> Bool {
        var isHeld = true
        var takesOthers = false
        try state.forEachConsequence(ofDeletingMissing: row) { consequence in
            switch consequence {
            case .deletes(let other):
                isHeld = try known.contains(other)
                takesOthers = true
                return false
            case .isDenied(let denial):
                isHeld = try known.contains(denial.partner)
                if isHeld, try isLasting(denial, in: state) { try body(denial.partner) }
            case .nullifies(let reference): isHeld = try known.contains(reference.entity)
            case .unlinks(let entry): isHeld = try known.contains(entry.owner)
            case .dropsEntry: return false
            }
            return isHeld
        }
        guard isHeld, takesOthers else { return isHeld }
        // What goes along does not forbid what it goes with.
        guard let closure = try closures.closure(of: row, mayBeDenied: true, in: state) else {
            return false
        }
        for denial in closure.denials where try isLasting(denial, in: state) {
            try body(denial.partner)
        }
        return true
    }

    /// Whether what forbids a deletion can only be taken away by deleting the row that it comes from.
    func isLasting<State: StateReading & ~Copyable>(
        _ denial: DeletionPlan.Denial,
        in state: borrowing State
    ) throws -> Bool {
        if state.schema.isDeniedToMember(denial) { return false }
        let partner = denial.partner
        let toOnes = try referring(partner, to: denial.entity, in: state)
        return toOnes.isEmpty || toOnes.contains { !mayBeEmpty($0, of: partner.model) }
    }

    /// Whether a to-one may lead nowhere: neither must it lead to a row, nor what it leads to back.
    private func mayBeEmpty(_ toOne: ClassShape.ToOne, of model: String) -> Bool {
        guard shape.classes[model]?.attributes[toOne.place].isOptional == true else { return false }
        let partner = shape.classes[toOne.target]?.attributes.first { $0.name == toOne.partner }
        return partner?.isOptional != false
    }

    /// The to-ones of a row that lead to another one.
    private func referring<State: StateReading & ~Copyable>(
        _ row: EntityReference,
        to target: EntityReference,
        in state: borrowing State
    ) throws -> [ClassShape.ToOne] {
        guard let shape = shape.classes[row.model],
            let record = try state.record(model: row.model, id: row.id, lists: false)
        else { return [] }
        return shape.toOnes.filter {
            $0.target == target.model && record[$0.name] == .reference(target.id)
        }
    }

    /// The to-ones of a row that lead to others of a circle and may be empty, with nothing in them.
    func openings<State: StateReading & ~Copyable>(
        of row: EntityReference,
        into circle: MissingRows,
        in state: borrowing State
    ) throws -> [String: Value] {
        guard let shape = shape.classes[row.model],
            let record = try state.record(model: row.model, id: row.id, lists: false)
        else { return [:] }
        var values: [String: Value] = [:]
        for toOne in shape.toOnes where mayBeEmpty(toOne, of: row.model) {
            guard case .reference(let id) = record[toOne.name],
                try circle.contains(EntityReference(model: toOne.target, id: id))
            else { continue }
            values[toOne.name] = .null
        }
        return values
    }
}

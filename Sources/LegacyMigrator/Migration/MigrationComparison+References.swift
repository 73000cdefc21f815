import LegacyRecords
import Reprise

/// To-ones that name what has not come yet when their records do.
extension MigrationComparison {
    /// Now that all records have come: which of those that the store refuses as things stand will find it changed. One
    /// whose target is refused is refused itself.
    func countAwaiting() throws {
        let awaited = refused.awaited
        try store.read { state in
            try pass.memory.settle(awaited.count) { index in
                let reference = try awaited.reference(at: index)
                if try refused.lacksTarget(reference.row) { return true }
                if try resolves(reference, in: state) { return false }
                try refused.noteLackingTarget(reference.row)
                return true
            }
            var next = 0
            while next < awaited.count {
                let first = try awaited.reference(at: next)
                var missing: LateReference?
                while next < awaited.count {
                    let reference = try awaited.reference(at: next)
                    guard reference.number == first.number else { break }
                    if missing == nil, try !resolves(reference, in: state) { missing = reference }
                    next += 1
                }
                if let missing {
                    warnRefused(first.row, .refusedRecord, "Its \(missing.name) does not exist.")
                } else if try !refused.isTakenAndAwaiting(first.row) {
                    try count(first.row, .absent)
                }
            }
        }
    }

    /// Whether the record that a to-one names will be there.
    func resolves(
        _ reference: LateReference,
        in state: borrowing ReadTransaction
    ) throws -> Bool {
        let target = EntityReference(model: reference.targetModel, id: reference.target)
        if try refused.isAbsent(target) { return false }
        return try pass.resolves(reference.targetModel, reference.target, in: state)
    }

    /// Notes what a row leads to that cannot be as in the export.
    func noteHeld(by row: MigrationPass.Row, in state: borrowing ReadTransaction) throws {
        let record = try state.record(model: row.shape.model, id: row.id, lists: false)
        for toOne in row.shape.toOnes {
            guard case .reference(let target)? = record?[toOne.name] else { continue }
            try pass.heldByKept.insert(target, of: toOne.target)
        }
    }

    /// Notes what to-ones lead to that may not be empty, and would be: they lead there still, whatever the export says.
    func noteHeld() throws {
        try store.read { state in
            for place in 0..<unresolved.count {
                let reference = try unresolved.reference(at: place)
                let attributes = pass.shape.classes[reference.row.model]?.attributes
                guard attributes?[reference.place].isOptional == false,
                    try !resolves(reference, in: state)
                else { continue }
                let row = reference.row
                let record = try state.record(model: row.model, id: row.id, lists: false)
                guard case .reference(let target)? = record?[reference.name] else { continue }
                try pass.heldByKept.insert(target, of: reference.targetModel)
            }
        }
    }

    /// Now that it is known which records will be there: which to-ones lead elsewhere.
    func compareUnresolved() throws {
        try store.read { state in
            for place in 0..<unresolved.count {
                let reference = try unresolved.reference(at: place)
                let row = reference.row
                if try refused.isAbsent(row) { continue }
                let isThere = try resolves(reference, in: state)
                if !isThere { try pass.warnOfMissing(reference, in: state) }
                guard let record = try state.record(model: row.model, id: row.id, lists: false)
                else { continue }
                if pass.isPartial, !isThere { continue }
                let wanted: Value = isThere ? .reference(reference.target) : .null
                if record[reference.name] == wanted {
                    try pass.noteAgreement(reference, wanted, in: state)
                    continue
                }
                if try pass.isKept(reference, wanted, isSaid: true, in: state) { continue }
                let isChangedHere = try pass.isChangedHere(row, to: reference.name, in: state)
                // It may be part of what must be unique, or lead to a partner.
                if let shape = pass.shape.classes[row.model] {
                    var values = [Value?](repeating: nil, count: shape.attributes.count)
                    values[reference.place] = wanted
                    if let error = try state.refusal(of: row, inOrder: values) {
                        guard error.isOfHolder else {
                            warnRefused(row, .refusedRecord, error.message)
                            continue
                        }
                        let values = ShapedRecord(
                            shape,
                            number: reference.number,
                            values: values,
                            byteCount: 0
                        )
                        try refused.addTaken(row, values, nil, error)
                        continue
                    }
                }
                if isThere, let toOne = pass.toOne(reference),
                    let loser = try pass.loser(of: toOne, reference.target, to: row, in: state)
                {
                    try pass.warn(of: loser)
                }
                if isChangedHere { try pass.warnOverwritten(row) }
                try didFind(row)
            }
        }
    }
}

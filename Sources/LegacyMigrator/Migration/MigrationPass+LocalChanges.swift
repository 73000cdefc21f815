import ExportFormats
import LegacyRecords
import Reprise

/// What somebody else has changed in the store, and the source has not changed since: it stays.
extension MigrationPass {
    /// How a row that the export has stands to what somebody else has done to it.
    enum LocalStanding {
        /// It is written as the export has it, but for attributes that were left out of its values.
        case written
        /// It was deleted here, and stays so.
        case deleted
        /// It was deleted here, and stays so unless one of these comes, which to-ones name that led nowhere before.
        case deletedUnless([LateReference])
    }

    /// Leaves those attributes of a row as they are that somebody else has changed, where the export says of them what
    /// the source had said before.
    ///
    /// What the source has said is what its migrations wrote last, or what somebody else had written and an export came
    /// to say as well, which is noted here (``Agreements``). What the migration that is being made has done to the row
    /// is passed over where it followed from what it did to others, so that it makes no difference what is written
    /// first.
    ///
    /// - Parameter isLast: whether all records have come that to-ones may name.
    /// - Complexity: O(1) where nobody else has written anything since the row was made; otherwise O(log n) for each
    ///   event of the row, the last 10,000 at most.
    func leaveLocalChanges<State: StateReading & ~Copyable>(
        _ row: inout Row,
        isLast: Bool,
        in state: borrowing State
    ) throws -> LocalStanding {
        guard isRerun else { return .written }
        let reference = row.reference
        guard let found = try state.revision(of: reference) else {
            guard try wasDeletedHere(reference, in: state),
                let awaited = try changesAfterDeletion(row, in: state)
            else { return .written }
            if !awaited.isEmpty, !isLast { return .deletedUnless(awaited) }
            try noteDeleted(row)
            return .deleted
        }
        if isUndisturbed(found.created...found.revision.position) { return .written }
        guard let record = try state.record(model: reference.model, id: reference.id, lists: false)
        else { return .written }
        var names: Set<String> = []
        for (place, attribute) in row.shape.attributes.enumerated() where row.values[place] != nil {
            names.insert(attribute.name)
        }
        if names.isEmpty {
            if !isOurs(found.created), try !hasSaid(reference, in: state) {
                try agreements.note(reference, [], upTo: found.revision.position)
            }
            return .written
        }
        let changes = try LocalChanges(of: reference, to: names, self, in: state)
        let stored = StoredValues(record)
        var kept: [String] = []
        var agreed: [String] = []
        for (place, attribute) in row.shape.attributes.enumerated() {
            let name = attribute.name
            guard let value = row.values[place] else { continue }
            if value == stored[name] {
                if changes.hasComeToSay(value, of: name) { agreed.append(name) }
            } else if changes.isLocal(name) {
                if changes.hasSaid(value, of: name) {
                    row.values[place] = nil
                    kept.append(name)
                } else {
                    row.overwritten.append(place)
                }
            }
        }
        if !kept.isEmpty { try noteKept(kept, of: row, record) }
        if !agreed.isEmpty {
            try agreements.note(reference, agreed, upTo: found.revision.position)
        }
        return .written
    }

    /// Says that attributes stay as somebody else has set them, and notes what they lead to.
    private func noteKept(
        _ names: [String],
        of row: Row,
        _ record: Record
    ) throws(LegacyError) {
        for toOne in row.shape.toOnes {
            let name = row.shape.attributes[toOne.place].name
            guard names.contains(name), case .reference(let target) = record[name] else { continue }
            try heldByKept.insert(target, of: toOne.target)
        }
        try warnOfKept(names, of: row.reference)
    }

    /// What the export says of a row that was deleted here, and the source had not said: nil where that is more than
    /// to-ones which led nowhere then, and do so now.
    private func changesAfterDeletion<State: StateReading & ~Copyable>(
        _ row: Row,
        in state: borrowing State
    ) throws -> [LateReference]? {
        var names: Set<String> = []
        for (place, attribute) in row.shape.attributes.enumerated() where row.values[place] != nil {
            names.insert(attribute.name)
        }
        if names.isEmpty { return try hasSaid(row.reference, in: state) ? [] : nil }
        let changes = try LocalChanges(of: row.reference, to: names, self, in: state)
        var awaited: [LateReference] = []
        for (place, attribute) in row.shape.attributes.enumerated() {
            guard let value = row.values[place], !changes.hasSaid(value, of: attribute.name)
            else { continue }
            guard case .reference(let target) = value,
                changes.hasSaid(.null, of: attribute.name),
                let toOne = row.shape.toOnes.first(where: { $0.place == place }),
                try state.revision(of: EntityReference(model: toOne.target, id: target)) == nil
            else { return nil }
            awaited.append(LateReference(row, toOne, target))
        }
        return awaited
    }

    /// Whether a to-one of a row that is there stays as somebody else has set it, now that all records have come: the
    /// export says of it what the source had said before, as when it leads nowhere, then and now.
    ///
    /// - Parameter isSaid: whether that is certain now, so that it is said.
    func isKept<State: StateReading & ~Copyable>(
        _ reference: LateReference,
        _ wanted: Value,
        isSaid: Bool,
        in state: borrowing State
    ) throws -> Bool {
        guard isRerun, let found = try state.revision(of: reference.row),
            !isUndisturbed(found.created...found.revision.position)
        else { return false }
        let changes = try LocalChanges(of: reference.row, to: [reference.name], self, in: state)
        guard changes.isLocal(reference.name), changes.hasSaid(wanted, of: reference.name)
        else { return false }
        if isSaid {
            let record = try state.record(
                model: reference.row.model,
                id: reference.row.id,
                lists: false
            )
            if case .reference(let target)? = record?[reference.name] {
                try heldByKept.insert(target, of: reference.targetModel)
            }
            try warnOfKept([reference.name], of: reference.row)
        }
        return true
    }

    /// Notes where a to-one that names what does not come is empty in the store, as somebody else has left it: the
    /// source has come to say so, unless it had named the same before.
    func noteAgreement<State: StateReading & ~Copyable>(
        _ reference: LateReference,
        _ wanted: Value,
        in state: borrowing State
    ) throws {
        guard isRerun, let found = try state.revision(of: reference.row),
            !isUndisturbed(found.created...found.revision.position)
        else { return }
        let changes = try LocalChanges(of: reference.row, to: [reference.name], self, in: state)
        guard changes.hasComeToSay(wanted, of: reference.name),
            !changes.hasSaid(.reference(reference.target), of: reference.name)
        else { return }
        try agreements.note(reference.row, [reference.name], upTo: found.revision.position)
    }

    /// Says that what a to-one names does not exist; not where that was deleted here and stays so, and the source had
    /// named it before.
    func warnOfMissing<State: StateReading & ~Copyable>(
        _ reference: LateReference,
        in state: borrowing State
    ) throws {
        if try kept.contains(reference.target, of: reference.targetModel),
            let row = try state.revision(of: reference.row), row.created.rawValue < firstPosition
        {
            let changes = try LocalChanges(of: reference.row, to: [reference.name], self, in: state)
            if changes.hasSaid(.reference(reference.target), of: reference.name) { return }
        }
        warnOfMissing(reference)
    }

    /// Whether somebody else has put a member elsewhere, or nowhere, that the source had put into this list before, and
    /// the export still has there.
    func standsElsewhere<State: StateReading & ~Copyable>(
        _ member: String,
        _ list: ClassShape.ToMany,
        of owner: EntityReference,
        in state: borrowing State
    ) throws -> Bool {
        guard isRerun, let toOne = list.memberToOne else { return false }
        let reference = EntityReference(model: list.target, id: member)
        guard let found = try state.revision(of: reference),
            !isUndisturbed(found.created...found.revision.position),
            let record = try state.record(model: list.target, id: member, lists: false)
        else { return false }
        let wanted = Value.reference(owner.id)
        if record[toOne] == wanted { return false }
        let changes = try LocalChanges(of: reference, to: [toOne], self, in: state)
        guard changes.isLocal(toOne), changes.hasSaid(wanted, of: toOne) else { return false }
        try warnOfKept([toOne], of: reference)
        return true
    }

    /// A row that stays deleted counts as one that is as the export has it, and as none that others may name.
    private func noteDeleted(_ row: Row) throws(LegacyError) {
        try forgetSeen(row)
        try noteDeleted(row.reference)
    }

    func noteDeleted(_ row: EntityReference) throws(LegacyError) {
        count(row.model) { $0.unchanged += 1 }
        guard try kept.insert(row) else { return }
        warn(
            .localChangeKept,
            "The \(row.model) \(LibraryReport.quoted(row.id)) was deleted here and stays so; the values that the export"
                + " has of it are those of before."
        )
    }

    private func warnOfKept(_ names: [String], of row: EntityReference) throws(LegacyError) {
        guard try kept.insert(row) else { return }
        let shown = names.sorted().joined(separator: ", ")
        warn(
            .localChangeKept,
            "The \(row.model) \(LibraryReport.quoted(row.id)) keeps what was changed here (\(shown)); the export says"
                + " of that what it said before."
        )
    }

    /// Says that what somebody else has changed of a row gets the export's values.
    func warnOverwritten(_ row: EntityReference) throws(LegacyError) {
        guard try overwritten.insert(row) else { return }
        warn(
            .localChangeOverwritten,
            "The \(row.model) \(LibraryReport.quoted(row.id)) was changed here since the last migration; it "
                + (isPlan ? "would be overwritten." : "now is as in the export.")
        )
    }

    /// Says that a row is made again that somebody else has deleted.
    func warnRestored(_ row: EntityReference) throws(LegacyError) {
        guard try overwritten.insert(row) else { return }
        warn(
            .localChangeOverwritten,
            "The \(row.model) \(LibraryReport.quoted(row.id)) was deleted here since the last migration; it "
                + (isPlan ? "would be there again." : "is there again, as in the export.")
        )
    }

    /// Of a list, or its order.
    func warnOfKept(
        _ list: ClassShape.ToMany,
        of owner: EntityReference
    ) throws(LegacyError) {
        guard try kept.insert(list.named(of: owner)) else { return }
        warn(
            .localChangeKept,
            "The \(list.name) of \(owner.model) \(LibraryReport.quoted(owner.id)) stay as they were arranged here; the"
                + " export has them as before."
        )
    }
}

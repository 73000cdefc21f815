import ExportFormats
import Reprise

/// Which lists a run has put into another order, and into which it has only put members.
extension MigrationWriter {
    /// Whether members that were in a list before this run come into another order, or others come before one of them:
    /// only then its owner counts as updated. Who comes to the end of it is counted for themselves, and in which order
    /// the run has put them there is nobody's concern.
    ///
    /// - Parameters:
    ///   - present: what the list has.
    ///   - wanted: what the export has of it, in its order.
    /// - Complexity: O(members · log n).
    func comesIntoOtherOrder(
        _ list: ClassShape.ToMany,
        of owner: EntityReference,
        _ present: [EntryID],
        _ wanted: [String],
        in transaction: borrowing WriteTransaction
    ) throws -> Bool {
        guard try countsUpdates(of: owner) else { return false }
        let names = Set(wanted.map(ExactText.init))
        let kept = try present.filter {
            try names.contains(ExactText($0.target)) && wasThere($0.target, list, in: transaction)
        }
        return !kept.hasTargets(beginning: wanted)
    }

    /// As ``comesIntoOtherOrder(_:of:_:_:in:)``, of a long list.
    ///
    /// - Complexity: O(members) where it has the order of the export, otherwise O(members · log n).
    func comesIntoOtherOrder(
        _ long: LongList,
        of store: Store,
        _ loader: inout BulkLoader
    ) throws -> Bool {
        guard try countsUpdates(of: long.owner) else { return false }
        try loader.publish()
        return try store.read { state in
            // Somebody else may have deleted the owner.
            if try state.revision(of: long.owner) == nil || long.isInOrder(in: state) { return false }
            return try !long.isInOrder(in: state) { try wasThere($0, long.list, in: state) }
        }
    }

    /// Whether it makes a difference whether a list's owner is updated: it is not counted yet.
    private func countsUpdates(of owner: EntityReference) throws -> Bool {
        try pass.isRerun && !isWritten(owner)
    }

    /// Whether a member was in a list before this run, be it in another place. What cannot be found out counts as so.
    private func wasThere<State: StateReading & ~Copyable>(
        _ id: String,
        _ list: ClassShape.ToMany,
        in state: borrowing State
    ) throws -> Bool {
        guard let toOne = list.memberToOne, let first = firstBatchStart else { return true }
        let member = EntityReference(model: list.target, id: id)
        guard let found = try state.revision(of: member) else { return true }
        if found.revision.position.rawValue < first { return true }
        if found.created.rawValue >= first { return false }
        // The batch that is being made only puts lists in order.
        let last = try state.lastChange(
            of: member,
            to: toOne,
            amongLast: MigrationPass.changeCountMax
        ) { position, _ in position.rawValue >= pass.batchStart }
        return last.map { $0.rawValue < first } ?? true
    }
}

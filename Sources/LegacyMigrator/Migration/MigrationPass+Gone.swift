import LegacyRecords
import Reprise

/// Rows that both a store and a source have deleted.
extension MigrationPass {
    /// The rows of the source that somebody else has deleted and that the export lacks now, as far as that was not
    /// noted before: when the source has such a record again, it is new.
    ///
    /// - Complexity: O(deleted rows of the source's models · log n), and O(log n) for each event that is looked at.
    func goneOnBothSides(in store: Store) throws -> RememberedRows {
        let gone = RememberedRows(in: memory)
        guard isRerun, !isPartial else { return gone }
        try store.read { state in
            for model in shape.models {
                try state.forEachDeletion(of: model) { row, position in
                    if try isGone(row, position, in: state) { try gone.append(row) }
                    return true
                }
            }
        }
        return gone
    }

    /// - Parameter position: that of its deletion.
    private func isGone(
        _ row: EntityReference,
        _ position: Position,
        in state: borrowing ReadTransaction
    ) throws -> Bool {
        if isOurs(position) { return false }
        if try hasSeen(row.model, row.id) || isWaiting(row.model, row.id) || kept.contains(row) {
            return false
        }
        if let last = try agreements.position(of: row, Agreements.wholeRow), last >= position {
            return false
        }
        return try hasSaid(row, in: state)
    }

    /// Whether the source has said that there is a row, in an event or by what it came to say of it as well, and has
    /// not said since that there is none.
    ///
    /// - Complexity: O(log n) for each event of the row, the last 10,000 at most.
    func hasSaid<State: StateReading & ~Copyable>(
        _ row: EntityReference,
        in state: borrowing State
    ) throws -> Bool {
        let last = try agreements.position(of: row, Agreements.wholeRow)
        if let said = try agreements.position(ofBare: row), said > last ?? .origin { return true }
        for attribute in shape.classes[row.model]?.attributes ?? [] {
            if let said = try agreements.position(of: row, attribute.name), said > last ?? .origin {
                return true
            }
        }
        var isSaid = false
        var leftCount = Self.changeCountMax
        try state.forEachEvent(of: row) { event in
            leftCount -= 1
            if let last, event.position <= last { return false }
            if isOwnDeletion(event) { return false }
            isSaid = event.cause == nil && isOurs(event.position)
            return !isSaid && leftCount > 0
        }
        return isSaid
    }

    /// Notes that the source has no such row any more either, unless somebody has made it again meanwhile.
    func noteGone<State: StateReading & ~Copyable>(
        _ row: EntityReference,
        in state: borrowing State
    ) throws {
        guard let position = try state.deletion(of: row) else { return }
        try agreements.note(row, [Agreements.wholeRow], upTo: position, isCounted: false)
    }
}

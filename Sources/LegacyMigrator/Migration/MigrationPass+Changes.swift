import Reprise

/// Who has changed what.
extension MigrationPass {
    /// Whether somebody else changed a row since this source did.
    func isChangedHere<State: StateReading & ~Copyable>(
        _ reference: EntityReference,
        in state: borrowing State
    ) throws -> Bool {
        guard let found = try state.revision(of: reference) else { return false }
        return try isChangedHere(reference, found.revision, created: found.created, in: state)
    }

    /// Whether somebody else changed a row since this source did, before the migration that is being made. That it
    /// moved in a list is no change of a row, whoever moved it (STO-49): making room for one member moves others. Nor
    /// is what followed from what this source did to others, as when they get a partner or lose one, nor what this
    /// migration has done to it: what somebody did to the row before counts on. So it makes no difference what of the
    /// row is written first, and a comparison, which changes nothing, finds the same, as far as its last 10,000 events
    /// go.
    func isChangedHere<State: StateReading & ~Copyable>(
        _ reference: EntityReference,
        _ revision: Revision,
        created: Position,
        in state: borrowing State
    ) throws -> Bool {
        let last = revision.position
        // Nothing has happened to it.
        if last == created { return !isOurs(last) }
        let change = try state.lastChange(of: reference, amongLast: Self.changeCountMax) {
            isNeutral($0) || isOurs($0) && ($1 || $0.rawValue >= firstPosition)
        }
        return !isOurs(change ?? last)
    }

    /// As ``isChangedHere(_:in:)`` for one attribute. What the source has come to say of it as well is no change.
    func isChangedHere<State: StateReading & ~Copyable>(
        _ row: EntityReference,
        to attribute: String,
        in state: borrowing State
    ) throws -> Bool {
        guard isRerun, try state.revision(of: row) != nil else { return false }
        let change = try state.lastChange(
            of: row,
            to: attribute,
            amongLast: Self.changeCountMax
        ) { isNeutral($0) || isOurs($0) && ($1 || $0.rawValue >= firstPosition) }
        guard let change, !isOurs(change) else { return false }
        return try change > agreements.position(of: row, attribute) ?? .origin
    }

    /// Whether somebody else has deleted a row that this source had made.
    func wasDeletedHere<State: StateReading & ~Copyable>(
        _ row: EntityReference,
        in state: borrowing State
    ) throws -> Bool {
        guard isRerun, let position = try state.deletion(of: row), !isOurs(position) else {
            return false
        }
        // The source has deleted it as well since.
        guard let gone = try agreements.position(of: row, Agreements.wholeRow) else { return true }
        return gone < position
    }

    /// How many events of a row are looked at: the owner of a long list has one for each of its entries.
    static let changeCountMax = 10_000
}

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
            isOurs($0) && ($1 || $0.rawValue >= firstPosition)
        }
        return !isOurs(change ?? last)
    }

    /// As ``isChangedHere(_:in:)`` for one attribute.
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
        ) { isOurs($0) && ($1 || $0.rawValue >= firstPosition) }
        return change.map { !isOurs($0) } ?? false
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

    /// Whether anything of a row that this source has made is somebody else's work and still stands, though the source
    /// may have written other attributes since: such a row is not deleted. What the source has come to say as well is
    /// nobody else's.
    ///
    /// - Complexity: O(1) where nobody else has written anything since the row was made, and otherwise O(log n) for
    ///   each event of the row. All are asked: the entry that somebody has added to a long list may be far back.
    func holdsWorkOfOthers(
        _ row: EntityReference,
        _ record: Record,
        in state: borrowing ReadTransaction
    ) throws -> Bool {
        let last = record.revision.position
        if owned.contains(record.created...last) { return false }
        var asked = last
        let change = try state.lastStandingChange(of: row) {
            asked = $0
            return try !isOurs($0) && !isAgreed($0, row, in: state)
        }
        // What cannot be found out counts as somebody's.
        return change != nil || asked > record.created
    }

    /// Whether the source has come to say all that an event of a row has written.
    private func isAgreed(
        _ position: Position,
        _ row: EntityReference,
        in state: borrowing ReadTransaction
    ) throws -> Bool {
        guard !agreements.isEmpty, let event = try state.event(at: position), !event.changes.isEmpty
        else { return false }
        return try event.changes.allSatisfy {
            guard let agreed = try agreements.position(of: row, $0.name) else { return false }
            return agreed >= position
        }
    }

    /// Whether somebody else has changed a row since a position.
    func isChangedHere<State: StateReading & ~Copyable>(
        _ row: EntityReference,
        since head: Position,
        in state: borrowing State
    ) throws -> Bool {
        guard let found = try state.revision(of: row), found.revision.position > head
        else { return false }
        let last = try state.lastChange(of: row) { position, _ in
            position > head && isOurs(position)
        }
        return last.map { $0 > head } ?? false
    }

    /// How many events of a row are looked at: the owner of a long list has one for each of its entries.
    static let changeCountMax = 10_000
}

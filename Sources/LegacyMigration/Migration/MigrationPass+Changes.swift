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
        ) { isOurs($0) && ($1 || $0.rawValue >= firstPosition) }
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
        // What was written after the event that is asked about: by the source, or as it has come to say.
        var covered: Set<String> = []
        let change = try state.lastStandingChange(of: row) {
            asked = $0
            return try !isOurs($0, covered: &covered, row, in: state)
        }
        // What cannot be found out counts as somebody's.
        return change != nil || asked > record.created
    }

    /// Whether an event of a row is the source's, or the source has written or come to say since all that it has
    /// written. That an entry was put into a list is not what it may have come to say: it is said of a list that has
    /// others besides (``Agreements``).
    ///
    /// - Parameter covered: the attributes that such events after it have written; those of this one are added.
    private func isOurs(
        _ position: Position,
        covered: inout Set<String>,
        _ row: EntityReference,
        in state: borrowing ReadTransaction
    ) throws -> Bool {
        let isOurs = isOurs(position)
        if agreements.isEmpty { return isOurs }
        guard let event = try state.event(at: position) else { return isOurs }
        let changes = event.changes.filter { $0.from != $0.to }
        if !isOurs {
            guard event.type != "linked", !event.changes.isEmpty else { return false }
            for change in event.changes where !covered.contains(change.name) {
                guard let agreed = try agreements.position(of: row, change.name),
                    agreed >= position
                else { return false }
            }
        }
        if event.type == "updated" { covered.formUnion(changes.map(\.name)) }
        return true
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

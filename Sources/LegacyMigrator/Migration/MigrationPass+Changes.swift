import Reprise

/// Finds out whether the source or others have changed a row, an attribute or a list last.
extension MigrationPass {
    /// How many events of a row are looked at: the owner of a long list has one for each of its entries.
    private static let changeCountMax = 10_000

    /// Whether others than the source have changed a row last.
    func isChangedHere<State: StateReading & ~Copyable>(
        _ row: EntityReference,
        in state: borrowing State
    ) throws -> Bool {
        guard isRerun, let found = try state.revision(of: row) else { return false }
        return !isOurs(found.revision.position)
    }

    /// Whether others than the source have changed an attribute of a row last.
    func isChangedHere<State: StateReading & ~Copyable>(
        _ row: EntityReference,
        to attribute: String,
        in state: borrowing State
    ) throws -> Bool {
        guard isRerun, try state.revision(of: row) != nil else { return false }
        let change = try state.lastChange(of: row, to: attribute, amongLast: Self.changeCountMax) { _, _ in false }
        return change.map { !isOurs($0) } ?? false
    }

    /// Whether others than the source have changed a list of entries last.
    func isChangedHere<State: StateReading & ~Copyable>(
        _ list: ClassShape.ToMany,
        of owner: EntityReference,
        in state: borrowing State
    ) throws -> Bool {
        guard isRerun, list.memberToOne == nil else { return false }
        var isChanged = false
        var leftCount = Self.changeCountMax
        try state.forEachEvent(of: owner) { event in
            leftCount -= 1
            let isOfList = ["linked", "unlinked", "moved"].contains(event.type)
            guard event.type == "inserted" || isOfList && event.changes.first?.name == list.name else {
                return leftCount > 0
            }
            isChanged = !isOurs(event.position)
            return false
        }
        return isChanged
    }

    /// Whether others than the source have moved a row in the list on the other side of a to-one since the source
    /// changed the row.
    func wasMovedHere<State: StateReading & ~Copyable>(
        _ row: EntityReference,
        by toOne: String,
        in state: borrowing State
    ) throws -> Bool {
        guard isRerun else { return false }
        var isMoved = false
        var leftCount = Self.changeCountMax
        try state.forEachEvent(of: row) { event in
            leftCount -= 1
            let isOfPlace = event.changes.contains { $0.name == toOne && $0.from == $0.to }
            isMoved = isOfPlace && !isOurs(event.position)
            return leftCount > 0 && !isMoved && !isOurs(event.position)
        }
        return isMoved
    }

    /// Whether others than the source have deleted a row that the source had made.
    func wasDeletedHere<State: StateReading & ~Copyable>(
        _ row: EntityReference,
        in state: borrowing State
    ) throws -> Bool {
        guard isRerun, let position = try state.deletion(of: row) else { return false }
        return !isOurs(position)
    }
}

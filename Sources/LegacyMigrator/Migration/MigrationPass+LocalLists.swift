import LegacyRecords
import Reprise

/// Lists that somebody else has changed in the store, and the source has not changed since: they stay.
extension MigrationPass {
    /// Whether a list of entries of its own stays as it is: somebody else has changed it after the source, and the
    /// export has it as the source had written it last.
    ///
    /// - Complexity: O(1) where nobody else has written anything of the owner since it was made; otherwise O(log n) for
    ///   each of its last 10,000 events, and where the list was changed O(entries · log entries).
    func isKept<State: StateReading & ~Copyable>(
        _ list: ClassShape.ToMany,
        of owner: EntityReference,
        _ members: LegacyReferences,
        in state: borrowing State
    ) throws -> Bool {
        guard isRerun, list.memberToOne == nil,
            let found = try state.revision(of: owner),
            !isUndisturbed(found.created...found.revision.position)
        else { return false }
        let (saying, change) = try lastSaid(list.name, of: owner, in: state)
        if case .unchangedHere = saying { return false }
        let isAsBefore = try isSaid(saying, members, list, of: owner, in: state)
        if isAsBefore, change == nil { return false }
        // What agrees needs nobody to keep it.
        let present = try state.entries(of: list.name, model: owner.model, id: owner.id)
        let agrees = try isSame(members, list, as: present, mayLackAdded: isPartial, in: state)
        if isAsBefore, !agrees {
            for entry in present { try heldByKept.insert(entry.target, of: list.target) }
            try warnOfKept(list, of: owner)
            return true
        }
        // Nothing will be written that says so where all that the export lacks was added here.
        if !isAsBefore, !isPartial,
            try isSame(members, list, as: present, mayLackAdded: true, in: state)
        {
            try agreements.note(owner, [list.name], upTo: found.revision.position)
        }
        return false
    }

    /// Whether an export gives the members that the source had given last.
    private func isSaid<State: StateReading & ~Copyable>(
        _ saying: ListSaying,
        _ members: LegacyReferences,
        _ list: ClassShape.ToMany,
        of owner: EntityReference,
        in state: borrowing State
    ) throws -> Bool {
        guard case .asOf(let position) = saying else { return false }
        let entries = try state.entries(
            of: list.name,
            model: owner.model,
            id: owner.id,
            asOf: position
        )
        if try isSame(members, list, as: entries, mayLackAdded: true, in: state) { return true }
        let own = entries.filter { isOurs(Position(rawValue: $0.serial)) }
        return try own.count < entries.count
            && isSame(members, list, as: own, mayLackAdded: false, in: state)
    }

    /// Whether somebody else has changed a list after the source, or put one of its members elsewhere.
    func isChangedHere<State: StateReading & ~Copyable>(
        _ list: ClassShape.ToMany,
        of owner: EntityReference,
        _ members: LegacyReferences,
        in state: borrowing State
    ) throws -> Bool {
        guard isRerun, let found = try state.revision(of: owner) else { return false }
        guard let toOne = list.memberToOne else {
            if isUndisturbed(found.created...found.revision.position) { return false }
            return try lastSaid(list.name, of: owner, in: state).change != nil
        }
        for key in members {
            let id = try storedIdentifier(list.target, key, in: state)
            let member = EntityReference(model: list.target, id: id)
            guard let found = try state.revision(of: member),
                !isUndisturbed(found.created...found.revision.position),
                let record = try state.record(model: list.target, id: id, lists: false),
                record[toOne] != .reference(owner.id)
            else { continue }
            if try isChangedHere(member, to: toOne, in: state) { return true }
        }
        return false
    }

    /// What the source had said of a list that somebody else may have changed.
    enum ListSaying {
        /// Nobody else has touched it since, or the migration that is being made has written it already; or it is too
        /// far back who has.
        case unchangedHere
        /// What was there at a position.
        case asOf(Position)
        /// Nothing.
        case nothing
    }

    /// What the source had said of a list, and where somebody else has changed it last since: that a member was deleted
    /// is no change of it.
    ///
    /// - Parameter limit: how many events of the owner are looked at, from the last one back.
    func lastSaid<State: StateReading & ~Copyable>(
        _ list: String,
        of owner: EntityReference,
        amongLast limit: Int = changeCountMax,
        in state: borrowing State
    ) throws -> (saying: ListSaying, change: Position?) {
        let agreed = try agreements.position(of: owner, list)
        let gone = try agreements.position(of: owner, Agreements.wholeRow)
        var change: Position?
        var isTouched = false
        var said: Position?
        var leftCount = limit
        try state.forEachEvent(of: owner) { event in
            leftCount -= 1
            if let gone, event.position <= gone { return false }
            if let agreed, event.position <= agreed {
                said = agreed
                return false
            }
            guard leftCount > 0, !isOwnDeletion(event) else { return false }
            let isOfList = Self.listEvents.contains(event.type)
            guard event.type == "inserted" || isOfList && event.changes.first?.name == list
            else { return true }
            if isOurs(event.position) {
                if event.cause != nil, event.position.rawValue >= firstPosition { return true }
                said = event.position
                return false
            }
            isTouched = true
            // Whoever makes a row again makes its lists as well.
            if try change == nil && !isUndone(event, in: state) { change = event.position }
            return true
        }
        guard isTouched else { return (.unchangedHere, nil) }
        if let said { return (.asOf(said), change) }
        return (leftCount <= 0 ? .unchangedHere : .nothing, change)
    }

    static let listEvents: Set<String> = ["linked", "unlinked", "moved"]

    /// Whether an export gives the members that a list had. What has never been there, and is not there now, the source
    /// had given in vain.
    ///
    /// - Parameter mayLackAdded: whether it may lack entries that somebody else had added, which stay in any case; what
    ///   was saved of a damaged file may lack any then.
    private func isSame<State: StateReading & ~Copyable>(
        _ members: LegacyReferences,
        _ list: ClassShape.ToMany,
        as entries: [EntryID],
        mayLackAdded: Bool,
        in state: borrowing State
    ) throws -> Bool {
        var known = KeySet()
        for entry in entries { known.insert(entry.target) }
        func isAdded(_ entry: EntryID) -> Bool {
            mayLackAdded && (isPartial || !isOurs(Position(rawValue: entry.serial)))
        }
        var next = 0
        for key in members {
            let target = try storedIdentifier(list.target, key, in: state)
            var place = next
            while place < entries.count, isAdded(entries[place]),
                !entries[place].target.utf8.elementsEqual(target.utf8)
            { place += 1 }
            if place < entries.count, entries[place].target.utf8.elementsEqual(target.utf8) {
                next = place + 1
            } else if try known.contains(target) || resolves(list.target, target, in: state) {
                return false
            }
        }
        return entries[next...].allSatisfy(isAdded)
    }
}

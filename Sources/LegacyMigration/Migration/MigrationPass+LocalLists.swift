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
        guard isRerun, !isPartial, list.memberToOne == nil,
            let found = try state.revision(of: owner),
            !owned.contains(found.created...found.revision.position),
            let said = try lastSaid(list, of: owner, in: state)
        else { return false }
        // What agrees needs nobody to keep it.
        let present = try state.entries(of: list.name, model: owner.model, id: owner.id)
        if try isSame(members, list, as: present, in: state) { return false }
        let entries = try state.entries(
            of: list.name,
            model: owner.model,
            id: owner.id,
            asOf: said
        )
        let own = entries.filter { isOurs(Position(rawValue: $0.serial)) }
        guard
            try isSame(members, list, as: entries, in: state)
                || own.count < entries.count && isSame(members, list, as: own, in: state)
        else { return false }
        try warnOfKept(list, of: owner)
        return true
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
            if owned.contains(found.created...found.revision.position) { return false }
            return try lastSaid(list, of: owner, in: state) != nil
        }
        for key in members {
            let id = try storedIdentifier(list.target, key, in: state)
            let member = EntityReference(model: list.target, id: id)
            guard let found = try state.revision(of: member),
                !owned.contains(found.created...found.revision.position),
                let record = try state.record(model: list.target, id: id, lists: false),
                record[toOne] != .reference(owner.id)
            else { continue }
            if try isChangedHere(member, to: toOne, in: state) { return true }
        }
        return false
    }

    /// The position at which a list was as the source had said, where somebody else has changed it since; nil where
    /// nobody has, and where the migration that is being made has written it already.
    private func lastSaid<State: StateReading & ~Copyable>(
        _ list: ClassShape.ToMany,
        of owner: EntityReference,
        in state: borrowing State
    ) throws -> Position? {
        var isLocal = false
        var said: Position?
        var leftCount = Self.changeCountMax
        try state.forEachEvent(of: owner) { event in
            leftCount -= 1
            guard leftCount > 0 else { return false }
            let isOfList = Self.listEvents.contains(event.type)
            guard event.type == "inserted" || isOfList && event.changes.first?.name == list.name
            else { return true }
            if isOurs(event.position) {
                if event.cause != nil, event.position.rawValue >= firstPosition { return true }
                said = event.position
                return false
            }
            // Whoever makes a row again makes its lists as well.
            if try !isUndone(event, in: state) { isLocal = true }
            return true
        }
        guard isLocal else { return nil }
        // What the source had said is too far back: nothing that the export says is the same.
        if leftCount <= 0 { return state.position }
        // Of a list of which the source has written nothing: as it was when it last wrote anything.
        return said ?? owned.last(before: firstPosition)
    }

    private static let listEvents: Set<String> = ["linked", "unlinked", "moved"]

    /// Whether an export gives the members that a list had. What has never been there, and is not there now, the source
    /// had given in vain.
    private func isSame<State: StateReading & ~Copyable>(
        _ members: LegacyReferences,
        _ list: ClassShape.ToMany,
        as entries: [EntryID],
        in state: borrowing State
    ) throws -> Bool {
        var known = KeySet()
        for entry in entries { known.insert(entry.target) }
        var next = 0
        for key in members {
            let target = try storedIdentifier(list.target, key, in: state)
            if next < entries.count, entries[next].target.utf8.elementsEqual(target.utf8) {
                next += 1
            } else if try known.contains(target) || resolves(list.target, target, in: state) {
                return false
            }
        }
        return next == entries.count
    }

    /// Whether the members of a list keep the order that somebody else has given them: the export has them in the one
    /// in which the source had put them last.
    ///
    /// - Parameters:
    ///   - present: what the list has.
    ///   - wanted: the members of the list that the export has, in its order.
    ///   - mayGrow: whether such as the migration has made may follow, which are at the end of the list already.
    /// - Complexity: O(members · log members), and O(log n) for each of their events that is looked at.
    func keepsOrder<State: StateReading & ~Copyable>(
        _ list: ClassShape.ToMany,
        of owner: EntityReference,
        _ present: [EntryID],
        _ wanted: [String],
        mayGrow: Bool,
        in state: borrowing State
    ) throws -> Bool {
        guard isRerun, !isPartial, list.memberToOne != nil else { return false }
        let all = Set(wanted.map(ListMember.init))
        for entry in present where !all.contains(ListMember(entry.target)) {
            // More than its order differs.
            if try isNeeded(list) || mayTakeOut(entry, of: list, in: state) { return false }
        }
        var wanted = wanted
        while mayGrow, let last = wanted.last,
            let found = try state.revision(of: EntityReference(model: list.target, id: last)),
            found.created.rawValue >= firstPosition, isOurs(found.created)
        { wanted.removeLast() }
        if wanted.count < 2 { return false }
        let names = Set(wanted.map(ListMember.init))
        guard
            let said = try order(
                of: list,
                owner,
                wanted,
                in: state,
                where: { $0.rawValue < firstPosition && isOurs($0) }
            ),
            said.hasSameIdentifiers(as: wanted),
            let before = try order(of: list, owner, wanted, in: state, where: isNoPartOfRun)
        else { return false }
        let there = present.map(\.target).filter { names.contains(ListMember($0)) }
        // Otherwise the migration that is being made has put them in order already.
        guard there.hasSameIdentifiers(as: before), !there.hasSameIdentifiers(as: wanted)
        else { return false }
        try warnOfKept(list, of: owner)
        return true
    }

    /// Whether an event is none of those of the migration that is being made.
    func isNoPartOfRun(_ position: Position) -> Bool {
        position.rawValue < firstPosition || !isOurs(position)
    }

    /// The order in which events that count have last put members.
    private func order<State: StateReading & ~Copyable>(
        of list: ClassShape.ToMany,
        _ owner: EntityReference,
        _ members: [String],
        in state: borrowing State,
        where counts: (Position) -> Bool
    ) throws -> [String]? {
        try state.order(
            of: list.name,
            model: owner.model,
            id: owner.id,
            members: members,
            asPlacedBy: counts
        )
    }
}

extension [String] {
    /// Whether both are the same identifiers in the same order, byte by byte.
    fileprivate func hasSameIdentifiers(as other: [String]) -> Bool {
        count == other.count && zip(self, other).allSatisfy { $0.utf8.elementsEqual($1.utf8) }
    }
}

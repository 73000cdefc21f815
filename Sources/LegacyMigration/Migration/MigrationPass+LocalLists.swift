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
        for position in said {
            let entries = try state.entries(
                of: list.name,
                model: owner.model,
                id: owner.id,
                asOf: position
            )
            let own = entries.filter { isOurs(Position(rawValue: $0.serial)) }
            guard
                try isSame(members, list, as: entries, in: state)
                    || own.count < entries.count && isSame(members, list, as: own, in: state)
            else { continue }
            try warnOfKept(list, of: owner)
            return true
        }
        return false
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

    /// The positions at which a list was as the source had said, where somebody else has changed it since; nil where
    /// nobody has, and where the migration that is being made has written it already.
    private func lastSaid<State: StateReading & ~Copyable>(
        _ list: ClassShape.ToMany,
        of owner: EntityReference,
        in state: borrowing State
    ) throws -> [Position]? {
        var isLocal = false
        var said: Position?
        var leftCount = Self.changeCountMax
        try state.forEachEvent(of: owner) { event in
            leftCount -= 1
            guard event.type != "inserted", leftCount > 0 else { return false }
            guard Self.listEvents.contains(event.type), event.changes.first?.name == list.name
            else { return true }
            let isOurs = isOurs(event.position)
            if isOurs {
                if event.cause != nil, event.position.rawValue >= firstPosition { return true }
                said = event.position
                return false
            }
            if try !event.followedFromDeletion(in: state) { isLocal = true }
            return true
        }
        guard isLocal else { return nil }
        let last = owned.last(before: firstPosition)
        return [said, last > .origin ? last : nil].compactMap(\.self)
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
            } else if try known.contains(target)
                || state.revision(of: EntityReference(model: list.target, id: target)) != nil
            {
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
    /// - Complexity: O(members · log members), and O(log n) for each of their events that is looked at.
    func keepsOrder<State: StateReading & ~Copyable>(
        _ list: ClassShape.ToMany,
        of owner: EntityReference,
        _ present: [EntryID],
        _ wanted: [String],
        in state: borrowing State
    ) throws -> Bool {
        guard isRerun, !isPartial, list.memberToOne != nil, wanted.count > 1 else { return false }
        let names = Set(wanted.map(ListMember.init))
        for entry in present where !names.contains(ListMember(entry.target)) {
            // More than its order differs.
            if try isNeeded(list) || mayTakeOut(entry, of: list, in: state) { return false }
        }
        guard
            let said = try order(of: list, owner, wanted, in: state, where: { isOurs($0) }),
            said.hasSameIdentifiers(as: wanted),
            let before = try order(of: list, owner, wanted, in: state, where: { _ in true })
        else { return false }
        let there = present.map(\.target).filter { names.contains(ListMember($0)) }
        // Otherwise the migration that is being made has put them in order already.
        guard there.hasSameIdentifiers(as: before) else { return false }
        try warnOfKept(list, of: owner)
        return true
    }

    /// The order in which members had been put before the migration.
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
            members: members
        ) { $0.rawValue < firstPosition && counts($0) }
    }
}

extension [String] {
    /// Whether both are the same identifiers in the same order, byte by byte.
    fileprivate func hasSameIdentifiers(as other: [String]) -> Bool {
        count == other.count && zip(self, other).allSatisfy { $0.utf8.elementsEqual($1.utf8) }
    }
}

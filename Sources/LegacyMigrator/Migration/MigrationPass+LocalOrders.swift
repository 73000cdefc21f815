import ExportFormats
import LegacyRecords
import Reprise

/// Orders that somebody else has given members of lists on the other side of a to-one.
extension MigrationPass {
    /// Whether the members of a list keep the order that somebody has given them: the export has them in the one
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
        guard isRerun, let toOne = list.memberToOne else { return false }
        let all = Set(wanted.map(ExactText.init))
        for entry in present where !isPartial && !all.contains(ExactText(entry.target)) {
            // More than its order differs.
            if try isNeeded(list) || mayTakeOut(entry, of: list, in: state) { return false }
        }
        var wanted = wanted
        while mayGrow, let last = wanted.last,
            let found = try state.revision(of: EntityReference(model: list.target, id: last)),
            found.created.rawValue >= firstPosition, isOurs(found.created)
        { wanted.removeLast() }
        if wanted.count < 2 { return false }
        let isSaid = try isSaid(wanted, list, toOne, of: owner, in: state) {
            $0.rawValue < firstPosition && isOurs($0)
        }
        guard isSaid,
            let before = try state.order(
                of: list.name,
                model: owner.model,
                id: owner.id,
                members: wanted,
                asPlacedBy: isNoPartOfRun
            )
        else { return false }
        let names = Set(wanted.map(ExactText.init))
        let there = present.map(\.target).filter { names.contains(ExactText($0)) }
        // Otherwise the migration that is being made has put them in order already.
        guard there.hasSameIdentifiers(as: before), !there.hasSameIdentifiers(as: wanted)
        else { return false }
        try warnOfKept(list, of: owner)
        return true
    }

    /// Notes where the members of a list are in the order of the export by places that somebody else has given them, so
    /// that no events of the source tell it: it has come to say the same.
    ///
    /// - Parameters:
    ///   - wanted: the members that the export has of the list, of which those that are there stand in this order.
    ///   - isMade: whether the migration has put them into it.
    /// - Complexity: O(members · log n), and O(log n) for each event of those that somebody else has placed.
    func noteAgreedOrder<State: StateReading & ~Copyable>(
        _ list: ClassShape.ToMany,
        of owner: EntityReference,
        _ wanted: [String],
        isMade: Bool,
        in state: borrowing State
    ) throws {
        guard isRerun, !isPartial, let toOne = list.memberToOne, wanted.count > 1 else { return }
        let agreed = try agreements.position(of: owner, list.name) ?? .origin
        var isOfOthers = false
        var last = Position.origin
        var there: [String] = []
        for id in wanted {
            let member = EntityReference(model: list.target, id: id)
            guard let found = try state.revision(of: member) else { continue }
            there.append(id)
            last = max(last, found.revision.position)
            if isOfOthers || isUndisturbed(found.created...found.revision.position) { continue }
            let placing =
                try state.lastPlacing(of: member, by: toOne, since: agreed) ?? found.created
            isOfOthers = placing > agreed && !isOurs(placing)
        }
        guard isOfOthers,
            try isMade || !isSaid(there, list, toOne, of: owner, in: state, where: isOurs)
        else { return }
        try agreements.note(owner, [list.name], upTo: last, isCounted: !isMade)
    }

    /// Whether somebody else has put members into a list on the other side of their to-one, given them other places in
    /// it, made some that the export has no more, or put some elsewhere that it has in it: the owner itself tells
    /// nothing of that. To be asked when all records have been read.
    ///
    /// - Parameter wanted: the members that the export has of the list.
    /// - Complexity: O(log n) for each member, and for each of its events that is looked at.
    func isArrangedHere(
        _ list: ClassShape.ToMany,
        of owner: EntityReference,
        _ wanted: RememberedIdentifiers,
        in state: borrowing ReadTransaction
    ) throws -> Bool {
        guard let toOne = list.memberToOne else { return false }
        let agreed = try agreements.position(of: owner, list.name) ?? .origin
        var isArranged = false
        try state.forEachEntry(of: list.name, model: owner.model, id: owner.id) { entry in
            let member = EntityReference(model: list.target, id: entry.target)
            guard let found = try state.revision(of: member),
                !isUndisturbed(found.created...found.revision.position)
            else { return true }
            // The row of somebody else's stays when the export lacks it, and where the export had put it.
            if try !isOurs(found.created) && !hasSeen(list.target, entry.target) {
                isArranged = true
                return false
            }
            let placing =
                try state.lastPlacing(of: member, by: toOne, since: agreed) ?? found.created
            isArranged = placing > agreed && !isOurs(placing)
            return !isArranged
        }
        for place in 0..<wanted.count where !isArranged {
            let member = EntityReference(model: list.target, id: try wanted.key(at: place).text)
            if let record = try state.record(model: member.model, id: member.id, lists: false) {
                isArranged =
                    try record[toOne] != .reference(owner.id)
                    && isChangedHere(member, to: toOne, in: state)
            } else {
                isArranged = try wasDeletedHere(member, in: state)
            }
        }
        return isArranged
    }

    /// Whether an event is none of those of the migration that is being made.
    func isNoPartOfRun(_ position: Position) -> Bool {
        position.rawValue < firstPosition || !isOurs(position)
    }

    /// Whether members are in the order that the source had given them last.
    ///
    /// Places are only compared with others of the same time: where the source last moved a member within the list, or
    /// came to say the order that it had, the whole list was in its order, whoever had put the members there. What its
    /// events have put into the list after that has come to the end, one after the other. A member that was not in the
    /// list then, and has come back since, says nothing.
    ///
    /// - Parameter counts: which events are the source's.
    private func isSaid<State: StateReading & ~Copyable>(
        _ wanted: [String],
        _ list: ClassShape.ToMany,
        _ toOne: String,
        of owner: EntityReference,
        in state: borrowing State,
        where counts: (Position) -> Bool
    ) throws -> Bool {
        var epoch = try agreements.position(of: owner, list.name) ?? .origin
        var placings: [Placing] = []
        for id in wanted {
            let member = EntityReference(model: list.target, id: id)
            let placing = try lastPlacing(of: member, by: toOne, in: owner, state, where: counts)
            if placing.isMove, let position = placing.position { epoch = max(epoch, position) }
            placings.append(placing)
        }
        func order(_ members: [String]) throws -> [String]? {
            try state.order(
                of: list.name,
                model: owner.model,
                id: owner.id,
                members: members,
                asPlacedBy: { $0 <= epoch }
            )
        }
        var head: [String] = []
        var tail: [(id: String, position: Position)] = []
        for placing in placings {
            if let position = placing.position, position > epoch {
                guard placing.isInList else { return false }
                tail.append((placing.id, position))
            } else if try order([placing.id]) != nil {
                head.append(placing.id)
            } else if placing.position == nil {
                return false
            }
        }
        let known = Set((head + tail.map(\.id)).map(ExactText.init))
        guard let first = try order(head) else { return false }
        let rest = tail.sorted { $0.position < $1.position }.map(\.id)
        return (first + rest).hasSameIdentifiers(
            as: wanted.filter { known.contains(ExactText($0)) }
        )
    }

    /// What the last event of the source that wrote a member's to-one did.
    private struct Placing {
        let id: String
        /// Nil where there is none.
        var position: Position?
        /// Whether it gave the member another place in the list that it was in.
        var isMove = false
        /// Whether it left the member in the list.
        var isInList = false
    }

    private func lastPlacing<State: StateReading & ~Copyable>(
        of member: EntityReference,
        by toOne: String,
        in owner: EntityReference,
        _ state: borrowing State,
        where counts: (Position) -> Bool
    ) throws -> Placing {
        var placing = Placing(id: member.id)
        let there = Value.reference(owner.id)
        try state.forEachEvent(of: member) { event in
            guard event.type == "inserted" || event.type == "updated", counts(event.position)
            else { return true }
            let change = event.changes.first { $0.name == toOne }
            guard change != nil || event.type == "inserted" else { return true }
            placing.position = event.position
            placing.isInList = change?.to == there
            placing.isMove = event.type == "updated" && placing.isInList && change?.from == there
            return false
        }
        return placing
    }
}

extension [String] {
    /// Whether both are the same identifiers in the same order, byte by byte.
    fileprivate func hasSameIdentifiers(as other: [String]) -> Bool {
        count == other.count && zip(self, other).allSatisfy { $0.utf8.elementsEqual($1.utf8) }
    }
}

import ExportFormats
import LegacyRecords
import Reprise

/// Writing the lists of an export.
extension MigrationWriter {
    /// Writes the entries `range` of a list; all before them are in place.
    ///
    /// - Returns: the list, where it is long and has to be arranged first; nothing is written then.
    func write(
        _ list: ListInProgress,
        _ range: Range<Int>,
        _ transaction: inout WriteTransaction
    ) throws -> LongList? {
        currentList = list
        if let long = try writeEntries(list, range, &transaction) { return long }
        guard range.upperBound == list.members.count else { return nil }
        currentList = nil
        if list.isPostponed { try postponedLists.append(list) }
        return nil
    }

    private func writeEntries(
        _ list: ListInProgress,
        _ range: Range<Int>,
        _ transaction: inout WriteTransaction
    ) throws -> LongList? {
        if !list.hasBegun { try begin(list, in: transaction) }
        guard !list.isLeftOut, !list.isKept else { return nil }
        let owner = EntityReference(model: list.shape.model, id: list.id)
        if !list.isCompared, mayHaveEntries(list) {
            list.isCompared = true
            let present = try entriesUnlessLong(of: list.list, owner, in: transaction)
            guard let present, list.members.count <= longBounds.lengthMax else {
                try ask(list, in: transaction)
                return LongList(
                    list.list,
                    of: owner,
                    try wantedMembers(list, in: transaction),
                    isWhole: true,
                    in: pass.memory
                )
            }
            let (wanted, places) = try wantedMembers(list, present, in: transaction)
            list.presentCount = list.members.count
            var isMade = false
            if !present.hasTargets(wanted) {
                try ask(list, in: transaction)
                // What is missing at the end is added piece by piece, though some of it may be nowhere.
                let isBeginning =
                    present.count < wanted.count && present.hasTargets(beginning: wanted)
                    && (wanted.count == list.members.count || list.list.memberToOne == nil)
                if isBeginning {
                    list.presentCount = places[present.count]
                } else {
                    let keepsOrder = try pass.keepsOrder(
                        list.list,
                        of: owner,
                        present,
                        wanted,
                        mayGrow: false,
                        in: transaction
                    )
                    if keepsOrder { return nil }
                    if list.isChangedHere == false {
                        list.isChangedHere = try pass.losesOrder(
                            list.list,
                            present,
                            to: wanted,
                            in: transaction,
                            isWritten: isWritten
                        )
                    }
                    try reorder(list.list, of: owner, present, wanted, &transaction) {
                        try self.didChange(list, owner)
                        isMade = true
                    }
                }
            }
            if list.presentCount == list.members.count {
                try pass.noteAgreedOrder(
                    list.list,
                    of: owner,
                    wanted,
                    isMade: isMade,
                    in: transaction
                )
            }
        }
        guard list.presentCount < range.upperBound else { return nil }
        try ask(list, in: transaction)
        for place in max(range.lowerBound, list.presentCount)..<range.upperBound {
            let target = try pass.storedIdentifier(
                list.list.target,
                list.members[place],
                in: transaction
            )
            // It was said of a list that was compared what it lacks.
            if list.isCompared, pass.isRerun,
                try !pass.resolves(list.list.target, target, in: transaction)
            { continue }
            if try isHeldBack(list.list.target, target) {
                try leaveOut(target, of: owner)
                continue
            }
            guard try resolves(target, list.list, owner, in: transaction) else { continue }
            if try link(list.list, from: owner, to: target, at: .last, &transaction) != nil {
                try didChange(list, owner)
            }
        }
        return nil
    }

    /// The members of a long list, by their identifiers in the store: those that are there, and not held back. What
    /// cannot come into the list is not among them, so that the windows are the same whatever is done already.
    private func wantedMembers(
        _ list: ListInProgress,
        in transaction: borrowing WriteTransaction
    ) throws -> RememberedIdentifiers {
        let owner = EntityReference(model: list.shape.model, id: list.id)
        let wanted = RememberedIdentifiers(in: pass.memory)
        let kept = try pass.lastOccurrences(list.members, in: list.list)
        for (place, key) in list.members.enumerated() where kept?[place] != false {
            let target = try pass.storedIdentifier(list.list.target, key, in: transaction)
            let isHeldBack = try isHeldBack(list.list.target, target)
            if isHeldBack, try !has(list.list, owner, target, in: transaction) {
                try leaveOut(target, of: owner)
            } else if try resolves(target, list.list, owner, in: transaction) {
                if try exists(list.list.target, target, in: transaction) {
                    try wanted.append(RecordKey(target))
                } else {
                    try leaveOut(target, of: owner)
                }
            }
        }
        return wanted
    }

    /// Whether a list has an entry that leads to a target.
    func has(
        _ list: ClassShape.ToMany,
        _ owner: EntityReference,
        _ target: String,
        in transaction: borrowing WriteTransaction
    ) throws -> Bool {
        try !transaction.entries(
            of: list.name,
            model: owner.model,
            id: owner.id,
            to: target,
            limit: 1
        ).isEmpty
    }

    /// The members in the store that a list shall have: those that are there, and not held back; and their places in
    /// the export's.
    private func wantedMembers(
        _ list: ListInProgress,
        _ present: [EntryID],
        in transaction: borrowing WriteTransaction
    ) throws -> (members: [String], places: [Int]) {
        var known = KeySet()
        for entry in present where try isHeldBack(list.list.target, entry.target) {
            known.insert(entry.target)
        }
        let owner = EntityReference(model: list.shape.model, id: list.id)
        var wanted: [String] = []
        var places: [Int] = []
        wanted.reserveCapacity(list.members.count)
        places.reserveCapacity(list.members.count)
        let kept = try pass.lastOccurrences(list.members, in: list.list)
        for (place, key) in list.members.enumerated() where kept?[place] != false {
            let target = try pass.storedIdentifier(list.list.target, key, in: transaction)
            if try isHeldBack(list.list.target, target), !known.contains(target) {
                try leaveOut(target, of: owner)
            } else if try resolves(target, list.list, owner, in: transaction),
                try !pass.standsElsewhere(target, list.list, of: owner, in: transaction)
            {
                wanted.append(target)
                places.append(place)
            }
        }
        return (wanted, places)
    }

    /// Whether the target of an entry is there; warns where not.
    private func resolves(
        _ target: String,
        _ list: ClassShape.ToMany,
        _ owner: EntityReference,
        in transaction: borrowing WriteTransaction
    ) throws -> Bool {
        // In a first migration the link itself finds out.
        guard pass.isRerun, try !pass.resolves(list.target, target, in: transaction) else {
            return true
        }
        try leaveOut(target, of: owner)
        return false
    }

    /// An entry whose target is not there; it may be one that is tried again at the end.
    private func leaveOut(_ target: String, of owner: EntityReference) throws(LegacyError) {
        guard let currentList else { return pass.warnOfMissing(entry: target, of: owner) }
        let isHeldBack = try isHeldBack(currentList.list.target, target)
        if isHeldBack || !postponed.isEmpty {
            currentList.isPostponed = true
        } else {
            // Of one that stays deleted that was said, unless the list is new.
            let staysDeleted = try pass.kept.contains(target, of: currentList.list.target)
            guard currentList.isNew || !staysDeleted else { return }
            pass.warnOfMissing(entry: target, of: owner)
        }
    }

    /// An entry that another row has the place of, which may let go of it.
    private func refuse(
        _ member: EntityReference,
        _ list: ClassShape.ToMany,
        of owner: EntityReference,
        _ error: StoreError
    ) throws(LegacyError) {
        guard let currentList, !placesWaitingRows else { return warnOfTaken(member, error) }
        currentList.isPostponed = true
        try waitingRows.refuse(list.named(of: owner))
        if currentList.isDisturbed { return }
        currentList.isDisturbed = true
        try disturbed.append(list, of: owner)
    }

    /// Whether the owner may have entries that no piece of this list put there.
    private func mayHaveEntries(_ list: ListInProgress) -> Bool {
        if list.isTriedAgain { return true }
        if let owner = list.owner { return owner != .inserted }
        return pass.mayHold(list.shape)
    }

    private func begin(_ list: ListInProgress, in transaction: borrowing WriteTransaction) throws {
        list.hasBegun = true
        list.id = try pass.storedIdentifier(list.shape.model, list.key, in: transaction)
        let owner = EntityReference(model: list.shape.model, id: list.id)
        if let found = try transaction.revision(of: owner) {
            list.isNew = found.created.rawValue >= pass.firstPosition
        }
        list.isKept =
            try list.members.count <= longBounds.lengthMax
            && pass.isKept(list.list, of: owner, list.members, in: transaction)
        if !list.isKept { try noteIfDisturbed(list, in: transaction) }
        if pass.isRerun {
            let named = list.list.named(of: owner)
            pass.givenLists.insert(named.model)
            try given.insert(named)
        }
        if list.owner == .leftOut {
            list.isLeftOut = true
        } else if try isHeldBack(list.shape.model, list.id) {
            list.isLeftOut = true
            list.isPostponed = true
        } else if list.owner == nil || list.owner == .postponed {
            guard try transaction.revision(of: owner) != nil else {
                list.isLeftOut = true
                if !postponed.isEmpty {
                    list.isPostponed = true
                    return
                }
                // Where it stays deleted that was said of itself.
                if try pass.kept.contains(owner) { return }
                return pass.warnOfMissingOwner(of: list.list, owner)
            }
        }
    }

    /// Finds out whether somebody else had changed the owner of a list that is to be changed.
    private func ask(_ list: ListInProgress, in transaction: borrowing WriteTransaction) throws {
        guard list.isChangedHere == nil, pass.isRerun else { return }
        let owner = EntityReference(model: list.shape.model, id: list.id)
        list.isChangedHere = try pass.isChangedHere(
            list.list,
            of: owner,
            list.members,
            in: transaction
        )
    }

    func didChange(
        _ list: ListInProgress,
        _ owner: EntityReference
    ) throws(LegacyError) {
        didWrite()
        guard !list.isCounted else { return }
        list.isCounted = true
        try didUpdate(owner)
        if list.isChangedHere == true { try pass.warnOverwritten(owner) }
    }

    /// Makes a list the wanted one with the fewest changes; entries that stay keep their identity,
    /// and entries that were added in the store stay.
    ///
    /// - Parameter change: called before the first change.
    func reorder(
        _ list: ClassShape.ToMany,
        of owner: EntityReference,
        _ present: [EntryID],
        _ wanted: [String],
        _ transaction: inout WriteTransaction,
        change: () throws -> Void
    ) throws {
        let difference = ListDifference(from: present.map(\.target), to: wanted)
        var lastKept = -1
        for index in difference.surplus {
            let entry = present[index]
            if pass.isPartial {
                lastKept = index
            } else if try pass.mayTakeOut(entry, of: list, in: transaction) {
                try change()
                try transaction.unlink(list.name, entry: entry, of: owner)
            } else {
                lastKept = index
                pass.warnOfKept(entryOf: owner, in: list)
            }
        }
        var order = WantedOrder(difference, present, lastKept: lastKept)
        for (place, step) in difference.steps.enumerated() {
            switch step {
            case .stay(let index): order.stay(present[index])
            case .move(let index): order.put(present[index], at: place, isThere: true)
            case .add:
                guard
                    let added = try link(
                        list,
                        from: owner,
                        to: wanted[place],
                        at: .last,
                        &transaction
                    )
                else { continue }
                try change()
                order.put(added, at: place, isThere: false)
            }
        }
        guard order.needsArranging else { return }
        // The list has entries that are not among these as well.
        let entries = try transaction.entries(of: list.name, model: owner.model, id: owner.id)
        let arranged = order.arranged(entries)
        if arranged == entries { return }
        try change()
        try transaction.arrange(list.name, of: owner, entries: arranged)
    }

    /// Puts an entry into a list; where its target is not there or may not stand there, it is left out with a warning.
    func link(
        _ list: ClassShape.ToMany,
        from owner: EntityReference,
        to target: String,
        at placement: Placement,
        _ transaction: inout WriteTransaction
    ) throws -> EntryID? {
        do {
            return try transaction.link(list.name, of: owner, to: target, at: placement)
        } catch let error as StoreError where error.code == .targetMissing {
            try leaveOut(target, of: owner)
            return nil
        } catch let error as StoreError where error.isOfHolder {
            let member = EntityReference(model: list.target, id: target)
            try refuse(member, list, of: owner, error)
            return nil
        } catch let error as StoreError where Self.refusals.contains(error.code) {
            // Its row has no room for the owner.
            warnOfRefusal(EntityReference(model: list.target, id: target), error)
            return nil
        }
    }
}

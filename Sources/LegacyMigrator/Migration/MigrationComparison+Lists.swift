import ExportFormats
import LegacyRecords
import Reprise

/// Lists of an export and those of a store.
extension MigrationComparison {
    func compare(
        _ members: LegacyReferences,
        _ list: ClassShape.ToMany,
        of key: String,
        _ shape: ClassShape,
        in state: borrowing ReadTransaction
    ) throws {
        let id = try pass.storedIdentifier(shape.model, key, in: state)
        let owner = EntityReference(model: shape.model, id: id)
        try noteGiven(list, of: owner)
        let isThere = try state.revision(of: owner) != nil
        if try !isThere && (pass.kept.contains(owner) || undecided.contains(owner)) { return }
        if try members.count <= LongList.bounds.lengthMax
            && pass.isKept(list, of: owner, members, in: state)
        {
            return
        }
        let present = try state.entriesUnlessMore(
            than: LongList.bounds.lengthMax,
            of: list.name,
            owner
        )
        guard let present, members.count <= LongList.bounds.lengthMax else {
            return try compareLong(members, list, of: owner, in: state)
        }
        var wanted: [String] = []
        wanted.reserveCapacity(members.count)
        let last = try pass.lastOccurrences(members, in: list)
        for (place, member) in members.enumerated() where last?[place] != false {
            let target = try pass.storedIdentifier(list.target, member, in: state)
            // Entries whose target is nowhere are left out.
            if try !pass.resolves(list.target, target, in: state) {
                let member = EntityReference(model: list.target, id: target)
                try noteMissing(member, of: owner, isNew: !isThere)
            } else if try !pass.standsElsewhere(target, list, of: owner, in: state) {
                wanted.append(target)
            } else {
                doubts.insert(.counts)
            }
        }
        guard isThere else { return }
        if present.hasTargets(wanted) {
            noteReplacement(of: owner, list, missing: [], among: present)
            return try pass.noteAgreedOrder(list, of: owner, wanted, isMade: false, in: state)
        }
        doubtMembers(of: list)
        let difference = ListDifference(from: present.map(\.target), to: wanted)
        var isInPlace = true
        for (place, step) in difference.steps.enumerated() {
            if case .stay = step { continue }
            let member = EntityReference(model: list.target, id: wanted[place])
            guard case .add = step else {
                isInPlace = false
                continue
            }
            try noteTaken(member, by: list)
            if try isNew(member, in: state) {
                try newEntries.append(member, of: owner)
            } else {
                isInPlace = false
            }
        }
        let surplus = pass.isPartial ? [] : difference.surplus.map { present[$0] }
        noteReplacement(of: owner, list, missing: surplus, among: present)
        let staying = try surplus.filter { try !pass.mayTakeOut($0, of: list, in: state) }
        let hasSurplus = staying.count < surplus.count
        let kept = try staying.filter { try isKept($0, in: list) }
        if isInPlace, !hasSurplus {
            for _ in kept { pass.warnOfKept(entryOf: owner, in: list) }
            // Only new members make it different, if they come.
            if try pass.isChangedHere(list, of: owner, members, in: state) {
                try changedHere.insert(owner)
            }
            return try pass.noteAgreedOrder(list, of: owner, wanted, isMade: false, in: state)
        }
        let keepsOrder = try pass.keepsOrder(
            list,
            of: owner,
            present,
            wanted,
            mayGrow: false,
            in: state
        )
        if keepsOrder { return }
        for _ in kept { pass.warnOfKept(entryOf: owner, in: list) }
        try warnIfOrderIsLost(list, of: owner, present, wanted, in: state)
        try didFind(owner, list, members, in: state)
    }

    /// Notes that the export gives a list, whether it is compared or not.
    func noteGiven(_ list: ClassShape.ToMany, of owner: EntityReference) throws(LegacyError) {
        guard pass.isRerun else { return }
        let named = list.named(of: owner)
        pass.givenLists.insert(named.model)
        try given.insert(named)
    }

    /// An entry whose target is not there. Where that stays deleted it was said of itself, unless the list is new.
    private func noteMissing(
        _ target: EntityReference,
        of owner: EntityReference,
        isNew: Bool
    ) throws(LegacyError) {
        let staysDeleted = try pass.kept.contains(target)
        if try undecided.contains(target) {
            try newEntries.append(target, of: owner)
        } else if isNew || !staysDeleted {
            pass.warnOfMissing(entry: target.id, of: owner)
        }
    }

    /// Counts the owner of a list that is not as in the export.
    func didFind(
        _ owner: EntityReference,
        _ list: ClassShape.ToMany,
        _ members: LegacyReferences,
        in state: borrowing ReadTransaction
    ) throws {
        doubtMembers(of: list)
        if try pass.isChangedHere(list, of: owner, members, in: state) {
            try pass.warnOverwritten(owner)
        }
        try didFind(owner)
    }

    /// A list too long to be held: it is the same where what is wanted stands in it in this order, and nothing else of
    /// the source.
    private func compareLong(
        _ members: LegacyReferences,
        _ list: ClassShape.ToMany,
        of owner: EntityReference,
        in state: borrowing ReadTransaction
    ) throws {
        var place = 0
        let kept = try pass.lastOccurrences(members, in: list)
        func next(_ state: borrowing ReadTransaction) throws -> String? {
            while place < members.count {
                defer { place += 1 }
                if kept?[place] == false { continue }
                let target = try pass.storedIdentifier(list.target, members[place], in: state)
                // Entries whose target is nowhere are left out.
                if try pass.resolves(list.target, target, in: state) { return target }
                pass.warnOfMissing(entry: target, of: owner)
            }
            return nil
        }
        func isAwaited(_ target: String) throws -> Bool {
            let member = EntityReference(model: list.target, id: target)
            guard try isNew(member, in: state) else { return false }
            doubtMembers(of: list)
            try newEntries.append(member, of: owner)
            return true
        }
        var wanted = try next(state)
        var hasSurplus = false
        try state.forEachEntry(of: list.name, model: owner.model, id: owner.id) { entry in
            while let target = wanted, !target.utf8.elementsEqual(entry.target.utf8),
                try isAwaited(target)
            { wanted = try next(state) }
            if let target = wanted, target.utf8.elementsEqual(entry.target.utf8) {
                wanted = try next(state)
            } else if !pass.isPartial {
                hasSurplus = try isSurplus(entry, list, of: owner, in: state)
            }
            return !hasSurplus
        }
        while let target = wanted, try isAwaited(target) { wanted = try next(state) }
        let isInPlace = wanted == nil
        while wanted != nil { wanted = try next(state) }
        guard try state.revision(of: owner) != nil, !isInPlace || hasSurplus else { return }
        try didFind(owner, list, members, in: state)
    }

    /// Whether an entry that the export lacks is taken out of its list; says where it stays because somebody else has
    /// put it there, or it must be in one.
    private func isSurplus(
        _ entry: EntryID,
        _ list: ClassShape.ToMany,
        of owner: EntityReference,
        in state: borrowing ReadTransaction
    ) throws -> Bool {
        if try pass.mayTakeOut(entry, of: list, in: state) { return true }
        if try isKept(entry, in: list) { pass.warnOfKept(entryOf: owner, in: list) }
        return false
    }

    /// Notes that a list takes a member, which says itself where it belongs.
    private func noteTaken(
        _ member: EntityReference,
        by list: ClassShape.ToMany
    ) throws(LegacyError) {
        guard let toOne = list.memberToOne else { return }
        try taken.insert(member.id, of: "\(list.target).\(toOne)")
    }

    /// Whether an entry that is not taken out of its list is still there when it comes to it: no list before has taken
    /// the member.
    private func isKept(
        _ entry: EntryID,
        in list: ClassShape.ToMany
    ) throws(LegacyError) -> Bool {
        guard let toOne = list.memberToOne else { return true }
        return try !taken.contains(entry.target, of: "\(list.target).\(toOne)")
    }

    /// Whether a list that the export does not give has an entry that is taken out of it.
    func hasSurplus(
        _ list: ClassShape.ToMany,
        of owner: EntityReference,
        in state: borrowing ReadTransaction
    ) throws -> Bool {
        var hasSurplus = false
        try state.forEachEntry(of: list.name, model: owner.model, id: owner.id) { entry in
            if try isSurplus(entry, list, of: owner, in: state) { hasSurplus = true }
            return !stopsEarly || !hasSurplus
        }
        return hasSurplus
    }

    /// A list that lacks only members at its end needs no ordering once they are there.
    func compareOrders(_ key: MemberOrders.Key, _ lists: WantedLists) throws {
        try store.read { state in
            for index in 0..<lists.count {
                let owner = EntityReference(model: key.owner, id: try lists.owner(at: index))
                // What members lead to that the export lacks, they will lead to no more.
                guard try state.revision(of: owner) != nil,
                    try pass.resolves(owner.model, owner.id, in: state)
                else { continue }
                let present = try state.entriesUnlessMore(
                    than: LongList.bounds.lengthMax,
                    of: key.list,
                    owner
                )
                let isLong = try lists.isLonger(than: LongList.bounds.lengthMax, at: index)
                guard let present, !isLong else {
                    let wanted = try lists.identifiers(at: index, in: pass.memory)
                    try compareLongOrder(wanted, key, owner, in: state)
                    continue
                }
                let wanted = try lists.members(at: index)
                let names = Set(wanted.map(ExactText.init))
                let entries = present.filter { names.contains(ExactText($0.target)) }
                if entries.hasTargets(beginning: wanted) {
                    try noteAgreedOrder(key, owner, entries, in: state)
                    continue
                }
                // What is not there yet comes last, and is only then in the way of the others.
                let places = Set(entries.map { ExactText($0.target) })
                let end = wanted.lastIndex { places.contains(ExactText($0)) } ?? 0
                var there: [String] = []
                for (place, id) in wanted.enumerated() {
                    let member = EntityReference(model: key.member, id: id)
                    if try places.contains(ExactText(id)) || !isNew(member, in: state) {
                        there.append(id)
                    } else if place < end {
                        try newPlaces.append(member, of: owner)
                    }
                }
                if entries.hasTargets(beginning: there) {
                    try noteAgreedOrder(key, owner, entries, in: state)
                    continue
                }
                // What is new comes last, or in the way of the others.
                let keepsOrder =
                    try there.count == end + 1
                    && pass.keepsOrder(
                        key.toMany,
                        of: owner,
                        entries,
                        there,
                        mayGrow: true,
                        in: state
                    )
                if keepsOrder { continue }
                try warnIfOrderIsLost(key.toMany, of: owner, entries, there, in: state)
                try didFind(owner)
            }
        }
    }

    /// - Parameter entries: those that are in the order of the export. Members that come from elsewhere are put behind
    ///   them by the migration itself.
    private func noteAgreedOrder(
        _ key: MemberOrders.Key,
        _ owner: EntityReference,
        _ entries: [EntryID],
        in state: borrowing ReadTransaction
    ) throws {
        try pass.noteAgreedOrder(
            key.toMany,
            of: owner,
            entries.map(\.target),
            isMade: false,
            in: state
        )
    }

    /// Says where somebody else has put members into an order that they lose.
    private func warnIfOrderIsLost(
        _ list: ClassShape.ToMany,
        of owner: EntityReference,
        _ present: [EntryID],
        _ wanted: [String],
        in state: borrowing ReadTransaction
    ) throws {
        let losesOrder = try pass.losesOrder(list, present, to: wanted, in: state) {
            try different.contains($0.id, of: $0.model)
        }
        if losesOrder { try pass.warnOverwritten(owner) }
    }

    private func compareLongOrder(
        _ wanted: RememberedIdentifiers,
        _ key: MemberOrders.Key,
        _ owner: EntityReference,
        in state: borrowing ReadTransaction
    ) throws {
        if try isInOrder(wanted, key, owner, in: state) { return }
        let there = RememberedIdentifiers(in: pass.memory)
        for place in 0..<wanted.count {
            let id = try wanted.key(at: place)
            let member = EntityReference(model: key.member, id: id.text)
            if try isNew(member, in: state) {
                try newPlaces.append(member, of: owner)
            } else {
                try there.append(id)
            }
        }
        if there.count < wanted.count, try isInOrder(there, key, owner, in: state) { return }
        try didFind(owner)
    }

    /// Whether a long list has what is wanted of it in this order, as far as it has it.
    private func isInOrder(
        _ wanted: RememberedIdentifiers,
        _ key: MemberOrders.Key,
        _ owner: EntityReference,
        in state: borrowing ReadTransaction
    ) throws -> Bool {
        let long = LongList(key.toMany, of: owner, wanted, isWhole: false, in: pass.memory)
        return try long.isInOrder(in: state)
    }
}

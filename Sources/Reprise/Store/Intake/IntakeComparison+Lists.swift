internal import RepriseLMDB
internal import RepriseLog

/// Lists come before rows, because a row holds its place in the list on the other side of its to-one.
extension IntakeComparison {
    func compareLists() throws {
        var members = intake.statedMembers()
        try members.advance()
        var changes = try ours.changedPlaces()
        var noted = known.lists.keys.sorted { $0.precedes($1) }[...]
        while let list = try members.nextList() {
            try carryLists(before: list.key, &noted, &changes)
            if noted.first == list.key { noted.removeFirst() }
            try compare(list, try standing(list, end(of: list.key.relation), changes.changes(in: list.key)))
        }
        try carryLists(before: nil, &noted, &changes)
    }

    func end(of relation: UInt16) throws -> RelationEnd {
        let relation = try schema.relation(relation)
        // The other side of a to-one belongs to what the to-one leads to.
        let side: RelationEnd.Side = relation.kind == .list ? .source : .target
        return RelationEnd(relation: relation, side: side)
    }

    private func standing(_ list: StatedList, _ end: RelationEnd, _ changes: [PlaceChange]) throws -> ListStanding {
        let key = list.key
        let present = try workspace.entries(of: key)
        let owner = EntityKey(model: end.own.model, id: key.id)
        // Where the owner is not there yet, it is made with its list.
        let isNew = try workspace.row(owner) == nil
        var said = isNew ? nil : known.lists[key]
        if !isNew, said == nil, !changes.isEmpty {
            said = withKept(Self.before(changes, present), list, end)
        }
        if !isNew, said == nil, !saysKept, isRepeated, end.relation.kind == .list,
            list.members != present.map(\.target),
            try observer.wasListChanged(end.displayName(in: schema.description), of: reference(owner))
        {
            said = list.members
        }
        return ListStanding(end: end, owner: owner, isNew: isNew, present: present, said: said)
    }

    /// The members that the last export left.
    static func before(_ changes: [PlaceChange], _ present: [ListEntry]) -> [[UInt8]] {
        let changed = Set(changes.compactMap { change in change.to.map { Place(change.serial, change.target, $0) } })
        var base = present.filter { !changed.contains(Place($0.serial, $0.target, $0.orderKey)) }
        for change in changes {
            guard let place = change.from else { continue }
            base.append(ListEntry(orderKey: place, serial: change.serial, target: change.target))
        }
        return base.sorted { $0.orderKey < $1.orderKey }.map(\.target)
    }

    /// What the last export said of the members of a list: what it left, without the members that were put there here,
    /// and with those that stayed elsewhere.
    func withKept(_ left: [[UInt8]], _ list: StatedList, _ end: RelationEnd) -> [[UInt8]] {
        guard case .reference(let slot) = end.relation.kind, !known.rows.isEmpty else { return left }
        let owner = Self.hash(list.key.id)
        func named(_ member: [UInt8]) -> UInt64? {
            known.rows[EntityKey(model: end.other.model, id: member)]?.slots[Int(slot)]
        }
        var said = left.filter { named($0) ?? owner == owner }
        var inSaid = Set(said)
        for (index, member) in list.members.enumerated() {
            guard named(member) == owner, inSaid.insert(member).inserted else { continue }
            let previous = index == 0 ? nil : said.firstIndex(of: list.members[index - 1])
            said.insert(member, at: previous.map { $0 + 1 } ?? 0)
        }
        return said
    }

    private func compare(_ list: StatedList, _ standing: ListStanding) throws {
        if staysDeleted.contains(standing.owner) { return }
        let name = standing.end.displayName(in: schema.description)
        if list.isGiven, try !resolves(standing.owner) {
            return try observer.note(.missingOwner(reference(standing.owner), list: name))
        }
        let wanted = try resolved(list, standing)
        var isOnlyAdded = false
        if intake.isPartial, let said = standing.said { deviations.lists[list.key] = said }
        if let change = try change(of: list, standing) {
            switch change {
            case .nothing: isOnlyAdded = true
            case .agreed: agreedCount += 1
            case .appended(let tail, let said):
                if !intake.isPartial { deviations.lists[list.key] = list.members }
                try observer.note(.keptList(reference(standing.owner), list: name))
                if standing.isOfMembers, list.isGiven { for member in said { try place(member, standing, at: 0) } }
                let members = standing.end.other.model
                return try append(tail.filter { try resolves(EntityKey(model: members, id: $0)) }, standing)
            case .both:
                try observer.note(.changedList(reference(standing.owner), list: name))
            }
        }
        let hasMoved = try place(list, wanted, IntakeAlignment(of: wanted, among: standing.present), standing)
        if hasMoved, !isRepeated, !standing.isNew {
            try observer.note(.changedList(reference(standing.owner), list: name))
        }
        // What was added here is what the export has now as well.
        if isOnlyAdded, !hasMoved, let said = standing.said {
            let known = Set(said + wanted)
            if said != list.members.filter(known.contains) { agreedCount += 1 }
        }
    }

    /// What was changed in a list, here and in the export.
    private enum ListChange {
        /// Nothing here, but for what was added.
        case nothing
        /// The same on both sides.
        case agreed
        /// Something here, and at most something at the end in the export.
        case appended([[UInt8]], said: [[UInt8]])
        /// Something on both sides.
        case both
    }

    /// Nil where the list is as the last export left it.
    private func change(of list: StatedList, _ standing: ListStanding) throws -> ListChange? {
        guard let all = standing.said else { return nil }
        func exists(_ id: [UInt8]) throws -> Bool {
            try workspace.row(EntityKey(model: standing.end.other.model, id: id)) != nil
        }
        // That members were deleted here is no change of the list, nor is it that others were added.
        var said = try all.filter(exists)
        let isPartial = intake.isPartial
        var entries = standing.present
        var stated = try list.members.filter {
            try !list.isGiven || exists($0) || resolves(EntityKey(model: standing.end.other.model, id: $0))
        }
        if !list.isGiven {
            // Who is in it is told by the members.
            let (there, before) = (Set(entries.map(\.target)), Set(all))
            said.removeAll { !there.contains($0) }
            let left = Set(said)
            entries.removeAll { !left.contains($0.target) }
            stated.removeAll { before.contains($0) && !there.contains($0) }
        }
        if isPartial {
            let known = Set(stated)
            said.removeAll { !known.contains($0) }
            entries.removeAll { !known.contains($0.target) }
        }
        let present = entries.map(\.target)
        func withoutAdditions(_ kept: [[UInt8]]) throws -> [[UInt8]] {
            let kept = Set(kept)
            return try zip(present, entries).filter {
                try kept.contains($0) || !standing.isOfMembers && isOwn($1, standing.end)
            }
            .map(\.0)
        }
        if try withoutAdditions(said) == said { return .nothing }
        // What the export has anew goes where it has it.
        let old = Set(said + present)
        let agreed = stated.filter(old.contains)
        if try withoutAdditions(agreed) == agreed { return said == stated ? .nothing : .agreed }
        guard stated.starts(with: said) else { return .both }
        let there = Set(present)
        return .appended(stated[said.count...].filter { !there.contains($0) }, said: said)
    }

    /// The members that are there in the end.
    private func resolved(_ list: StatedList, _ standing: ListStanding) throws -> [[UInt8]] {
        guard list.isGiven else { return list.members }
        var wanted: [[UInt8]] = []
        for id in list.members {
            let member = EntityKey(model: standing.end.other.model, id: id)
            if try resolves(member) {
                wanted.append(id)
            } else if standing.isNew || !staysDeleted.contains(member) {
                let name = standing.end.displayName(in: schema.description)
                try observer.note(.missingMember(reference(standing.owner), list: name, target: member.text))
            }
        }
        return wanted
    }

    /// Whether what the export does not name leaves the list: what others have put there stays.
    private func isLeaving(_ entry: ListEntry, _ standing: ListStanding, _ said: Set<[UInt8]>) throws -> Bool {
        if intake.isPartial { return false }
        return try isOwn(entry, standing.end) || said.contains(entry.target)
    }

    /// Whether the source has put an entry, or a member, where it is.
    private func isOwn(_ entry: ListEntry, _ end: RelationEnd) throws -> Bool {
        if end.relation.kind == .list { return observer.isOwn(Position(entry.serial)) }
        guard let row = try workspace.row(EntityKey(model: end.other.model, id: entry.target)) else {
            return true
        }
        return observer.isOwn(Position(row.created))
    }

    private func append(_ tail: [[UInt8]], _ standing: ListStanding) throws {
        let alignment = IntakeAlignment(appending: tail.count, to: standing.present)
        let places = alignment.places(among: standing.present, leaving: [])
        for (index, key) in places.keys.enumerated() {
            guard let key else { continue }
            if index < standing.present.count {
                let entry = standing.present[index]
                if standing.isOfMembers {
                    try place(entry.target, standing, at: key)
                } else {
                    try addEntry(standing, entry.serial, entry.target, from: entry.orderKey, to: key)
                }
            } else if standing.isOfMembers {
                try place(tail[index - standing.present.count], standing, at: key)
            } else {
                let member = tail[index - standing.present.count]
                try addEntry(standing, EntryDelta.newSerial, member, from: nil, to: key)
            }
        }
    }

    /// Puts the wanted members where they are to be.
    ///
    /// - Returns: whether anything changes.
    private func place(
        _ list: StatedList,
        _ wanted: [[UInt8]],
        _ alignment: IntakeAlignment,
        _ standing: ListStanding
    ) throws -> Bool {
        let said = Set(standing.said ?? [])
        var leaving: [Int] = []
        var isAddedTo = false
        for (index, entry) in standing.present.enumerated() where !alignment.isTaken[index] {
            if try isLeaving(entry, standing, said) {
                leaving.append(index)
            } else {
                isAddedTo = !intake.isPartial
            }
        }
        if isAddedTo {
            deviations.lists[list.key] = list.members
            try observer.note(.addedHere(reference(standing.owner)))
        }
        let places = alignment.places(among: standing.present, leaving: Set(leaving))
        for (index, member) in wanted.enumerated() {
            let source = alignment.sources[index].map { standing.present[$0] }
            guard let key = places.keys[index] else {
                if standing.isOfMembers, list.isGiven {
                    try place(member, standing, at: source?.orderKey ?? 0)
                }
                continue
            }
            if standing.isOfMembers {
                try place(member, standing, at: key)
            } else {
                let serial = source?.serial ?? EntryDelta.newSerial
                try addEntry(standing, serial, member, from: source?.orderKey, to: key)
            }
        }
        for (index, key) in places.moves {
            let entry = standing.present[index]
            if standing.isOfMembers {
                try place(entry.target, standing, at: key)
            } else {
                try addEntry(standing, entry.serial, entry.target, from: entry.orderKey, to: key)
            }
        }
        let hasMoved = !alignment.isUnmoved || !leaving.isEmpty
        if standing.isOfMembers { return hasMoved }
        for index in leaving {
            let entry = standing.present[index]
            try addEntry(standing, entry.serial, entry.target, from: entry.orderKey, to: nil)
        }
        if !leaving.isEmpty {
            try noteLeaving(leaving.map { standing.present[$0] }, of: standing.present.count, standing)
        }
        return hasMoved
    }

    func noteLeaving(_ entries: [ListEntry], of count: Int, _ standing: ListStanding) throws {
        try observer.note(
            .leaving(
                reference(standing.owner),
                list: standing.end.displayName(in: schema.description),
                targets: entries.map { String(decoding: $0.target, as: UTF8.self) },
                of: count
            )
        )
    }

    // MARK: What rows are told

    private func place(_ member: [UInt8], _ standing: ListStanding, at orderKey: UInt64) throws {
        guard case .reference(let slot) = standing.end.relation.kind else { return }
        let placement = MemberPlace(slot: Int(slot), orderKey: orderKey, owner: standing.owner.id)
        var writer = ByteWriter(capacity: 64)
        placement.write(to: &writer)
        key.setRow(EntityKey(model: standing.end.other.model, id: member))
        try unsafe placements.add(key: key.bytes, value: writer.bytes)
    }

    private func addEntry(
        _ standing: ListStanding,
        _ serial: UInt64,
        _ target: [UInt8],
        from: UInt64?,
        to: UInt64?
    ) throws {
        let relation = standing.end.relation.number
        let entry = EntryDelta(relation: relation, serial: serial, target: target, from: from, to: to)
        var writer = ByteWriter(capacity: 64)
        ListedChange(entry).write(to: &writer)
        key.setRow(standing.owner)
        try unsafe listed.add(key: key.bytes, value: writer.bytes)
    }
}

/// A place in a list, and what has it.
private struct Place: Hashable {
    let serial: UInt64
    let target: [UInt8]
    let orderKey: UInt64

    init(_ serial: UInt64, _ target: [UInt8], _ orderKey: UInt64) {
        (self.serial, self.target, self.orderKey) = (serial, target, orderKey)
    }
}

/// A list as it is, and what the last export said of it.
struct ListStanding {
    let end: RelationEnd
    let owner: EntityKey
    /// Whether the owner is not there yet.
    var isNew = false
    /// What is there now, in order.
    let present: [ListEntry]
    /// What the last export said, where the list was changed here; nil where it is as that said.
    let said: [[UInt8]]?

    /// Whether the members hold their places by a to-one.
    var isOfMembers: Bool { end.relation.kind != .list }
}
